"""What a game calls things, for people: itself, its seats, its reasons for an end."""

from __future__ import annotations

from referee import games


def reason(game: str, word: str) -> str:
    """What decided, as a clause; empty if the game is not here or does not know the word."""
    return games.get(game).facts.reasons.get(word, "") if game in games.names() else ""


def title(game: str) -> str:
    """What people call a game; its name if it is not here."""
    return (games.get(game).facts.title if game in games.names() else "") or game


def role(game: str, seat: int) -> str:
    """What the rulebook calls a seat; empty if the game is not here or has no name for it."""
    roles = games.get(game).facts.roles if game in games.names() else ()
    return roles[seat] if seat < len(roles) else ""
