"""A bot ends when it is told to, also in the moment in which a dial has failed."""

import signal
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from matchmaker import kits
from tests.helpers.processes import environment

pytestmark = pytest.mark.timeout(300)

NOBODY = "127.0.0.1:9"
BOTS = 8
"""Of Python's, one in five once lost a signal that came then."""


@pytest.mark.parametrize("language", kits.folders())
def test_no_sigterm_is_lost_when_a_dial_has_just_failed(
    language: str, built: Callable[[str], Path]
) -> None:
    command = [str(built(language) / "bot"), "greedy"]
    env = environment(WARLADDER_REFEREE=NOBODY, WARLADDER_TOKEN="token")
    with ExitStack() as stack:
        for _ in range(BOTS):
            bot = subprocess.Popen(command, env=env, stderr=subprocess.PIPE)
            stack.enter_context(bot)
            stack.callback(bot.kill)
            assert bot.stderr is not None
            assert NOBODY.encode() in bot.stderr.readline()
            bot.send_signal(signal.SIGTERM)
            assert bot.wait(20) == 0
