"""SPRT duel: figures known from elsewhere, and when it stops."""

from math import log

import pytest

from matchmaker.formats import likelihood
from matchmaker.formats.contract import Played
from tests.matchmaker.formats.play import Tournament, drawn, entrants, stronger, terms


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "llr"),
    [
        # Pentanomial counts and logistic Elo as in fastchess's own tests, to its two digits.
        ((223, 9863, 21279, 10037, 246), 0.5, 2.5, -3.07),
        ((871, 26175, 55983, 26678, 821), 0.0, 2.0, -4.98),
    ],
)
def test_known_ratios(
    counts: tuple[int, int, int, int, int], elo0: float, elo1: float, llr: float
) -> None:
    assert likelihood.llr(counts, elo0, elo1) == pytest.approx(llr, abs=0.006)


def test_ratio_of_two_scores_is_that_of_the_binomial() -> None:
    """Pairings won or lost outright leave one free number, so the ratio can be worked by hand."""
    p0, p1 = likelihood.expected(0), likelihood.expected(50)
    assert p1 == pytest.approx(0.571463)
    byhand = 60 * log(p1 / p0) + 40 * log((1 - p1) / (1 - p0))
    assert likelihood.llr((40, 0, 0, 0, 60), 0, 50) == pytest.approx(byhand, abs=0.001)


def test_ratio_near_even_is_that_of_the_normal() -> None:
    """For small differences: n·(s1 − s0)·(2·mean − s0 − s1) / (2·variance) (Van den Bergh)."""
    counts = (142, 620, 1122, 699, 188)
    n = sum(counts)
    mean = sum(c * s for c, s in zip(counts, likelihood.SCORES)) / n
    variance = sum(c * (s - mean) ** 2 for c, s in zip(counts, likelihood.SCORES)) / n
    s0, s1 = likelihood.expected(0), likelihood.expected(4)
    normal = n * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)
    assert likelihood.llr(counts, 0, 4) == pytest.approx(normal, rel=0.01)


def test_bounds_keep_to_the_stated_errors() -> None:
    """Of a plain coin that is fair or falls on heads two times of three, all courses counted."""
    alpha, beta = 0.05, 0.10
    lower, upper = likelihood.bounds(alpha, beta)
    assert (lower, upper) == (pytest.approx(log(beta)), pytest.approx(log(1 / alpha)))
    for heads, wrong in ((1 / 2, upper), (2 / 3, lower)):
        open_, erred = {0: 1.0}, 0.0
        for toss in range(1, 500):
            after: dict[int, float] = {}
            for count, share in open_.items():
                for more, chance in ((1, heads), (0, 1 - heads)):
                    now = count + more
                    llr = now * log(4 / 3) + (toss - now) * log(2 / 3)
                    if lower < llr < upper:
                        after[now] = after.get(now, 0.0) + share * chance
                    elif (llr >= upper) == (wrong == upper):
                        erred += share * chance
            open_ = after
        assert sum(open_.values()) < 1e-6
        assert 0.5 * (alpha if wrong == upper else beta) < erred
        assert erred <= (alpha if wrong == upper else beta)


def test_few_pairings_weigh_less_than_their_ratio() -> None:
    test = likelihood.Sequential(elo0=0, elo1=50, alpha=0.05, beta=0.05)
    for _ in range(12):
        test.add(4)
    ratio = likelihood.llr((0, 0, 0, 0, 12), 0, 50)
    assert test.llr == pytest.approx(ratio * 12 / 16)


def test_nothing_played_says_nothing_and_even_counts_are_even() -> None:
    assert likelihood.llr((0, 0, 0, 0, 0), 0, 50) == 0
    assert likelihood.llr((5, 2, 9, 2, 5), -20, 20) == pytest.approx(0, abs=1e-9)
    won, lost = (0, 0, 0, 0, 9), (9, 0, 0, 0, 0)
    assert likelihood.llr(won, -20, 20) == pytest.approx(-likelihood.llr(lost, -20, 20))


def test_a_better_version_is_accepted_and_a_worse_one_rejected() -> None:
    made = Tournament(terms("sprt"), entrants(["new", "old"]))
    course = made.run(lambda seats: tuple(1 if bot == "new" else 2 for bot in seats))
    assert course.summary["verdict"] == "accepted"
    assert course.summary["conclusive"] is True
    assert course.summary["candidate"] == "new"
    made = Tournament(terms("sprt"), entrants(["new", "old"]))
    course = made.run(lambda seats: tuple(2 if bot == "new" else 1 for bot in seats))
    assert course.summary["verdict"] == "rejected"


def test_draws_alone_reject_a_claim_of_being_better() -> None:
    course = Tournament(terms("sprt"), entrants(2)).run(drawn)
    assert course.summary["verdict"] == "rejected"
    assert str(course.summary["pentanomial"]).startswith("0 0 ")


def test_it_ends_undecided_after_the_most_pairings() -> None:
    made = Tournament(terms("sprt", pairings=5), entrants(2))
    course = made.run()
    assert course.over
    assert (course.summary["verdict"], course.summary["conclusive"]) == ("open", False)
    assert len(made.events) == 10


def test_no_more_pairings_are_begun_at_once_than_set() -> None:
    made = Tournament(terms("sprt", at_once=3), entrants(2))
    assert [meeting.key for meeting in made.course.wanted] == ["1", "2", "3"]
    made.play(made.wanted("2"))
    assert [meeting.key for meeting in made.course.wanted] == ["1", "3"], "2 waits for 1"
    assert made.course.summary["pairings"] == 0
    made.play(made.wanted("1"))
    assert [meeting.key for meeting in made.course.wanted] == ["3", "4", "5"]
    assert made.course.summary["pairings"] == 2


def test_a_verdict_stands_whatever_comes_later() -> None:
    made = Tournament(terms("sprt", at_once=4), entrants(2))
    made.run()
    verdict = made.course.summary
    for number in range(int(verdict["pairings"]) + 1, 60):
        for seats in (("b01", "b02"), ("b02", "b01")):
            made.add(str(number), seats, tuple(reversed(stronger(seats))))
    assert made.course.summary == verdict


def test_what_is_given_away_does_not_count() -> None:
    made = Tournament(terms("sprt", at_once=2), entrants(2))
    made.play(made.wanted("1"), matches=1)
    made.forfeit(made.wanted("1"), "b02")
    made.play(made.wanted("2"))
    assert made.course.summary["pairings"] == 1


def test_a_withdrawal_ends_it_undecided() -> None:
    made = Tournament(terms("sprt"), entrants(2))
    made.step()
    made.withdraw("b02", "crashes")
    course = made.course
    assert course.over
    assert course.wanted == ()
    assert course.summary["conclusive"] is False
    assert course.summary["pairings"] == 4
    assert sum(isinstance(event, Played) for event in made.events) == 8
