"""Kits: which there are, and how a bot begins with one."""

from pathlib import Path

import pytest

from matchmaker import kits
from matchmaker.errors import WrongUse
from tests.helpers.processes import warladder


def test_a_kit_is_known_by_its_language_and_bot() -> None:
    command = kits.sample("python/greedy")
    assert command == (str(kits.SAMPLES / "python" / "kit" / "bot"), "greedy")
    assert kits.sample("python/best") is None
    assert kits.sample("cobol/greedy") is None
    assert kits.sample("greedy") is None
    assert "python/random" in kits.samples()


def test_a_new_bot_has_the_kit_and_the_protocol_for_bots(tmp_path: Path) -> None:
    kits.begin("python", tmp_path / "mine")
    there = {str(path.relative_to(tmp_path / "mine")) for path in (tmp_path / "mine").rglob("*")}
    assert {"bot", "Makefile", "greedy.py", "proto/warladder/v1/referee.proto"} <= there
    assert "proto/warladder/v1/internal.proto" not in there
    assert (tmp_path / "mine" / "bot").stat().st_mode & 0o111


def test_what_a_build_has_made_is_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kit = tmp_path / "samples" / "basic"
    (kit / "target" / "deep").mkdir(parents=True)
    (kit / "src").mkdir()
    for name in ("bot", "src/main", "target/deep/main"):
        (kit / name).write_text("")
    (kit / ".gitignore").write_text("/target/\n")
    monkeypatch.setattr(kits, "SAMPLES", tmp_path / "samples")
    kits.begin("basic", tmp_path / "mine")
    assert (tmp_path / "mine" / "src" / "main").is_file()
    assert not (tmp_path / "mine" / "target").exists()


def test_a_bot_never_begins_over_another(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "bot").write_text("mine")
    with pytest.raises(WrongUse, match="is there already"):
        kits.begin("python", tmp_path / "mine")
    assert (tmp_path / "mine" / "bot").read_text() == "mine"
    with pytest.raises(WrongUse, match=r"no kit in 'cobol'; there are: .*python"):
        kits.begin("cobol", tmp_path / "other")
    with pytest.raises(WrongUse, match="Not a directory"):
        kits.begin("python", tmp_path / "mine" / "bot" / "deeper")


def test_the_command_says_how_to_go_on(tmp_path: Path) -> None:
    ran = warladder("bot", "new", "python", str(tmp_path / "mine"))
    assert ran.returncode == 0, ran.stderr
    assert f"make -C {tmp_path / 'mine'}" in ran.stdout
    assert (tmp_path / "mine" / "main.py").is_file()
