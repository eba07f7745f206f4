"""A ladder that runs is backed up and goes on elsewhere with its bots' tokens."""

from pathlib import Path
from typing import Any

import pytest

from matchmaker import registry
from tests.helpers import commands
from tests.helpers.ladder_processes import RANDOM, LadderProcesses, ladder_processes


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> commands.Here:
    return commands.Here(monkeypatch, capsys)


def attend(ladder: LadderProcesses, tokens: dict[str, str]) -> None:
    for name, token in tokens.items():
        ladder.start(
            f"bot-{name}", str(RANDOM), WARLADDER_REFEREE=ladder.address, WARLADDER_TOKEN=token
        )


def test_a_ladder_moves_with_its_bots_while_it_runs(here: commands.Here, tmp_path: Path) -> None:
    def run(ladder: LadderProcesses, *words: str) -> dict[str, Any]:
        return here.at(ladder.store.url, ladder.folder / "archive").result(*words)

    def refused(ladder: LadderProcesses, *words: str) -> tuple[int, str]:
        return here.at(ladder.store.url, ladder.folder / "archive").refused(*words)

    file, lines, part = (str(tmp_path / name) for name in ("backup", "log.jsonl", "part.parquet"))
    with ladder_processes() as old:
        tokens = {name: registry.add(old.redis, name, "tester") for name in ("one", "two")}
        old.referee()
        old.worker()
        old.matchmaker("mm", 1_000)
        attend(old, tokens)
        old.rated(4)
        made = run(old, "backup", file)
        assert made["position"] >= 6
        assert made["files"] >= 4
        exported = run(old, "log", "export", lines)
        assert (exported["part"], exported["entries"]) == (False, exported["position"])
        assert run(old, "log", "export", part, "--game", "skirmish")["part"] is True
        verified = run(old, "log", "verify", lines)
        assert (verified["head"], verified["entries"]) == (exported["head"], exported["entries"])
        assert run(old, "log", "verify", part)["part"] is True
        assert run(old, "log", "verify")["position"] >= exported["position"]
        assert run(old, "log", "head")["position"] >= exported["position"]
        code, line = refused(old, "restore", file)
        assert (code, "is not empty; start `warladder up`" in line) == (2, True)
    with ladder_processes() as new:
        new.referee()
        new.worker()
        new.matchmaker("mm", 8)
        new.says("mm", "term_began")
        code, line = refused(new, "log", "import", part)
        assert (code, "a part of a log cannot be imported" in line) == (2, True)
        damaged = tmp_path / "damaged"
        damaged.write_bytes(Path(file).read_bytes()[:-100])
        assert refused(new, "restore", str(damaged))[0] == 1
        assert run(new, "restore", file, "--by", "olga")["head"] == made["head"]
        attend(new, tokens)
        new.done()
        found = run(new, "recompute")
        assert found["results"] > 4
        assert run(new, "log", "verify")["position"] == found["position"]
        [act] = [act for act in run(new, "audit")["acts"] if act["what"] == "restore"]
        assert (act["by"], act["why"]) == ("olga", file)
    with ladder_processes() as third:
        assert run(third, "log", "import", lines)["head"] == exported["head"]
        assert run(third, "recompute")["results"] == exported["entries"] - 3
        table = run(third, "leaderboard", "--game", "skirmish")
        assert (table["head"], len(table["table"])) == (exported["head"], 2)
