"""The benches that need processes run, and say what each figure is compared with."""

import json

import pytest

from tests.helpers.processes import warladder


def bench(*words: str) -> dict[str, dict[str, float | str | None]]:
    run = warladder("bench", *words, "--json")
    assert run.returncode == 0, run.stderr
    rows = json.loads(run.stdout)
    for row in rows:
        assert list(row) == ["name", "value", "unit", "raw", "ratio", "cpu_us"]
        assert row["value"] > 0
    return {row["name"]: row for row in rows}


@pytest.mark.timeout(300)
def test_the_referee_is_compared_with_raw_grpc_and_the_game() -> None:
    rows = bench("referee", "--game", "skirmish", "--seconds", "1")
    assert rows["skirmish 64 bots decisions"]["raw"] is not None
    referee = rows["skirmish 64 bots referee"]
    echo = next(row for name, row in rows.items() if "raw echo" in name)
    own = rows["skirmish rules, view and wire form"]
    assert referee["raw"] == pytest.approx(float(echo["value"]) + float(own["value"]), rel=0.02)


@pytest.mark.timeout(300)
def test_the_ladders_jobs_are_compared_with_jobs_that_do_nothing() -> None:
    rows = bench("ladder", "--game", "skirmish", "--seconds", "0.5")
    raw = rows["raw no-op jobs"]["value"]
    for job in ("open_match", "close_match"):
        assert rows[f"skirmish {job}"]["raw"] == raw


@pytest.mark.parametrize("what", ["everything", "engine --game chess"])
def test_wrong_use_is_one_line_and_exit_2(what: str) -> None:
    run = warladder("bench", *what.split())
    assert run.returncode == 2
    assert len(run.stderr.splitlines()) == 1
