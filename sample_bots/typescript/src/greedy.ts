/**
 * Greedy at Battle for Stalingrad: gives every option a number and takes the highest.
 *
 * It looks at the position only, never ahead. The kit of every language has the same rules, and
 * takes the same options in the same match. All numbers are whole; of equal options the first is
 * taken.
 */

import type { Option } from "./stubs/warladder/v1/games.js";
import type { Decide } from "./stubs/warladder/v1/referee.js";
import { StalingradOption, StalingradView } from "./stubs/warladder/v1/stalingrad.js";

/** Cards kept in hand when buying, and when a Firefight is only to be bettered. */
const RESERVE = 3;

/** What a card is worth when it is played for its effect; others are kept for Firefights. */
const WORTH: Readonly<Record<string, number>> = {
  dive_bombers: 25,
  artillery_barrage: 24,
  supply_raid: 23,
  air_supply: 22,
  fresh_supplies: 21,
  desperation: 20,
  scouts: 19,
  fog_of_war: 12,
  propaganda_war: 11,
  victory: 10,
  recover_wounded: 9,
  sniper: 8,
  rubble: 7,
  reserve_forces: 6,
  heavy_weapons: 5,
  big_push: 4,
};

/** Cards for a battle that would be lost without them. */
const IN_BATTLE: readonly string[] = ["reserve_forces", "heavy_weapons", "big_push"];

/** The position as the rules below need it. */
class Table {
  readonly area: ReadonlyMap<string, string>;
  readonly rations: ReadonlyMap<string, number>;
  readonly weight: ReadonlyMap<string, number>;
  readonly control: ReadonlyMap<string, number>;
  readonly hand: number;

  constructor(
    readonly view: StalingradView,
    readonly seat: number,
  ) {
    this.area = zip(view.forces, view.areas);
    this.rations = zip(view.forces, view.rations);
    this.weight = zip(
      view.forces,
      view.rations.map((rations, i) => 3 + Math.min(rations, 4) + 2 * (view.medals[i] ?? 0)),
    );
    this.control = zip(view.locations, view.control);
    this.hand = view.handSizes[seat] ?? 0;
  }

  owner(force: string): number {
    return force.startsWith("R") ? 0 : 1;
  }

  rationsOf(force: string): number {
    return this.rations.get(force) ?? 0;
  }

  weightOf(force: string): number {
    return this.weight.get(force) ?? 0;
  }

  /** Weight of a side's Forces in an area, such as `GUM.C`. */
  strength(seat: number, area: string): number {
    let sum = 0;
    for (const [force, where] of this.area) {
      if (where === area && this.owner(force) === seat) {
        sum += this.weightOf(force);
      }
    }
    return sum;
  }

  /** Own strength in the Control Area less the enemy's. */
  lead(location: string): number {
    const area = `${location}.C`;
    return this.strength(this.seat, area) - this.strength(1 - this.seat, area);
  }

  /** Nobody holds it, so whoever comes first does. */
  open(location: string): boolean {
    const area = `${location}.C`;
    return this.strength(0, area) === 0 && this.strength(1, area) === 0;
  }

  /** The battle in progress would cost more Hits than it brings. */
  behind(): boolean {
    const { base = [], fire = [], location = "" } = this.view.battle ?? {};
    if (base.reduce((sum, each) => sum + each, 0) === 0) {
      return this.lead(location) < 0;
    }
    const total = base.map((each, seat) => each + (fire[seat] ?? 0));
    return total[this.seat]! < total[1 - this.seat]!;
  }
}

/** Lists that run alike, as one table. */
function zip<Value>(keys: readonly string[], values: readonly Value[]): Map<string, Value> {
  return new Map(values.map((value, i) => [keys[i] ?? "", value]));
}

/** Index of the best option; nothing is left to chance. */
export function choose(asked: Decide, seat: number): number {
  const game = asked.view?.game;
  const view = game?.$case === "stalingrad" ? game.value : StalingradView.create();
  const table = new Table(view, seat);
  const values = asked.options.map((option) => score(table, asked.kind, termsOf(option)));
  return values.indexOf(Math.max(...values));
}

/** The option in the game's own terms. */
function termsOf({ game }: Option): StalingradOption {
  return game?.$case === "stalingrad" ? game.value : StalingradOption.create();
}

/** What an option is worth. `pass`, `end` and `stop` are worth 0. */
function score(table: Table, kind: string, option: StalingradOption): number {
  switch (option.verb) {
    case "attack":
      return attack(table, option.location);
    case "participants":
      return option.forces.length;
    case "move":
    case "free_move":
      return move(table, option.force);
    case "to":
      return station(table, option.area);
    case "buy":
      return table.hand > RESERVE ? 40 : -1;
    case "play":
      return play(table, kind, option.card);
    case "fire":
      return table.behind() && table.hand > RESERVE ? 10 + Math.abs(option.ff) : -1;
    case "discard":
      return -(WORTH[option.card] ?? 0) - Math.abs(option.ff);
    case "search":
      return WORTH[option.card] ?? 0;
    case "target":
      return target(table, option.target);
    case "place_ration":
      return 20 - table.rationsOf(option.force);
    case "lose_ration":
      return table.rationsOf(option.force);
    case "destroy_own":
      return -table.weightOf(option.force);
    case "ignore":
      return 50;
    case "ration": {
      const kept = table.rationsOf(option.force) - option.rations;
      return kept >= 1 ? 30 + option.rations : 5 + option.rations;
    }
    case "retreat":
      return 20;
    case "destroy":
      return -table.weightOf(option.force);
    case "pass":
    case "end":
    case "stop":
      return 0;
    default:
      return -1;
  }
}

/** Only with half as much again as the enemy has. */
function attack(table: Table, location: string): number {
  const own = table.strength(table.seat, `${location}.C`);
  const enemy = table.strength(1 - table.seat, `${location}.C`);
  return 2 * own >= 3 * enemy ? 10 + own - enemy : -1;
}

/** Out of a Perimeter Area: to an open Location, or to contest its own that the enemy holds. */
function move(table: Table, force: string): number {
  const [location = "", area] = (table.area.get(force) ?? "").split(".");
  if (area === "C" || table.rationsOf(force) < 2) {
    return -1;
  }
  const waits = [...table.control.keys()].some((each) => table.open(each));
  const held = table.control.get(location) === 1 - table.seat;
  return waits || held ? 30 + table.rationsOf(force) : -1;
}

/** Open Locations first, then where the enemy has most more; a Perimeter Area if need be. */
function station(table: Table, area: string): number {
  const location = area.slice(0, -2);
  if (area.endsWith(".P")) {
    return 0;
  }
  return table.open(location) ? 60 : 20 - table.lead(location);
}

function play(table: Table, kind: string, card: string): number {
  if (card === "reinforcements") {
    return table.hand > RESERVE ? 41 : -1;
  }
  if (kind === "battle" && IN_BATTLE.includes(card) && !table.behind()) {
    return -1;
  }
  return WORTH[card] ?? -1;
}

/** The weakest of the enemy's Forces, it may fall; of the own the hungriest; else no matter. */
function target(table: Table, target: string): number {
  if (!table.weight.has(target)) {
    return 0;
  }
  if (table.owner(target) === table.seat) {
    return 20 - table.rationsOf(target);
  }
  return 40 - table.weightOf(target);
}
