"""The line-ups in `deploy/lineups`: which bots attend a demo of a game, and how each is started."""

import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matchmaker import kits
from matchmaker.errors import WrongUse

LINEUPS = kits.ROOT / "deploy" / "lineups"
SAMPLES = kits.SAMPLES


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One bot of a line-up."""

    name: str
    author: str
    run: str
    """A sample's name, or a command."""
    games: tuple[str, ...]

    @property
    def command(self) -> tuple[str, ...]:
        """
        Raises:
            WrongUse: It is neither a sample nor a program of this machine.
        """
        return command(self.run)


@dataclass(frozen=True, kw_only=True)
class Lineup:
    game: str
    matches: int
    """Rated matches of a demo unless told otherwise."""
    default: bool
    bots: tuple[Entry, ...]
    shortest: tuple[str, ...] | None = None
    """`K=V` options of the game's shortest match, if a ladder's speed is measured with it."""


def sample(name: str) -> tuple[str, ...] | None:
    """The command of a sample bot or of a kit's, or None if there is none of this name."""
    script = SAMPLES / "python" / name / "bot.py"
    if "/" not in name and script.is_file():
        return sys.executable, str(script)
    return kits.sample(name)


def command(run: str) -> tuple[str, ...]:
    """
    What to start for a sample's name or a command as typed in a shell.

    Raises:
        WrongUse: There is no such sample or program.
    """
    try:
        words = tuple(shlex.split(run))
    except ValueError as error:
        raise WrongUse(f"bot {run!r}: {error}; write the command as in a shell") from None
    found = sample(run) if len(words) == 1 else None
    if found is not None:
        return found
    if not words or shutil.which(words[0]) is None:
        raise WrongUse(f"bot {run!r}: {why_not(words)}")
    return words


def why_not(words: Sequence[str]) -> str:
    """Why these words start nothing, and what would."""
    if words and Path(words[0]).is_dir():
        return f"{words[0]} is a folder; name the program in it"
    if words and Path(words[0]).is_file():
        if words[0].endswith(".py"):
            better = shlex.join(("python", *words))
            return f'{words[0]} cannot be started by itself; give "{better}"'
        return f"{words[0]} is not executable; `chmod +x` makes it so"
    return f"neither a sample nor a program; samples: {', '.join(samples())}"


def named(words: Sequence[str]) -> str:
    """What a command is called in a table: its script or module, else its program."""
    scripts = [word for word in words[1:] if Path(word).is_file()]
    if scripts:
        return Path(scripts[-1]).stem
    if "-m" in words[1:-1]:
        return words[words.index("-m", 1) + 1]
    return Path(words[0]).stem


def samples() -> list[str]:
    """Names of all sample bots, those of the kits last."""
    return sorted(path.parent.name for path in SAMPLES.glob("python/*/bot.py")) + kits.samples()


def read(path: Path) -> Lineup:
    """
    Raises:
        WrongUse: The file is not a line-up; the text names file, bot and reason.
    """
    try:
        data = tomllib.loads(path.read_text("utf-8"))
        game = str(data["game"])
        bots = tuple(entry(game, row) for row in data["bot"])
        matches, default = int(data["matches"]), bool(data.get("default", False))
        shortest = tuple(map(str, data["shortest"])) if "shortest" in data else None
    except OSError as error:
        raise WrongUse(f"{path}: {error.strerror}") from None
    except KeyError as error:
        raise WrongUse(f"{path}: {error.args[0]!r} is missing") from None
    except (TypeError, ValueError) as error:
        raise WrongUse(f"{path}: {error}") from None
    names = [bot.name for bot in bots]
    for name in names:
        if names.count(name) > 1:
            raise WrongUse(f"{path}: two bots are called {name!r}")
    return Lineup(game=game, matches=matches, default=default, bots=bots, shortest=shortest)


def entry(game: str, row: dict[str, Any]) -> Entry:
    return Entry(
        name=str(row["name"]), author=str(row["author"]), run=str(row["run"]), games=(game,)
    )


def every() -> dict[str, Lineup]:
    """All line-ups by game."""
    lineups = [read(path) for path in sorted(LINEUPS.glob("*.toml"))]
    if not lineups:
        raise WrongUse(f"no line-ups in {LINEUPS}; they come with a clone of the repository")
    return {lineup.game: lineup for lineup in lineups}


def default() -> str:
    """The game of the demo unless told otherwise."""
    lineups = every()
    return next((name for name, each in lineups.items() if each.default), next(iter(lineups)))


def quickest() -> tuple[str, tuple[str, ...]]:
    """
    The game, and the options of its shortest match, with which a ladder's speed is measured.

    Raises:
        WrongUse: No line-up names any.
    """
    for name, each in every().items():
        if each.shortest is not None:
            return name, each.shortest
    raise WrongUse(f"no line-up in {LINEUPS} has `shortest`: say how a game's matches are shortest")


def of(game: str) -> Lineup:
    lineups = every()
    if game not in lineups:
        raise WrongUse(f"no line-up for {game!r} in {LINEUPS}; there are: {', '.join(lineups)}")
    return lineups[game]


def together(lineups: Iterable[Lineup]) -> list[Entry]:
    """The bots of several line-ups; one that stands in several plays all their games."""
    merged: dict[str, Entry] = {}
    for lineup in lineups:
        for bot in lineup.bots:
            known = merged.get(bot.name)
            games = (*known.games, *bot.games) if known else bot.games
            merged[bot.name] = Entry(
                name=bot.name,
                author=bot.author,
                run=bot.run,
                games=games,
            )
    return list(merged.values())
