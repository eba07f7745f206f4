"""A person plays: a real match at a real terminal."""

import asyncio
import codecs
import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from referee.server.local import LocalReferee
from tests.helpers.bots import RawBot
from tests.helpers.matches import record
from tests.helpers.processes import ROOT, environment

pytestmark = pytest.mark.timeout(60)

COLOURS = re.compile(r"\x1b\[[0-9;]*m")

AT_ITS_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
"""
The terminal's Ctrl-C must reach the program, as in a shell.

A program of its own does it: what runs between fork and exec of a process that has gRPC in it may
not come back.
"""


class Terminal:
    """What a person has before him, and his keys."""

    def __init__(self, *words: str, **env: str) -> None:
        self.keys, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-c", AT_ITS_TERMINAL, "-m", "matchmaker", *words],
            cwd=ROOT, env=environment(TERM="xterm-256color", **env), stdin=slave, stderr=slave,
            stdout=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        os.close(slave)
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.raw = ""
        self.shown = ""
        self.read = 0

    def until(self, pattern: str, seconds: float = 20.0) -> str:
        """Wait until it shows this behind what was read before; give all up to there."""
        deadline = time.monotonic() + seconds
        while (found := re.compile(pattern).search(self.shown, self.read)) is None:
            assert time.monotonic() < deadline, f"never showed {pattern!r}: {self.shown}"
            if select.select([self.keys], [], [], 0.1)[0]:
                try:
                    some = os.read(self.keys, 65536)
                except OSError:  # all that wrote to it have ended
                    some = b""
                assert some, f"ended without {pattern!r}: {self.shown}"
                self.raw += self.decoder.decode(some)
                self.shown = COLOURS.sub("", self.raw).replace("\r\n", "\n")
        text = self.shown[self.read : found.end()]
        self.read = found.end()
        return text

    def types(self, keys: str) -> None:
        os.write(self.keys, keys.encode())

    def ends(self) -> tuple[int, str]:
        """Exit code and standard output."""
        out, _ = self.process.communicate(timeout=20)
        return self.process.returncode, out.decode()


@contextmanager
def terminal(*words: str, **env: str) -> Iterator[Terminal]:
    sits = Terminal(*words, **env)
    try:
        yield sits
    finally:
        sits.process.kill()
        sits.process.communicate()
        os.close(sits.keys)


def test_a_person_plays_a_match_to_its_end() -> None:
    with terminal(
        "play", "skirmish", "human", "greedy", "--option", "rounds=2", "--seed", "5", "--json"
    ) as sits:
        sits.until("Skirmish, your seat: seat 0")
        table = sits.until("Name a card of your hand in secret")
        assert "seat 0 (you)" in table
        assert "5 cards" in table, "the other's hand stays hidden"
        while "The match is over" not in (last := sits.until(r"\] > |The match is over")):
            sits.types("\n" if "Enter = 1" in last else "1\n")
        sits.until(r"human, seat 0 \(you\)")
        code, out = sits.ends()
        told = json.loads(out)
        assert code == 0
        assert [result["seats"] for result in told["results"]] == [["human", "greedy"]]
        assert told["results"][0]["reason"] == "points"


def test_ctrl_c_ends_politely_and_leaves_the_terminal_as_it_was() -> None:
    with terminal("play", "skirmish", "greedy", "human") as sits:
        before = termios.tcgetattr(sits.keys)
        sits.until("your seat: seat 1")
        sits.until(r"\] > ")
        sits.types("\x03")
        sits.until("warladder: interrupted after 0 of 1 match\n")
        assert sits.ends() == (130, "")
        assert termios.tcgetattr(sits.keys) == before


async def test_on_a_ladder_ctrl_c_makes_the_match_the_last_one() -> None:
    async with (
        LocalReferee("127.0.0.1:0", {"token-a": "a", "token-b": "b"}) as referee,
        RawBot(referee.address, "token-b") as other,
    ):
        await other.greet()
        person = {"WARLADDER_REFEREE": referee.address, "WARLADDER_TOKEN": "token-a"}
        with terminal("human", **person) as sits:
            assert await referee.attended(["a"]) == []
            end = referee.begin(record())
            playing = asyncio.ensure_future(other.play())
            await asyncio.to_thread(sits.until, r"\] > ")
            sits.types("\x03")
            await asyncio.to_thread(sits.until, "no other follows it")
            sits.types("r\n")
            await asyncio.to_thread(sits.until, r"[Rr]esign")
            sits.types("y\n")
            assert (await end).ending == "resigned"
            assert await asyncio.to_thread(sits.ends) == (0, "")
            await playing
