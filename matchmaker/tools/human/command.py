"""`warladder human`: a person at a referee, by a bot's token."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence

from matchmaker import home
from matchmaker.errors import WrongUse
from referee import games

COMMAND = (sys.executable, "-P", "-m", "matchmaker", "human")
"""What `warladder play` starts for `human`."""


def run(wanted: Sequence[str]) -> int:
    """
    Attend as a person at the referee of `home.referee`, until interrupted.

    Args:
        wanted: Names of games; empty for all.

    Returns:
        The exit code.

    Raises:
        WarladderError: No token, no such game, or the referee will not have us.
    """
    from matchmaker.tools.human import line  # slow, and `play` wants the command's words alone

    token = os.environ.get("WARLADDER_TOKEN", "")
    if not token or not (token.isascii() and token.isprintable()):
        raise WrongUse("WARLADDER_TOKEN is not set to what `warladder bot add` printed")
    for name in wanted:
        games.get(name)
    return asyncio.run(line.sit(home.referee(), token, wanted))
