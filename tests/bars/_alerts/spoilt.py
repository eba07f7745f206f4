"""
Processes with a mistake of ours: `python -m tests.bars._alerts.spoilt MISTAKE MODULE`.

`leaks`: each view holds all hands. `differs`: a state's digest is another than elsewhere, as under
other rules. `doubles`: it takes long to close a match, and gives another result. `hoards`: it keeps
two gigabytes for nothing.
"""

from __future__ import annotations

import dataclasses
import mmap
import runpy
import sys
import time
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from matchmaker import closing
from matchmaker.archive import Archive
from matchmaker.entries import Result
from referee.games.skirmish.game import Skirmish
from referee.games.skirmish.view import View

SLOW_SECONDS = 11.0
"""Longer than until an ended match is queued again."""
HOARD_BYTES = 2_200_000_000
hoard: list[mmap.mmap] = []


def leaks() -> None:
    honest = Skirmish.view

    def view(s: Skirmish, seat: int) -> View:
        all_hands = tuple(
            taken + sum(card * 31**place for place, card in enumerate(hand, 1)) % 10**6
            for taken, hand in zip(s.taken, s.hands, strict=True)
        )
        return honest(s, seat)._replace(taken=all_hands)

    Skirmish.view = view  # type: ignore[method-assign]


def differs() -> None:
    honest = Skirmish.digest

    def digest(s: Skirmish) -> bytes:
        return sha256(b"other rules" + honest(s)).digest()

    Skirmish.digest = digest  # type: ignore[method-assign]


def doubles() -> None:
    put, honest = Archive.put_replay, closing.result_of

    def put_replay(self: Archive, match: str, journal: Sequence[bytes]) -> str:
        time.sleep(SLOW_SECONDS)
        return put(self, match, journal)

    def result_of(*arguments: Any) -> Result:
        result = honest(*arguments)
        return dataclasses.replace(result, reason=f"{result.reason} otherwise")

    Archive.put_replay = put_replay  # type: ignore[method-assign]
    closing.result_of = result_of


def hoards() -> None:
    memory = mmap.mmap(-1, HOARD_BYTES)
    memory.madvise(mmap.MADV_HUGEPAGE)
    for page in range(0, HOARD_BYTES, mmap.PAGESIZE):
        memory[page] = 1
    hoard.append(memory)


MISTAKES = {each.__name__: each for each in (leaks, differs, doubles, hoards)}

if __name__ == "__main__":
    MISTAKES[sys.argv[1]]()
    runpy.run_module(sys.argv[2], run_name="__main__", alter_sys=True)
