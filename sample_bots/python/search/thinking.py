"""
Information-set search: what each option is worth over many positions that the view allows.

A decision becomes *lines*: an option, and with it what it asks at once (a Move's destination, a
card's targets). Lines whose outcome is plain are valued on the board itself; the others are played
on to the next quiet point in imagined positions, all in the same ones, and by halves the worse
lines are left behind until the budget is spent.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, sqrt
from random import Random
from time import perf_counter
from typing import Any, NamedTuple

from evaluation import Evaluation
from playout import Playouts

from referee.engine import Option
from referee.games import get
from referee.games.stalingrad.moves import FreeMoves, destinations, open_areas
from referee.games.stalingrad.play import CardWindow

WON = 20.0
"""Worth of a match that is won, and of its loss with the other sign."""
SURE = 0.02
"""An Action that gains less is not worth taking."""
GRANTED = 0.06
"""What each free Move is worth that High Morale still grants."""
CAUTION = 0.5
"""Standard errors taken off the worth of a line before it is chosen."""
ENOUGH = 3
"""Positions in which a line is played before luck is judged by their spread."""
FOLLOWED = 4
"""Moves into a contested Location whose attack is looked at too."""
CERTAIN = {
    "discard", "place_ration", "lose_ration", "destroy_own", "medal", "search", "buy_place",
    "setup_place",
}  # fmt: skip
"""Kinds whose outcome one imagined position shows as well as many."""


class Budget(NamedTuple):
    """What a decision may cost: steps of playouts, or milliseconds; 0 is no limit."""

    steps: int = 0
    ms: float = 0.0


class Line:
    """One way to answer, and what it has been worth so far."""

    __slots__ = ("count", "fixed", "labels", "path", "price", "squares", "total")

    def __init__(self, path: tuple[int, ...], labels: tuple[str, ...]) -> None:
        self.path = path
        """Options by index: the answer, then what follows it at once."""
        self.labels = labels
        self.fixed = False
        """Its worth is plain and needs no playing on."""
        self.price = 0.0
        """Taken off whatever it is worth."""
        self.total = self.squares = 0.0
        self.count = 0

    def begin(self, s: Any, seat: int) -> None:
        """Take the line's choices in a position."""
        for i in self.path:
            s.choose(seat, i)

    def add(self, worth: float) -> None:
        self.count += 1
        self.total += worth
        self.squares += worth * worth

    @property
    def mean(self) -> float:
        return self.total / self.count if self.count else -WON

    @property
    def luck(self) -> float:
        """The gap to the best that luck may still explain."""
        spread = max(self.squares / self.count - self.mean**2, 0.0)
        return 2.5 * sqrt(spread / self.count) + 0.01

    @property
    def careful(self) -> float:
        """The mean, less what may be luck."""
        if self.fixed or self.count < 2:
            return self.mean
        spread = max(self.squares / self.count - self.mean**2, 0.0)
        return self.mean - CAUTION * sqrt(spread / self.count)


class Attacking(Line):
    """A Move, and the attack of all who can where it leads."""

    __slots__ = ("attack",)

    def __init__(self, path: tuple[int, ...], label: str, attack: Option) -> None:
        super().__init__(path, (label,))
        self.attack = attack

    def begin(self, s: Any, seat: int) -> None:
        super().begin(s, seat)
        while s.stack and type(s.stack[-1]) is CardWindow:
            s.choose(s.stack[-1].seat, 0)
        offered = s.options(seat)
        if self.attack in offered:
            s.choose(seat, offered.index(self.attack))


class Thinker:
    """One seat's search through one match."""

    def __init__(self, seat: int, weights: dict[str, float]) -> None:
        self.seat = seat
        self.weights = weights
        self.library = get("stalingrad")
        self.plan: list[str] = []
        """What is to follow the last answer."""
        self.evaluation: Evaluation
        self.playouts: Playouts
        """Both made at the first decision, when the book is known."""
        self.begin(None, Random(0), Budget())

    def begin(self, view: Any, chance: Random, budget: Budget) -> None:
        """A decision: no position imagined, nothing spent."""
        self.view = view
        self.seed = f"{chance.getrandbits(64):x}"
        self.worlds: list[Any] = []
        self.limit = budget.steps
        self.late = perf_counter() + budget.ms / 1000 if budget.ms else inf

    # A decision

    def choose(self, view: Any, labels: list[str], chance: Random, budget: Budget) -> int:
        """Index of the option taken; `labels` are the options' texts."""
        if len(labels) == 1:
            return 0
        if self.plan and self.plan[0] in labels:
            return labels.index(self.plan.pop(0))
        self.plan = []
        self.begin(view, chance, budget)
        first = self.world(0)
        if not hasattr(self, "playouts"):
            self.evaluation = Evaluation(first.book, self.seat, self.weights)
            self.playouts = Playouts(first.book, self.weights["hit"])
        self.playouts.steps = 0
        lines = self.lines(first, view.kind)
        if len(lines) > 1:
            self.compare(lines, 1 if view.kind in CERTAIN else 10_000)
        best = max(lines, key=lambda line: line.careful)
        self.plan = list(best.labels)
        return best.path[0]

    def world(self, k: int) -> Any:
        """The k-th imagined position of this decision."""
        while len(self.worlds) <= k:
            seed = f"{self.seed}|{len(self.worlds)}"
            self.worlds.append(self.library.imagine(self.view, seed))
        return self.worlds[k]

    def is_late(self) -> bool:
        return perf_counter() >= self.late

    def is_spent(self) -> bool:
        return bool(self.limit and self.playouts.steps >= self.limit) or self.is_late()

    def compare(self, lines: list[Line], most: int) -> None:
        """Value lines in the same positions, and by halves leave the worse behind."""
        rest = [line for line in lines if not line.fixed]
        fixed = [line for line in lines if line.fixed]
        best_fixed = max((line.mean for line in fixed), default=-10 * WON)
        k = 0
        rounds = 1
        while rest and k < most:
            for _ in range(rounds):
                if k >= most:
                    return
                for line in rest:
                    self.try_line(line, k)
                    if self.is_spent() if k else self.is_late():
                        return
                k += 1
            rest.sort(key=lambda line: -line.mean)
            rest = rest[: max(2, (len(rest) + 1) // 2)]
            if k >= ENOUGH:
                top = max(rest[0].mean, best_fixed)
                rest = [line for line in rest if top - line.mean <= line.luck]
                if len(rest) == 1 and abs(best_fixed - rest[0].mean) > rest[0].luck:
                    return
            if self.is_spent():
                return
            rounds = min(2 * rounds, 4)

    def try_line(self, line: Line, k: int) -> None:
        """Play a line on in the k-th imagined position."""
        s = self.world(k).clone()
        line.begin(s, self.seat)
        self.playouts.steps += len(line.path)
        self.playouts.settle(s)
        line.add(self.worth(s) - line.price)

    def worth(self, s: Any) -> float:
        """Of a quiet position."""
        if s.result is not None:
            winner = s.result[0]
            return WON if winner == self.seat else -WON if winner >= 0 else 0.0
        self.playouts.steps += 1
        worth = self.evaluation.worth(s)
        top = s.stack[-1]
        if type(top) is FreeMoves and top.left:
            worth += (GRANTED if top.seat == self.seat else -GRANTED) * top.left
        return worth

    # Lines

    def lines(self, s: Any, kind: str) -> list[Line]:
        offered = s.options(self.seat)
        special: Callable[[Any, Any], list[Line]] | None = getattr(self, f"lines_{kind}", None)
        if special is not None:
            return special(s, offered)
        return [Line((i,), ()) for i in range(len(offered))]

    def fixed(self, i: int, worth: float, *labels: str) -> Line:
        line = Line((i,), labels)
        line.fixed = True
        line.add(worth)
        return line

    def lines_firefight(self, s: Any, offered: Any) -> list[Line]:
        lines = [Line((i,), ()) for i in range(len(offered))]
        for line in lines[1:]:
            line.price = self.weights["fired"]
        return lines

    def lines_main(self, s: Any, offered: Any) -> list[Line]:
        now = self.worth(s)
        if s.controlled(self.seat) == 5:
            return [self.fixed(0, WON)]
        lines = [self.fixed(0, now + SURE)]
        moves: list[tuple[float, int, int, int, str]] = []
        t = s.clone()
        reach = open_areas(s, self.seat)
        for i in range(1, len(offered)):
            option = offered[i]
            if option.verb == "move":
                f = s.force_no(option)
                moves += self.moves(t, f, i, reach, s.move_cost(f))
            elif option.verb == "play":
                lines += self.plays(s, i, option)
            else:
                lines.append(Line((i,), ()))
        moves.sort(reverse=True)
        best: dict[int, Line] = {}
        for worth, i, _, _, label in moves:
            if i not in best:
                best[i] = self.fixed(i, worth, label)
        lines += best.values()
        lines += self.follow(s, moves)
        return lines

    def moves(self, t: Any, f: int, i: int, reach: list[int], cost: int) -> list[Any]:
        """Worth of the position after each Move of a Force; `t` is lent and given back."""
        at = t.area_of[f]
        found = []
        t.rations[f] -= cost
        for area in destinations(t, f, reach):
            t.put(f, area)
            found.append((self.worth(t), i, f, area, f"to {t.area_id(area)}"))
            t.put(f, at)
        t.rations[f] += cost
        return found

    def follow(self, s: Any, moves: list[Any]) -> list[Line]:
        """Moves into Locations that the enemy holds, valued by the attack that they allow."""
        lines: list[Line] = []
        for _, i, f, area, label in moves:
            if area & 1 or not s.in_area(1 - self.seat, area):
                continue
            if s.rations[f] - s.move_cost(f) < 1:
                continue
            t = s.clone()
            t.choose(self.seat, i)
            path: tuple[int, ...] = (i,)
            if t.kind(self.seat) == "move_dest":
                path = (i, list(map(str, t.options(self.seat))).index(label))
            lines.append(Attacking(path, label, s.book.attack_options[s.board[area // 2]]))
            if len(lines) == FOLLOWED:
                break
        return lines

    def plays(self, s: Any, i: int, option: Any) -> list[Line]:
        """A card with each choice of its targets, or the likely ones if there are many."""
        t = s.clone()
        t.choose(self.seat, i)
        self.playouts.steps += 1
        found: list[Line] = []
        self.declare(t, (i,), (), found)
        return found

    def declare(self, t: Any, path: Any, labels: Any, found: list[Line]) -> None:
        if t.kind(self.seat) != "target":
            found.append(Line(path, labels))
            return
        offered = t.options(self.seat)
        picked = range(len(offered))
        if labels:
            picked = self.likely(t, offered)
        for j in picked:
            u = t.clone()
            u.choose(self.seat, j)
            self.playouts.steps += 1
            self.declare(u, (*path, j), (*labels, str(offered[j])), found)

    def likely(self, t: Any, offered: Any) -> list[int]:
        """Of a second target: Locations all, of Forces the one that needs Rations most."""
        force_no = t.book.force_no
        if offered[0].args[0] not in force_no:
            return list(range(len(offered)))
        forces, rations = t.book.forces, t.rations
        need = [
            0.35 * forces[f].combat - rations[f]
            for f in (force_no[option.args[0]] for option in offered)
        ]
        return [max(range(len(offered)), key=lambda j: need[j])]

    def lines_move_dest(self, s: Any, offered: Any) -> list[Line]:
        top = s.stack[-1]
        begun = top.begun
        f = begun if isinstance(begun, int) else int(begun[1])
        cost = 0 if type(top) is FreeMoves else s.move_cost(f)
        t = s.clone()
        found = self.moves(t, f, 0, open_areas(s, self.seat), cost)
        by_label = {label: worth for worth, _, _, _, label in found}
        return [self.fixed(i, by_label[str(option)]) for i, option in enumerate(offered)]

    def lines_free_move(self, s: Any, offered: Any) -> list[Line]:
        now = self.worth(s)
        lines = [self.fixed(0, now - GRANTED * s.stack[-1].left + SURE)]
        t = s.clone()
        t.stack[-1].left -= 1
        reach = open_areas(s, self.seat)
        for i in range(1, len(offered)):
            f = s.force_no(offered[i])
            found = self.moves(t, f, i, reach, 0)
            if found:
                worth, _, _, _, label = max(found)
                lines.append(self.fixed(i, worth, label))
        return lines

    def lines_place_ration(self, s: Any, offered: Any) -> list[Line]:
        lines = []
        t = s.clone()
        for i, option in enumerate(offered):
            f = s.force_no(option)
            t.rations[f] += 1
            lines.append(self.fixed(i, self.worth(t)))
            t.rations[f] -= 1
        return lines

    def lines_setup_pick(self, s: Any, offered: Any) -> list[Line]:
        """The most for its cost."""
        lines = []
        for i, option in enumerate(offered):
            force = s.force(s.force_no(option))
            specials = 0.5 * (force.attack_bonus + force.retreat_extra)
            specials += force.ignore + 1.5 * force.free_move
            value = (force.combat + 0.5 * force.rations + specials + 1.0) / force.cost
            lines.append(self.fixed(i, value))
        return lines
