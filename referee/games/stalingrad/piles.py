"""Action cards: decks, hands, discard piles, the table, and what everybody knows of them."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Sequence

from referee.engine import chance
from referee.games.stalingrad import events
from referee.games.stalingrad.board import Board
from referee.games.stalingrad.book import CardKind
from referee.games.stalingrad.records import SIDES, Card


class Piles(Board):
    """Tables of the cards; every list is by seat and holds kinds (`Book.kinds`)."""

    deck: list[list[int]]
    """Top first."""
    hand: list[list[int]]
    """Ascending."""
    discard: list[list[int]]
    """Oldest first."""
    table: list[list[int]]
    """Declared and not yet resolved, or of the Firefight in progress, in the order played."""
    known_hand: list[list[int]]
    """Cards of the hand that everybody can work out (§6), ascending."""
    unseen: list[int]
    """By card: copies that are not visible, in the deck or in the hand."""
    plays: list[int]
    """By card: plays for effect in this turn."""
    shuffles: list[int]
    """By seat: shuffles of the Action deck so far."""
    peeked: list[int]
    """By seat: how many cards on the top of the own Action deck it has looked at."""

    def card(self, kind: int) -> Card:
        return self.book.cards[self.book.card_of[kind]]

    def kind_id(self, kind: int) -> CardKind:
        return self.book.kinds[kind]

    def kind_ids(self, kinds: Iterable[int]) -> tuple[CardKind, ...]:
        known = self.book.kinds
        return tuple(known[kind] for kind in kinds)

    # The deck

    def shuffled(self, seat: int, kinds: Iterable[int]) -> list[int]:
        """Cards in the order of this deck's next shuffle; equal cards are told apart by number."""
        copies: dict[str, int] = {}
        last, n = -1, 0
        for kind in sorted(kinds):
            n = n + 1 if kind == last else 1
            last = kind
            card, ff = self.book.kinds[kind]
            copies[f"{card}{ff:+d}#{n}"] = kind
        stream = f"{SIDES[seat]}.actions.{self.shuffles[seat]}"
        self.shuffles[seat] += 1
        self.peeked[seat] = 0
        return [copies[each] for each in chance.shuffled(self.seed, stream, copies)]

    def make_deck(self, seat: int) -> bool:
        """If the deck is empty, make it anew of the discard pile; whether there is a card."""
        if self.deck[seat]:
            return True
        pile = self.discard[seat]
        if not pile:
            return False
        for kind in pile:
            self.unseen[self.book.card_of[kind]] += 1
        self.deck[seat] = self.shuffled(seat, pile)
        self.discard[seat] = []
        if self.log is not None:
            self.tell(events.DeckMade(seat, len(self.deck[seat])))
        return True

    def draw(self, seat: int, n: int) -> None:
        """Draw cards one at a time; the deck is made anew when the next card is needed."""
        drawn: list[int] = []
        for _ in range(n):
            if not self.deck[seat]:
                self._tell_drawn(seat, drawn)
                drawn = []
                if not self.make_deck(seat):
                    break
            kind = self.take_top(seat)
            insort(self.hand[seat], kind)
            drawn.append(kind)
            if not self.deck[seat]:
                self._tell_drawn(seat, drawn)
                drawn = []
                self.deduce_hand(seat)
        self._tell_drawn(seat, drawn)

    def _tell_drawn(self, seat: int, drawn: Sequence[int]) -> None:
        if drawn and self.log is not None:
            full = events.Drew(seat, len(drawn), self.kind_ids(sorted(drawn)))
            self.tell_apart((seat,), full, events.Drew(seat, len(drawn), ()))

    def take_top(self, seat: int) -> int:
        """Take the top card of a deck that is not empty."""
        self.peeked[seat] = max(0, self.peeked[seat] - 1)
        return self.deck[seat].pop(0)

    def peek(self, seat: int, n: int) -> None:
        """A side looks at the top cards of its own deck."""
        self.peeked[seat] = max(self.peeked[seat], min(n, len(self.deck[seat])))
        if self.log is not None:
            top = self.kind_ids(self.deck[seat][: self.peeked[seat]])
            full = events.Peeked(seat, len(top), top)
            self.tell_apart((seat,), full, events.Peeked(seat, len(top), ()))

    def recover(self, seat: int, kind: int) -> None:
        """Take a card from the discard pile into the hand, for all to see."""
        self.discard[seat].remove(kind)
        self.unseen[self.book.card_of[kind]] += 1
        insort(self.hand[seat], kind)
        insort(self.known_hand[seat], kind)
        if self.log is not None:
            self.tell(events.Recovered(seat, self.kind_id(kind)))

    def flip_top_card(self, seat: int) -> int | None:
        """Turn the top card onto the table; None if there is no card at all."""
        if not self.make_deck(seat):
            return None
        kind = self.take_top(seat)
        self.unseen[self.book.card_of[kind]] -= 1
        self.table[seat].append(kind)
        return kind

    def fetch(self, seat: int, kind: int) -> None:
        """Take a card from the deck into the hand and shuffle the rest (Scouts)."""
        self.deck[seat].remove(kind)
        insort(self.hand[seat], kind)
        self.deck[seat] = self.shuffled(seat, self.deck[seat])
        shown = self.book.config.scouts_reveal
        if shown:
            insort(self.known_hand[seat], kind)
        if self.log is not None:
            full = events.Searched(seat, self.kind_ids((kind,)))
            # The last card of a deck makes the whole hand known, so which it was is not told.
            shown_card = full if shown and self.deck[seat] else events.Searched(seat, ())
            self.tell_apart((seat,), full, shown_card)
        if not self.deck[seat]:
            self.deduce_hand(seat)
        elif shown and self.log is not None:
            self.tell(events.HandKnown(seat, self.kind_ids(self.known_hand[seat])))

    def deduce_hand(self, seat: int) -> None:
        """The deck is empty now, so the hand is the full list less what is visible (§6)."""
        self.known_hand[seat] = self.hand[seat].copy()
        if self.log is not None:
            self.tell(events.HandKnown(seat, self.kind_ids(self.hand[seat])))

    # Out of the hand, and on

    def leave_hand(self, seat: int, kind: int) -> None:
        """A card is shown; one equal card is struck from what is known of the hand."""
        self.hand[seat].remove(kind)
        if kind in self.known_hand[seat]:
            self.known_hand[seat].remove(kind)
        self.unseen[self.book.card_of[kind]] -= 1

    def discard_from_hand(self, seat: int, kind: int) -> None:
        self.leave_hand(seat, kind)
        self.discard[seat].append(kind)
        if self.log is not None:
            self.tell(events.Discarded(seat, self.kind_id(kind), "hand"))

    def clear_from(self, source: str, seat: int, kind: int) -> None:
        """A card goes from the `table` or from `in_play` to its owner's discard pile."""
        pile: list[int] = getattr(self, source)[seat]
        pile.remove(kind)
        self.discard[seat].append(kind)
        if self.log is not None:
            self.tell(events.Discarded(seat, self.kind_id(kind), source))

    def put_in_play(self, seat: int, kind: int) -> None:
        self.table[seat].remove(kind)
        self.in_play[seat].append(kind)
        if self.log is not None:
            self.tell(events.PutInPlay(seat, self.kind_id(kind)))
