"""Skirmish: the tutorial and test game. See README.md."""

from referee.games.skirmish.game import GAME

__all__ = ["GAME"]
