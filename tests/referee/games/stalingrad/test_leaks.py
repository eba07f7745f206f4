"""Deliberate leaks, each put into the rules: the twins must see it (§6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import pytest

from matchmaker.tools import fuzz
from matchmaker.tools.random_matches import plan
from referee.engine import Ask, Option
from referee.games.stalingrad import view as views
from referee.games.stalingrad.book import CardKind
from referee.games.stalingrad.events import Drew
from referee.games.stalingrad.play import CardWindow
from referee.games.stalingrad.search import Search
from referee.games.stalingrad.state import Stalingrad

Patch = pytest.MonkeyPatch

MATCHES = 10
"""Played at random until a leak is seen; most show in the first."""
SEEN_BY_TWINS = {"twin", "imagine", "events", "secret"}


def what_the_enemy_may_hold_is_counted_from_his_hand(patch: Patch) -> None:
    def unseen(s: Stalingrad, seat: int, viewer: int) -> tuple[CardKind, ...]:
        left = Counter(s.deck[seat])
        return s.kind_ids(sorted(left.elements())) + s.kind_ids(s.hand[seat])

    patch.setattr(views, "_unseen", unseen)


def drawn_cards_are_told_to_all(patch: Patch) -> None:
    honest = Stalingrad.tell_apart

    def tell_apart(
        s: Stalingrad, knowing: Iterable[int], full: object, rest: object | None = None
    ) -> None:
        if isinstance(full, Drew):
            s.tell(full)
        else:
            honest(s, knowing, full, rest)

    patch.setattr(Stalingrad, "tell_apart", tell_apart)


def only_who_holds_a_card_is_asked(patch: Patch) -> None:
    """The window that everybody would like to save: it tells what is in the hand."""
    honest = CardWindow.is_open

    def is_open(window: CardWindow, s: Stalingrad) -> bool:
        return honest(window, s) and (bool(window.begun) or len(window.options(s)) > 1)

    patch.setattr(CardWindow, "is_open", is_open)


def a_search_lists_the_deck_in_its_order(patch: Patch) -> None:
    def options(search: Search, s: Stalingrad) -> list[Option]:
        offers = s.book.card_options["search"]
        return [offers[kind] for kind in dict.fromkeys(s.deck[search.seat])]

    patch.setattr(Search, "options", options)


def a_begun_declaration_shows_in_the_enemys_view(patch: Patch) -> None:
    def begun_too(s: Stalingrad, top: Ask) -> str:
        return top.kind(s)

    patch.setattr(views, "_unbegun", begun_too)


def a_force_deck_is_shown_in_its_order(patch: Patch) -> None:
    def off_board(s: Stalingrad, seat: int) -> tuple[str, ...]:
        deck = s.force_deck[seat] or [f for f in s.book.forces_of[seat] if s.area_of[f] < 0]
        return tuple(s.force(f).id for f in deck)

    patch.setattr(views, "_off_board", off_board)


def a_fetched_card_is_added_to_what_is_known(patch: Patch) -> None:
    honest = Stalingrad.fetch

    def fetch(s: Stalingrad, seat: int, kind: int) -> None:
        honest(s, seat, kind)
        s.known_hand[seat] = sorted([*s.known_hand[seat], kind])

    patch.setattr(Stalingrad, "fetch", fetch)


LEAKS = (
    what_the_enemy_may_hold_is_counted_from_his_hand,
    drawn_cards_are_told_to_all,
    only_who_holds_a_card_is_asked,
    a_search_lists_the_deck_in_its_order,
    a_begun_declaration_shows_in_the_enemys_view,
    a_force_deck_is_shown_in_its_order,
    a_fetched_card_is_added_to_what_is_known,
)


def found(matches: int) -> fuzz.Found | None:
    """The first fault of some random matches."""
    for start in plan("stalingrad", matches, 2, {}, "leaks"):
        tally = fuzz.play([start])
        if tally.found:
            return tally.found[0]
    return None


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.__name__)
def test_twins_catch(leak: Callable[[Patch], None], monkeypatch: Patch) -> None:
    leak(monkeypatch)
    seen = found(MATCHES)
    assert seen is not None
    assert seen.law in SEEN_BY_TWINS, seen.text


def test_honest_rules_pass() -> None:
    assert found(1) is None
