"""Run a command of ours in this process, as the command line does: its outputs and exit code."""

import json
from pathlib import Path
from typing import Any

import pytest

from matchmaker.cli.app import run


class Here:
    """The ladder that commands talk to is named by the environment."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch = monkeypatch
        self.capsys = capsys

    def at(self, url: str, archive: Path | None, namespace: str = "warladder") -> "Here":
        """Talk to this ladder from now on."""
        self.monkeypatch.setenv("WARLADDER_REDIS_URL", url)
        self.monkeypatch.setenv("WARLADDER_NAMESPACE", namespace)
        self.monkeypatch.setenv("WARLADDER_ARCHIVE", str(archive or ""))
        return self

    def says(self, *words: str) -> str:
        """What a command prints that does well."""
        self.capsys.readouterr()
        code = run(words)
        out, err = self.capsys.readouterr()
        assert (code, err) == (0, ""), err
        return out

    def result(self, *words: str) -> dict[str, Any]:
        """The one JSON object of a command that does well."""
        found: dict[str, Any] = json.loads(self.says(*words, "--json"))
        assert found["command"] == " ".join(words)[: len(found["command"])]
        assert found["ok"] is True
        assert found["version"]
        return found

    def refused(self, *words: str) -> tuple[int, str]:
        """Exit code and the one line of a command that fails."""
        self.capsys.readouterr()
        code = run(words)
        out, err = self.capsys.readouterr()
        assert out == ""
        [line] = err.splitlines()
        return code, line
