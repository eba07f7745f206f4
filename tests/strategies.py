"""What Hypothesis draws matches from."""

from __future__ import annotations

from itertools import product
from typing import Any

from hypothesis import strategies as st

from matchmaker.tools.random_matches import Start
from referee import games
from referee.engine.errors import BadOption


def variants(game: str) -> list[tuple[int, dict[str, Any]]]:
    """Every number of seats, with the default options and with each listed value of one option."""
    facts = games.get(game).facts
    settings: list[dict[str, Any]] = [{}]
    for name, spec in facts.options.items():
        if isinstance(spec.default, bool):
            settings.append({name: not spec.default})
        settings += [{name: choice} for choice in spec.choices if choice != spec.default]
    return [pair for pair in product(facts.seats, settings) if _possible(game, *pair)]


def _possible(game: str, seats: int, options: dict[str, Any]) -> bool:
    try:
        games.get(game).start(seats, "", None, options)
    except BadOption:
        return False
    return True


def every_variant() -> list[tuple[str, int, dict[str, Any]]]:
    return [(game, *variant) for game in games.names() for variant in variants(game)]


def name_of(variant: object) -> str:
    """The name of a variant's part in a test's id."""
    if isinstance(variant, dict):
        return ",".join(f"{name}={value}" for name, value in variant.items()) or "default"
    return str(variant)


def starts(game: str, seats: int, options: dict[str, Any]) -> st.SearchStrategy[Start]:
    """Matches with any text as their seed, the separators of streams among them."""
    seeds = st.one_of(st.text(max_size=12), st.text("|/0 ", max_size=6))
    return st.builds(Start, st.just(game), st.just(seats), st.just(options), seeds)
