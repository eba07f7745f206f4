"""Skirmish in words: hills in a row, and for each seat its card, dice, hand and score."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table as Grid

if TYPE_CHECKING:
    from matchmaker.viewing.table import Json, Table


def _row(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))


# What happens


def _began(e: Json, t: Table) -> str:
    dealt = f"; dealt {_row(e['hand'])}" if e["hand"] else ""
    return f"The hills lie in the order {_row(e['hills'])}{dealt}"


def _shown(e: Json, t: Table) -> str:
    shown = (f"{t.seat(n)} {card or 'nothing'}" for n, card in enumerate(e["cards"]))
    return f"Shown: {', '.join(shown)}"


def _fought(e: Json, t: Table) -> str:
    who = t.seat(e["seat"]) if e["seat"] >= 0 else "Nobody"
    return f"{who} takes the hill of {e['value']}"


def _ended(e: Json, t: Table) -> str:
    return "The end: " + ", ".join(f"{t.seat(n)} {score}" for n, score in enumerate(e["scores"]))


TELL: dict[str, Callable[[Json, Table], str]] = {
    "Began": _began,
    "Shown": _shown,
    "Supported": lambda e, t: f"{t.seat(e['seat'])} discards {e['card']} and rolls {e['die']}",
    "Passed": lambda e, t: f"{t.seat(e['seat'])} passes",
    "HillFought": _fought,
    "Drew": lambda e, t: f"{t.seat(e['seat'])} draws {e['card'] or 'a card'}",
    "Ended": _ended,
}


def turn(view: Json) -> str:
    if not view["round"]:
        return "Set-up"
    hill = view["hills"][view["round"] - 1]
    return f"Round {view['round']} of {view['rounds']}, for the hill of {hill}"


def phase(t: Table) -> str:
    if not t.asked:
        return "over"
    step = "support" if any(t.view["shown"]) else "each names a card in secret"
    return f"{step}; asked: {', '.join(map(t.seat, t.asked))}"


# The table


def scene(view: Json) -> Hashable:
    return view["round"], any(view["shown"])


def draw(t: Table) -> Iterator[Any]:
    view = t.view
    hills = []
    for n, value in enumerate(view["hills"]):
        is_now, is_past = n == view["round"] - 1, n < view["round"] - 1
        hills.append(f"[{value}]" if is_now else f"({value})" if is_past else f" {value} ")
    yield f"Hills  {' '.join(hills)}   [ ] fought for now, ( ) fought for"
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for name in ("", "shows", "dice", "strength", "hand", "score"):
        grid.add_column(name)
    for n in range(t.seats):
        own = n == t.viewer
        shown, dice = view["shown"][n], view["dice"][n]
        grid.add_row(
            t.seat(n) + (" (you)" if own else ""),
            str(shown) if shown else "–",
            " ".join(map(str, dice)) or "–",
            str(shown + sum(dice)) if shown else "–",
            _row(view["hand"]) if own else t.count(view["hand_sizes"][n], "card"),
            str(_score(view, n)) + (" (team)" if view["teams"] else ""),
        )
    yield grid
    gone = f"out of play: {_row(view['gone'])}" if view["gone"] else "nothing is out of play yet"
    yield f"Deck: {t.count(view['deck_size'], 'card')}; {gone}"


def _score(view: Json, seat: int) -> int:
    taken = enumerate(view["taken"])
    return sum(hill for n, hill in taken if n == seat or (view["teams"] and (n + seat) % 2 == 0))


# What is asked

ASK = {
    "name": "Name a card of your hand in secret: the highest card takes the hill",
    "support": "Support: discard a card and add a die to your strength, or pass",
}


def option(t: Table, verb: str, args: list[str]) -> tuple[str, str]:
    if verb == "discard":
        return "", f"discard {args[0]} and roll a die"
    return "", " ".join((verb, *args))


def cards(t: Table) -> Iterator[str]:
    yield f"Your hand: {_row(t.view['hand'])}"
    yield "A card's number is its strength; discarded in support, it brings one die instead."
