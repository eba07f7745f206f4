"""What a pairing would tell: the quick way against the one written out from the definition."""

import math

import pytest

from matchmaker import estimate
from matchmaker.entries import Seated
from matchmaker.information import PAIRING, TOP_SHARE, TOP_SOFTENED, Belief, believe
from matchmaker.numeric import Floats, np
from tests.matchmaker.test_estimate import duels
from tests.matchmaker.test_tally import A, B, C, D, tally_of


def bots(count: int) -> list[Seated]:
    return [Seated(f"b{number:02}", "1") for number in range(count)]


def uncertain(count: int, seed: int) -> tuple[Floats, Floats]:
    """Strengths and a covariance as they are amid a ladder."""
    chance = np.random.default_rng(seed)
    mixed = chance.normal(size=(count, count)) / math.sqrt(count)
    return chance.normal(size=count), 0.2 * mixed @ mixed.T + 0.1 * np.eye(count)


def slow_gains(strengths: Floats, covariance: Floats, top_share: float) -> Floats:
    """Pair by pair, by the update of the whole covariance and the whole expected error."""
    count = len(strengths)
    slope, better = np.zeros((count, count)), np.zeros(count)
    for i in range(count):
        for j in range(count):
            if i == j:
                continue
            spread = math.sqrt(covariance[i, i] + covariance[j, j])
            lead = strengths[i] - strengths[j]
            density = math.exp(-((lead / spread) ** 2) / 2) / (spread * math.sqrt(2 * math.pi))
            slope[i, i] += density
            slope[i, j] = -density
            better[i] += 1 / (1 + math.exp(1.702 * lead / spread))
    top = np.array([slope[i] / (better[i] + TOP_SOFTENED) for i in range(count)])

    def error(of: Floats) -> float:
        all_ranks = np.trace(slope @ of @ slope.T) / np.trace(slope @ covariance @ slope.T)
        the_top = np.trace(top @ of @ top.T) / np.trace(top @ covariance @ top.T)
        return float((1 - top_share) * all_ranks + top_share * the_top)

    found = np.zeros((count, count))
    for i in range(count):
        for j in range(count):
            if i == j:
                continue
            unit = np.zeros(count)
            unit[i], unit[j] = 1.0, -1.0
            spread = unit @ covariance @ unit
            chance = 1 / (
                1 + math.exp(-(strengths[i] - strengths[j]) / math.sqrt(1 + math.pi / 8 * spread))
            )
            weight = PAIRING * chance * (1 - chance)
            step = covariance @ unit
            after = covariance - weight / (1 + weight * spread) * np.outer(step, step)
            found[i, j] = error(covariance) - error(after)
    return found


@pytest.mark.parametrize("top_share", [0.0, TOP_SHARE, 1.0])
@pytest.mark.parametrize("seed", [1, 2])
def test_gains_are_by_how_much_the_expected_error_of_ranks_falls(
    seed: int, top_share: float
) -> None:
    strengths, covariance = uncertain(9, seed)
    belief = Belief(bots(9), strengths, covariance, top_share=top_share)
    names = [player.bot for player in bots(9)]
    slow = slow_gains(strengths, covariance, top_share)
    assert belief.gains(names, names) == pytest.approx(slow, rel=1e-9, abs=1e-12)
    assert belief.gains(names[3:4], names[1:7:2]) == pytest.approx(slow[3:4, 1:7:2], rel=1e-9)


def test_a_pairing_in_flight_is_known_already() -> None:
    """Begun one by one, gains are those of a belief that was made with the lower covariance."""
    strengths, covariance = uncertain(8, 3)
    belief = Belief(bots(8), strengths, covariance)
    metric = belief._metric
    for one, other in (("b00", "b03"), ("b05", "b01"), ("b00", "b03")):
        belief.begin(one, other)
    lowered = belief.covariance
    names = [player.bot for player in bots(8)]
    assert np.linalg.eigvalsh(covariance - lowered)[0] > -1e-12
    assert belief._gained == pytest.approx(lowered @ metric @ lowered, rel=1e-9, abs=1e-12)
    fresh = Belief(bots(8), strengths, covariance).gains(names, names)
    assert belief.gains(["b00"], ["b03"])[0, 0] < fresh[0, 3]


def test_flying_pairings_count_by_what_is_left_of_them() -> None:
    strengths, covariance = uncertain(6, 4)
    names = [player.bot for player in bots(6)]
    begun = Belief(bots(6), strengths, covariance)
    begun.begin("b01", "b02")
    whole = Belief(bots(6), strengths, covariance, [("b01", "b02", 2), ("b01", "gone", 2)])
    half = Belief(bots(6), strengths, covariance, [("b01", "b02", 1)])
    assert whole.covariance == pytest.approx(begun.covariance)
    assert covariance[1, 1] > half.covariance[1, 1] > whole.covariance[1, 1]
    assert names == list(whole.index)


def test_open_pairings_of_the_unknown_tell_most() -> None:
    strengths = np.array([0.0, 0.0, 0.0, 4.0])
    belief = Belief(bots(4), strengths, np.diag([1.0, 1.0, 0.01, 1.0]))
    gains = belief.gains(["b00"], ["b01", "b02", "b03"])[0]
    assert gains[0] > gains[1] > 0
    assert gains[0] > gains[2]


def test_all_are_alike_before_the_first_result() -> None:
    players = {player.bot: player for player in bots(5)}
    gains = believe(None, players, {}).gains(list(players), list(players))
    off = gains[~np.eye(5, dtype=bool)]
    assert off == pytest.approx(np.full(20, off[0]))
    assert off[0] > 0


def test_bots_that_are_there_and_no_others_count() -> None:
    fit = estimate.fit(tally_of(*duels(A, B, 9, 0, 3), *duels(B, C, 5, 0, 7)), [A, B, C])
    belief = believe(fit, {"a": A, "c": C, "d": D}, {})
    assert belief.players == (A, C, D)
    assert belief.covariance[0, 1] == fit.covariance[0, 2]
    assert (belief.strengths[2], belief.covariance[2, 2]) == (0.0, fit.variance)


def test_a_new_version_is_uncertain_and_believed_near_the_one_before() -> None:
    fit = estimate.fit(tally_of(*duels(A, B, 40, 0, 10)), [A, B])
    new = Seated("a", "2")
    belief = believe(fit, {"a": new, "b": B}, {"a": A})
    assert belief.strengths[0] == pytest.approx(estimate.HERITAGE * fit.strengths[0])
    assert belief.covariance[0, 0] == pytest.approx(
        estimate.HERITAGE**2 * fit.covariance[0, 0] + estimate.NOVELTY * fit.variance
    )
    assert belief.covariance[0, 1] == pytest.approx(estimate.HERITAGE * fit.covariance[0, 1])


def test_a_version_that_played_nobody_is_as_one_without_results() -> None:
    """The joint fit of a version with its heir, and the shortcut for an heir without results."""
    new = Seated("a", "2")
    results = [*duels(A, B, 12, 0, 4), *duels(B, C, 6, 0, 6)]
    fit = estimate.fit(tally_of(*results), [A, B, C])
    joint = estimate.fit(tally_of(*results), [A, new, B, C], {new: A})
    belief = believe(fit, {"a": new, "b": B, "c": C}, {"a": A})
    scale = joint.variance / fit.variance  # one player more: the spread differs a little
    assert scale == pytest.approx(1.0, abs=0.05)
    assert belief.strengths[0] == pytest.approx(joint.strengths[1], rel=0.05)
    assert belief.covariance[0, 0] == pytest.approx(joint.covariance[1, 1], rel=0.05)
