"""
Tunes the weights of the search's evaluation for Battle for Stalingrad by self-play.

    python sample_bots/python/tune/tune.py improve --seed 1
    python sample_bots/python/tune/tune.py screen --seed 1 --matches 1000
    python sample_bots/python/tune/tune.py scale --by own_cards=1.5 enemy_cards=1.5 --output FILE
    python sample_bots/python/tune/tune.py match --one FILE --other greedy --matches 100

`improve` proposes weights and keeps them if a match against those before passes a sequential test
(`sprt.py`). A proposal is either a fit of outcomes (`fit.py`) or a group of weights made larger or
smaller: what a fit cannot tell, since it sees which positions win and not which choices do.
`screen` tries all groups at once: in each match every group of either seat is larger or smaller by
chance, so that a match tells something of each, and what stands out is worth a step. `scale` takes
such steps by hand, for both seats or for one (`russian:own_ground=1.5`). `match` plays a fixed
number of matches. All give the same for the same flags; `start.json` holds the first
weights, round numbers from the rules' own rates of exchange (a card is two Rations, a Force its
cost in cards).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from itertools import islice
from math import exp, inf, sqrt
from pathlib import Path
from random import Random
from statistics import fmean, variance

import fit
import sprt
from arena import GAME, Greedy, Maker, Searching, Weights, play, series

from attend import count  # isort: skip  # beside the bots: arena's path
from evaluation import RATES, WEIGHTS, Evaluation, read  # isort: skip  # beside the search: arena's path

from referee.engine.errors import WarladderError
from referee.games.stalingrad import load

START = Path(__file__).with_name("start.json")

GROUPS = {
    "cards": ("hand", "hand_more", "hand_most"),
    "ground": ("held_1", "held_2", "held_3", "held_4", "yield"),
    "rations": ("c_ration", "c_rations", "c_plenty", "p_ration", "p_rations", "p_plenty"),
    "combat": ("c_forces", "c_combat", "p_forces", "p_combat", "bonus"),
    "presence": ("here_1", "here_2", "here_3", "fort"),
    "exposed": ("exposed", "acting_own_exposed", "acting_enemy_exposed"),
    "balance": ("balance", "acting_balance", "contested", "acting_contested"),
}
"""Weights that a proposal scales together, for the own side and the enemy's."""
PARTS = {
    "front": ("c_forces", "c_combat"),
    "rear": ("p_forces", "p_combat"),
    "foothold": ("held_1", "held_2"),
    "most_ground": ("held_3", "held_4"),
    "here": ("here_1", "here_2", "here_3"),
    "spare_rations": ("c_rations", "c_plenty", "p_rations", "p_plenty"),
}
"""Parts of groups, which can be scaled by hand and are screened beside the groups."""
SIDED = ("cards", "rations", *PARTS, "fort", "exposed", "yield", "bonus", "tough", "free")
"""Screened for the own side and the enemy's, each apart."""
SCREENED = (
    *(f"{side}_{group}" for side in ("own", "enemy") for group in SIDED),
    "balance", "buy_points", "card", "fire", "play", "against", *RATES,
)  # fmt: skip
"""What `screen` makes larger or smaller."""
SEATS = {"russian": (0,), "german": (1,), "": (0, 1)}
SPREAD = 0.35
"""Of the logarithm of a group's factor."""


def maker(what: Weights | None, steps: int) -> Maker:
    """The search with these weights, or `greedy`."""
    return Greedy if what is None else lambda seat: Searching(what, seat, steps)


def proposed_by_fit(weights: Weights, seed: str, args: argparse.Namespace) -> Weights:
    """Play with the weights, and fit both seats' to who won."""
    mind: Maker = lambda seat: Searching(weights, seat, args.steps)  # noqa: E731
    matches = islice(series(mind, mind, f"{seed}|fit", keep=True), args.fit_matches)
    samples = [(s, played.score) for _, played in matches for s in played.positions]
    new = []
    for seat in (0, 1):
        evaluation = Evaluation(samples[0][0].book, seat, weights[seat])
        rows = [evaluation.features(s) for s, _ in samples]
        won = [score if seat == 0 else 1 - score for _, score in samples]
        fitted = fit.fit(rows, won, evaluation.weights, args.hold)
        new.append(weights[seat] | dict(zip(evaluation.names, fitted)))
    return new[0], new[1]


def proposed_by_scale(weights: Weights, seed: str) -> Weights:
    """One group of weights of one seat or both, larger or smaller."""
    chance = Random(f"{seed}|scale")
    group = chance.choice(sorted(GROUPS))
    seats = chance.choice(((0,), (1,), (0, 1)))
    return scaled(weights, group, exp(chance.gauss(0.0, SPREAD)), seats)


def scaled(weights: Weights, group: str, factor: float, seats: Sequence[int] = (0, 1)) -> Weights:
    new = (dict(weights[0]), dict(weights[1]))
    for seat in seats:
        for name in weights[seat]:
            if belongs(name, group):
                new[seat][name] *= factor
    return new


def belongs(name: str, group: str) -> bool:
    """
    Whether a weight is one of a group's.

    A group is one of `GROUPS` or `PARTS`, the same of one side (`own_cards`), a weight's own name,
    or the first word of its weights' names (`card`, `fire`, `play`).
    """
    side, _, rest = name.partition("_")
    if name == group:
        return True
    if side not in ("own", "enemy"):
        return side == group or name in GROUPS.get(group, ())
    part = group.removeprefix(f"{side}_")
    return rest in GROUPS.get(part, ()) or rest in PARTS.get(part, ())


def is_better(new: Weights, old: Weights, seed: str, args: argparse.Namespace) -> bool:
    """Match new against old until the test is closed; open at the limit counts as no."""
    one: Maker = lambda seat: Searching(new, seat, args.steps)  # noqa: E731
    other: Maker = lambda seat: Searching(old, seat, args.steps)  # noqa: E731
    points, closed = 0.0, None
    for n, (side, played) in enumerate(series(one, other, f"{seed}|test"), 1):
        points += played.score if side == 0 else 1 - played.score
        closed = sprt.verdict(points, n, args.better)
        if closed is not None or n == args.most:
            print(f"{seed}: {points:g} of {n}: {closed}", file=sys.stderr, flush=True)
            return bool(closed)
    raise AssertionError("a series has no end")


def improve(args: argparse.Namespace) -> None:
    weights, kept = args.start, 0
    for generation in range(args.generations):
        seed = f"{args.seed}|{generation}"
        by_fit = args.fit_every and generation % args.fit_every == 0
        new = proposed_by_fit(weights, seed, args) if by_fit else proposed_by_scale(weights, seed)
        if is_better(new, weights, seed, args):
            weights, kept = new, kept + 1
    write(args.output, weights, kept)


def scale(args: argparse.Namespace) -> None:
    weights = args.start
    for seats, group, factor in args.by:
        weights = scaled(weights, group, factor, seats)
    write(args.output, weights, len(args.by))


def screen(args: argparse.Namespace) -> None:
    """
    Print what larger weights bring, a line for each seat and group that it has, the surest first.

    `gain` is how much more a seat wins with the group times `--by` than with it divided by that;
    `error` is its standard error.
    """
    groups = [[g for g in SCREENED if has(args.start[seat], g)] for seat in (0, 1)]
    rows: dict[tuple[int, str], tuple[list[float], list[float]]] = {}
    for n in range(args.matches):
        chance = Random(f"{args.seed}|{n}|larger")
        weights, larger = [], []
        for seat in (0, 1):
            tried = {group: chance.random() < 0.5 for group in groups[seat]}
            new = args.start
            for group, more in tried.items():
                new = scaled(new, group, args.by if more else 1 / args.by, (seat,))
            weights.append(new[seat])
            larger.append(tried)
        mind = maker((weights[0], weights[1]), args.steps)
        score = play((mind, mind), f"{args.seed}|{n}", f"{args.seed}|{n}").score
        for seat, tried in enumerate(larger):
            for group, more in tried.items():
                both = rows.setdefault((seat, group), ([], []))
                both[more].append(score if seat == 0 else 1 - score)
    found = []
    for (seat, group), (less, more) in rows.items():
        if len(less) > 1 and len(more) > 1:
            error = max(sqrt(variance(less) / len(less) + variance(more) / len(more)), 1e-9)
            found.append((fmean(more) - fmean(less), error, seat, group))
    for gain, error, seat, group in sorted(found, key=lambda row: -abs(row[0]) / row[1]):
        row = {"seat": ("russian", "german")[seat], "group": group}
        print(json.dumps(row | {"gain": round(gain, 3), "error": round(error, 3)}))


def has(weights: dict[str, float], group: str) -> bool:
    """Whether a seat has weights in a group that scaling changes."""
    return any(weight and belongs(name, group) for name, weight in weights.items())


def write(path: Path, weights: Weights, kept: int) -> None:
    """A file of weights, with the command that made it and how many proposals it kept."""
    made = {
        "command": "python sample_bots/python/tune/tune.py " + " ".join(sys.argv[1:]),
        "rules": GAME.facts.rules,
        "cards": GAME.facts.cards,
        "kept": kept,
        "seats": [{n: round(w, 4) for n, w in each.items()} for each in weights],
    }
    path.write_text(json.dumps(made, indent=1) + "\n")


def match(args: argparse.Namespace) -> None:
    """Print who won: the share of `one`, on each side, and that of the Russian, whoever he was."""
    one, other = maker(args.one, args.steps), maker(args.other, args.steps)
    points = [0.0, 0.0]
    russian = 0.0
    matches = series(one, other, str(args.seed), cards=args.cards)
    for side, played in islice(matches, args.matches):
        points[side] += played.score if side == 0 else 1 - played.score
        russian += played.score
    low, high = (round(end, 3) for end in sprt.interval(sum(points), args.matches))
    row = {"matches": args.matches, "points": sum(points), "as_russian": points[0]}
    row |= {"as_german": points[1], "low": low, "high": high}
    low, high = (round(end, 3) for end in sprt.interval(russian, args.matches))
    print(json.dumps(row | {"russian": russian, "russian_low": low, "russian_high": high}))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").strip().splitlines()[0])
    commands = parser.add_subparsers(required=True)
    first = commands.add_parser("improve")
    first.set_defaults(run=improve)
    first.add_argument("--generations", type=count, default=20)
    first.add_argument("--fit-every", type=count_or_0, default=5, help="generations; 0: never")
    first.add_argument("--fit-matches", type=count, default=100)
    first.add_argument("--hold", type=above_0, default=1000.0)
    first.add_argument("--better", type=share, default=0.58, help="share that the test looks for")
    first.add_argument("--most", type=count, default=120, help="matches of a test")
    second = commands.add_parser("match")
    second.set_defaults(run=match)
    second.add_argument("--one", type=weights_or_greedy, default=str(WEIGHTS))
    second.add_argument("--other", type=weights_or_greedy, default="greedy")
    second.add_argument("--matches", type=count, default=100)
    second.add_argument("--cards", type=folder_of_cards, default="", help="other component data")
    third = commands.add_parser("scale")
    third.set_defaults(run=scale)
    third.add_argument("--by", type=step, nargs="+", required=True, metavar="[SEAT:]GROUP=FACTOR")
    fourth = commands.add_parser("screen")
    fourth.set_defaults(run=screen)
    fourth.add_argument("--matches", type=count, default=1000)
    fourth.add_argument("--by", type=above_1, default=1.35, help="factor")
    for each, start in ((first, WEIGHTS), (third, START), (fourth, WEIGHTS)):
        each.add_argument("--start", type=file_of_weights, default=str(start), help="first weights")
    for each in (first, third):
        each.add_argument("--output", type=new_file, default=WEIGHTS)
    for each in (first, second, fourth):
        each.add_argument("--steps", type=count, default=150, help="of a decision")
        each.add_argument("--seed", default="1")
    args = parser.parse_args()
    args.run(args)


# What flags take


def count_or_0(text: str) -> int:
    return 0 if text == "0" else count(text)


def above_0(text: str) -> float:
    return between(text, 0.0, inf)


def above_1(text: str) -> float:
    return between(text, 1.0, inf)


def step(text: str) -> tuple[tuple[int, ...], str, float]:
    """`russian:own_ground=1.5`: whose weights, which of them, and their factor."""
    what, _, factor = text.partition("=")
    seat, _, group = what.rpartition(":")
    if seat not in SEATS:
        raise argparse.ArgumentTypeError(f"{seat!r} is no seat: russian or german, or none")
    if not any(belongs(name, group) for name in read(START)[0]):
        raise argparse.ArgumentTypeError(f"{group!r} is no group of weights")
    return SEATS[seat], group, above_0(factor)


def share(text: str) -> float:
    """More than equal bots get, and less than all."""
    return between(text, sprt.LEVEL, 1.0)


def between(text: str, low: float, high: float) -> float:
    try:
        number = float(text)
    except ValueError:
        number = low
    if not low < number < high:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above {low:g}, below {high:g}")
    return number


def file_of_weights(text: str) -> Weights:
    try:
        return read(Path(text))
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no file of weights: {error}") from None


def weights_or_greedy(text: str) -> Weights | None:
    return None if text == "greedy" else file_of_weights(text)


def folder_of_cards(text: str) -> str:
    """A folder with component data; empty: those shipped."""
    try:
        _ = load.load(text) if text else load.shipped()
    except WarladderError as fault:
        raise argparse.ArgumentTypeError(str(fault).splitlines()[0]) from None
    return text


def new_file(text: str) -> Path:
    path = Path(text)
    if path.is_dir() or not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is no file in a folder that there is")
    return path


if __name__ == "__main__":
    main()
