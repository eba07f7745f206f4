"""From how the transcripts went to one verdict for each rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from matchmaker.tools.check.scene import Played
from matchmaker.tools.check.transcripts import Transcript

PASS, FAIL, SKIP = "pass", "fail", "skip"


class Verdict(NamedTuple):
    rule: str
    verdict: str
    expected: str
    seen: str
    """What was wrong, or why the rule was not judged; empty if it was kept."""


def verdicts(
    played: Sequence[Played],
    always: Mapping[str, str],
    every: Sequence[Transcript],
    rules: Sequence[str] = (),
) -> list[Verdict]:
    """
    Judge.

    A rule is broken if any transcript broke it. One whose transcript ended early for another
    reason is not judged, and says which.

    Args:
        rules: Only these and those that were broken on the way to them; all if empty.
    """
    expected = {**always, **{rule: words for each in every for rule, words in each.rules.items()}}
    broken: dict[str, str] = {}
    for each in played:
        if each.wrong is not None and each.wrong.rule not in broken:
            broken[each.wrong.rule] = f"{each.wrong.seen} ({each.transcript.name})"
    skipped: dict[str, str] = {}
    kept: set[str] = set()
    for each in played:
        if each.skipped:
            skipped.update(dict.fromkeys(each.transcript.rules, each.skipped))
        elif each.wrong is not None:
            why = f"nothing of it: {each.wrong.rule} was broken first"
            skipped.update(dict.fromkeys(each.transcript.rules, why))
        else:
            kept.update(each.transcript.rules)
            kept.update(always)
    found = []
    for rule, words in expected.items():
        if rule in broken:
            found.append(Verdict(rule, FAIL, words, broken[rule]))
        elif rules and rule not in rules:
            continue
        elif rule in kept:
            found.append(Verdict(rule, PASS, words, ""))
        else:
            found.append(Verdict(rule, SKIP, words, skipped.get(rule, "nothing of it")))
    return found
