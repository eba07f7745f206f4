"""
Settings of the matchmaker's processes, read from the environment at start.

A bad one ends the process with one line that names it, its value and what was expected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

import redis
from redis.backoff import ExponentialBackoff
from redis.exceptions import (
    BusyLoadingError,
    ConnectionError,
    OutOfMemoryError,
    ReadOnlyError,
    TimeoutError,
)
from redis.retry import Retry

from matchmaker.errors import WrongUse
from matchmaker.ladder import LadderRules
from matchmaker.ports import WEB
from referee import games
from referee.store.records import Clocks, Pace
from referee.store.waiting import shown

Environment = Mapping[str, str]
Times = TypeVar("Times", Clocks, Pace)

AWAY = (ConnectionError, TimeoutError, BusyLoadingError, ReadOnlyError, OutOfMemoryError)
"""What says that Redis cannot do its work now, but may later."""
OPEN_PACE = Pace(floor_ms=100, quantum_ms=50)
"""Of an open server, where an answer's time could tell what the answerer holds."""


@dataclass(frozen=True, kw_only=True)
class Shared:
    """What every process of the matchmaker is told."""

    redis_url: str
    namespace: str
    archive: Path
    metrics_port: int | None
    """On loopback; None serves no metrics."""


@dataclass(frozen=True, kw_only=True)
class ProcessConfig(Shared):
    """Of `matchmaker.process`."""

    ladders: tuple[LadderRules, ...]
    target: int | None = None
    """Rated matches to play in all; None never stops."""


@dataclass(frozen=True, kw_only=True)
class WorkerConfig(Shared):
    """Of `matchmaker.worker`."""

    secret: str
    """Shared with the referees' internal service."""


@dataclass(frozen=True, kw_only=True)
class WebConfig(Shared):
    """Of `matchmaker.web`."""

    host: str
    port: int
    """0 takes any that is free."""
    named: str = "WARLADDER_WEB_LISTEN"
    """What named them, for who reads that nobody can listen there."""


def process_config(environment: Environment) -> ProcessConfig:
    """
    Read the matchmaker's settings.

    Raises:
        WrongUse: One is missing or wrong.
    """
    names = [name.strip() for name in _needed(environment, "WARLADDER_GAMES").split(",")]
    clocks = _times(environment, "WARLADDER_CLOCKS", Clocks())
    pace = _times(environment, "WARLADDER_PACE", OPEN_PACE)
    patience = _number(environment, "WARLADDER_PATIENCE_MS", 0)
    ladders = tuple(_ladder(name, clocks, pace, patience) for name in names)
    games_named = [each.game for each in ladders]
    for game in games_named:
        if games_named.count(game) > 1:
            raise WrongUse(f"WARLADDER_GAMES={','.join(names)}: {game} stands there twice")
    return ProcessConfig(
        **_shared(environment),
        ladders=ladders,
        target=_number(environment, "WARLADDER_MATCHES", 1),
    )


def worker_config(environment: Environment) -> WorkerConfig:
    """
    Read a worker's settings.

    Raises:
        WrongUse: One is missing or wrong.
    """
    secret = _needed(environment, "WARLADDER_INTERNAL_SECRET")
    return WorkerConfig(**_shared(environment), secret=secret)


def web_config(environment: Environment, listen: str | None = None) -> WebConfig:
    """
    Read the web process's settings.

    Args:
        listen: The option `--listen`; it goes before the environment.

    Raises:
        WrongUse: One is missing or wrong.
    """
    name, value = "--listen", (listen or "").strip()
    if listen is None:
        name = "WARLADDER_WEB_LISTEN"
        value = environment.get(name, "").strip() or WEB
    host, _, port = value.rpartition(":")
    if not host or not port.isascii() or not port.isdecimal() or int(port) > 65535:
        raise WrongUse(f"{name}={value!r}: give it as HOST:PORT, a port being 0 to 65535")
    return WebConfig(**_shared(environment), host=host.strip("[]"), port=int(port), named=name)


def connect(url: str, patience_seconds: float = 5.0) -> redis.Redis:
    """
    Make the client that our processes use: it never waits without a limit.

    Raises:
        WrongUse: The URL cannot be one.
    """
    try:
        return redis.Redis.from_url(
            url,
            socket_timeout=patience_seconds,
            socket_connect_timeout=patience_seconds,
            health_check_interval=15,
            retry=Retry(ExponentialBackoff(cap=0.2, base=0.02), 1),
        )
    except ValueError as error:
        raise WrongUse(f"WARLADDER_REDIS_URL={shown(url)!r}: {error}") from None


def _shared(environment: Environment) -> dict[str, Any]:
    archive = Path(_needed(environment, "WARLADDER_ARCHIVE"))
    try:
        archive.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WrongUse(f"WARLADDER_ARCHIVE={archive}: {error.strerror}") from None
    port = _number(environment, "WARLADDER_METRICS_PORT", 0)
    if port is not None and port > 65535:
        raise WrongUse(f"WARLADDER_METRICS_PORT={port}: a port is 0 to 65535")
    url = _needed(environment, "WARLADDER_REDIS_URL")
    connect(url).close()
    return {
        "redis_url": url,
        "namespace": environment.get("WARLADDER_NAMESPACE") or "warladder",
        "archive": archive,
        "metrics_port": port or None,
    }


def _needed(environment: Environment, name: str) -> str:
    value = environment.get(name, "").strip()
    if not value:
        raise WrongUse(f"{name} is not set")
    return value


def _number(environment: Environment, name: str, least: int) -> int | None:
    value = environment.get(name, "").strip()
    if not value:
        return None
    if not value.isdecimal() or int(value) < least:
        raise WrongUse(f"{name}={value!r}: a whole number from {least} up is expected")
    return int(value)


def _times(environment: Environment, name: str, usual: Times) -> Times:
    """Read `cap_ms=5000,bank_ms=60000`; what is not named keeps its default."""
    value = environment.get(name, "").strip()
    known = [field.name for field in fields(usual)]
    changes = {}
    for part in value.split(",") if value else ():
        key, _, number = part.strip().partition("=")
        if key not in known or not number.isdecimal():
            raise WrongUse(
                f"{name}={value!r}: {part.strip()!r} is not NAME=MILLISECONDS;"
                f" names are {', '.join(known)}"
            )
        changes[key] = int(number)
    return replace(usual, **changes)


def _ladder(name: str, clocks: Clocks, pace: Pace, patience_ms: int | None) -> LadderRules:
    """Read `GAME` or `GAME:SEATS`."""
    game, _, wanted = name.partition(":")
    facts = games.get(game).facts
    possible: Sequence[int] = [seats for seats in facts.seats if seats > 1]
    if not possible:
        raise WrongUse(f"WARLADDER_GAMES: {game} has no seats for a ladder")
    if wanted and (not wanted.isdecimal() or int(wanted) not in possible):
        shown = ", ".join(map(str, possible))
        raise WrongUse(f"WARLADDER_GAMES: {name!r}: {game} is played by {shown}")
    seats = int(wanted) if wanted else min(possible)
    return LadderRules(game=game, seats=seats, clocks=clocks, pace=pace, patience_ms=patience_ms)
