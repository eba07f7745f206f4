"""
Close ended matches: what `close_match` does.

The journal is played again, kept in the archive, and its result appended to the log: once for each
match, whoever does it and however often.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import redis
import structlog

from matchmaker import scripts
from matchmaker.archive import Archive
from matchmaker.entries import Result, Seated, Standing, Why, tournament_of
from matchmaker.keys import Keys
from matchmaker.log import Aftermath, Closed, Log, Receipt
from matchmaker.moving import Moving, look
from referee.match.errors import WrongRules
from referee.match.journal import OURS, RATED, End, Ending, unpack_entry, unpack_journal
from referee.match.replay import Verified, verify
from referee.store.records import MatchRecord, Status, unpack_record

MOST_CLOSES = 3
"""Attempts to close a match; after them it is void as `referee_fault` and kept as a case."""
WRONG_RULES_MS = 3600_000
"""So long a worker of other rules leaves a match to one of its own."""
FAULTS = frozenset({Ending.TIMEOUT, Ending.ILLEGAL, Ending.DISCONNECTED, Ending.PROTOCOL})
"""A bot that ends its part so five times in a row is paused. To resign is no fault."""

logger = structlog.get_logger()


class Unverified(Exception):
    """The replay does not give what the journal says."""


class Closer:
    """Closes matches; safe to run twice for any."""

    def __init__(
        self,
        connection: redis.Redis,
        keys: Keys,
        archive: Archive,
        on_verified: Callable[[MatchRecord, Verified], None] = lambda record, verified: None,
        on_closed: Callable[[Result, Closed], None] = lambda result, closed: None,
        ends_all: tuple[type[Exception], ...] = (redis.RedisError,),
    ) -> None:
        """`ends_all`: what is no fault of one match, a lost store or the job's own time-out."""
        self.redis = connection
        self.keys = keys
        self.archive = archive
        self.log = Log(connection, keys)
        self.on_verified = on_verified
        self.on_closed = on_closed
        self.ends_all = ends_all

    def close(self, matches: Iterable[str]) -> dict[str, Receipt]:
        """
        Close what has ended; leave the rest as it is.

        Returns:
            Receipts of the matches that are closed.

        Raises:
            ExceptionGroup: Some could not be closed; the others are.
        """
        receipts: dict[str, Receipt] = {}
        failures: list[Exception] = []
        wanted = list(matches)
        ended = {each.match: each for each in look(self.redis, self.keys, wanted, ())}
        for match in wanted:
            moving = ended.get(match)
            if moving is None:
                receipt = self.log.receipt(match)
            elif moving.status != Status.ENDED:
                continue
            else:
                try:
                    receipt = self._close(moving)
                except self.ends_all:
                    raise
                except Exception as failure:  # one bad match must not hold up the others
                    logger.error("match_not_closed", match=match, fault=repr(failure))
                    failures.append(failure)
                    continue
            if receipt is not None:
                receipts[match] = receipt
        if failures:
            raise ExceptionGroup("matches could not be closed", failures)
        return receipts

    def _close(self, moving: Moving) -> Receipt | None:
        record = unpack_record(moving.record)
        # Counted before the attempt, so that a match that kills its workers is given up too.
        with self.redis.pipeline(transaction=False) as pipe:
            pipe.eval(scripts.TRY, 0, self.keys.prefix, moving.match, 1)
            pipe.lrange(self.keys.journal(moving.match), 0, -1)
            closes, journal = pipe.execute()
        if closes == 0:
            return self.log.receipt(moving.match)
        if closes > MOST_CLOSES:
            verified = given_up(journal)
        else:
            verified = self._verify(moving, record, journal)
        digest = self.archive.put_replay(record.match, journal) if journal else ""
        result = result_of(record, verified, digest)
        after = aftermath(record, result)
        closed, receipt = self.log.close(
            result, after._replace(case=after.case or bool(verified.leaks))
        )
        if closed is Closed.REFUSED:
            logger.error("different_result_refused", match=record.match, receipt=receipt)
        self.on_closed(result, closed)
        return receipt

    def _verify(self, moving: Moving, record: MatchRecord, journal: list[bytes]) -> Verified:
        try:
            verified = verify(record, unpack_journal(journal))
        except WrongRules:
            if moving.now_ms - moving.ended_ms < WRONG_RULES_MS:
                self.redis.eval(scripts.TRY, 0, self.keys.prefix, moving.match, -1)
            raise
        self.on_verified(record, verified)
        if verified.problems:
            raise Unverified(f"match {record.match}: " + "; ".join(verified.problems[:5]))
        return verified


def given_up(journal: list[bytes]) -> Verified:
    """What is left of a match that cannot be closed: our fault, whatever its journal says."""
    verified = Verified(ending=Ending.REFEREE_FAULT)
    if journal:
        try:
            end = unpack_entry(journal[-1])
        except Exception:  # whatever is wrong with it is why it was given up
            end = None
        if isinstance(end, End):
            verified.digest = end.digest
    return verified


def result_of(record: MatchRecord, verified: Verified, digest: str) -> Result:
    """Make the log's entry: a pure function of record and journal, so that it comes out once."""
    seats = tuple(Seated(seat.bot, seat.version) for seat in record.seats)
    standing, why = standing_of(record, verified)
    return Result(
        match=record.match,
        number=record.number,
        game=record.game,
        rules=record.rules,
        cards=record.cards,
        pairing=record.pairing,
        cause=record.cause,
        attempt=record.attempt,
        standing=standing,
        why=why,
        ending=str(verified.ending),
        reason=verified.reason,
        seats=seats,
        sides=verified.sides or tuple((seat,) for seat in range(len(seats))),
        ranks=verified.ranks,
        scores=verified.scores,
        faults=verified.faults or ("",) * len(seats),
        decisions=verified.decisions,
        digest=verified.digest,
        archive=digest,
    )


def standing_of(record: MatchRecord, verified: Verified) -> tuple[Standing, Why]:
    """Say what a match counts for, and why not more."""
    ending = Ending(verified.ending)
    if ending in OURS:
        return Standing.VOID, Why(ending.value)
    if ending is Ending.NO_SHOW:
        return Standing.UNRATED, Why.NO_SHOW
    if not record.rated:
        return Standing.UNRATED, Why.TOURNAMENT if tournament_of(record.cause) else Why.PRACTISE
    assert ending in RATED, ending
    return Standing.RATED, Why.NONE


def aftermath(record: MatchRecord, result: Result) -> Aftermath:
    """Say what a result means for its bots' next pairings."""
    bots = tuple(seat.bot for seat in record.seats)
    after = Aftermath(bots=bots, case=result.why is Why.REFEREE_FAULT)
    by_fault = dict(zip(bots, result.faults))
    if result.ending == Ending.NO_SHOW:
        absent = tuple(bot for bot in bots if by_fault[bot] == Ending.NO_SHOW)
        waiting = tuple(bot for bot in bots if bot not in absent) if record.rated else ()
        return after._replace(absent=absent, waiting=waiting)
    if result.standing is Standing.VOID:
        return after
    faulty = tuple(bot for bot in bots if by_fault[bot] in FAULTS)
    sound = tuple(bot for bot in bots if bot not in faulty)
    return after._replace(faulty=faulty, sound=sound)
