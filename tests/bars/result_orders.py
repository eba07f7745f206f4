"""
Does it matter in which order thousands of results arrive? Through a real store, with real ratings.

Each order goes into a ladder of its own, with seasons and voids on the way, and old parts of the
log to the archive; its tables and `recompute` must agree with the fold of the results in order.
"""

import random
import tempfile
from pathlib import Path

import redis

from matchmaker import checking, fold, table
from matchmaker.archive import Archive
from matchmaker.entries import Result
from matchmaker.keys import Keys
from matchmaker.leader import Term
from matchmaker.log import Log
from matchmaker.rater import Rater, recompute
from tests.bars import Measured
from tests.helpers.redis_server import redis_server
from tests.matchmaker.test_arrivals import close, simulated, with_words

MANY, ORDERS = 10_000, 20
SMALL_MANY, SMALL_ORDERS = 600, 3
SLICES = 3
"""Looks of the rater while the results arrive."""


def measure(small: bool) -> Measured:
    """Give how many orders led to another table than the first, or to a log that is not whole."""
    many, orders = (SMALL_MANY, SMALL_ORDERS) if small else (MANY, ORDERS)
    results = simulated(many)
    expected = fold.whole(with_words(results))
    wrong: list[str] = []
    with redis_server() as server, redis.Redis.from_url(server.url) as client:
        for order in range(orders):
            with tempfile.TemporaryDirectory(prefix="wl-orders-") as folder:
                arrived = list(results)
                random.Random(order).shuffle(arrived)
                fault = _differs(client, Keys(f"o{order}"), Path(folder), arrived, expected)
            if fault:
                wrong.append(f"order {order}: {fault}")
            client.flushdb()
    notes = f"{orders} orders of {many} results; {'; '.join(wrong) or 'one table'}"
    return Measured(value=len(wrong), limit=0, ok=not wrong, notes=notes)


def _differs(
    client: redis.Redis, keys: Keys, folder: Path, arrived: list[Result], expected: fold.Fold
) -> str:
    """Let results arrive in this order; what is not as it should be."""
    archive, log, term = Archive(folder), Log(client, keys), Term(client, keys)
    term.term_ms = 3_600_000
    assert term.hold()
    rater = Rater(client, keys, term, archive, ["toy", "chess"])
    rater.load()
    words = with_words(sorted(arrived, key=lambda each: each.number))
    for begin in range(0, len(arrived), len(arrived) // SLICES):
        close(log, arrived[begin : begin + len(arrived) // SLICES])
        while not rater.take(0):
            pass
        rater.publish(now=True)
        while rater.trim():
            pass
    for word in words:
        if not isinstance(word, Result):
            log.note(word)
    while not rater.take(0):
        pass
    rater.publish(now=True)
    for game in ("toy", "chess"):
        for season in table.read(client, game, keys.namespace)["seasons"]:
            shown = table.read(client, game, keys.namespace, season)
            at = shown["position"], bytes.fromhex(shown["head"])
            if shown != table.render(expected, game, *at, season):
                return f"another table of {game}, season {season}"
    found = recompute(client, archive, keys.namespace)
    checking.verify(client, keys, archive)
    return "; ".join(found.differences)
