"""
A referee without a store: the same hall and the same sessions, journals in memory.

For local matches, the bench and tests. It knows its bots' tokens itself and plays what it is given.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import grpc

from referee import games
from referee.match.journal import Entry, unpack_journal
from referee.match.memory import MemoryJournal
from referee.match.record import MatchRecord
from referee.match.replay import check_rules
from referee.match.session import Session
from referee.metrics import Metrics
from referee.server import door
from referee.server.door import Known
from referee.server.hall import Hall
from referee.server.limits import Limits
from referee.server.overheard import Listener

NAME = "local"


class Played(NamedTuple):
    """A match that has ended."""

    record: MatchRecord
    ending: str
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    reason: str
    """The game's own word; empty unless the game ended by its rules."""
    faults: tuple[str, ...]
    """Per seat, empty for none."""
    digest: bytes
    decisions: int
    text: str
    """What happened, if it was our fault."""
    journal: list[bytes]

    @property
    def entries(self) -> list[Entry]:
        return unpack_journal(self.journal)


class LocalReferee:
    """
    A referee for one machine.

    async with LocalReferee("unix:/tmp/x/referee.sock", {"token": "bot"}) as referee:
        await referee.attended(["bot"])
        played = await referee.play(record)
    """

    def __init__(
        self,
        address: str,
        tokens: Mapping[str, str],
        *,
        limits: Limits | None = None,
        metrics: Metrics | None = None,
        listener: Listener | None = None,
    ) -> None:
        """
        Args:
            address: `unix:PATH` or `host:port`; port 0 finds a free one.
            tokens: Bot by token. `token(bot)` makes one.
            listener: Gets all that bots are told and say.
        """
        self.address = address
        self.tokens = dict(tokens)
        self.limits = limits or Limits()
        self.metrics = metrics or Metrics()
        self.listener = listener
        self._server: grpc.aio.Server | None = None
        self._hall: Hall | None = None
        self._waiting: dict[str, asyncio.Future[Played]] = {}
        self._journals: dict[str, MemoryJournal] = {}

    @property
    def hall(self) -> Hall:
        assert self._hall is not None, "not started"
        return self._hall

    def token(self, bot: str) -> str:
        """A new token for a bot."""
        made = f"wl_{secrets.token_urlsafe(24)}"
        self.tokens[made] = bot
        return made

    async def __aenter__(self) -> LocalReferee:
        await self.start()
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """
        Raises:
            BadAddress: The address cannot be listened on.
        """
        self._hall = Hall(
            metrics=self.metrics,
            limits=self.limits,
            ladder_key=secrets.token_bytes(32),
            on_end=self._ended,
        )
        self._server = door.new_server(self.limits.received_bytes)
        handlers = door.bot_handlers(self._hall, self._known, self.listener)
        self._server.add_generic_rpc_handlers((handlers,))
        health = door.Health(self._server, [door.SERVICE])
        self.address = door.listen(self._server, self.address)
        self._hall.addresses = (self.address,)
        await self._server.start()
        await health.serving(True)

    async def stop(self, farewell_seconds: float = 1.0) -> None:
        """End every stream and every match that still runs."""
        if self._hall is None or self._server is None:
            return
        self._hall.part()
        await self._server.stop(farewell_seconds)
        await door.calls_done()
        self._hall.close()
        for future in self._waiting.values():
            future.cancel()
        self._waiting.clear()

    async def _known(self, token: str) -> Known | None:
        bot = self.tokens.get(token)
        return None if bot is None else Known(bot, "")

    async def attended(
        self, bots: Sequence[str | tuple[str, str]], seconds: float = 30.0
    ) -> list[str]:
        """
        Wait until these bots attend; one is a name, or a name and an instance.

        Returns:
            Names of those that do not after so many seconds.
        """
        keys = [(bot, "") if isinstance(bot, str) else bot for bot in bots]

        def missing() -> list[str]:
            return [key[0] for key in keys if key not in self.hall.streams]

        await self.hall.until(lambda: not missing(), seconds)
        return missing()

    def begin(self, record: MatchRecord) -> asyncio.Future[Played]:
        """
        Start a match; the future has its end.

        Raises:
            WarladderError: No such game, other rules, or options that the game refuses.
        """
        check_rules(record)
        assert record.match not in self._waiting, f"match {record.match} is under way"
        journal = MemoryJournal()
        session = Session(
            games.get(record.game), record, journal, self.hall.time, on_end=self.hall.ended
        )
        journal.owner = session
        future: asyncio.Future[Played] = self.hall.loop.create_future()
        self._waiting[record.match] = future
        self._journals[record.match] = journal
        self.hall.play(session, 1, NAME)
        return future

    async def play(self, record: MatchRecord) -> Played:
        """Play a match to its end."""
        return await self.begin(record)

    def _ended(self, session: Session) -> None:
        journal = self._journals.pop(session.match)
        journal.owner = None  # the two would hold each other until garbage is collected
        future = self._waiting.pop(session.match)
        end = session.end
        if end is None or future.done():
            future.cancel()
            return
        future.set_result(
            Played(
                record=session.record,
                ending=end.ending,
                ranks=end.ranks,
                scores=end.scores,
                reason=end.reason,
                faults=end.faults,
                digest=end.digest,
                decisions=session.decisions,
                text=end.text,
                journal=list(journal.entries),
            )
        )
