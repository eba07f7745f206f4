"""
`warladder bridge`: a bot in any language that reads a line and writes a line.

It attends as any other bot does and passes each question to a program as one line of JSON. What
the program sees and says is in the README of `sample_bots/bridge`.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import signal
from collections.abc import Sequence

from matchmaker import home
from matchmaker.errors import WrongUse
from matchmaker.interrupts import INTERRUPTED
from matchmaker.tools import dialling
from matchmaker.tools.bridge.attend import DETAIL, Attendance, Settings
from matchmaker.tools.bridge.program import Guard


def run(
    command: Sequence[str],
    games: Sequence[str] = (),
    max_matches: int = 1,
    detail: str = "full",
    version: str = "1",
    instance: str = "",
    per_match: bool = False,
    updates: bool = False,
    referee: str | None = None,
    token: str | None = None,
) -> int:
    """
    Attend until the bot is no longer wanted.

    Args:
        command: The program and its words.
        games: Empty for all that the referee plays.
        referee: That of `home.referee` if None.
        token: From the environment if None.

    Returns:
        0 after a Goodbye of the bot's own, as at a first Ctrl-C, or SIGTERM; 1 if dialling again is
        of no use; 130 after a second Ctrl-C.

    Raises:
        WrongUse: No such program or detail; a token that is none.
        FellShort: The program does not live long enough to answer.
    """
    environment = dict(os.environ)
    referee = referee or home.referee()
    token = token or environment.pop("WARLADDER_TOKEN", "")
    environment.pop("WARLADDER_TOKEN", None)  # a program that plays has no use for it
    if not (token and token.isascii() and token.isprintable()):
        raise WrongUse("no token: set WARLADDER_TOKEN to what `warladder bot add` printed")
    if detail not in DETAIL:
        raise WrongUse(f"--detail {detail!r}: one of {', '.join(DETAIL)}")
    if shutil.which(command[0]) is None:
        raise WrongUse(
            f"bridge: no program {command[0]!r}: give its path, and make it executable (chmod +x)"
        )
    seed = environment.setdefault("WARLADDER_SEED", secrets.token_hex(8))
    settings = Settings(
        referee=referee,
        token=token,
        seed=seed,
        games=tuple(games),
        max_matches=max_matches,
        detail=DETAIL[detail],
        version=version,
        instance=instance,
        credentials=dialling.credentials(environment),
        command=tuple(command),
        environment=environment,
        per_match=per_match,
        updates=updates,
    )
    return asyncio.run(play(settings))


async def play(settings: Settings) -> int:
    """Attend, and end in order when a signal asks for it."""
    loop = asyncio.get_running_loop()
    guard = Guard()
    try:
        attendance = Attendance(settings, guard)
        attending = asyncio.ensure_future(attendance.run())
        asked: list[int] = []

        def leave(code: int) -> None:
            asked.append(code)
            attending.cancel()

        def interrupt() -> None:
            if not attendance.leave():
                leave(INTERRUPTED)

        loop.add_signal_handler(signal.SIGINT, interrupt)
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, leave, 0)
        try:
            return await attending
        except asyncio.CancelledError:
            if not asked:
                raise
            return asked[0]
    finally:
        guard.close()
