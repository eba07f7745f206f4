"""The bench prints what it says; how good the figures are is the bars' business."""

import json

import pytest

from matchmaker.errors import WrongUse
from matchmaker.tools import bench
from referee.games import names


def test_the_engine_has_rows_for_every_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.run("engine", seconds=0.01, json=True) == 0
    rows = json.loads(capsys.readouterr().out)
    assert all(list(row) == ["name", "value", "unit", "raw", "ratio", "cpu_us"] for row in rows)
    measured = {row["name"] for row in rows}
    for game in names():
        for what in ("decisions", "decisions with events", "clone", "imagine", "view", "load"):
            assert f"{game} {what}" in measured
    assert all(row["value"] > 0 and row["cpu_us"] > 0 for row in rows)


def test_one_game_alone_is_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.run("engine", game=names()[0], seconds=0.01) == 0
    assert f"{names()[0]} clone" in capsys.readouterr().out


def test_an_unknown_bench_is_refused() -> None:
    with pytest.raises(WrongUse, match="engine, referee, ladder, kits"):
        bench.run("everything")
