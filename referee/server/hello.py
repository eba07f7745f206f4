"""What a Hello must be, before anything of it is believed."""

from __future__ import annotations

from collections.abc import Iterable

from referee.engine.errors import WarladderError
from referee.server.partings import Parting
from warladder.v1 import referee_pb2 as pb


class BadHello(WarladderError):
    """It costs the stream; the text says what is wrong."""

    def __init__(self, text: str, parting: Parting = Parting.BAD_HELLO) -> None:
        super().__init__(text)
        self.parting = parting


def check(
    hello: pb.Hello, text_bytes: int, games: Iterable[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """
    Look at what a bot calls itself and wants to play.

    Args:
        text_bytes: A version or an instance has at most so many.
        games: Those that are played here.

    Returns:
        Which of its games are played here and which are not, each once, in its order.

    Raises:
        BadHello: It cannot attend so.
    """
    for name, text in (("version", hello.version), ("instance", hello.instance)):
        if len(text.encode()) > text_bytes:
            raise BadHello(f"{name} has more than {text_bytes} bytes")
        if not text.isprintable():  # it stands in logs and tables
            raise BadHello(f"{name} has characters that cannot be printed: {text!r}")
    if not hello.games:
        raise BadHello(f"games is empty; played here: {', '.join(games)}")
    wanted = dict.fromkeys(hello.games)
    known = tuple(name for name in wanted if name in games)
    unknown = tuple(name for name in wanted if name not in games)
    if not known:
        raise BadHello(not_played(unknown[0], games), Parting.NO_GAME)
    return known, unknown


def not_played(name: str, games: Iterable[str]) -> str:
    """What is said of a game that is not played here."""
    return f"{name[:64]!r} is not played here; these are: {', '.join(games)}"
