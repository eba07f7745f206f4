"""Whatever the order and the manner in which results arrive: one log, one table."""

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from matchmaker import rater, table
from matchmaker.archive import Archive
from matchmaker.entries import Entry, Keep, Result, Season, Standing, Void
from matchmaker.fold import Fold, TooLate, whole
from matchmaker.keys import Keys
from matchmaker.leader import Term
from matchmaker.log import Aftermath, Closed, Log, Position, Receipt
from matchmaker.rater import Rater, recompute
from matchmaker.ratings import Rating, TrueSkill
from tests.helpers.lossy_proxy import lossy_proxy
from tests.helpers.redis_server import RedisServer
from tests.matchmaker.test_fold import result

MANY = 10_000
ORDERS = 20


@pytest.fixture
def plain_ratings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain arithmetic, on which the order of matches tells as much: 200,000 are quick."""

    def rate(
        self: TrueSkill, sides: Sequence[Sequence[Rating]], ranks: Sequence[int]
    ) -> list[list[Rating]]:
        (one,), (other,) = sides
        step = (one.sigma + other.sigma) / 10 * (ranks[1] - ranks[0] - (one.mu - other.mu) / 60)
        return [
            [Rating(one.mu + step, one.sigma * 0.99)],
            [Rating(other.mu - step, other.sigma * 0.99)],
        ]

    monkeypatch.setattr(TrueSkill, "rate", rate)


def simulated(count: int, seed: int = 4) -> list[Result]:
    """Matches of 40 bots of known strength, some with a second version, some not rated."""
    chance = random.Random(seed)
    bots = [f"bot{number:02}" for number in range(40)]
    made = []
    for number in range(1, count + 1):
        one, other = sorted(chance.sample(range(len(bots)), 2))
        wins = chance.random() < 0.5 + (other - one) / 90
        ranks = (1, 1) if chance.random() < 0.05 else (1, 2) if wins else (2, 1)
        standing = chance.choices(list(Standing), (95, 3, 2))[0]
        version = "2" if number > count * 3 // 5 else "1"
        made.append(
            result(
                number, bots[one], bots[other], ranks=ranks, standing=standing, version=version,
                game="chess" if number % 10 == 0 else "toy",
            )
        )  # fmt: skip
    return made


def with_words(results: Sequence[Result]) -> list[Entry]:
    """The results with two seasons and what an operator took out."""
    entries: list[Entry] = list(results)
    rated = [each for each in results if each.standing is Standing.RATED]
    entries += [
        Void(match=each.match, by="olga", reason="why")
        for each in rated[:: max(1, len(rated) // 25)]
    ]
    third = len(results) // 3
    entries.append(Season(game="toy", name="one", number=third))
    entries.append(Season(game="toy", name="two", number=2 * third, keep=Keep.MU))
    return entries


def tables(fold: Fold) -> dict[str, bytes]:
    return rater.documents(fold, Position())


def stepped(entries: Sequence[Entry]) -> Fold:
    """Entry by entry, as the rater folds; what is too late folds all anew."""
    fold = Fold()
    for index, entry in enumerate(entries):
        try:
            fold.add(entry)
        except TooLate:
            fold = whole(entries[: index + 1])
    return fold


@pytest.mark.usefixtures("plain_ratings")
def test_ten_thousand_results_in_twenty_orders_give_one_table() -> None:
    results = simulated(MANY)
    expected = tables(stepped(results))
    assert len(expected["toy"]) > 8_000
    backwards = [replace(each, number=MANY + 1 - each.number) for each in results]
    assert tables(stepped(backwards)) != expected, "the order of match numbers does matter"
    for seed in range(ORDERS):
        random.Random(seed).shuffle(results)
        assert tables(stepped(results)) == expected


def test_seasons_voids_and_results_in_twenty_orders_give_one_table() -> None:
    entries = with_words(simulated(100))
    expected = tables(whole(entries))
    assert set(expected) == {"chess", "toy", "toy:preseason", "toy:one"}
    for seed in range(ORDERS):
        random.Random(seed).shuffle(entries)
        assert tables(stepped(entries)) == expected
        assert tables(whole(entries)) == expected


def close(log: Log, results: Sequence[Result]) -> None:
    with log.redis.pipeline(transaction=False) as pipe:
        for each in results:
            pipe.hset(log.keys.match(each.match), "status", "ended")
        pipe.execute()
    for each in results:
        closed, _ = log.close(each, Aftermath(bots=tuple(seat.bot for seat in each.seats)))
        assert closed is Closed.NOW


def test_a_shuffled_order_through_the_store_gives_that_table_and_recompute_agrees(
    connection: redis.Redis,
    keys: Keys,
    term: Term,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Voids and seasons on the way, settled results in the archive, checkpoints taken up again."""
    archive, log = Archive(tmp_path / "archive"), Log(connection, keys)
    monkeypatch.setattr(rater, "TAIL", 200)
    monkeypatch.setattr(rater, "SEGMENT", 300)
    results = simulated(1_500)
    # Late by up to some hundred matches, as matches of very different length are.
    chance = random.Random(9)
    arrived = sorted(results, key=lambda each: each.number + chance.randrange(150))
    words: list[Entry] = [each for each in with_words(results) if not isinstance(each, Result)]
    new = Rater(connection, keys, term, archive, ["toy", "chess"], clock=lambda: 0.0)
    new.load()
    cuts = [0, 400, 700, 1_100, 1_500]
    for begin, end in pairwise(cuts):
        close(log, arrived[begin:end])
        done = {each.match for each in arrived[:end]}
        for word in [w for w in words if not isinstance(w, Void) or w.match in done]:
            log.note(word)
            words.remove(word)
        settled = min((each.number for each in arrived[end:]), default=MANY) - 1
        while not new.take(settled):
            pass
        new.publish(now=True)
        while new.trim():
            pass
        new = Rater(connection, keys, term, archive, ["toy", "chess"], clock=lambda: 0.0)
        new.load()
    assert log.base().position == 1_200
    expected = whole(with_words(results))
    for name in ("toy", "chess"):
        shown = table.read(connection, name, keys.namespace)
        wanted = table.render(expected, name, shown["position"], bytes.fromhex(shown["head"]))
        assert shown == wanted
    found = recompute(connection, archive, keys.namespace)
    assert (found.ok, found.results, found.differences) == (True, 1_500, ())


def test_a_thousand_results_over_a_line_that_loses_answers_are_in_the_log_once(
    server: RedisServer, connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    """The store has done it, the client never hears so, and tries again until it does."""
    results = simulated(1_000)
    log = Log(connection, keys)
    with connection.pipeline(transaction=False) as pipe:
        for each in results:
            pipe.hset(keys.match(each.match), "status", "ended")
        pipe.execute()
    receipts: dict[str, Receipt] = {}
    answers: list[Closed] = []
    with lossy_proxy(server.socket, server.folder / f"{keys.namespace}.sock", 0.3) as proxy:
        plainly = Retry(NoBackoff(), 0)
        with redis.Redis.from_url(proxy.url, retry=plainly) as client:
            lossy = Log(client, keys)
            for each in results:
                after = Aftermath(bots=tuple(seat.bot for seat in each.seats))
                while each.match not in receipts:
                    try:
                        closed, receipt = lossy.close(each, after)
                    except redis.ConnectionError:
                        continue
                    assert receipt is not None
                    answers.append(closed)
                    receipts[each.match] = receipt
    assert proxy.lost > 250
    assert answers.count(Closed.BEFORE) > 200, "done, and not heard of, at the first try"
    assert set(answers) == {Closed.NOW, Closed.BEFORE}
    entries = [each.entry for each in log.whole_tail()]
    assert entries == results
    assert receipts == {each.match: log.receipt(each.match) for each in results}
    assert [receipts[each.match].position for each in results] == list(range(1, 1_001))
    assert log.refusals() == 0
