"""What `bench kits` makes of its figures; the process test has real bots."""

from pathlib import Path

import pytest

from matchmaker.errors import FellShort, WrongUse
from matchmaker.tools import bench
from matchmaker.tools.bench import kits
from matchmaker.tools.bench.echo import Traffic
from matchmaker.tools.bench.host import Heard
from warladder.v1 import referee_pb2 as pb

BEFORE = {
    "cpu": 1.0, "wall": 10.0, "done": 100, "ending normal": 2,
    "decide": 100, "decide bytes": 100_000, "decide bytes back": 2_000, "match_started": 4,
}  # fmt: skip
AFTER = {
    "cpu": 1.5, "wall": 12.0, "done": 1_100, "ending normal": 12,
    "decide": 1_100, "decide bytes": 2_100_000, "decide bytes back": 32_000, "match_started": 24,
}  # fmt: skip


END = {**AFTER, "cpu": 1.7, "wall": 13.0, "done": 1_400, "ending normal": 14, "lengths": [90, 95]}


def kit(*lengths: int) -> kits.Kit:
    return kits.Kit(1000, 500.0, 2e-4, 5e-4, 1 << 20, Traffic(2000, 30), lengths)


def unbuilt(folder: Path) -> Path:
    folder.mkdir()
    (folder / "bot").write_text("#!/bin/sh\nexit 2\n")
    (folder / "bot").chmod(0o755)
    return folder


def test_a_kit_that_is_not_built_is_named_and_how_to_build_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = unbuilt(tmp_path / "fortran")
    with pytest.raises(FellShort, match="no kit is built"):
        kits.measure_kits({"fortran": folder}, 0.1)
    said = capsys.readouterr().err
    assert said == f"warladder: bench: fortran is not built: make -C {folder}\n"


def test_another_game_than_the_kits_is_refused() -> None:
    with pytest.raises(WrongUse, match="they play stalingrad, not skirmish"):
        bench.run("kits", game="skirmish")


def test_kits_that_played_different_matches_are_not_compared() -> None:
    kits.agree({"go": kit(90, 95, 99), "rust": kit(90, 95)})  # the quicker one played on
    with pytest.raises(FellShort, match=r"in match 2: \{'go': 95, 'rust': 96\}"):
        kits.agree({"go": kit(90, 95, 99), "rust": kit(90, 96)})


def test_figures_are_of_the_time_between_warming_up_and_the_last_ends() -> None:
    found = kits.figures(BEFORE, AFTER, END, spent=0.25, memory=5)
    assert found.decisions == 1000
    assert found.rate == 500.0
    assert found.bot_seconds == pytest.approx(250e-6)
    assert found.referee_seconds == pytest.approx(500e-6)
    assert found.traffic == Traffic(question=2000, answer=30, matches=0.02)


def test_a_match_that_went_wrong_spoils_the_figures() -> None:
    with pytest.raises(FellShort, match="'timeout': 1"):
        kits.figures(BEFORE, AFTER, {**END, "ending timeout": 1}, spent=0.25, memory=5)


def test_a_time_in_which_nothing_is_decided_gives_no_figures() -> None:
    with pytest.raises(FellShort, match="give it more with --seconds"):
        kits.figures(BEFORE, {**BEFORE, "wall": 10.1}, END, spent=0.25, memory=5)


def test_what_bots_are_told_and_say_is_counted_by_kind() -> None:
    heard = Heard()
    question = pb.RefereeMessage(decide=pb.Decide(match="m", decision=3)).SerializeToString()
    answer = pb.BotMessage(choose=pb.Choose(match="m", decision=3)).SerializeToString()
    start = pb.RefereeMessage(match_started=pb.MatchStarted(match="m")).SerializeToString()
    ready = pb.BotMessage(ready=pb.Ready(match="m")).SerializeToString()
    hello = pb.BotMessage(hello=pb.Hello(version="1")).SerializeToString()
    for speaks, data in [(True, hello), (False, start), (True, ready)] + 2 * [
        (False, question),
        (True, answer),
    ]:
        heard.hear("bot", speaks, data)
    assert heard == {
        "match_started": 1,
        "match_started bytes": len(start),
        "match_started bytes back": len(ready),
        "decide": 2,
        "decide bytes": 2 * len(question),
        "decide bytes back": 2 * len(answer),
    }
