"""
Set up a position as on a table, and play it by the text of its options.

Forces are given as `{"R169": "GUM.C 2"}` (area, Rations, medals if any), cards as `"sniper -3"`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from referee.engine import PASS
from referee.games.stalingrad.board import NOBODY
from referee.games.stalingrad.book import CardKind
from referee.games.stalingrad.check import FILES
from referee.games.stalingrad.game import GAME, KINDS
from referee.games.stalingrad.load import SHIPPED
from referee.games.stalingrad.main import Main
from referee.games.stalingrad.state import Stalingrad
from referee.games.stalingrad.turn import Turn

R, G = 0, 1
LINE = ("GUM", "GRA", "TRA", "DOC", "PAV")
PASSED = {name for name, kind in KINDS.items() if kind.standing_order} | {"firefight"}
"""Kinds that `do` answers with `pass` on the way to what it was told to do."""


def kind_no(s: Stalingrad, seat: int, text: str) -> int:
    """The number of a card given as `sniper -3`; without a value, its lowest."""
    name, _, ff = text.partition(" ")
    if ff:
        return s.book.kind_no[seat][CardKind(name, int(ff))]
    return min(k for kind, k in s.book.kind_no[seat].items() if kind.card == name)


def kinds(s: Stalingrad, seat: int, texts: Iterable[str]) -> list[int]:
    return [kind_no(s, seat, text) for text in texts]


def stack(
    s: Stalingrad,
    seat: int,
    *,
    hand: Sequence[str] = (),
    deck: Sequence[str] = (),
    discard: Sequence[str] = (),
    in_play: Sequence[str] = (),
    deck_size: int | None = None,
) -> None:
    """
    Lay out a side's cards: hand, top of the deck, discard pile, cards in play.

    What is not named is in the deck below; with `deck_size`, all that is left over lies at the
    bottom of the discard pile.
    """
    s.hand[seat] = sorted(kinds(s, seat, hand))
    s.in_play[seat] = kinds(s, seat, in_play)
    top, pile = kinds(s, seat, deck), kinds(s, seat, discard)
    rest = Counter(s.book.deck_list[seat])
    rest.subtract([*s.hand[seat], *s.in_play[seat], *top, *pile])
    assert min(rest.values()) >= 0, [s.kind_id(k) for k, n in rest.items() if n < 0]
    left = sorted(rest.elements())
    more = len(left) if deck_size is None else deck_size - len(top)
    s.deck[seat] = [*top, *left[:more]]
    s.discard[seat] = [*left[more:], *pile]
    s.table[seat] = []
    s.known_hand[seat] = [] if s.deck[seat] else s.hand[seat].copy()
    for c, card in enumerate(s.book.cards):
        if card.seat == seat:
            s.unseen[c] = card.total
    for kind in (*s.discard[seat], *s.in_play[seat]):
        s.unseen[s.book.card_of[kind]] -= 1


def hold_the_rest(
    s: Stalingrad, seat: int, *, deck: Sequence[str] = (), discard: Sequence[str] = ()
) -> None:
    """Give a side its whole deck list to hold, but for what lies in its deck and discard pile."""
    elsewhere = Counter(kinds(s, seat, [*deck, *discard]))
    rest = Counter(s.book.deck_list[seat]) - elsewhere
    hand = [f"{card} {ff}" for card, ff in s.kind_ids(rest.elements())]
    stack(s, seat, hand=hand, deck=deck, discard=discard)


def hold_fire(s: Stalingrad) -> Stalingrad:
    """Leave nothing to flip or draw: decks and discard piles are empty, hands stay."""
    for seat in (R, G):
        s.deck[seat] = []
        s.discard[seat] = []
    refresh(s)
    return s


def retouched(folder: Path, file: str, **changes: Mapping[str, Any]) -> str:
    """The shipped components with some records of one file changed, as another folder."""
    for each in FILES:
        rows = json.loads((SHIPPED / f"{each}.json").read_text("utf-8"))
        for row in rows:
            if each == file:
                row.update(changes.get(row["id"], {}))
        (folder / f"{each}.json").write_text(json.dumps(rows), "utf-8")
    return str(folder)


def place(s: Stalingrad, forces: Mapping[str, str]) -> None:
    """Put Forces where their texts say."""
    for name, text in forces.items():
        area, rations, medals = (*text.split(), "0", "0")[:3]
        f = s.book.force_no[name]
        s.put(f, s.area_no(area))
        s.rations[f] = int(rations)
        s.medals[f] = int(medals)


def stack_forces(s: Stalingrad, seat: int, top: Sequence[str] = (), only: bool = False) -> None:
    """Lay a side's Force deck: these on top, the others below by id (or not at all)."""
    first = [s.book.force_no[name] for name in top]
    others = [f for f in s.book.forces_of[seat] if s.area_of[f] < 0 and f not in first]
    s.force_deck[seat] = first if only else first + others


def table(
    acting: int = G,
    *,
    russian: Mapping[str, str] | None = None,
    german: Mapping[str, str] | None = None,
    line: Sequence[str] = LINE,
    rubble: Mapping[str, int] | None = None,
    hand: Sequence[str] = (),
    enemy_hand: Sequence[str] = (),
    tops: Mapping[int, Sequence[str]] | None = None,
    round_: int = 1,
    **options: Any,
) -> Stalingrad:
    """A position at `main` of `acting`; `hand` is his, `enemy_hand` the other's."""
    s = GAME.start(seed="table", options=options)
    s.board = tuple(s.book.location_no[each] for each in line)
    s.unused = tuple(no for no in range(len(s.book.locations)) if no not in s.board)
    place(s, russian or {})
    place(s, german or {})
    for name, n in (rubble or {}).items():
        s.rubble[s.place_of(name)] = n
    for seat in (R, G):
        stack_forces(s, seat, (tops or {}).get(seat, ()))
        stack(s, seat, hand=hand if seat == acting else enemy_hand)
    begin(s, acting, round_)
    return s


def begin(s: Stalingrad, acting: int, round_: int = 1) -> None:
    """Stand at the first `main` of a turn."""
    turn = Turn()
    turn.at = Turn.STEPS.index("act") + 1
    s.stack = [turn, Main(seat=acting)]
    s.acting, s.round, s.step = acting, round_, "ACTIONS"
    assert s.log is not None
    for stream in s.log.streams.values():
        stream.clear()
    refresh(s)


def refresh(s: Stalingrad) -> None:
    """After the tables were changed by hand."""
    s._offers.clear()
    s.run()


def texts(s: Stalingrad, seat: int | None = None) -> list[str]:
    """Texts of the options of the asked seat."""
    if seat is None:
        (seat,) = s.asked()
    return [str(option) for option in s.options(seat)]


def plays(s: Stalingrad) -> list[str]:
    """Cards that the asked seat may play for effect."""
    return [text.removeprefix("play ") for text in texts(s) if text.startswith("play ")]


def kind(s: Stalingrad) -> str | None:
    """The decision that waits, with its side: `R main`; None when the game is over."""
    return f"{'RG'[s.asked()[0]]} {s.kind(s.asked()[0])}" if s.asked() else None


def take(s: Stalingrad, text: str) -> None:
    """Take the option with this text now; `R: text` also asserts who is asked."""
    (seat,) = s.asked()
    if text[:3] in ("R: ", "G: "):
        assert "RG"[seat] == text[0], f"{kind(s)} is asked, not {text!r}"
        text = text[3:]
    offered = texts(s)
    assert text in offered, f"{kind(s)} may {offered}, not {text!r}"
    s.choose(seat, offered.index(text))


def do(s: Stalingrad, *wanted: str) -> None:
    """Take options one after the other; windows and Firefights on the way are passed."""
    for text in wanted:
        plain = text.split(": ")[-1]
        who = "RG".index(text[0]) if plain != text else None
        while s.asked() and (plain not in texts(s) or (who is not None and s.asked()[0] != who)):
            if s.kind(s.asked()[0]) not in PASSED:
                break
            s.choose(s.asked()[0], 0)
        assert s.asked(), f"the game is over before {text!r}"
        take(s, text)


def settle(s: Stalingrad) -> None:
    """Pass windows and Firefights until something else is asked."""
    while s.asked() and s.kind(s.asked()[0]) in PASSED:
        assert s.options(s.asked()[0])[0] == PASS
        s.choose(s.asked()[0], 0)


def until(s: Stalingrad, wanted: str) -> None:
    """Pass windows and Firefights until this is asked: `R absorb`."""
    while kind(s) != wanted:
        assert s.asked(), f"the game is over before {wanted}"
        assert s.kind(s.asked()[0]) in PASSED, f"{kind(s)} comes before {wanted}"
        s.choose(s.asked()[0], 0)


def to_main(s: Stalingrad) -> None:
    """Answer everything with its first option until `main` is asked, or the game is over."""
    while s.asked() and s.kind(s.asked()[0]) != "main":
        s.choose(s.asked()[0], 0)


# Reading the table


def rations(s: Stalingrad, *names: str) -> tuple[int, ...]:
    return tuple(s.rations[s.book.force_no[name]] for name in names)


def medals(s: Stalingrad, name: str) -> int:
    return s.medals[s.book.force_no[name]]


def where(s: Stalingrad, name: str) -> str:
    """Its area; empty in the deck."""
    area = s.area_of[s.book.force_no[name]]
    return "" if area < 0 else s.area_id(area)


def no_move(s: Stalingrad, name: str) -> bool:
    return bool(s.no_move[s.book.force_no[name]])


def control(s: Stalingrad, location: str) -> str:
    """`R`, `G`, or `-` for Uncontrolled."""
    seat = s.controller(s.place_of(location))
    return "-" if seat == NOBODY else "RG"[seat]


def rubble(s: Stalingrad, location: str) -> int:
    return s.rubble[s.place_of(location)]


def destroyed(s: Stalingrad, location: str) -> bool:
    return bool(s.destroyed[s.place_of(location)])


def hands(s: Stalingrad) -> tuple[int, int]:
    """Hand sizes (R, G)."""
    return len(s.hand[R]), len(s.hand[G])


def cards(s: Stalingrad, pile: list[int]) -> list[str]:
    """A pile as texts."""
    return [f"{card} {ff:+d}" for card, ff in s.kind_ids(pile)]


def bottom(s: Stalingrad, seat: int, n: int) -> list[str]:
    """The lowest cards of a Force deck."""
    return [s.force(f).id for f in s.force_deck[seat][-n:]]


def told(s: Stalingrad, viewer: int, kind_: type) -> list[Any]:
    """Events of one kind that a viewer was told."""
    return [event for event in s.events(viewer) if isinstance(event, kind_)]
