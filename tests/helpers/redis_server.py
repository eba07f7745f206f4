"""A real Redis-compatible server for tests: our embedded one, on a socket of its own."""

import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from matchmaker import embedded


class RedisServer:
    """One server that can be stopped and started again on the same data."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.socket = folder / "redis.sock"
        self.url = embedded.url(self.socket)
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        data = self.folder / "data"
        data.mkdir(exist_ok=True)
        task = embedded.task(data, self.socket, self.folder / "redis.log")
        with (self.folder / "redis.log").open("ab") as log:
            self.process = subprocess.Popen(task.command, stdout=log, stderr=log)
        deadline = time.monotonic() + 20
        while not embedded.answers(self.url):
            assert self.process.poll() is None, (self.folder / "redis.log").read_text()
            assert time.monotonic() < deadline, "the Redis server did not answer in 20 s"
            time.sleep(0.01)

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@contextmanager
def redis_server() -> Iterator[RedisServer]:
    """Run a server for the length of a `with`; its folder is short-lived and its path short."""
    with tempfile.TemporaryDirectory(prefix="wl-redis-") as folder:
        server = RedisServer(Path(folder))
        try:
            server.start()
            yield server
        finally:
            server.stop()
