"""
The engine: flow as data, chance from keyed streams, events with audiences.

Knows no game and touches no file, clock, network or global random generator.
"""

from referee.engine.contract import Facts, Game, Kind, OptionSpec
from referee.engine.events import PUBLIC
from referee.engine.frames import (
    Ask,
    Frame,
    Procedure,
    Sealed,
    Window,
    frame_table,
    imagine_stack,
)
from referee.engine.options import PASS, Option
from referee.engine.state import Outcome, State

__all__ = [
    "PASS",
    "PUBLIC",
    "Ask",
    "Facts",
    "Frame",
    "Game",
    "Kind",
    "Option",
    "OptionSpec",
    "Outcome",
    "Procedure",
    "Sealed",
    "State",
    "Window",
    "frame_table",
    "imagine_stack",
]
