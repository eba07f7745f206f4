"""What a bot must keep to, and how long the referee waits for it."""

from __future__ import annotations

from dataclasses import dataclass

from warladder.v1 import referee_pb2 as pb


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Numbers of one referee; the defaults are those of an open server."""

    message_bytes: int = 64 * 1024
    received_bytes: int = 16 * 1024 * 1024
    """What the transport takes at all: between the two, a bot is told what it did wrong."""
    matches: int = 64
    questions_at_once: int = 64
    messages_per_second: int = 50
    """Of one bot, that answer no question."""
    burst: int = 200
    """The same at once."""
    bytes_per_second: int = 1 << 20
    """Of one bot, whatever they say."""
    bytes_burst: int = 4 << 20
    streams: int = 32
    """Of one bot: all instances, those without a Hello too."""
    wishes_per_second: float = 1.0
    wishes_burst: int = 8
    """Practise matches that one bot may wish for at once: others' wishes wait in the same list."""
    faults_per_minute: int = 20
    messages_unread: int = 2_000
    bytes_unread: int = 8 * 1024 * 1024
    text_bytes: int = 64
    """Of a version or an instance."""
    hello_seconds: float = 10.0
    ping_seconds: float = 10.0
    silence_seconds: float = 30.0
    """0: silence is borne, as where a bot may be stopped in a debugger."""
    blocked_seconds: float = 20.0
    """A write that takes so long is not being read."""
    farewell_seconds: float = 2.0
    """For the last messages of a stream that ends."""
    linger_seconds: float = 0.5
    """Between a stream's last message and its status."""
    streams_per_second: float = 200.0
    streams_burst: int = 400
    dials_per_second: float = 2.0
    """Of one token: a bot that dials in a loop must not keep others from coming back."""
    dials_burst: int = 100

    def message(self) -> pb.Limits:
        return pb.Limits(
            message_bytes=self.message_bytes,
            matches=self.matches,
            questions_at_once=self.questions_at_once,
            messages_per_second=self.messages_per_second,
            faults_per_minute=self.faults_per_minute,
            messages_unread=self.messages_unread,
            streams=self.streams,
            bytes_per_second=self.bytes_per_second,
        )


class Bucket:
    """So many at once, so many a second."""

    __slots__ = ("at", "burst", "left", "rate")

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self.rate, self.burst, self.left, self.at = rate, burst, burst, now

    def take(self, now: float, amount: float = 1.0) -> bool:
        self.left = min(self.burst, self.left + (now - self.at) * self.rate)
        self.at = now
        if self.left < amount:
            return False
        self.left -= amount
        return True
