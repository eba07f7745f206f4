"""
WARLADDER_HOME: where a running `up` keeps its data, and where other commands find it.

`lock` is held while an `up` or anything it left behind lives, `up.json` says how to reach it.
"""

import fcntl
import json
import os
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Self

from matchmaker.errors import WrongUse

LEFT_BEHIND_SECONDS = 6.0
"""What a killed `up` left has gone by then; see `guard.PATIENCE_SECONDS`."""
REFEREE = "127.0.0.1:7700"
"""Where bots dial an `up` unless told otherwise."""


def folder() -> Path:
    """
    WARLADDER_HOME, by default `.warladder` here; it need not be there yet.

    Raises:
        WrongUse: It is a file.
    """
    found = Path(os.environ.get("WARLADDER_HOME") or ".warladder").resolve()
    if found.exists() and not found.is_dir():
        raise WrongUse(f"WARLADDER_HOME {found}: it is not a folder")
    return found


@dataclass(frozen=True, kw_only=True)
class Running:
    """How to reach a running `up`."""

    pid: int
    redis_url: str
    namespace: str
    referees: tuple[str, ...]
    """Addresses that bots dial."""
    archive: str
    metrics: dict[str, str] = field(default_factory=dict)
    """Address of each process's metrics by the process's name."""
    web: str = ""
    """Address of the front page; empty if no pages are served."""

    def write(self, home: Path) -> None:
        draft = home / "up.json.new"
        draft.write_text(json.dumps(asdict(self), indent=1) + "\n")
        draft.replace(home / "up.json")

    @classmethod
    def read(cls, home: Path) -> Self | None:
        """None if nothing runs there."""
        if not is_locked(home):
            return None
        try:
            fields = json.loads((home / "up.json").read_text())
        except (FileNotFoundError, ValueError):  # just starting
            return None
        fields["referees"] = tuple(fields["referees"])
        return cls(**fields)


def referee() -> str:
    """
    Where somebody at this machine dials: WARLADDER_REFEREE, else the `up` that runs in the home.

    Raises:
        WrongUse: The home is a file.
    """
    named = os.environ.get("WARLADDER_REFEREE")
    running = None if named else Running.read(folder())
    return named or (running.referees[0] if running and running.referees else REFEREE)


def lock(home: Path) -> IO[str]:
    """
    Take the home for this process; what holds the returned file open keeps it.

    Raises:
        WrongUse: Another `up` has it.
    """
    try:
        home.mkdir(parents=True, exist_ok=True)
        file = (home / "lock").open("a")
    except OSError as error:
        raise WrongUse(f"WARLADDER_HOME {home}: {error.strerror}") from None
    deadline = time.monotonic() + LEFT_BEHIND_SECONDS
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                file.close()
                raise WrongUse(
                    f"a `warladder up` is running in {home}; stop it or set WARLADDER_HOME"
                ) from None
            time.sleep(0.1)
        else:
            (home / "up.json").unlink(missing_ok=True)
            return file


def is_locked(home: Path) -> bool:
    try:
        with (home / "lock").open("r") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
