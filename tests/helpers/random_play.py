"""Whole matches of random answers, as journals."""

from collections.abc import Callable
from random import Random

from referee.match.record import MatchRecord
from tests.helpers.sessions import Table


def random_journal(record: MatchRecord, seed: int = 1, temper: float = 0.3) -> list[bytes]:
    """
    The journal of a match whose seats answer at random.

    Args:
        temper: How often they take the first option, which ends turns and matches sooner.
    """
    rng = Random(seed)

    def choose(options: int) -> int:
        return 0 if rng.random() < temper else rng.randrange(options)

    return _journal(record, rng, choose)


def longest_journal(record: MatchRecord) -> list[bytes]:
    """
    The journal of a match of Battle for Stalingrad with more than 2,200 decisions.

    Of 300 matches of evenly random answers with seeds like this one none was longer.
    """
    assert record.seed == "long 83"
    rng = Random(83)
    return _journal(record, Random(1), rng.randrange)


def _journal(record: MatchRecord, rng: Random, choose: Callable[[int], int]) -> list[bytes]:
    table = Table(record)
    while table.asked:
        seat = rng.choice(table.asked)
        table.time.pass_seconds(rng.random() / 4)
        table.answer(seat, choose(len(table.session.state.options(seat))))
    return list(table.journal.entries)
