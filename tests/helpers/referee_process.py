"""Referee processes of a ladder for tests, with a real store, and the worker's call to them."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import grpc
import redis as plain

from referee.store import bots, presence
from referee.store.keys import Keys
from tests.helpers.redis_server import RedisServer
from warladder.v1 import internal_pb2, internal_pb2_grpc

SECRET = "secret of the tests"


class RefereeProcess:
    """`python -m referee.server`, on sockets in a folder of the test's."""

    def __init__(self, folder: Path, server: RedisServer, name: str = "r1", **more: str) -> None:
        self.name = name
        self.address = f"unix:{folder}/{name}.sock"
        self.internal = f"unix:{folder}/{name}-internal.sock"
        self.log = folder / f"{name}.log"
        self.environment = {
            **{key: value for key, value in os.environ.items() if "WARLADDER" not in key},
            "WARLADDER_REDIS_URL": server.url,
            "WARLADDER_REFEREE_NAME": name,
            "WARLADDER_REFEREE_LISTEN": self.address,
            "WARLADDER_INTERNAL_LISTEN": self.internal,
            "WARLADDER_INTERNAL_SECRET": SECRET,
            "WARLADDER_LADDER_KEY": "key of the tests",
            **more,
        }
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> "RefereeProcess":
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "referee.server"],
                env=self.environment,
                stdout=log,
                stderr=log,
            )
        return self

    def wait_until(self, text: str, seconds: float = 20.0) -> None:
        """Until the log has this text."""
        deadline = time.monotonic() + seconds
        while text not in self.text():
            assert self.process is not None
            assert self.process.poll() is None, self.text()
            assert time.monotonic() < deadline, f"no {text!r} in {seconds} s: {self.text()}"
            time.sleep(0.02)

    def serving(self) -> "RefereeProcess":
        self.start()
        try:
            self.wait_until("referee_serves")
        except BaseException:
            self.stop()  # whoever asked for it has nothing to end it by
            raise
        return self

    def text(self) -> str:
        return self.log.read_text() if self.log.exists() else ""

    def send(self, number: int) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def stop(self, number: int = signal.SIGKILL) -> int:
        """End it and wait."""
        if self.process is None:
            return 0
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(number)
        try:
            return self.process.wait(20)
        finally:
            self.process = None

    async def open(self, *matches: str, secret: str = SECRET) -> list[int]:
        """What a worker calls to hand matches over."""
        async with grpc.aio.insecure_channel(self.internal) as channel:
            stub = internal_pb2_grpc.InternalStub(channel)
            answer = await stub.OpenMatches(
                internal_pb2.OpenMatchesRequest(matches=matches),
                metadata=(("x-warladder-secret", secret),),
                timeout=20,
                wait_for_ready=True,
            )
            return list(answer.openings)


def register(redis: plain.Redis, keys: Keys, *names: str) -> dict[str, str]:
    """What the registry leaves in the store for these bots; tokens by name."""
    tokens = {name: f"wl_token_of_{name}" for name in names}
    for name, token in tokens.items():
        redis.set(keys.token(bots.token_digest(token)), name)
        redis.hset(keys.bot(name), mapping={"author": "tests", "paused": ""})
    return tokens


def attending(redis: plain.Redis, keys: Keys, name: str, seconds: float = 20.0) -> None:
    """Wait until a bot is in some referee's presence."""
    deadline = time.monotonic() + seconds
    while not any(name in there.attending for there in presence.present(redis, keys).values()):
        assert time.monotonic() < deadline, f"{name} attends nowhere after {seconds} s"
        time.sleep(0.02)
