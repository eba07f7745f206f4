package bot;

import static java.util.Map.entry;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import warladder.v1.RefereeOuterClass.Decide;
import warladder.v1.Stalingrad.StalingradBattle;
import warladder.v1.Stalingrad.StalingradOption;
import warladder.v1.Stalingrad.StalingradView;

/**
 * Greedy at Battle for Stalingrad: gives every option a number and takes the highest.
 *
 * <p>It looks at the position only, never ahead. The kit of every language has the same rules, and
 * takes the same options in the same match. All numbers are whole; of equal options the first is
 * taken.
 */
final class Greedy {
    private Greedy() {}

    /** Cards kept in hand when buying, and when a Firefight is only to be bettered. */
    private static final int RESERVE = 3;

    /** What a card is worth when it is played for its effect; others are kept for Firefights. */
    private static final Map<String, Integer> WORTH =
            Map.ofEntries(
                    entry("dive_bombers", 25),
                    entry("artillery_barrage", 24),
                    entry("supply_raid", 23),
                    entry("air_supply", 22),
                    entry("fresh_supplies", 21),
                    entry("desperation", 20),
                    entry("scouts", 19),
                    entry("fog_of_war", 12),
                    entry("propaganda_war", 11),
                    entry("victory", 10),
                    entry("recover_wounded", 9),
                    entry("sniper", 8),
                    entry("rubble", 7),
                    entry("reserve_forces", 6),
                    entry("heavy_weapons", 5),
                    entry("big_push", 4));

    /** Cards for a battle that would be lost without them. */
    private static final Set<String> IN_BATTLE =
            Set.of("reserve_forces", "heavy_weapons", "big_push");

    /** The position as the rules below need it. */
    private static final class Table {
        private final int seat;
        private final StalingradBattle battle;
        private final Map<String, String> area = new HashMap<>();
        private final Map<String, Integer> rations = new HashMap<>();
        private final Map<String, Integer> weight = new HashMap<>();
        private final Map<String, Integer> control = new HashMap<>();
        private final int hand;

        Table(StalingradView view, int seat) {
            this.seat = seat;
            battle = view.getBattle();
            for (int k = 0; k < view.getForcesCount(); k++) {
                String force = view.getForces(k);
                area.put(force, view.getAreas(k));
                rations.put(force, view.getRations(k));
                weight.put(force, 3 + Math.min(view.getRations(k), 4) + 2 * view.getMedals(k));
            }
            for (int k = 0; k < view.getLocationsCount(); k++) {
                control.put(view.getLocations(k), view.getControl(k));
            }
            hand = view.getHandSizesCount() > 0 ? view.getHandSizes(seat) : 0;
        }

        int owner(String force) {
            return force.startsWith("R") ? 0 : 1;
        }

        /** Weight of a side's Forces in an area, such as `GUM.C`. */
        int strength(int seat, String area) {
            return this.area.entrySet().stream()
                    .filter(each -> each.getValue().equals(area) && owner(each.getKey()) == seat)
                    .mapToInt(each -> weight.get(each.getKey()))
                    .sum();
        }

        /** Own strength in the Control Area less the enemy's. */
        int lead(String location) {
            String area = location + ".C";
            return strength(seat, area) - strength(1 - seat, area);
        }

        /** Nobody holds it, so whoever comes first does. */
        boolean open(String location) {
            String area = location + ".C";
            return strength(0, area) == 0 && strength(1, area) == 0;
        }

        /** The battle in progress would cost more Hits than it brings. */
        boolean behind() {
            List<Integer> base = battle.getBaseList();
            if (base.isEmpty() || base.get(0) + base.get(1) == 0) {
                return lead(battle.getLocation()) < 0;
            }
            int own = base.get(seat) + battle.getFire(seat);
            int enemy = base.get(1 - seat) + battle.getFire(1 - seat);
            return own < enemy;
        }
    }

    /** Index of the best option; nothing is left to chance. */
    static int choose(Decide asked, int seat, String seed) {
        Table table = new Table(asked.getView().getStalingrad(), seat);
        int best = 0;
        int most = score(table, asked.getKind(), asked.getOptions(0).getStalingrad());
        for (int k = 1; k < asked.getOptionsCount(); k++) {
            int value = score(table, asked.getKind(), asked.getOptions(k).getStalingrad());
            if (value > most) {
                best = k;
                most = value;
            }
        }
        return best;
    }

    /** What an option is worth. `pass`, `end` and `stop` are worth 0. */
    private static int score(Table table, String kind, StalingradOption option) {
        return switch (option.getVerb()) {
            case "attack" -> attack(table, option.getLocation());
            case "participants" -> option.getForcesCount();
            case "move", "free_move" -> move(table, option.getForce());
            case "to" -> station(table, option.getArea());
            case "buy" -> table.hand > RESERVE ? 40 : -1;
            case "play" -> play(table, kind, option.getCard());
            case "fire" ->
                    table.behind() && table.hand > RESERVE ? 10 + Math.abs(option.getFf()) : -1;
            case "discard" -> -WORTH.getOrDefault(option.getCard(), 0) - Math.abs(option.getFf());
            case "search" -> WORTH.getOrDefault(option.getCard(), 0);
            case "target" -> target(table, option.getTarget());
            case "place_ration" -> 20 - table.rations.get(option.getForce());
            case "lose_ration" -> table.rations.get(option.getForce());
            case "destroy_own" -> -table.weight.get(option.getForce());
            case "ignore" -> 50;
            case "ration" -> {
                int kept = table.rations.get(option.getForce()) - option.getRations();
                yield (kept >= 1 ? 30 : 5) + option.getRations();
            }
            case "retreat" -> 20;
            case "destroy" -> -table.weight.get(option.getForce());
            case "pass", "end", "stop" -> 0;
            default -> -1;
        };
    }

    /** Only with half as much again as the enemy has. */
    private static int attack(Table table, String location) {
        int own = table.strength(table.seat, location + ".C");
        int enemy = table.strength(1 - table.seat, location + ".C");
        return 2 * own >= 3 * enemy ? 10 + own - enemy : -1;
    }

    /** Out of a Perimeter Area: to an open Location, or to contest its own that the enemy holds. */
    private static int move(Table table, String force) {
        String area = table.area.get(force);
        if (area.endsWith(".C") || table.rations.get(force) < 2) {
            return -1;
        }
        String location = area.substring(0, area.indexOf('.'));
        boolean waits = table.control.keySet().stream().anyMatch(table::open);
        boolean held = table.control.get(location) == 1 - table.seat;
        return waits || held ? 30 + table.rations.get(force) : -1;
    }

    /** Open Locations first, then where the enemy has most more; a Perimeter Area if need be. */
    private static int station(Table table, String area) {
        if (area.endsWith(".P")) {
            return 0;
        }
        String location = area.substring(0, area.length() - 2);
        return table.open(location) ? 60 : 20 - table.lead(location);
    }

    private static int play(Table table, String kind, String card) {
        if (card.equals("reinforcements")) {
            return table.hand > RESERVE ? 41 : -1;
        }
        if (kind.equals("battle") && IN_BATTLE.contains(card)) {
            return table.behind() ? WORTH.get(card) : -1;
        }
        return WORTH.getOrDefault(card, -1);
    }

    /** The weakest of the enemy's Forces, it may fall; of the own the hungriest; else no matter. */
    private static int target(Table table, String target) {
        if (!table.weight.containsKey(target)) {
            return 0;
        }
        if (table.owner(target) == table.seat) {
            return 20 - table.rations.get(target);
        }
        return 40 - table.weight.get(target);
    }
}
