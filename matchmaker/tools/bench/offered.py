"""
What the store takes to open a match and to end it, a hundred of each a second, beside a PING.

Opening is what makes a match from nothing to being played: the scripts `PLAN` and `OPEN`. Ending is
what makes it from there to a result: the referee's `APPEND` of the end, and `CLOSE`. Each is timed
from the first call to the last answer. At each hundredth of a second one PING, one opening and one
ending of an earlier match go over the same connection, in turn, to a store of their own, with its
file as durable as in `up`.
"""

from __future__ import annotations

import secrets
import time
from statistics import quantiles
from typing import Any, NamedTuple

import redis

from matchmaker import embedded, lineup, scripts
from matchmaker.closing import aftermath, result_of
from matchmaker.entries import Seated
from matchmaker.keys import Keys
from matchmaker.leader import Term
from matchmaker.log import Closed, Log
from matchmaker.pairing import seat_orders
from matchmaker.registry import admit
from matchmaker.series import new_pairing, pack_pairing
from matchmaker.settings import connect
from matchmaker.supervise import Supervisor
from matchmaker.tools.bench.figures import Row, rounded
from matchmaker.tools.bench.processes import socket_folder
from matchmaker.tools.quiet import quiet
from referee import games
from referee.match.journal import Choice, End, Ending, Setup, pack_entry
from referee.match.replay import Verified
from referee.store.records import MatchRecord, SeatRecord, pack_record
from referee.store.scripts import APPEND, OPEN, packed

A_SECOND = 100
BOTS = ("bot-1", "bot-2")
REFEREE, TOKEN = "referee", "0123456789abcdef"
RUNNING = 64
"""Matches that are being played meanwhile: as many openings before the first ending."""
WARM = 50
"""Ticks before they count."""


class Times(NamedTuple):
    """Middle and hundredth-worst seconds of one kind of call."""

    p50: float
    p99: float


class Found(NamedTuple):
    """One run."""

    ping: Times
    opening: Times
    ending: Times

    @property
    def rows(self) -> list[Row]:
        found = []
        for name, times in (("opening", self.opening), ("ending", self.ending)):
            for part in Times._fields:
                took: float = getattr(times, part)
                title = f"store's {name} of a match, {A_SECOND} a second, {part}, beside a PING"
                found.append(_row(title, took, self.ping.p50))
        return [_row("PING, p50", self.ping.p50), _row("PING, p99", self.ping.p99), *found]


def _row(name: str, took: float, raw: float | None = None) -> Row:
    return Row(
        name,
        rounded(took * 1e6),
        "us",
        None if raw is None else rounded(raw * 1e6),
        None if raw is None else rounded(took / raw),
        None,
    )


def measure(seconds: float) -> list[Row]:
    """Rows of PING, opening and ending, each beside the middle PING."""
    return find(seconds).rows


def find(seconds: float) -> Found:
    """Offer for so long."""
    with quiet(), socket_folder() as folder, Supervisor() as supervisor:
        url = embedded.start(
            supervisor, folder / "data", folder / "redis.sock", folder / "redis.log"
        )
        with connect(url) as store:
            return _Offer(store).run(int(seconds * A_SECOND))


class _Offer:
    """A namespace whose leader we are."""

    def __init__(self, store: redis.Redis) -> None:
        self.redis = store
        self.keys = Keys("bench")
        self.log = Log(store, self.keys)
        self.term = Term(store, self.keys, term_ms=3_600_000)
        self.term.hold()
        for bot in BOTS:
            admit(store, bot, f"author-of-{bot}", namespace=self.keys.namespace)

    def run(self, ticks: int) -> Found:
        pings, openings, endings = list[float](), list[float](), list[float]()
        records = [self._opened(number)[0] for number in range(1, RUNNING + 1)]
        due = time.perf_counter()
        for tick in range(WARM + ticks):
            due += 1 / A_SECOND
            time.sleep(max(0.0, due - time.perf_counter()))
            for turn in range(3):  # whoever comes first after a pause pays for it
                match (tick + turn) % 3:
                    case 0:
                        pings.append(self._ping())
                    case 1:
                        record, took = self._opened(RUNNING + 1 + tick)
                        records.append(record)
                        openings.append(took)
                    case 2:
                        endings.append(self._ended(records.pop(0)))
        return Found(*(_times(some[WARM:]) for some in (pings, openings, endings)))

    def _ping(self) -> float:
        began = time.perf_counter()
        self.redis.ping()
        return time.perf_counter() - began

    def _opened(self, number: int) -> tuple[MatchRecord, float]:
        """Open a match and play it up to its end; how long the opening took."""
        game, _ = lineup.quickest()
        facts = games.get(game).facts
        pairing = new_pairing(game, [Seated(bot, "1") for bot in BOTS], seat_orders(2))
        record = MatchRecord(
            match=secrets.token_hex(8),
            number=number,
            game=game,
            rules=facts.rules,
            cards=facts.cards,
            seats=tuple(SeatRecord(bot=bot, version="1") for bot in BOTS),
            seed=secrets.token_hex(16),
            salt=secrets.token_bytes(16),
            setting=pairing.setting,
            rated=True,
            pairing=pairing.pairing,
        )
        prefix, data = self.keys.prefix, pack_record(record)
        places = [RUNNING + 1] * len(BOTS)
        plan = [
            record.match, number, data, game, list(BOTS), places, pairing.pairing,
            pack_pairing(pairing), True,
        ]  # fmt: skip
        plans = packed([plan])
        began = time.perf_counter()
        [answer] = self.redis.eval(scripts.PLAN, 0, prefix, self.term.token, plans)
        opened = self.redis.eval(OPEN, 0, prefix, record.match, REFEREE, TOKEN)
        took = time.perf_counter() - began
        assert answer == [1], answer
        assert opened[:2] == [1, 1], opened
        self._append(record, 0, [pack_entry(Setup(data))])
        self._append(record, 1, [pack_entry(Choice(seat=k % 2, option=0)) for k in range(4)])
        return record, took

    def _ended(self, record: MatchRecord) -> float:
        """End a match and close it; how long that took."""
        digest = bytes(32)
        end = End(
            ending=Ending.NORMAL, ranks=(1, 2), scores=(3, 0), reason="points", faults=("", ""),
            digest=digest,
        )  # fmt: skip
        verified = Verified(
            ending=end.ending, ranks=end.ranks, scores=end.scores, reason=end.reason,
            sides=((0,), (1,)), digest=digest, decisions=4,
        )  # fmt: skip
        result = result_of(record, verified, secrets.token_hex(32))
        entries = [pack_entry(end)]
        began = time.perf_counter()
        self._append(record, 5, entries, str(Ending.NORMAL))
        closed, _ = self.log.close(result, aftermath(record, result))
        took = time.perf_counter() - began
        assert closed is Closed.NOW, closed
        return took

    def _append(
        self, record: MatchRecord, first: int, entries: list[bytes], ending: str = ""
    ) -> None:
        blob = packed([(record.match, 1, TOKEN, first, entries, ending)])
        answers: Any = self.redis.eval(APPEND, 0, self.keys.prefix, REFEREE, blob)
        assert answers == [first + len(entries)], answers


def _times(seconds: list[float]) -> Times:
    hundredths = quantiles(seconds, n=100, method="inclusive")
    return Times(hundredths[49], hundredths[98])
