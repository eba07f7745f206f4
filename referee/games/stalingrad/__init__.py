"""Battle for Stalingrad, the duel for five Locations of the city. See README.md."""

from referee.games.stalingrad.game import GAME

__all__ = ["GAME"]
