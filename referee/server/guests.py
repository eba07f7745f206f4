"""
Who is at the door: every live stream by bot, greeted or not, and what a bot may send and open.

A bot's allowance is one for all its streams and outlasts them: dialling again makes no new one.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple, Self

from referee.server.limits import Bucket, Limits

if TYPE_CHECKING:
    from referee.server.stream import Stream


class Allowance(NamedTuple):
    """What one bot may send, all its streams together."""

    messages: Bucket
    """That answer no question."""
    bytes: Bucket
    wishes: Bucket
    """To practise."""

    @classmethod
    def of(cls, limits: Limits, now: float) -> Self:
        return cls(
            Bucket(limits.messages_per_second, limits.burst, now),
            Bucket(limits.bytes_per_second, limits.bytes_burst, now),
            Bucket(limits.wishes_per_second, limits.wishes_burst, now),
        )


ALLOWANCES_KEPT = 1_024
"""Of bots that have no stream, the latest last; an older one is full again by then."""
FAULTY_KEPT = 1_024
DIALLERS_KEPT = 1_024
"""Of known tokens, and as many of others."""


class Diallers:
    """
    Who may come in now: so many streams a second, and fewer of one token.

    Tokens that were good before have an allowance of their own, so that a stranger who dials in a
    loop, with a new made-up token each time, keeps none of them out.
    """

    def __init__(self, limits: Limits, now: Callable[[], float], key: bytes) -> None:
        self.limits, self.now, self._key = limits, now, key
        self._all = {
            good: Bucket(limits.streams_per_second, limits.streams_burst, now())
            for good in (True, False)
        }
        self._tokens: dict[bool, OrderedDict[bytes, Bucket]] = {
            good: OrderedDict() for good in (True, False)
        }
        """By whether they were good before, then unreadably; the latest caller last."""

    def admit(self, token: str) -> bool:
        """Whether another stream may come in now; one that dials in a loop waits alone."""
        now, who = self.now(), self._who(token)
        good = who in self._tokens[True]
        bucket = self._tokens[good].pop(who, None)
        if bucket is None:
            bucket = Bucket(self.limits.dials_per_second, self.limits.dials_burst, now)
        self._keep(good, who, bucket)
        return bucket.take(now) and self._all[good].take(now)

    def trust(self, token: str) -> None:
        """A token that was let in belongs to a bot."""
        who = self._who(token)
        bucket = self._tokens[False].pop(who, None)
        if bucket is not None:
            self._keep(True, who, bucket)

    def _keep(self, good: bool, who: bytes, bucket: Bucket) -> None:
        tokens = self._tokens[good]
        tokens[who] = bucket
        if len(tokens) > DIALLERS_KEPT:
            tokens.popitem(last=False)

    def _who(self, token: str) -> bytes:
        return blake2b(token.encode(), key=self._key, digest_size=16).digest()


class Guests:
    """The live streams of one referee process."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.streams: dict[str, set[Stream]] = {}
        """By bot; none is empty."""
        self._allowances: OrderedDict[str, Allowance] = OrderedDict()
        self._fault_times: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()
        """By bot and instance; the latest newcomer last."""

    def __iter__(self) -> Iterator[Stream]:
        for streams in list(self.streams.values()):
            yield from list(streams)

    def full(self, bot: str) -> bool:
        """Whether this bot has as many streams as one may have."""
        return len(self.streams.get(bot, ())) >= self.limits.streams

    def enter(self, stream: Stream) -> Allowance:
        """Note a stream; returns what its bot may send."""
        self.streams.setdefault(stream.bot, set()).add(stream)
        allowance = self._allowances.pop(stream.bot, None)
        if allowance is None:
            allowance = Allowance.of(self.limits, stream.heard_at)
        self._allowances[stream.bot] = allowance
        if len(self._allowances) > ALLOWANCES_KEPT + len(self.streams):
            self._forget()
        return allowance

    def fault_times(self, bot: str, instance: str) -> deque[float]:
        """When its counted faults of the last minute were, whatever the stream, oldest first."""
        times = self._fault_times.pop((bot, instance), None)
        if times is None:
            times = deque()
        self._fault_times[bot, instance] = times
        if len(self._fault_times) > FAULTY_KEPT:
            self._fault_times.popitem(last=False)
        return times

    def leave(self, stream: Stream) -> None:
        """Forget a stream; may be called again."""
        streams = self.streams.get(stream.bot, set())
        streams.discard(stream)
        if not streams:
            self.streams.pop(stream.bot, None)

    def _forget(self) -> None:
        """Let the oldest allowance of a bot without a stream go."""
        for bot in self._allowances:
            if bot not in self.streams:
                del self._allowances[bot]
                return
