"""
Recovery: three rules and nothing else, and the few matches that are given up.

*unopened*: planned, and not opened for 10 s: `open_match` again. *ownerless*, *still*: playing, and
its referee is not present or nothing moves: `open_match` again, soon and then less often.
*unclosed*: ended, and not closed for 10 s: `close_match` again. The sweeper alone queues anything
a second time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple
from zlib import crc32

import redis

from matchmaker import scripts
from matchmaker.keys import Keys
from matchmaker.leader import Deposed, Term
from matchmaker.moving import Moving, in_motion, look
from matchmaker.queues import CLOSE, OPEN, Queues
from referee.match.journal import Choice, Ending, unpack_entry
from referee.store import presence
from referee.store.lifecycle import end_match
from referee.store.plainly import as_bytes
from referee.store.records import Status
from referee.store.scripts import packed

AGAIN_MS = 10_000
"""A job that has not done its work for so long is queued again."""
SOON_MS = 1_000
"""A match without an owner is queued again after so long, then twice as long each time, up to
`AGAIN_MS`: the first job may come a moment before a referee is ready."""
JITTER = 0.25
"""Share of such a wait by which it is shorter or longer: the matches that one referee left behind
do not come back all at once."""
MOST_LOSSES = 3
"""Referees in a row that a match may take down with it. If a choice was made between, it was not
the match that took them down."""
MOST_LOSSES_IN_ALL = 10
MOST_STILLS = 3
"""Times in a row that a match may stand still."""
OVERTIME_MS = 60_000
"""Referees end matches at their longest; so much later the sweeper does."""


class Rule(StrEnum):
    """Why the sweeper acted: the label of its metric."""

    UNOPENED = "unopened"
    OWNERLESS = "ownerless"
    STILL = "still"
    UNCLOSED = "unclosed"
    LOST_REFEREES = "lost_referees"
    """Given up: it took three referees in a row down with it."""
    STOOD_STILL = "stood_still"
    """Given up: it stood still three times in a row."""
    TOO_LONG = "too_long"
    """Given up: nobody ended it in time."""


class Judgement(NamedTuple):
    """What to do about a match."""

    rule: Rule
    queue: str = ""
    """Where to queue it again; empty ends the match."""
    ending: Ending | None = None
    fields: tuple[tuple[str, int], ...] = ()
    """To keep with the match."""
    text: str = ""


def judge(seen: Moving) -> Judgement | None:
    """Apply the rules to one match. Pure."""
    since_queued = seen.now_ms - seen.queued_ms
    if seen.status == Status.PLANNED:
        if seen.now_ms - seen.planned_ms > seen.clocks.longest_ms:
            return _give_up(Rule.TOO_LONG, Ending.CANCELLED, "no referee could open it")
        if since_queued >= AGAIN_MS:
            return Judgement(Rule.UNOPENED, OPEN)
    elif seen.status == Status.PLAYING:
        return _judge_playing(seen, since_queued)
    elif seen.status == Status.ENDED:
        if min(since_queued, seen.now_ms - seen.ended_ms) >= AGAIN_MS:
            return Judgement(Rule.UNCLOSED, CLOSE)
    return None


def _judge_playing(seen: Moving, since_queued: int) -> Judgement | None:
    if seen.now_ms - seen.opened_ms > seen.clocks.longest_ms + OVERTIME_MS:
        return _give_up(Rule.TOO_LONG, Ending.CANCELLED, "it was not ended at its longest")
    if not seen.is_owned:
        if seen.lost_epoch != seen.epoch:
            losses = 1 if seen.has_moved_on else seen.losses + 1
            in_all = seen.lost_in_all + 1
            if losses >= MOST_LOSSES or in_all >= MOST_LOSSES_IN_ALL:
                count = f"{losses} in a row" if losses >= MOST_LOSSES else f"{in_all} in all"
                text = f"the referees that played it went down, {count}"
                return _give_up(Rule.LOST_REFEREES, Ending.REFEREE_FAULT, text)
            return Judgement(
                Rule.OWNERLESS,
                OPEN,
                fields=(
                    ("losses", losses),
                    ("lost_in_all", in_all),
                    ("lost_epoch", seen.epoch),
                    ("lost_at", seen.entries),
                    ("asked", 0),
                ),
            )
        if since_queued >= ask_again_ms(seen.match, seen.asked):
            return Judgement(Rule.OWNERLESS, OPEN, fields=(("asked", seen.asked + 1),))
        return None
    if seen.is_still and since_queued >= AGAIN_MS:
        # Being opened again is an entry of its own, but no progress.
        in_a_row = seen.stills > 0 and seen.entries <= seen.still_at + 1
        stills = seen.stills + 1 if in_a_row else 1
        if stills >= MOST_STILLS:
            text = f"it stood still {stills} times in a row"
            return _give_up(Rule.STOOD_STILL, Ending.REFEREE_FAULT, text)
        standing = (("stills", stills), ("still_at", seen.entries))
        return Judgement(Rule.STILL, OPEN, fields=standing)
    return None


def ask_again_ms(match: str, asked: int) -> int:
    """
    Tell how long a match without an owner waits for its next job.

    Args:
        asked: Jobs it was given since the loss was noted, the first not counted.
    """
    wait = min(AGAIN_MS, SOON_MS << min(asked, 8))
    spread = crc32(f"{match}|{asked}".encode()) / 0xFFFFFFFF
    return int(wait * (1 + JITTER * (2 * spread - 1)))


def _give_up(rule: Rule, ending: Ending, text: str) -> Judgement:
    return Judgement(rule, ending=ending, text=text)


class Sweeper:
    """Looks at all matches in motion, and does what the rules say."""

    def __init__(
        self,
        connection: redis.Redis,
        keys: Keys,
        term: Term,
        queues: Queues,
        on_act: Callable[[str, Judgement], None] = lambda match, judgement: None,
    ) -> None:
        self.redis = connection
        self.keys = keys
        self.term = term
        self.queues = queues
        self.on_act = on_act

    def sweep(self) -> Counter[Rule]:
        """
        Look once.

        Returns:
            How many matches each rule concerned.

        Raises:
            Deposed: Another matchmaker leads.
        """
        acted: Counter[Rule] = Counter()
        queued: dict[str, list[str]] = {OPEN: [], CLOSE: []}
        for seen in self.look():
            judgement = judge(seen)
            if judgement is None or not self._act(seen, judgement):
                continue
            acted[judgement.rule] += 1
            self.on_act(seen.match, judgement)
            if judgement.queue:
                queued[judgement.queue].append(seen.match)
        for name, matches in queued.items():
            self.queues.put(name, matches)
        return acted

    def look(self) -> list[Moving]:
        """See every match in motion."""
        matches = in_motion(self.redis, self.keys)
        if not matches:
            return []
        there = presence.present(self.redis, self.keys)
        return [self._follow(seen) for seen in look(self.redis, self.keys, matches, there)]

    def _follow(self, seen: Moving) -> Moving:
        """Of a match that has lost another owner: see whether the last one got on with it."""
        is_lost = seen.status == Status.PLAYING and not seen.is_owned
        if not is_lost or not seen.losses or seen.lost_epoch == seen.epoch:
            return seen
        since = as_bytes(self.redis.lrange(self.keys.journal(seen.match), seen.lost_at, -1))
        moved_on = any(isinstance(unpack_entry(each), Choice) for each in since)
        return replace(seen, has_moved_on=moved_on)

    def _act(self, seen: Moving, judgement: Judgement) -> bool:
        if judgement.ending is not None:
            return end_match(
                self.redis,
                self.keys,
                seen.match,
                judgement.ending,
                epoch=seen.epoch,
                text=judgement.text,
            )
        answer = self.redis.eval(
            scripts.REQUEUE,
            0,
            self.keys.prefix,
            self.term.token,
            seen.match,
            seen.status,
            seen.epoch,
            seen.queued_ms,
            packed(dict(judgement.fields)),
        )
        if answer == -1:
            raise Deposed("another matchmaker leads; it sweeps")
        return bool(answer == 1)
