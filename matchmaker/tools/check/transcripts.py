"""The transcripts: files of JSON lines, each a situation that the scripted referee brings about."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from matchmaker.errors import WrongUse
from matchmaker.tools.check import files

# fmt: off
DIRECTIVES = {
    "accept", "back_off_ms", "cut", "end", "exit", "expect", "if", "keepalive_apart_ms", "listen",
    "ping", "quiet_ms", "raw", "recorded", "refuse", "repeat", "send", "signal", "start",
    "turn_away_ms",
}
WORDS = {
    "answers", "as", "at", "at_most", "else", "late", "match", "not_before_ms", "of", "on",
    "pad_bytes", "rule", "set", "split", "status", "steps", "text", "then", "unknown_fields",
    "within_ms",
}
FIRST_WORDS = {"transcript", "rules", "judges", "needs", "gates", "seconds", "describe", "prefers"}
# fmt: on


class Step(NamedTuple):
    place: str
    what: str
    """The directive."""
    words: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Transcript:
    name: str
    rules: dict[str, str]
    """What is expected, by rule."""
    judges: tuple[str, ...]
    """Rules of every transcript that count as this one's first when they are broken in it."""
    matches: int
    """At least so many at once must be the bot's."""
    questions: int
    """At least so many at once must be answered by the bot."""
    story: str
    """That the game must have; empty for none."""
    prefers: str
    """A story that the game should have, where the bot plays several games."""
    gates: int
    """Addresses of referees."""
    describe: dict[str, Any]
    """What Describe says beside the usual."""
    seconds: float
    """About how long it takes."""
    steps: tuple[Step, ...]


def read(path: Path) -> Transcript:
    """
    Raises:
        WrongUse: The file is no transcript; the text names file, line and reason.
    """
    lines = list(files.lines(path))
    if not lines:
        raise WrongUse(f"{path}: empty; the first line says `transcript` and `rules`")
    place, head = lines[0]
    unknown = head.keys() - FIRST_WORDS
    if unknown or "rules" not in head:
        why = f"no such word: {', '.join(sorted(unknown))}" if unknown else "`rules` is missing"
        raise WrongUse(f"{place}: {why}")
    needs = head.get("needs", {})
    return Transcript(
        name=path.stem,
        rules=dict(head["rules"]),
        judges=tuple(head.get("judges", ())),
        matches=int(needs.get("matches", 1)),
        prefers=str(head.get("prefers", needs.get("story", ""))),
        questions=int(needs.get("questions", 1)),
        story=str(needs.get("story", "")),
        gates=int(head.get("gates", 1)),
        describe=dict(head.get("describe", {})),
        seconds=float(head.get("seconds", 2)),
        steps=tuple(step(place, words) for place, words in lines[1:]),
    )


def step(place: str, words: dict[str, Any]) -> Step:
    found = words.keys() & DIRECTIVES
    unknown = words.keys() - DIRECTIVES - WORDS
    if len(found) != 1 or unknown:
        wrong = f"no such word: {', '.join(sorted(unknown))}; " if unknown else ""
        raise WrongUse(f"{place}: {wrong}one of {', '.join(sorted(DIRECTIVES))} is wanted")
    (what,) = found
    return Step(place, what, words)


def every(folder: Path) -> list[Transcript]:
    """
    All transcripts of a folder by name.

    Raises:
        WrongUse: There are none, or one cannot be read.
    """
    paths = sorted(folder.glob(f"*{files.SUFFIX}"))
    if not paths:
        raise WrongUse(f"{folder}: no transcripts (*{files.SUFFIX})")
    every = [read(path) for path in paths]
    known = {*always(folder), *(rule for each in every for rule in each.rules)}
    for each in every:
        for place, rule in named_rules(each):
            if rule not in known:
                raise WrongUse(f"{place}: no transcript says what is expected by {rule!r}")
    return every


def named_rules(transcript: Transcript) -> list[tuple[str, str]]:
    """Every rule that its steps name, with the place."""
    found: list[tuple[str, str]] = []
    for each in transcript.steps:
        _find_rules(each.words, each.place, found)
    return found


def _find_rules(words: Any, place: str, found: list[tuple[str, str]]) -> None:
    if isinstance(words, dict):
        if isinstance(words.get("rule"), str):
            found.append((place, words["rule"]))
        for name in ("steps", "then", "else"):
            _find_rules(words.get(name), place, found)
    elif isinstance(words, list):
        for each in words:
            _find_rules(each, place, found)


def always(folder: Path) -> dict[str, str]:
    """Rules that hold in every transcript: what is expected, by rule."""
    return {str(rule): str(words) for rule, words in files.one(folder / files.ALWAYS).items()}
