"""What our two kinds of process share: logs, waiting for Redis, ends with one clear line."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Callable, Mapping
from types import FrameType
from typing import TypeVar

import redis
import structlog

from matchmaker.errors import FellShort, WrongUse
from matchmaker.settings import AWAY
from referee import logs
from referee.engine.errors import WarladderError
from referee.store.waiting import goes_on, shown, waits, why

FIRST_WAIT_SECONDS = 0.1
LONGEST_WAIT_SECONDS = 2.0
logger = structlog.get_logger()
Config = TypeVar("Config")


class BackOff:
    """Waits that grow up to a limit, with jitter, so that many do not come back at once."""

    def __init__(self, sleep: Callable[[float], None] = time.sleep) -> None:
        self.sleep = sleep
        self.seconds = FIRST_WAIT_SECONDS
        self._chance = random.Random()

    def wait(self) -> None:
        self.sleep(self.seconds * (0.5 + self._chance.random()))
        self.seconds = min(self.seconds * 2, LONGEST_WAIT_SECONDS)

    def reset(self) -> None:
        self.seconds = FIRST_WAIT_SECONDS


def wait_for_redis(
    connection: redis.Redis,
    url: str,
    stopping: Callable[[], bool],
    on_away: Callable[[], object] = lambda: None,
    who: str = "",
) -> bool:
    """
    Wait until Redis answers; say once that it does not.

    Args:
        on_away: Called for each time that it does not.
        who: Who says it, to somebody before a terminal; empty: it is an event of the log.

    Returns:
        False if we were told to stop meanwhile.

    Raises:
        WrongUse: It answers, but does not let us in.
    """
    back_off, said = BackOff(), False
    while not stopping():
        try:
            connection.ping()
        except redis.AuthenticationError as error:
            raise WrongUse(f"WARLADDER_REDIS_URL={shown(url)}: {error}") from None
        except AWAY as error:
            on_away()
            if not said:
                _say_away(who, url, error)
                said = True
            back_off.wait()
        except redis.RedisError as error:  # it answers, but will never serve us so
            raise WrongUse(f"WARLADDER_REDIS_URL={shown(url)}: {error}") from None
        else:
            if said:
                _say_back(who, url)
            return True
    return False


def _say_away(who: str, url: str, fault: BaseException) -> None:
    if who:
        print(waits(who, url, fault), file=sys.stderr, flush=True)
    else:
        logger.warning("redis_away", redis=shown(url), fault=why(fault))


def _say_back(who: str, url: str) -> None:
    if who:
        print(goes_on(who, url), file=sys.stderr, flush=True)
    else:
        logger.info("redis_back", redis=shown(url))


class Stop:
    """Set by SIGTERM and SIGINT: the process ends in order."""

    def __init__(self) -> None:
        self.asked = 0

    def install(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.asked = number

    def __call__(self) -> bool:
        return bool(self.asked)

    @property
    def code(self) -> int:
        """The exit code of a process that was told to stop."""
        return 130 if self.asked == signal.SIGINT else 0


def main(
    name: str, read: Callable[[Mapping[str, str]], Config], run: Callable[[Config], int]
) -> int:
    """
    Run a process by its environment.

    Returns:
        Its exit code; a failure has been said in one line.
    """
    try:
        config = read(os.environ)
    except WarladderError as error:  # what a setting names is unknown: a game, a port
        print(f"warladder {name}: {error}", file=sys.stderr)
        return 2
    logs.of_process(cache=False)
    try:
        return run(config)
    except FellShort as error:
        print(f"warladder {name}: {error}", file=sys.stderr)
        return 1
    except WarladderError as error:  # a setting, or data of a newer program: no start helps
        print(f"warladder {name}: {error}", file=sys.stderr)
        return 2
