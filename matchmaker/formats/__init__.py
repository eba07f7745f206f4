"""Formats of tournaments: pure functions over the results log."""

from matchmaker.formats.contract import BadTerms, Format

_FORMATS: dict[str, Format] = {}


def get(name: str) -> Format:
    """
    Give a format.

    Raises:
        BadTerms: There is none of this name; the text lists those there are.
    """
    found = _FORMATS.get(name)
    if found is None:
        raise BadTerms(f"there is no format {name!r}; choose one of {', '.join(names())}")
    return found


def names() -> tuple[str, ...]:
    """Name all formats."""
    return tuple(sorted(_FORMATS))
