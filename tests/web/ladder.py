"""`warladder demo --serve` as a visitor finds it: bots of all kinds, matches, tournaments."""

from __future__ import annotations

import http.client
import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psutil
import redis

from matchmaker import registry
from tests.helpers.processes import Running, eventually, free_ports, running, warladder
from tests.web.visitors import (
    Bent,
    Leaver,
    Liar,
    Quitter,
    Sleeper,
    Slow,
    Visitor,
    Visitors,
    Wide,
    Writer,
)

GAME = "stalingrad"
LINE_UP = ("hello", "random", "greedy", "cautious", "quick")
RATED = 14
"""Matches of the ladder; after them its bots have time for tournaments."""
CLOCKS = "bank_ms=8000,cap_ms=8000,grace_ms=1000"
"""Faults of the clock take no longer than they must."""
LONG = "W" * 32
"""As wide as a name may be."""
VISITORS: dict[str, tuple[str, type[Visitor]]] = {
    "writer": ("a-hostile-author", Writer),
    "bent": ("someone", Bent),
    LONG: ("M" * 32, Wide),
    "sleeper": ("someone", Sleeper),
    "liar": ("someone", Liar),
    "leaver": ("someone", Leaver),
    "quitter": ("someone", Quitter),
}
FAULTS = {
    "sleeper": "timeout", "liar": "illegal", "leaver": "disconnected", "quitter": "resigned",
}  # fmt: skip
TOURNAMENTS = {
    "league": ("round_robin", "--bots", "hello,greedy,cautious,quick", "--set", "orders=one"),
    "knock-out": (
        "single_elimination", "--bots", f"greedy,quick,cautious,{LONG}",
        "--set", "third_place=True", "--set", "replays=0",
    ),
    "open-swiss": (
        "swiss", "--bots", "greedy,quick,cautious,quitter,writer", "--set", "rounds=2",
        "--set", "orders=one",
    ),
}  # fmt: skip
SCHEDULED = {
    "nightly": ("swiss", "--cron", "0 2 * * *", "--zone", "Europe/Berlin", "--set", "rounds=5"),
    "new-year-cup": (
        "double_elimination", "--at", "2099-01-01 20:00", "--bots", "greedy,quick,hello",
    ),
}  # fmt: skip


class Demo:
    """A running demo: its pages' address, and what can be done with it."""

    def __init__(self, address: str, command: Running, visitors: Visitors) -> None:
        self.address, self.command, self.visitors = address, command, visitors
        said = eventually(self._said)
        self.redis_url, self.namespace = said["WARLADDER_REDIS_URL"], said["WARLADDER_NAMESPACE"]
        self.tokens: dict[str, str] = {}
        self.archive, self.referee = said["WARLADDER_ARCHIVE"], said["WARLADDER_REFEREE_LISTEN"]

    @cached_property
    def slow(self) -> Slow:
        """Comes when it is asked for, as the ladder would have it play too."""
        found: Slow = self.admit("slow", "someone", Slow)
        return found

    def _said(self) -> dict[str, str]:
        """What the referee's process was told, once it runs."""
        for process in self.command.family():
            with_address = process_environment(process)
            if "WARLADDER_REFEREE_LISTEN" in with_address:
                return with_address
        return {}

    def admit(self, name: str, author: str, kind: type[Visitor]) -> Any:
        with redis.Redis.from_url(self.redis_url) as client:
            token = registry.add(client, name, author, namespace=self.namespace)
        self.tokens[name] = token
        return self.visitors.come(kind, self.referee, token, GAME)

    def order(self, *words: str) -> str:
        """Run a command as the ladder's operator."""
        ran = warladder(
            *words, WARLADDER_REDIS_URL=self.redis_url, WARLADDER_NAMESPACE=self.namespace,
            WARLADDER_ARCHIVE=self.archive,
        )  # fmt: skip
        assert ran.returncode == 0, f"{words}: {ran.stderr}{ran.stdout}"
        return ran.stdout

    def json(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self.address}/api/v1{path}", timeout=30) as answer:
            return json.load(answer)

    def rated(self) -> int:
        """Matches in the table so far; there is none before the matchmaker's first round."""
        try:
            return int(self.json(f"/games/{GAME}/leaderboard")["rated"])
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise
            return 0

    def matches(self, **filters: str) -> list[Any]:
        asked = "&".join(f"{name}={quote(value)}" for name, value in filters.items())
        found: list[Any] = self.json(f"/matches?{asked}")["items"]
        return found

    def lost_by(self, ending: str) -> Any:
        """A match that somebody lost by this fault."""
        bot = next(bot for bot, fault in FAULTS.items() if fault == ending)
        return self.matches(bot=bot, ending=ending)[0]

    def normal(self) -> Any:
        """A match of middling length that the line-up played to its end."""
        found = self.by_length()
        return found[len(found) // 2]

    def by_length(self) -> list[Any]:
        """Matches that the line-up played to their end, the shortest first."""
        found = [row for row in self.matches(bot="greedy", ending="normal") if is_of_line_up(row)]
        return sorted(found, key=lambda row: int(row["decisions"]))


def is_of_line_up(row: Any) -> bool:
    return all(seat["bot"] in LINE_UP for seat in row["seats"])


def process_environment(process: psutil.Process) -> dict[str, str]:
    try:
        return dict(process.environ())
    except psutil.Error:
        return {}


@contextmanager
def demo(place: Path) -> Iterator[Demo]:
    """One whose ladder is played and whose tournaments are over."""
    port = free_ports(place)
    began = time.monotonic()

    def note(what: str) -> None:
        print(f"{what} after {time.monotonic() - began:.0f} s")

    words = ("demo", "--game", GAME, "--matches", "1", "--serve", "--web-port", str(port))
    settings = {"WARLADDER_CLOCKS": CLOCKS, "WARLADDER_MATCHES": str(RATED)}
    with running(place, *words, **settings) as command:
        visitors = Visitors()
        try:
            command.says("targets for Prometheus")
            found = Demo(f"http://127.0.0.1:{port}", command, visitors)
            for name, (author, kind) in VISITORS.items():
                found.admit(name, author, kind)
            eventually(lambda: found.rated() >= RATED, 240)
            note("the ladder is played")
            hold(found)
            note("the tournaments are over")
            yield found
        finally:
            visitors.leave()


def hold(found: Demo) -> None:
    """Hold every tournament, announce some, and see each fault committed."""
    for name, (format_, *more) in TOURNAMENTS.items():
        found.order("tournament", "create", format_, name, "--game", GAME, *more)
    for bot, ending in FAULTS.items():
        if not found.matches(bot=bot, ending=ending):
            cup = f"again-{bot}"
            found.order(
                "tournament", "create", "gauntlet", cup, "--game", GAME, "--bots", f"{bot},hello"
            )
    for name, (format_, *more) in SCHEDULED.items():
        found.order("tournament", "create", format_, name, "--game", GAME, *more)
    eventually(lambda: not found.json("/tournaments")["running"], 240)
    states = {each["tournament"]: each["state"] for each in found.json("/tournaments")["over"]}
    assert set(TOURNAMENTS) <= set(states)
    assert set(states.values()) == {"done"}, states
    for bot, ending in FAULTS.items():
        eventually(lambda bot=bot, ending=ending: found.matches(bot=bot, ending=ending), 60)  # type: ignore[misc]
    eventually(lambda: all(game["behind"] == 0 for game in found.json("/health")["games"]), 60)


class Listener:
    """Reads a stream of events for as long as a test takes; a browser keeps what it hears."""

    def __init__(self, address: str) -> None:
        host = address.removeprefix("http://")
        self.connection = http.client.HTTPConnection(host, timeout=120)
        self.connection.request("GET", "/events")
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200
        self.heard = bytearray()
        self.thread = threading.Thread(target=self._read, name="events")
        self.thread.start()

    def _read(self) -> None:
        try:
            while part := self.answer.read1(1 << 16):
                self.heard += part
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            return  # it was closed

    def close(self) -> bytes:
        if self.connection.sock is not None:
            self.connection.sock.shutdown(2)
        self.thread.join(20)
        self.answer.close()
        self.connection.close()
        return bytes(self.heard)
