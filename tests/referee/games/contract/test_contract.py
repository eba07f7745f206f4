"""
The contract that every game keeps (the laws of `matchmaker.tools.oracles` and `.twins`).

Positions come from random play of each variant of each game: fixed seeds here, drawn ones with
Hypothesis below.
"""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from matchmaker.tools import fuzz, oracles, twins
from matchmaker.tools.random_matches import Start, plan
from referee import games
from referee.engine import Option, State
from referee.engine.errors import BadOption, BadSave, UnknownGame
from tests.strategies import every_variant, name_of, starts

pytestmark = pytest.mark.properties

VARIANTS = every_variant()
GAMES_IN_ALL = 40
"""Matches of each game and number of seats that a test run plays under all oracles."""
GAMES_A_TEST = 10

each_variant = pytest.mark.parametrize(("game", "seats", "options"), VARIANTS, ids=name_of)


@cache
def _positions(game: str, seats: int, options: tuple[tuple[str, Any], ...]) -> list[Any]:
    """Positions of a random match with what each seat has begun in secret, and all its choices."""
    start = Start(game, seats, dict(options), "contract")
    state = start.state(games.get(game))
    rng = Random(f"{start}")
    kept, choices = [], []
    secrets: dict[int, tuple[Option, ...]] = {}
    while state.asked() and len(choices) < 400:
        if len(choices) % 7 == 0:
            kept.append((state.clone(events=True), dict(secrets)))
        seat = rng.choice(state.asked())
        i = rng.randrange(len(state.options(seat)))
        choices.append((seat, i))
        option, heard = state.options(seat)[i], len(state.events(games.PUBLIC, 0))
        state.choose(seat, i)
        if state.events(games.PUBLIC, heard):
            secrets.clear()
        else:
            secrets[seat] = (*secrets.get(seat, ()), option)
    return [kept, choices, state]


def positions(game: str, seats: int, options: dict[str, Any]) -> list[State]:
    return [state for state, _ in _positions(game, seats, tuple(options.items()))[0]]


@each_variant
def test_questions_are_of_the_catalogue_and_options_unique_and_ordered(
    game: str, seats: int, options: dict[str, Any]
) -> None:
    order = oracles.Order()
    for state in positions(game, seats, options):
        oracles.decision(games.get(game), state, order)


@each_variant
def test_every_option_can_be_taken_and_the_rest_is_refused_without_trace(
    game: str, seats: int, options: dict[str, Any]
) -> None:
    for state in positions(game, seats, options):
        oracles.every_option(state)


@each_variant
def test_clones_and_saves_equal_the_state_and_change_nothing(
    game: str, seats: int, options: dict[str, Any]
) -> None:
    for k, state in enumerate(positions(game, seats, options)):
        oracles.copies(games.get(game), state, Random(k))


@each_variant
def test_secret_answers_may_come_in_any_order(
    game: str, seats: int, options: dict[str, Any]
) -> None:
    for k, state in enumerate(positions(game, seats, options)):
        oracles.sealed(state, Random(k))


@each_variant
def test_twins_look_alike_to_every_viewer(game: str, seats: int, options: dict[str, Any]) -> None:
    differing = 0
    for k, (state, secrets) in enumerate(_positions(game, seats, tuple(options.items()))[0]):
        for viewer in oracles.viewers(state):
            differing += twins.twin(games.get(game), state, viewer, f"{k}", secrets)
    assert differing > 0


@each_variant
def test_what_a_bot_is_sent_comes_back_whole(
    game: str, seats: int, options: dict[str, Any]
) -> None:
    for state in positions(game, seats, options):
        twins.wire_round_trip(games.get(game), state)


@each_variant
def test_equal_choices_lead_to_equal_digests(
    game: str, seats: int, options: dict[str, Any]
) -> None:
    _, choices, state = _positions(game, seats, tuple(options.items()))
    again = Start(game, seats, options, "contract").state(games.get(game), events=False)
    for seat, i in choices:
        again.choose(seat, i)
    assert again.digest() == state.digest()
    assert again.outcome() == state.outcome()
    assert len(games.get(game).facts.roles) in (0, seats)


@each_variant
def test_the_setting_alone_decides_what_is_public_from_the_start(
    game: str, seats: int, options: dict[str, Any]
) -> None:
    first, second = (
        games.get(game).start(seats, seed, "one setting", options) for seed in ("a", "b")
    )
    assert first.view(games.PUBLIC) == second.view(games.PUBLIC)
    assert first.digest() != second.digest()


@pytest.mark.parametrize("part", range(GAMES_IN_ALL // GAMES_A_TEST))
@pytest.mark.parametrize(
    ("game", "seats"), [(game, seats) for game, seats, options in VARIANTS if not options]
)
def test_random_play_ends_and_breaks_no_law(game: str, seats: int, part: int) -> None:
    _play_out(game, seats, {}, f"contract {part}")


@pytest.mark.parametrize(
    ("game", "seats", "options"), [each for each in VARIANTS if each[2]], ids=name_of
)
def test_random_play_with_an_option_ends_and_breaks_no_law(
    game: str, seats: int, options: dict[str, Any]
) -> None:
    _play_out(game, seats, options, "contract")


def _play_out(game: str, seats: int, options: dict[str, Any], seed: str) -> None:
    tally = fuzz.play(plan(game, GAMES_A_TEST, seats, options, seed))
    assert [found.text for found in tally.found] == []
    assert tally.games == GAMES_A_TEST
    assert tally.twins > 0


@each_variant
@given(st.data())
@settings(deadline=None, max_examples=10, suppress_health_check=[HealthCheck.too_slow])
def test_any_seed_and_any_choices_keep_the_laws(
    game: str, seats: int, options: dict[str, Any], data: st.DataObject
) -> None:
    start = data.draw(starts(game, seats, options))
    picks = iter(data.draw(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 99)), max_size=60)))

    def choose(state: State) -> tuple[int, int] | None:
        pick = next(picks, None)
        if pick is None:
            return None
        seat = state.asked()[pick[0] % len(state.asked())]
        return seat, pick[1] % len(state.options(seat))

    tally = fuzz.Tally()
    fuzz.watched(start, choose, tally, replay=True)
    assert [found.text for found in tally.found] == []


@pytest.mark.parametrize("game", games.names())
def test_a_game_refuses_seats_and_options_it_does_not_have(game: str) -> None:
    library = games.get(game)
    for seats in (0, max(library.facts.seats) + 1):
        with pytest.raises(BadOption, match=str(seats)):
            library.start(seats, "x")
    with pytest.raises(BadOption, match="no-such-option"):
        library.start(None, "x", None, {"no-such-option": 1})


@pytest.mark.parametrize("game", games.names())
def test_bytes_that_are_no_save_are_refused(game: str) -> None:
    library = games.get(game)
    saved = library.start(None, "x").save()
    for wrong in (
        b"",
        b"\xc1",
        b"\x90",
        saved[:-1],
        saved + b"\x00",
        saved[:1] + b"\x07" + saved[2:],
    ):
        with pytest.raises(BadSave):
            library.load(wrong)


def test_an_unknown_game_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(UnknownGame, match=games.names()[0]):
        games.get("chess")
