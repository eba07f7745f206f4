"""Simulated ladders: the quick TrueSkill, the field, the measures, and the command."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchmaker.cli.app import run
from matchmaker.numeric import np
from matchmaker.ratings import Rating, RatingRules, TrueSkill
from matchmaker.tools.simulate.duel import rate_duel
from matchmaker.tools.simulate.field import ADVANTAGE, Field, likeness
from matchmaker.tools.simulate.informed import Ladder
from matchmaker.tools.simulate.measure import curve, entry, ratio
from matchmaker.tools.simulate.rivals import Rival
from matchmaker.tools.simulate.trials import true_ranks

RATING = st.builds(Rating, st.floats(5, 45), st.floats(0.7, 8.4))


@pytest.mark.properties
@settings(max_examples=80, deadline=None)
@given(winner=RATING, loser=RATING, draws=st.sampled_from([0.0, 0.1, 0.5]))
def test_the_quick_rating_of_duels_is_the_packages(
    winner: Rating, loser: Rating, draws: float
) -> None:
    rules = RatingRules(draw_probability=draws)
    [[won], [lost]] = TrueSkill(rules).rate([[winner], [loser]], [1, 2])
    quick_won, quick_lost = rate_duel(winner, loser, rules)
    # The package's own error function is good to seven digits; at great gaps that shows.
    assert tuple(quick_won) == pytest.approx(tuple(won), abs=2e-5)
    assert tuple(quick_lost) == pytest.approx(tuple(lost), abs=2e-5)


def test_an_upset_beyond_all_measure_is_rated_too() -> None:
    winner, loser = rate_duel(Rating(-2_000.0, 1.0), Rating(2_000.0, 1.0), RatingRules())
    assert winner.mu > -2_000
    assert loser.mu < 2_000
    assert min(winner.sigma, loser.sigma) > 0


class TestField:
    def test_the_first_seat_is_better_by_its_advantage(self) -> None:
        field = Field(2, 1)
        field.strengths[:] = 0.0
        won = sum(field.first_wins(0, 1) for _ in range(4_000)) / 4_000
        assert won == pytest.approx(1 / (1 + np.exp(-ADVANTAGE)), abs=0.025)

    def test_a_crashing_bot_loses(self) -> None:
        field = Field(3, 1)
        field.crashing = frozenset({0})
        assert not any(field.first_wins(0, 1) for _ in range(20))
        assert all(field.first_wins(1, 0) for _ in range(20))

    def test_a_seed_makes_one_field(self) -> None:
        assert Field(9, 4).strengths.tolist() == Field(9, 4).strengths.tolist()
        assert Field(9, 4).strengths.tolist() != Field(9, 5).strengths.tolist()

    def test_a_new_version_is_another_player(self) -> None:
        field = Field(3, 1)
        before = field.player(1)
        field.change(1, 2.0)
        assert (field.player(1).bot, field.player(1).version) == (before.bot, "2")


def test_likeness_is_spearmans() -> None:
    truth = np.array([1.0, 2.0, 3.0, 4.0])
    assert likeness(truth, truth * 7) == 1.0
    assert likeness(truth, -truth) == -1.0
    assert likeness(truth, np.array([1.0, 3.0, 2.0, 4.0])) == pytest.approx(0.8)


def test_true_ranks_begin_with_the_strongest() -> None:
    assert true_ranks(np.array([0.5, 2.0, -1.0])) == [2, 1, 3]


def test_an_entry_is_where_the_median_crosses() -> None:
    """Every 25 pairings, smoothed over three: 0.90, 0.94, 0.96 at the 2nd, 3rd, 4th."""
    curves = [[0.88, 0.9, 0.92, 1.0, 0.96]] * 3
    assert entry(curves, 0.95).pairings == pytest.approx(75 + 25 * (0.95 - 0.94) / 0.02)
    assert entry(curves, 0.95).low == entry(curves, 0.95).pairings
    assert entry([[0.5] * 5] * 3, 0.95).pairings == float("inf")
    assert entry([[0.99] * 5] * 3, 0.95).pairings == 50.0


def test_a_ratio_is_to_the_best_rival() -> None:
    quick, slow = [[0.8, 0.9, 1.0, 1.0, 1.0]] * 4, [[0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.0, 1.0]] * 4
    assert ratio(quick, [slow, [[0.5] * 8] * 4], 0.95).pairings < 1
    assert ratio(slow, [quick, slow], 0.95).pairings > 1
    assert ratio(quick, [[[0.5] * 5] * 4], 0.95).pairings == float("inf")


@pytest.mark.parametrize("rule", ["uniform", "nearest", "quality"])
def test_rivals_play_by_their_rule(rule: str) -> None:
    rival = Rival(Field(8, 1), 1, rule)
    rival.play(200)
    assert rival.pairings.sum() == 400
    if rule == "nearest":
        assert rival.pairings.max() - rival.pairings.min() <= 0.6 * rival.pairings.mean()
    assert likeness(rival.field.strengths, rival.worth()) > 0.5


def test_the_informed_ladder_plays_the_same_for_the_same_seed() -> None:
    one, other = (curve(3, bots=12, pairings=100, rule="information") for _ in range(2))
    assert one == other
    assert len(one) == 4


def test_the_informed_ladder_seats_each_pairing_twice() -> None:
    ladder = Ladder(Field(10, 2), 2)
    while ladder.begun < 60:
        ladder.play()
    assert sum(counts.matches for counts in ladder.tally.duels.values()) == 2 * ladder.begun
    assert sum(sum(fives) for fives in ladder.tally.fives.values()) == 2 * ladder.begun
    assert ladder.tally.head_to_head().keys() <= {
        (one, other) for one in ladder.refit().players for other in ladder.refit().players
    }


def test_the_command_says_what_was_measured(capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["simulate", "--bots", "8", "--seeds", "3", "--pairings", "200", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert [row["pairing"] for row in found["rows"]] == [
        "information", "uniform", "nearest", "quality",
    ]  # fmt: skip
    assert code == (0 if found["ok"] else 1)
    assert {"command", "version", "ratio_to_best_baseline", "seconds"} <= found.keys()
    assert all({"matches", "low", "high"} <= row.keys() for row in found["rows"])
    assert found["played"] == 400


def test_the_command_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    run(["simulate", "--bots", "5", "--seeds", "2", "--pairings", "100"])
    assert "information" in capsys.readouterr().out
