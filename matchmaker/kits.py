"""The kits in `sample_bots`: a bot to begin with in several languages, each alone in its folder."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from matchmaker.errors import WrongUse

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "sample_bots"
PROTOCOL = ROOT / "proto" / "warladder" / "v1"
START = "bot"
"""What runs a kit's bots when it is built."""
BOTS = ("greedy", "random")
"""The bots of every kit."""
OURS = ("internal.proto",)
"""Between referee and workers: nothing for bots."""


def folders() -> dict[str, Path]:
    """Where each language's kit is, by language."""
    found = [*SAMPLES.glob(f"*/{START}"), *SAMPLES.glob(f"*/kit/{START}")]
    return {path.relative_to(SAMPLES).parts[0]: path.parent for path in sorted(found)}


def sample(name: str) -> tuple[str, ...] | None:
    """The command of `LANGUAGE/BOT`, such as `go/greedy`; None if there is no such kit."""
    language, slash, bot = name.partition("/")
    folder = folders().get(language) if slash and bot in BOTS else None
    return None if folder is None else (str(folder / START), bot)


def samples() -> list[str]:
    return [f"{language}/{bot}" for language in folders() for bot in BOTS]


def begin(language: str, folder: Path) -> None:
    """
    Lay a kit into a new folder, with the protocol beside it.

    Raises:
        WrongUse: No kit in this language, or the folder cannot be made or is there already.
    """
    there = folders()
    if language not in there:
        raise WrongUse(f"no kit in {language!r}; there are: {', '.join(there)}")
    try:
        shutil.copytree(there[language], folder, ignore=made(there[language]))
        protocol = folder / "proto" / "warladder" / "v1"
        protocol.mkdir(parents=True)
        for path in sorted(PROTOCOL.glob("*.proto")):
            if path.name not in OURS:
                shutil.copy2(path, protocol)
    except FileExistsError:
        raise WrongUse(f"{folder} is there already; choose another name") from None
    except OSError as error:
        raise WrongUse(f"{folder}: {error.strerror}") from None


def made(folder: Path) -> Callable[[str, list[str]], set[str]]:
    """What a build has made, as the kit's own `.gitignore` names it, is not copied."""
    ignored = folder / ".gitignore"
    lines = ignored.read_text("utf-8").split() if ignored.is_file() else []
    return shutil.ignore_patterns(*(line.strip("/") for line in lines))
