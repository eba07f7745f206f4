"""Hidden information (§6): properties of random play, evenness, and declarations not yet whole."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games import PUBLIC
from referee.games.stalingrad import wire
from referee.games.stalingrad.board import OFF
from referee.games.stalingrad.events import Drew
from referee.games.stalingrad.game import GAME, KINDS
from referee.games.stalingrad.state import Stalingrad
from tests.referee.games.stalingrad.table import (
    G,
    R,
    cards,
    do,
    kind,
    refresh,
    stack,
    table,
    take,
    texts,
    told,
)

VIEWERS = (PUBLIC, R, G)


def played(seed: int, decisions: int) -> Stalingrad:
    """A state of random play, or the end if it comes sooner."""
    s = GAME.start(seed=f"hidden {seed}", events=False)
    chance = Random(seed)
    for _ in range(decisions):
        if not s.asked():
            break
        (seat,) = s.asked()
        s.choose(seat, chance.randrange(len(s.options(seat))))
    return s


def everything_in_its_place(s: Stalingrad) -> None:
    for seat in (R, G):
        piles = (s.hand, s.deck, s.discard, s.in_play, s.table)
        there = [each for pile in piles for each in pile[seat]]
        assert sorted(there) == list(s.book.deck_list[seat])
        assert not Counter(s.known_hand[seat]) - Counter(s.hand[seat])
        assert s.hand[seat] == sorted(s.hand[seat])
        if not s.deck[seat]:
            assert s.known_hand[seat] == s.hand[seat]
        on_board = [f for f in s.book.forces_of[seat] if s.area_of[f] != OFF]
        in_deck = s.force_deck[seat]
        assert s.step == "SETUP" or sorted(on_board + in_deck) == list(s.book.forces_of[seat])
        for f in on_board:
            assert f in s.in_area(seat, s.area_of[f])
    for c, card in enumerate(s.book.cards):
        visible = (*s.discard[card.seat], *s.in_play[card.seat], *s.table[card.seat])
        shown = sum(s.book.card_of[each] == c for each in visible)
        assert s.unseen[c] == card.total - shown


@pytest.mark.properties
@given(st.integers(0, 10**6), st.integers(0, 1500))
@settings(deadline=None, max_examples=60)
def test_property_ii_and_iii_every_card_and_force_is_in_one_place(seed: int, n: int) -> None:
    everything_in_its_place(played(seed, n))


@pytest.mark.properties
@given(st.integers(0, 10**6), st.integers(0, 1500), st.sampled_from(VIEWERS), st.text(max_size=4))
@settings(deadline=None, max_examples=60)
def test_property_i_what_differs_in_hidden_things_alone_looks_alike(
    seed: int, n: int, viewer: int, key: str
) -> None:
    """Byte for byte, now and after a choice of the viewer's own that both can make."""
    s = played(seed, n)
    twin = GAME.imagine(s.view(viewer), key, events=True)
    everything_in_its_place(twin)
    s = s.clone(events=True)
    assert bytes_of(s, viewer) == bytes_of(twin, viewer)
    if viewer in s.asked() and s.kind(viewer) != "search":
        twin.seed = s.seed
        for i in range(len(s.options(viewer))):
            one, other = s.clone(events=True), twin.clone(events=True)
            one.choose(viewer, i)
            other.choose(viewer, i)
            if one.view(viewer) == other.view(viewer):
                assert bytes_of(one, viewer) == bytes_of(other, viewer)


def bytes_of(s: Stalingrad, viewer: int) -> list[bytes]:
    messages = [wire.view(s.view(viewer))]
    messages += [wire.option(option) for option in s.options(viewer)]
    messages += [wire.event(event) for event in s.events(viewer)]
    return [message.SerializeToString(deterministic=True) for message in messages]


def test_imagined_hands_are_drawn_evenly() -> None:
    """Four unseen cards, two of them in the hand: six hands, each as often as the others."""
    s = table(R, german={"G384": "PAV.P 1"}, russian={"R169": "GUM.P 1"})
    stack(s, G, hand=["tanks 2", "tanks 3"], deck=["attack 1", "scouts 1"], deck_size=2)
    refresh(s)
    view = s.view(R)
    drawn = Counter(
        tuple(cards(t, t.hand[G])) for t in (GAME.imagine(view, str(k)) for k in range(1200))
    )
    assert len(drawn) == 6
    assert min(drawn.values()) > 150, drawn


def test_imagined_force_decks_keep_top_and_known_bottom() -> None:
    s = table(G, german={"G384": "PAV.P 1"}, russian={"R169": "GUM.P 1", "R308": "GUM.P 1"})
    for name in ("R169", "R308"):
        s.destroy(s.book.force_no[name])
    s.rations[s.book.force_no["G384"]] = 1
    orders = {tuple(GAME.imagine(s.view(R), str(k)).force_deck[R]) for k in range(20)}
    assert len(orders) > 15
    assert {order[0] for order in orders} == {s.force_deck[R][0]}
    assert {order[-2:] for order in orders} == {tuple(s.force_deck[R][-2:])}


@pytest.mark.parametrize(
    "parts",
    [
        ("move G384", "to PAV.C"),
        ("attack GRA", "participants G16P"),
        ("play supply_raid 1", "target R308", "target G384"),
        ("play attack 1", "target G384", "target GRA"),
    ],
)
def test_a_begun_declaration_is_seen_by_its_own_seat_alone(parts: tuple[str, ...]) -> None:
    s = table(
        G, german={"G384": "PAV.P 2", "G16P": "GRA.C 3", "G376": "GRA.C 3"},
        russian={"R308": "GRA.C 3", "R169": "GUM.C 1"},
        hand=["supply_raid 1", "attack 1"], enemy_hand=["fog_of_war -2", "sniper -1"],
    )  # fmt: skip
    before = {viewer: (s.view(viewer), s.events(viewer)) for viewer in (PUBLIC, R)}
    own = s.view(G)
    for part in parts[:-1]:
        take(s, part)
        assert {viewer: (s.view(viewer), s.events(viewer)) for viewer in before} == before
        assert s.view(G).begun != own.begun
        own = s.view(G)
        anew = GAME.imagine(s.view(R), "k")
        assert kind(anew) == "G main", "an imagined state asks the seat anew"
        assert GAME.imagine(own, "k").options(G) == s.options(G)
    take(s, parts[-1])
    assert s.events(R) != before[R][1]


def test_a_target_in_a_window_is_begun_in_secret_too() -> None:
    s = table(
        G, german={"G16P": "GRA.C 3"}, russian={"R308": "GRA.C 3", "R169": "GUM.P 1",
        "R84T": "PAV.P 1"}, enemy_hand=["reserve_forces 2", "victory 3"],
    )  # fmt: skip
    do(s, "attack GRA")
    before = s.view(G)
    take(s, "R: play reserve_forces 2")
    assert kind(s) == "R target"
    assert s.view(G) == before
    assert s.view(R).begun == ("play", "reserve_forces", "2")
    assert GAME.imagine(before, "k").kind(R) == "battle"


def test_drawn_cards_are_counted_for_the_enemy() -> None:
    s = table(G, german={"G384": "PAV.C 2"}, hand=["tanks 2"], enemy_hand=["victory 3"])
    do(s, "end", "R: pass")
    drew = [told(s, viewer, Drew)[0] for viewer in VIEWERS]
    assert [event.drawn for event in drew] == [6, 6, 6]
    assert [len(event.cards) for event in drew] == [0, 0, 6]


PRIVATE = {"main", "discard", "search", "firefight", "absorb"} | {
    name for name, row in KINDS.items() if row.standing_order
}
"""Kinds whose options depend on what the seat holds (§7.4)."""


def test_nobody_is_asked_what_public_facts_decide() -> None:
    """§7.4: a single option is taken without asking if all can see that there is no other."""
    s = GAME.start(seed="public", events=False)
    chance = Random(3)
    single = Counter()
    while s.asked():
        (seat,) = s.asked()
        name, offered = s.kind(seat), s.options(seat)
        if len(offered) == 1:
            single[name] += 1
            assert name in PRIVATE, name
            assert s.hand[seat], name
            assert name != "discard" or len(s.hand[seat]) > 1
            assert name != "search" or len(s.deck[seat]) > 1
        s.choose(seat, chance.randrange(len(offered)))
    assert single["on_move"] > 0


def test_options_are_in_canonical_order() -> None:
    """§3.2: by kind, then by id and Firefight value, never by hand or draw order."""
    s = table(
        G, german={"G384": "GRA.C 3", "G16P": "PAV.P 1"}, russian={"R308": "GRA.C 3"},
        hand=["scouts 1", "scouts -1", "big_push 2", "big_push 1", "desperation -2"],
        tops={G: ["G20R"]},
    )  # fmt: skip
    stack(s, R, in_play=["uranus_i 3"])
    refresh(s)
    assert texts(s) == [
        "end", "play big_push 1", "play big_push 2", "play desperation -2", "play scouts -1",
        "play scouts 1", "move G16P", "move G384", "attack GRA", "resupply", "buy",
        "pay_uranus uranus_i 3",
    ]  # fmt: skip
    do(s, "move G16P")
    areas = [text.removeprefix("to ") for text in texts(s)]
    line = ["GUM", "GRA", "TRA", "DOC", "PAV"]
    places = [(line.index(each[:3]), each[-1]) for each in areas]
    assert all(a < b for a, b in pairwise(places))
