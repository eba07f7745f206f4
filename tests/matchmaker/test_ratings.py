"""Ratings: worked values, and what must hold of any."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchmaker.ratings import Rating, RatingRules, TrueSkill

RATINGS = TrueSkill()
NEW = RATINGS.fresh()
RATING = st.builds(Rating, st.floats(-50, 100), st.floats(0.7, 8.4))


def close(rating: Rating, mu: float, sigma: float) -> bool:
    return rating.mu == pytest.approx(mu, abs=5e-4) and rating.sigma == pytest.approx(
        sigma, abs=5e-4
    )


def test_first_win_of_a_duel() -> None:
    """Published with TrueSkill's standard constants: 29.396 ± 7.171 and 20.604 ± 7.171."""
    [[winner], [loser]] = RATINGS.rate([[NEW], [NEW]], [1, 2])
    assert close(winner, 29.3958, 7.1715)
    assert close(loser, 20.6042, 7.1715)


def test_first_win_of_a_duel_by_the_closed_form() -> None:
    """One duel without draws has a closed form, computed here from scratch."""
    rules = RatingRules(draw_probability=0.0)
    variance = rules.sigma**2 + rules.tau**2
    c = math.sqrt(2 * rules.beta**2 + 2 * variance)
    v = math.sqrt(2 / math.pi)  # density over distribution at 0
    w = v * v
    [[winner], [loser]] = TrueSkill(rules).rate([[NEW], [NEW]], [1, 2])
    assert close(winner, 25 + variance / c * v, math.sqrt(variance * (1 - variance / c**2 * w)))
    assert winner.mu - 25 == pytest.approx(25 - loser.mu)


def test_first_draw_of_a_duel() -> None:
    [[one], [other]] = RATINGS.rate([[NEW], [NEW]], [1, 1])
    assert close(one, 25.0, 6.4575)
    assert one == other


def test_free_for_all_goes_by_ranks() -> None:
    """The worked four-player example of the TrueSkill literature."""
    rated = RATINGS.rate([[NEW]] * 4, [1, 2, 3, 4])
    mus = [side[0].mu for side in rated]
    assert mus == pytest.approx([33.207, 27.401, 22.599, 16.793], abs=5e-4)
    assert [side[0].sigma for side in rated] == pytest.approx(
        [6.348, 5.787, 5.787, 6.348], abs=5e-4
    )


def test_ranks_need_not_come_in_order_of_seats() -> None:
    forward = RATINGS.rate([[NEW]] * 3, [1, 2, 3])
    mixed = RATINGS.rate([[NEW]] * 3, [3, 1, 2])
    assert [mixed[1], mixed[2], mixed[0]] == forward


def test_a_team_wins_together() -> None:
    rated = RATINGS.rate([[NEW, NEW], [NEW, NEW]], [1, 2])
    assert close(rated[0][0], 28.108, 7.774)
    assert rated[0][0] == rated[0][1]
    assert close(rated[1][1], 21.892, 7.774)


@pytest.mark.parametrize(
    ("gap", "sigma", "ranks"),
    [(230, 0.8, [2, 1]), (315, 4.0, [2, 1]), (505, 8.3, [2, 1]), (1000, 8.3, [1, 1])],
)
def test_a_huge_upset_is_rated_all_the_same(gap: float, sigma: float, ranks: list[int]) -> None:
    """The package's quick arithmetic raises FloatingPointError at these gaps."""
    high, low = Rating(25.0 + gap, sigma), Rating(25.0, sigma)
    [[loser], [winner]] = RATINGS.rate([[high], [low]], ranks)
    assert loser.mu < high.mu
    assert winner.mu > low.mu
    assert all(type(number) is float for number in (*loser, *winner))


def test_the_table_sorts_by_mu_less_three_sigma() -> None:
    assert NEW.worth == pytest.approx(0.0)
    assert Rating(30.0, 2.0).worth == 24.0


def test_a_new_version_keeps_mu_and_opens_sigma() -> None:
    settled = Rating(31.0, 0.8)
    reopened = RATINGS.reopen(settled)
    assert reopened.mu == 31.0
    assert reopened.sigma == pytest.approx(math.sqrt(0.8**2 + (25 / 6) ** 2))
    assert RATINGS.reopen(NEW) == NEW


def test_a_lead_of_beta_wins_three_of_four() -> None:
    rules = RATINGS.rules
    chance = RATINGS.chance(Rating(25.0 + rules.beta, 0.0), Rating(25.0, 0.0))
    assert chance == pytest.approx(0.76025, abs=1e-5)


@pytest.mark.parametrize("sides", [[], [[NEW]]])
def test_a_match_of_one_side_is_not_rated(sides: list[list[Rating]]) -> None:
    with pytest.raises(ValueError, match="two sides or more"):
        RATINGS.rate(sides, [1] * len(sides))


@pytest.mark.properties
@given(one=RATING, other=RATING)
def test_a_win_helps_the_winner_and_costs_the_loser(one: Rating, other: Rating) -> None:
    [[winner], [loser]] = RATINGS.rate([[one], [other]], [1, 2])
    assert winner.mu >= one.mu - 1e-12  # what surprises nobody may move by a rounding error
    assert loser.mu <= other.mu + 1e-12
    assert winner.sigma <= math.sqrt(one.sigma**2 + RATINGS.rules.tau**2) + 1e-12


@pytest.mark.properties
@given(one=RATING, other=RATING)
def test_chances_of_two_add_up_to_one(one: Rating, other: Rating) -> None:
    assert RATINGS.chance(one, other) + RATINGS.chance(other, one) == pytest.approx(1.0)


def test_what_was_rated_before_is_given_again_and_belongs_to_who_asked() -> None:
    """Tables are folded again and again; nobody's list may be another's."""
    sides = [[Rating(31.0, 2.0)], [Rating(27.0, 3.0), Rating(22.0, 4.0)]]
    first = TrueSkill().rate(sides, [1, 2])
    again = TrueSkill().rate(sides, [1, 2])
    assert again == first
    again[0].clear()
    assert TrueSkill().rate(sides, [1, 2]) == first
    assert TrueSkill().rate(sides, [2, 1]) != first
    assert TrueSkill(RatingRules(tau=0.0)).rate(sides, [1, 2]) != first
