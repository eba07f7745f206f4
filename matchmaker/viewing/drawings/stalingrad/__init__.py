"""Battle for Stalingrad in words: five Locations, both sides' areas, Forces, cards, the battle."""

from matchmaker.viewing.drawings.stalingrad.asked import ASK, option
from matchmaker.viewing.drawings.stalingrad.board import draw, scene
from matchmaker.viewing.drawings.stalingrad.deck import cards
from matchmaker.viewing.drawings.stalingrad.happened import TELL
from matchmaker.viewing.drawings.stalingrad.names import names, phase, turn

__all__ = [
    "ASK", "TELL", "cards", "draw", "names", "option", "phase", "scene", "turn",
]  # fmt: skip
