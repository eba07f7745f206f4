"""Set up a skirmish as on a table, and play it by naming what is done."""

from __future__ import annotations

from collections.abc import Sequence

from referee import games
from referee.games.skirmish.game import Skirmish, deck_list


def table(
    *hands: Sequence[int],
    hills: Sequence[int] = (1, 2, 3, 4, 5),
    deck: Sequence[int] | None = None,
    **options: object,
) -> Skirmish:
    """A match before its first answer, with these hands; the deck holds the rest, ascending."""
    s = games.get("skirmish").start(seats=len(hands), seed="table", options=options)
    assert isinstance(s, Skirmish)
    s.hills = tuple(hills)
    for seat, hand in enumerate(hands):
        s.hands[seat] = sorted(hand)
    held = {card for hand in hands for card in hand}
    s.deck = [c for c in deck_list(s.seats) if c not in held] if deck is None else list(deck)
    s._offers.clear()
    return s


def do(s: Skirmish, seat: int, *words: object) -> None:
    """Take the option with this text for this seat."""
    wanted = " ".join(map(str, words))
    texts = [str(option) for option in s.options(seat)]
    assert wanted in texts, f"seat {seat} may {texts}, not {wanted!r}; asked are {s.asked()}"
    s.choose(seat, texts.index(wanted))


def name(s: Skirmish, *cards: int) -> None:
    """Every asked seat names its card; `cards` are in the order of the asked seats."""
    for seat, card in zip(s.asked(), cards, strict=True):
        do(s, seat, "name", card)


def load_die(s: Skirmish, *values: int) -> None:
    """The next dice show these values."""
    queue = list(values)

    def roll(stream: str, sides: int) -> int:
        assert (stream, sides) == ("dice", 6)
        return queue.pop(0)

    s.roll = roll  # type: ignore[method-assign]


def pass_all(s: Skirmish) -> None:
    """Pass until the support window closes."""
    while s.asked() and s.kind(s.asked()[0]) == "support":
        do(s, s.asked()[0], "pass")
