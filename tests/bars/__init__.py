"""
The bars: what is too long or too noisy for every test run. `make prove` runs them.

One file a bar, with a `measure(small)` that returns a `Measured`, and `NEEDS`, the names of tools
beyond Python, if there are any, and `BROWSER` if it drives one. CI runs the same code small.
"""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What a bar found, and what it should have found."""

    value: float
    limit: float
    ok: bool
    notes: str = ""
    """For the reader: what else was found; in the line and on standard error."""
