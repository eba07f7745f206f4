"""
Simulated ladders of bots of known strength: how many matches a right table needs.

Pairs and ranks with the ladder's own code, beside what ladders usually do.
"""

import math
import sys
import time
from collections.abc import Sequence

from rich.table import Table

from matchmaker import output

TARGET = 0.95
"""Of Spearman's correlation of the table with the truth."""
PAIRINGS_EACH = 30
"""Pairings played for each bot."""


def run(*, bots: int, seeds: int, pairings: int | None, jobs: int, json: bool) -> int:
    """
    Simulate and print what came out.

    Returns:
        The exit code: 1 if pairing by information never had a right table.
    """
    from matchmaker.tools.simulate import measure

    began = time.monotonic()
    limit = pairings or PAIRINGS_EACH * bots
    found: dict[str, list[list[float]]] = {}
    for rule in (measure.INFORMATION, *measure.RIVALS):
        print(f"simulate: {rule}, {seeds} ladders of {bots} bots", file=sys.stderr)
        found[rule] = measure.curves(rule, bots=bots, pairings=limit, seeds=range(seeds), jobs=jobs)
    rows: list[dict[str, object]] = [
        {
            "pairing": rule,
            "matches": _matches(entered.pairings),
            "low": _matches(entered.low),
            "high": _matches(entered.high),
            "spearman": round(sum(curve[-1] for curve in curves) / len(curves), 4),
        }
        for rule, curves in found.items()
        for entered in [measure.entry(curves, TARGET)]
    ]
    ratio = measure.ratio(
        found[measure.INFORMATION], [found[rule] for rule in measure.RIVALS], TARGET
    )
    ok = rows[0]["matches"] is not None
    figures = {
        "bots": bots,
        "seeds": seeds,
        "target": TARGET,
        "played": 2 * limit,
        "rows": rows,
        "ratio_to_best_baseline": _rounded(ratio.pairings),
        "ratio_low": _rounded(ratio.low),
        "ratio_high": _rounded(ratio.high),
        "seconds": round(time.monotonic() - began, 1),
    }
    if json:
        print(output.document("simulate", ok, **figures))
    else:
        print(output.drawn(_table(rows)))
        print(f"{_said(ratio)}; median of {seeds} ladders of {bots} bots")
    return 0 if ok else 1


def _table(rows: Sequence[dict[str, object]]) -> Table:
    grid = Table(box=None, padding=(0, 2, 0, 0))
    grid.add_column("pairing")
    for name in ("matches", "95 %", "Spearman\nat the end"):
        grid.add_column(name, justify="right")
    for row in rows:
        reached = row["matches"] is not None
        between = f"{row['low']}–{row['high'] or '…'}" if reached else ""
        shown = str(row["matches"]) if reached else "not reached"
        grid.add_row(str(row["pairing"]), shown, between, f"{row['spearman']:.3f}")
    return grid


def _said(ratio: tuple[float, float, float]) -> str:
    if not all(math.isfinite(each) for each in ratio):
        return f"no rival, or not all, had a table right by {TARGET}: play more --pairings"
    value, low, high = ratio
    return f"{value:.2f} ({low:.2f}–{high:.2f}) of the matches of the best rival to {TARGET}"


def _matches(pairings: float) -> int | None:
    return round(2 * pairings) if math.isfinite(pairings) else None


def _rounded(value: float) -> float | None:
    return round(value, 3) if math.isfinite(value) else None
