"""Places go to whom has had least by weight, and to somebody in any case."""

from collections import Counter

from matchmaker.tournaments.shares import KEPT_SECONDS, LADDER, LADDER_WEIGHT, Shares

BOTH = {LADDER: LADDER_WEIGHT, "cup": 4.0}


def served(shares: Shares, rivals: dict[str, float], turns: int) -> Counter[str]:
    """Let all that may take the next place, in an order that favours the last named."""
    counts: Counter[str] = Counter()
    for _ in range(turns):
        taker = next(
            name for name in reversed(list(rivals)) if shares.may("bot", name, rivals, 0.0)
        )
        shares.serve("bot", taker, rivals[taker])
        counts[taker] += 1
    return counts


def test_places_go_by_weight() -> None:
    counts = served(Shares(), BOTH, 100)
    assert abs(counts["cup"] - 80) <= 2
    assert counts[LADDER] == 100 - counts["cup"]


def test_three_activities_have_their_shares() -> None:
    rivals = {LADDER: 1.0, "cup": 2.0, "league": 1.0}
    counts = served(Shares(), rivals, 80)
    assert abs(counts["cup"] - 40) <= 2
    assert abs(counts["league"] - 20) <= 2


def test_who_is_alone_has_all() -> None:
    assert served(Shares(), {LADDER: 1.0}, 10)[LADDER] == 10


def test_a_newcomer_gets_no_credit_for_the_time_before() -> None:
    shares = Shares()
    served(shares, {LADDER: 1.0}, 50)
    counts = served(shares, BOTH, 10)
    assert counts[LADDER] >= 1


def test_a_place_that_is_not_taken_goes_to_another_after_a_moment() -> None:
    shares = Shares()
    while shares.may("bot", "cup", BOTH, 0.0):
        shares.serve("bot", "cup", 4.0)
    assert not shares.may("bot", "cup", BOTH, KEPT_SECONDS - 0.1)
    assert shares.may("bot", "cup", BOTH, KEPT_SECONDS)


def test_what_is_over_is_forgotten() -> None:
    shares = Shares()
    served(shares, BOTH, 20)
    shares.forget("cup")
    shares.forget(LADDER)
    assert vars(shares) == {"_served": {}, "_refused": {}}
