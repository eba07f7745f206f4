"""The referee's smaller parts: limits, description, settings, metrics."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from prometheus_client import generate_latest

from referee import games
from referee.metrics import Metrics
from referee.server.config import BadSetting, read_config
from referee.server.describe import MINOR, describe
from referee.server.limits import Bucket, Limits

SETTINGS = {
    "WARLADDER_REDIS_URL": "redis://127.0.0.1/0",
    "WARLADDER_REFEREE_LISTEN": "127.0.0.1:7007",
    "WARLADDER_INTERNAL_LISTEN": "unix:/tmp/x.sock",
    "WARLADDER_INTERNAL_SECRET": "secret",
    "WARLADDER_LADDER_KEY": "key",
}


def test_a_bucket_lets_a_burst_through_and_then_so_many_a_second() -> None:
    bucket = Bucket(rate=10, burst=5, now=0.0)
    assert [bucket.take(0.0) for _ in range(6)] == [True] * 5 + [False]
    assert [bucket.take(0.1), bucket.take(0.1)] == [True, False]
    assert [bucket.take(100.0) for _ in range(6)] == [True] * 5 + [False]


def test_describe_tells_what_a_bot_must_know_before_it_comes() -> None:
    facts = {name: games.get(name).facts for name in games.names()}
    told = describe(facts, Limits(), ["unix:/tmp/r1.sock"])
    assert told.minor == MINOR
    assert list(told.referees) == ["unix:/tmp/r1.sock"]
    assert [game.game for game in told.games] == sorted(facts)
    skirmish = next(game for game in told.games if game.game == "skirmish")
    assert (list(skirmish.seats), skirmish.teams) == ([2, 3, 4], True)
    kinds = {kind.name: kind for kind in skirmish.kinds}
    assert kinds["support"].standing_order
    assert kinds["support"].window
    assert not kinds["name"].paced
    assert {option.name: option.default_json for option in skirmish.options} == {
        "teams": "false",
        "rounds": "5",
    }
    assert told.limits.faults_per_minute == 20
    assert skirmish.clocks[0].cap_ms == 10_000


@pytest.mark.parametrize("name", games.names())
def test_card_data_is_there_for_its_digest(name: str) -> None:
    game = games.get(name)
    told = describe({name: game.facts}, Limits(), [], game.card_data())
    assert told.card_data == game.card_data()
    assert told.games[0].cards == game.facts.cards


def test_settings_have_defaults_where_there_is_a_sensible_one() -> None:
    config = read_config(SETTINGS)
    assert (config.namespace, config.room, config.drain_seconds) == ("warladder", 256, 0.0)
    assert config.metrics_port is None
    assert config.tls is None


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_that_is_missing_is_named(name: str) -> None:
    with pytest.raises(BadSetting, match=f"{name} is not set"):
        read_config({key: value for key, value in SETTINGS.items() if key != name})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WARLADDER_REFEREE_LISTEN", "7007"),
        ("WARLADDER_REFEREE_LISTEN", "host:99999"),
        ("WARLADDER_INTERNAL_LISTEN", "unix:" + "x" * 120),
        ("WARLADDER_METRICS_PORT", "-1"),
        ("WARLADDER_REFEREE_ROOM", "some"),
        ("WARLADDER_DRAIN_SECONDS", "1.5"),
        ("WARLADDER_TLS_KEY", "/nowhere"),
    ],
)
def test_a_setting_that_cannot_be_is_named_with_its_value(name: str, value: str) -> None:
    with pytest.raises(BadSetting, match=name):
        read_config({**SETTINGS, name: value})


def test_a_tls_file_must_be_there(tmp_path: Path) -> None:
    there = tmp_path / "key.pem"
    there.write_text("key")
    with pytest.raises(BadSetting, match="is not there"):
        read_config(
            {
                **SETTINGS,
                "WARLADDER_TLS_CERTIFICATE": str(tmp_path / "nothing.pem"),
                "WARLADDER_TLS_KEY": str(there),
            }
        )


def test_tls_files_must_be_what_they_are_said_to_be(tmp_path: Path) -> None:
    rubbish = tmp_path / "rubbish.pem"
    rubbish.write_text("rubbish")
    pair = {"WARLADDER_TLS_CERTIFICATE": str(rubbish), "WARLADDER_TLS_KEY": str(rubbish)}
    with pytest.raises(BadSetting, match="not PEM of a certificate"):
        read_config({**SETTINGS, **pair})
    with pytest.raises(BadSetting, match="WARLADDER_TLS_CLIENT_CA needs"):
        read_config({**SETTINGS, "WARLADDER_TLS_CLIENT_CA": str(rubbish)})


def test_metrics_are_in_form(require: Callable[..., str]) -> None:
    metrics = Metrics()
    metrics.decided("skirmish", 0.2, 0.001)
    metrics.matches.labels("skirmish", "normal").inc()
    metrics.faults.labels("STALE").inc()
    metrics.in_referee.observe(0.0003)
    text = generate_latest(metrics.registry)
    done = subprocess.run(
        [require("promtool"), "check", "metrics"], input=text, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, b"")


def test_a_late_answer_is_counted_by_how_late_the_loop_was() -> None:
    metrics = Metrics()
    for delay in (0.0, 0.049, 0.05, 0.2, 1.0):
        metrics.late(delay)
    read = metrics.registry.get_sample_value
    name = "warladder_referee_late_answers_total"
    assert (read(name, {"loop": "punctual"}), read(name, {"loop": "late"})) == (2, 3)


def test_a_decision_is_counted_under_its_parts() -> None:
    metrics = Metrics()
    metrics.decided("skirmish", 0.2, 0.001)
    metrics.decided("skirmish", 11.0, 0.001)
    read = metrics.registry.get_sample_value
    name = "warladder_referee_decision_seconds"
    assert read(f"{name}_bucket", {"part": "think", "le": "0.25"}) == 1
    assert read(f"{name}_bucket", {"part": "think", "le": "10.0"}) == 1
    assert read(f"{name}_bucket", {"part": "think", "le": "+Inf"}) == 2
    assert read(f"{name}_bucket", {"part": "wire", "le": "0.001"}) == 2
    assert read(f"{name}_count", {"part": "think"}) == 2
    assert read(f"{name}_sum", {"part": "think"}) == 11.2
    assert read(f"{name}_count", {"part": "referee"}) == 0
