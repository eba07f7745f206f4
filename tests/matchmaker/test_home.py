"""WARLADDER_HOME: one `up` has it, others find it there, and it is free when that `up` is gone."""

from pathlib import Path

import pytest

from matchmaker import home
from matchmaker.errors import WrongUse

RUNNING = home.Running(
    pid=1,
    redis_url="unix:///tmp/x",
    namespace="warladder",
    referees=("127.0.0.1:1", "127.0.0.1:2"),
    archive="/tmp/archive",
    metrics={"matchmaker": "http://127.0.0.1:3/metrics"},
)


def test_what_runs_is_found_while_its_lock_is_held(tmp_path: Path) -> None:
    with home.lock(tmp_path):
        assert home.Running.read(tmp_path) is None  # just starting
        RUNNING.write(tmp_path)
        assert home.Running.read(tmp_path) == RUNNING
    assert home.Running.read(tmp_path) is None


def test_a_second_up_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(home, "LEFT_BEHIND_SECONDS", 0.0)
    with (
        home.lock(tmp_path),
        pytest.raises(WrongUse, match=f"is running in {tmp_path}; stop it or set WARLADDER_HOME"),
    ):
        home.lock(tmp_path)
    home.lock(tmp_path).close()


def test_what_a_former_up_wrote_is_gone_when_the_next_starts(tmp_path: Path) -> None:
    RUNNING.write(tmp_path)
    with home.lock(tmp_path):
        assert home.Running.read(tmp_path) is None


def test_an_empty_folder_runs_nothing(tmp_path: Path) -> None:
    assert home.Running.read(tmp_path / "none") is None


def test_a_home_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(WrongUse, match=r"WARLADDER_HOME .*file/home: Not a directory"):
        home.lock(tmp_path / "file" / "home")


def test_the_home_is_here_unless_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WARLADDER_HOME", raising=False)
    assert home.folder() == tmp_path / ".warladder"
    monkeypatch.setenv("WARLADDER_HOME", str(tmp_path / "other"))
    assert home.folder() == tmp_path / "other"


def test_a_home_that_is_a_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("WARLADDER_HOME", str(tmp_path / "file"))
    with pytest.raises(WrongUse, match="file: it is not a folder"):
        home.folder()


def test_who_dials_from_this_machine_is_sent_to_the_ladder_of_his_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WARLADDER_HOME", str(tmp_path))
    monkeypatch.delenv("WARLADDER_REFEREE", raising=False)
    assert home.referee() == "127.0.0.1:7700", "nothing runs there"
    with home.lock(tmp_path):
        RUNNING.write(tmp_path)
        assert home.referee() == "127.0.0.1:1"
        monkeypatch.setenv("WARLADDER_REFEREE", "elsewhere:7")
        assert home.referee() == "elsewhere:7"
