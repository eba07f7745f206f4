"""The embedded server: keeps its data over a stop and a kill, and says what is wrong."""

import shutil
import signal
from pathlib import Path

import pytest
import redis

from matchmaker import embedded
from matchmaker.errors import FellShort, WrongUse
from matchmaker.supervise import Supervisor


def test_data_is_there_after_a_stop_and_after_a_kill(tmp_path: Path) -> None:
    with Supervisor() as supervisor:
        socket = supervisor.temporary_folder("wl-test-") / "redis.sock"
        url = embedded.start(supervisor, tmp_path / "data", socket, tmp_path / "log")
        with redis.Redis.from_url(url, decode_responses=True) as server:
            server.set("before", "stop")
        supervisor.stop([embedded.NAME])
        assert not embedded.answers(url)

        embedded.start(supervisor, tmp_path / "data", socket, tmp_path / "log")
        with redis.Redis.from_url(url, decode_responses=True) as server:
            assert server.get("before") == "stop"
            server.set("before", "kill")
        child = supervisor.children[embedded.NAME]
        assert child.process is not None
        child.process.send_signal(signal.SIGKILL)
        supervisor.wait_for("restart", lambda: child.starts == 2 and embedded.answers(url), 20)
        with redis.Redis.from_url(url, decode_responses=True) as server:
            assert server.get("before") == "kill"
            assert server.config_get("appendfsync") == {"appendfsync": "everysec"}
            assert server.config_get("save") == {"save": ""}


def test_every_server_on_the_path_reads_the_file(
    tmp_path: Path, require: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file has no preamble of one maker's format, so an operator can change servers."""
    assert callable(require)
    other = require("redis-server", "valkey-server")
    with Supervisor() as supervisor:
        socket = supervisor.temporary_folder("wl-test-") / "redis.sock"
        url = embedded.start(supervisor, tmp_path / "data", socket, tmp_path / "log")
        with redis.Redis.from_url(url, decode_responses=True) as server:
            server.hset("a", mapping={"hash": 1})
        supervisor.stop([embedded.NAME])
        monkeypatch.setattr(embedded, "binary", lambda: other)
        embedded.start(supervisor, tmp_path / "data", socket, tmp_path / "log")
        with redis.Redis.from_url(url, decode_responses=True) as server:
            assert server.hgetall("a") == {"hash": "1"}


def test_no_server_anywhere_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(FellShort, match="WARLADDER_REDIS_URL"):
        embedded.on_path()


def test_a_socket_path_too_long_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="longer than 100 bytes"):
        embedded.task(tmp_path, tmp_path / ("x" * 100), tmp_path / "log")


def test_a_server_that_does_not_answer_is_named_without_its_password() -> None:
    with pytest.raises(FellShort, match=r"Redis at redis://…@127\.0\.0\.1:1/0 does not answer"):
        embedded.wait_for_named("redis://me:secret@127.0.0.1:1/0", 0.0)
