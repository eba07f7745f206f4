"""
What a pairing would tell about the order of a ladder: rank-weighted information gain. Pure.

Strengths are believed to be jointly normal. A pairing lowers what is uncertain of the difference of
two of them, and through their covariance of others; its gain is by how much that lowers the
expected error of all ranks, the top's counted more.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from matchmaker.entries import Seated
from matchmaker.estimate import Fit
from matchmaker.numeric import Floats, np

TOP_SHARE = 0.2
"""Share of the gain that is counted for errors in proportion to the rank: the top's order."""
TOP_SOFTENED = 2.0
"""Added to the expected number of better bots, so that the first rank is not all that counts."""
PAIRING = 2
"""Matches of a duel's pairing."""
NORMAL_TO_LOGISTIC = 1.702


class Belief:
    """
    What is believed of the bots that are there, while pairings are begun.

    `begin` changes it: what a pairing in flight will tell is counted as known already.
    """

    def __init__(
        self,
        players: Sequence[Seated],
        strengths: Floats,
        covariance: Floats,
        flying: Iterable[tuple[str, str, int]] = (),
        top_share: float = TOP_SHARE,
    ) -> None:
        """
        Args:
            players: One version a bot.
            covariance: Of `strengths`; copied.
            flying: Pairings in flight: two bots, and how many matches are still to close.
        """
        self.players = tuple(players)
        self.index = {player.bot: number for number, player in enumerate(players)}
        self.strengths = strengths
        self.covariance: Floats = covariance.copy()
        for one, other, matches in flying:
            if one in self.index and other in self.index:
                i, j = self.index[one], self.index[other]
                step, scale = self._step(i, j, matches / PAIRING)
                self.covariance -= scale * np.outer(step, step)
        self._metric = _metric(strengths, self.covariance, top_share)
        self._gained: Floats = self.covariance @ self._metric @ self.covariance

    def gains(self, ones: Sequence[str], others: Sequence[str]) -> Floats:
        """
        Say what pairings would tell.

        Returns:
            A row for each of `ones`, a column for each of `others`; a bot with itself has 0.
        """
        i = np.array([self.index[bot] for bot in ones], dtype=np.int64)
        j = np.array([self.index[bot] for bot in others], dtype=np.int64)
        gained = self._gained
        diagonal = gained.diagonal()
        lowered = diagonal[i][:, None] + diagonal[j][None, :] - 2 * gained[np.ix_(i, j)]
        diagonal = self.covariance.diagonal()
        spread = diagonal[i][:, None] + diagonal[j][None, :] - 2 * self.covariance[np.ix_(i, j)]
        weights = _weights(self.strengths[i][:, None] - self.strengths[j][None, :], spread)
        found: Floats = weights * lowered / (1 + weights * spread)
        return found

    def begin(self, one: str, other: str) -> None:
        """Count a pairing as if it had been played: its result is not known, its weight is."""
        step, scale = self._step(self.index[one], self.index[other], 1.0)
        # (C - a uu')M(C - a uu') without a product of whole matrices.
        bent = self._metric @ step
        carried = self.covariance @ bent
        inner = float(step @ bent)
        mixed = np.outer(step, carried - scale * inner / 2 * step)
        self._gained -= scale * (mixed + mixed.T)
        self.covariance -= scale * np.outer(step, step)

    def _step(self, i: int, j: int, share: float) -> tuple[Floats, float]:
        """The direction in which a share of a pairing lowers the covariance, and by how much."""
        step: Floats = self.covariance[:, i] - self.covariance[:, j]
        spread = step[i] - step[j]
        lead = self.strengths[i] - self.strengths[j]
        weight = share * float(_weights(np.array(lead), np.array(spread)))
        return step, weight / (1 + weight * float(spread))


def _weights(lead: Floats, spread: Floats) -> Floats:
    """What both matches of a pairing tell of a difference: most if it is open who is better."""
    chance = 1 / (1 + np.exp(-lead / np.sqrt(1 + math.pi / 8 * np.maximum(spread, 0.0))))
    found: Floats = PAIRING * chance * (1 - chance)
    return found


def _metric(strengths: Floats, covariance: Floats, top_share: float) -> Floats:
    """What errors of strengths cost in ranks: a quadratic form."""
    diagonal = covariance.diagonal()
    spread = np.sqrt(diagonal[:, None] + diagonal[None, :])
    lead = (strengths[:, None] - strengths[None, :]) / spread
    # How fast the expected rank of one changes with the strength of another.
    density = np.exp(-(lead**2) / 2) / (spread * math.sqrt(2 * math.pi))
    np.fill_diagonal(density, 0.0)
    slope = np.diag(density.sum(axis=1)) - density
    # The expected number of better bots, by a logistic curve: it only steers.
    better = (1 / (1 + np.exp(NORMAL_TO_LOGISTIC * lead))).sum(axis=1) - 0.5
    top = slope / (better + TOP_SOFTENED)[:, None]
    found = np.zeros_like(covariance)
    for share, each in ((1 - top_share, slope), (top_share, top)):
        form = each.T @ each
        total = float((form * covariance).sum())
        if share and total > 0:
            found += share / total * form
    return found


def believe(
    fit: Fit | None,
    players: Mapping[str, Seated],
    before: Mapping[str, Seated],
    flying: Iterable[tuple[str, str, int]] = (),
    top_share: float = TOP_SHARE,
) -> Belief:
    """
    Make a belief about the bots that are there.

    Args:
        fit: Of all results; None before the first.
        players: The version of each bot.
        before: Versions that played last, of bots whose own version has not played.
        flying: Pairings in flight: two bots, and how many matches are still to close.
    """
    seated = [players[bot] for bot in sorted(players)]
    if fit is None or not fit.players:
        return Belief(seated, np.zeros(len(seated)), np.eye(len(seated)), flying, top_share)
    count, known = len(fit.players), [fit.index.get(player) for player in seated]
    # Each as a combination of players of the fit, and a part of its own.
    strengths, own = np.zeros(len(seated)), np.zeros(len(seated))
    mixing = np.zeros((len(seated), count))
    for number, (player, at) in enumerate(zip(seated, known)):
        if at is not None:
            mixing[number, at] = 1.0
            continue
        share, variance, parent = fit.newcomer(before.get(player.bot))
        own[number] = variance
        if parent is not None:
            mixing[number, parent] = share
    strengths = mixing @ fit.strengths
    covariance = mixing @ fit.covariance @ mixing.T + np.diag(own)
    return Belief(seated, strengths, covariance, flying, top_share)
