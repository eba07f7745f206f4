"""Settings: a bad one is one line that names it, its value and what was expected."""

from pathlib import Path

import pytest

from matchmaker.errors import WrongUse
from matchmaker.settings import OPEN_PACE, connect, process_config, web_config, worker_config
from referee.engine.errors import UnknownGame
from referee.store.records import Clocks, Pace


@pytest.fixture
def good(tmp_path: Path) -> dict[str, str]:
    return {
        "WARLADDER_REDIS_URL": "unix:///tmp/redis.sock",
        "WARLADDER_ARCHIVE": str(tmp_path / "archive"),
        "WARLADDER_GAMES": "skirmish",
        "WARLADDER_INTERNAL_SECRET": "secret",
    }


def test_defaults_are_those_of_an_open_server(good: dict[str, str]) -> None:
    config = process_config(good)
    assert (config.namespace, config.target, config.metrics_port) == ("warladder", None, None)
    [ladder] = config.ladders
    assert (ladder.game, ladder.seats) == ("skirmish", 2)
    assert (ladder.clocks, ladder.pace, ladder.patience_ms) == (Clocks(), OPEN_PACE, None)
    assert config.archive.is_dir()
    assert worker_config(good).secret == "secret"


def test_everything_can_be_set(good: dict[str, str]) -> None:
    good |= {
        "WARLADDER_NAMESPACE": "mine",
        "WARLADDER_GAMES": "skirmish:3",
        "WARLADDER_MATCHES": "60",
        "WARLADDER_METRICS_PORT": "9000",
        "WARLADDER_CLOCKS": "cap_ms=50, bank_ms=1000",
        "WARLADDER_PACE": "floor_ms=0,quantum_ms=0",
        "WARLADDER_PATIENCE_MS": "0",
    }
    config = process_config(good)
    assert (config.namespace, config.target, config.metrics_port) == ("mine", 60, 9000)
    [ladder] = config.ladders
    assert ladder.seats == 3
    assert ladder.clocks == Clocks(cap_ms=50, bank_ms=1000)
    assert (ladder.pace, ladder.patience_ms) == (Pace(), 0)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("WARLADDER_REDIS_URL", "", "WARLADDER_REDIS_URL is not set"),
        ("WARLADDER_REDIS_URL", "nonsense", "WARLADDER_REDIS_URL='nonsense'"),
        ("WARLADDER_ARCHIVE", "", "WARLADDER_ARCHIVE is not set"),
        ("WARLADDER_ARCHIVE", "/dev/null/x", "WARLADDER_ARCHIVE=/dev/null/x: Not a directory"),
        ("WARLADDER_GAMES", "", "WARLADDER_GAMES is not set"),
        ("WARLADDER_GAMES", "skirmish:9", "'skirmish:9': skirmish is played by 2, 3, 4"),
        ("WARLADDER_GAMES", "skirmish:x", "'skirmish:x': skirmish is played by 2, 3, 4"),
        ("WARLADDER_GAMES", "skirmish,skirmish:3", "skirmish stands there twice"),
        ("WARLADDER_MATCHES", "0", "'0': a whole number from 1 up is expected"),
        ("WARLADDER_MATCHES", "many", "'many': a whole number"),
        ("WARLADDER_METRICS_PORT", "70000", "a port is 0 to 65535"),
        ("WARLADDER_CLOCKS", "cap=5", r"'cap=5' is not NAME=MILLISECONDS; names are bank_ms"),
        ("WARLADDER_PACE", "floor_ms=fast", "'floor_ms=fast' is not NAME=MILLISECONDS"),
    ],
)
def test_a_bad_setting_is_named(good: dict[str, str], name: str, value: str, expected: str) -> None:
    with pytest.raises(WrongUse) as failure:
        process_config({**good, name: value})
    assert expected in str(failure.value)
    assert "\n" not in str(failure.value)


def test_an_unknown_game_is_answered_with_the_known_ones(good: dict[str, str]) -> None:
    with pytest.raises(UnknownGame, match="skirmish"):
        process_config({**good, "WARLADDER_GAMES": "chess"})


def test_a_worker_needs_the_referees_secret(good: dict[str, str]) -> None:
    del good["WARLADDER_INTERNAL_SECRET"]
    with pytest.raises(WrongUse, match="WARLADDER_INTERNAL_SECRET is not set"):
        worker_config(good)


def test_a_client_never_waits_without_a_limit() -> None:
    with connect("redis://127.0.0.1:1/0") as client:
        kwargs = client.connection_pool.connection_kwargs
    assert kwargs["socket_timeout"] == kwargs["socket_connect_timeout"] == 5.0


@pytest.mark.parametrize(
    ("value", "host", "port"),
    [("", "127.0.0.1", 7680), ("0.0.0.0:80", "0.0.0.0", 80), ("[::1]:0", "::1", 0)],
)
def test_where_pages_are_served(good: dict[str, str], value: str, host: str, port: int) -> None:
    config = web_config({**good, "WARLADDER_WEB_LISTEN": value})
    assert (config.host, config.port) == (host, port)


@pytest.mark.parametrize("value", ["80", ":80", "here:", "here:x", "here:65536", "here:²"])
def test_where_nobody_can_serve_is_said(good: dict[str, str], value: str) -> None:
    with pytest.raises(WrongUse, match=r"WARLADDER_WEB_LISTEN='.*': give it as HOST:PORT"):
        web_config({**good, "WARLADDER_WEB_LISTEN": value})
