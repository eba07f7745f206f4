"""One match as a person plays it: the table, what happened, the question, the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import suppress
from typing import Any, Protocol

from rich.console import Console

from matchmaker.tools.human.offers import Offers
from matchmaker.viewing import titles
from matchmaker.viewing.course import told
from matchmaker.viewing.plain import plain
from matchmaker.viewing.screen import Screen
from matchmaker.viewing.table import Said, Table
from matchmaker.web.words import ENDING_WORDS
from referee import games
from warladder.v1 import referee_pb2 as pb

Say = Callable[..., Awaitable[None]]

HELP = """\
a number      takes that option
Enter         takes the option marked (Enter)
a word        shows the options that have it; with one left, Enter takes it
all           shows every option
b             shows the table
c             shows your cards and what they do
l             tells again what has happened since your last answer
o             pass every question of this kind from now on
x             take these orders back
r             resign
Ctrl-C        leave the match
"""
NO_CLOCK_MS = 3_600_000
"""A clock with more on it than this is not worth a person's look."""
DECLINING = ("pass", "stop")
"""Verbs by which nothing is done: Enter says them."""


class Lines(Protocol):
    """Where answers come from."""

    @property
    def is_terminal(self) -> bool: ...

    def forget(self) -> None: ...

    async def line(self) -> str | None: ...


class Sitting:
    """A seat that a person has; messages of its match come in, answers go out."""

    def __init__(
        self,
        started: pb.MatchStarted,
        components: bytes,
        orders: Collection[str],
        console: Console,
        lines: Lines,
        say: Say,
        broke: Callable[[], object],
    ) -> None:
        """
        Args:
            orders: Kinds of decision that take standing orders.
            say: Sends a message to the referee, given as `BotMessage` takes it.
            broke: Called when this cannot go on; `broken` says why.
        """
        self.broke = broke
        self.broken: list[BaseException] = []
        self.match = started.match
        self.seat = started.seat
        self.sides = list(started.sides) or list(range(started.seats))
        self.wire = games.get(started.game).wire
        self.table = Table(started.game, started.seats, started.seat, components)
        self.screen = Screen(console, self.table)
        self.console = console
        self.lines = lines
        self.say = say
        self.may_order = orders
        self.ordered: set[str] = set()
        self.last_event = 0
        self.receipt = b""
        self.since: list[Sequence[Any]] = []
        """What has happened since the last answer."""
        self.drawn: Any = None
        """The scene that the table was drawn for last."""
        self.asked: pb.Decide | None = None
        self.asking: asyncio.Task[None] | None = None
        self.offers: Offers | None = None
        """What the prompt that is shown now takes; None if there is none."""
        self.screen.heading(
            f"{titles.title(started.game)}, your seat: {self.table.seat(self.seat)}"
        )
        self.screen.say("? helps; what you are asked stands below what has happened.", "dim")

    # What the referee says

    async def decide(self, asked: pb.Decide) -> None:
        await self.drop_question()
        self.was_late(asked)
        self.happened(asked)
        self.asked = asked
        self.table.view = plain(self.wire.read_view(asked.view))
        self.table.asked = (self.seat,)
        self.asking = asyncio.create_task(self.ask(asked))
        self.asking.add_done_callback(self.failed)

    def failed(self, asking: asyncio.Task[None]) -> None:
        """Whoever waits for the referee would never hear of a fault of ours."""
        if not asking.cancelled() and (fault := asking.exception()) is not None:
            self.broken.append(fault)
            self.broke()

    async def update(self, news: pb.Update) -> None:
        if news.HasField("default_taken"):
            await self.drop_question()
        self.was_late(news)
        prompted = self.asking is not None and self.offers is not None and bool(news.events)
        if prompted:
            self.console.print()  # from the line of the prompt
        self.happened(news)
        if prompted and self.asked is not None and self.offers is not None:
            self.prompt(self.asked, self.offers)

    def happened(self, message: pb.Decide | pb.Update | pb.MatchEnded) -> None:
        events = [told(self.wire.read_event(each)) for each in message.events]
        self.since += events
        self.screen.happened(events)
        self.last_event = message.last_event or self.last_event
        if not isinstance(message, pb.MatchEnded):
            self.receipt = message.receipt

    def was_late(self, message: pb.Decide | pb.Update) -> None:
        taken = message.default_taken
        if not message.HasField("default_taken") or self.asked is None:
            return
        text = ""
        if taken.decision == self.asked.decision and taken.option < len(self.asked.options):
            said = self.said(self.asked.options[taken.option])
            text = f": {said.group} {said.text}".replace(":  ", ": ")
        self.screen.say(f"You were late, so the default was taken{text} ({taken.defaults} so far)")

    async def end(self, ended: pb.MatchEnded) -> None:
        await self.drop_question()
        self.happened(ended)
        known = ended.ending in pb.Ending.values()
        name = pb.Ending.Name(ended.ending) if known else f"ending {ended.ending}"
        ending = name.removeprefix("ENDING_").lower()
        self.screen.heading(f"The match is over: {ENDING_WORDS.get(ending, ending)}")
        ranks, reason = ended.outcome.ranks, ended.outcome.reason
        if reason:
            said = titles.reason(self.table.game, reason) or reason
            self.screen.point(f"{said[0].upper()}{said[1:]}.", "")
        if ranks:
            own = ranks[self.seat]
            first = {side for side, rank in zip(self.sides, ranks, strict=True) if rank == 1}
            how = "lose" if own > 1 else "win" if len(first) == 1 else "draw"
            self.screen.say(f"You {how}.", "bold")
        for each in ended.opponents:
            rank = f"{ranks[each.seat]}. " if ranks else ""
            own_seat = " (you)" if each.seat == self.seat else ""
            self.screen.say(f"  {rank}{each.bot}, {self.table.seat(each.seat)}{own_seat}")
        if ended.text and ended.text != ending:
            self.screen.say(ended.text)

    async def drop_question(self) -> None:
        """Ask no longer: there is another question, or none."""
        asking, self.asking, self.offers = self.asking, None, None
        if asking is not None and not asking.done():
            asking.cancel()
            with suppress(asyncio.CancelledError):
                await asking
            self.console.print()  # from the line of the prompt

    # The question

    def said(self, option: Any) -> Said:
        return self.table.option(str(self.wire.read_option(option)))

    async def ask(self, asked: pb.Decide) -> None:
        """Ask until there is an answer, and send it."""
        self.lines.forget()
        if self.table.scene() != self.drawn:
            self.drawn = self.table.scene()
            self.screen.draw()
        first = self.wire.read_option(asked.options[0]).verb
        offers = Offers([self.said(each) for each in asked.options], first in DECLINING)
        if len(offers.options) == 1:
            self.screen.say(f"  (no choice: {offers.options[0].text})", "dim")
            option: int | None = 0
        else:
            self.show(offers)
            self.offers = offers
            option = await self.answer(asked, offers)
        self.offers = None
        self.asking = None  # what is being sent must not be stopped: that would end the stream
        self.since.clear()
        if option is None:
            await self.say(resign=pb.Resign(match=self.match))
        else:
            choose = pb.Choose(match=self.match, decision=asked.decision, option=option)
            await self.say(choose=choose)

    def show(self, offers: Offers) -> None:
        assert self.asked is not None
        self.screen.say()
        self.screen.say(self.table.question(self.asked.kind), "bold")
        self.list(offers.lines())

    def list(self, lines: Iterable[str]) -> None:
        for line in lines:
            text = line.lstrip()
            indent = len(line) - len(text)
            number, gap, rest = text.partition("  ")
            if number.isdecimal():
                self.screen.point(rest, f"{' ' * indent}{number}{gap}")
            else:
                self.screen.point(text, " " * indent)

    async def answer(self, asked: pb.Decide, offers: Offers) -> int | None:
        """The index of an option; None for giving up."""
        while True:
            self.prompt(asked, offers)
            line = await self.lines.line()
            if line is None and not self.lines.is_terminal:
                self.screen.say("\nThe input has ended: you resign.")
                return None
            word = (line or "").lower()
            if line is None or word in ("r", "resign", "q", "quit", "exit"):
                if await self.is_sure():
                    return None
                continue
            option = offers.enter() if not word else offers.number(word)
            if option is not None:
                return option
            if word == "o" and self.asked is not None:
                if await self.order(self.asked.kind, offers):
                    return 0
            elif not await self.other(word, offers):
                self.find(word, offers)

    def prompt(self, asked: pb.Decide, offers: Offers) -> None:
        parts = [f"1-{len(offers.options)}"]
        if offers.enter() is not None:
            parts.append(f"Enter = {offers.enter_number()}")
        parts.append("? helps")
        if asked.clock.cap_ms < NO_CLOCK_MS:
            bank, cap = asked.clock.bank_ms // 1000, asked.clock.cap_ms // 1000
            parts.append(f"{min(bank, cap)} s to answer, {bank} s in all")
        self.console.print(f"[{', '.join(parts)}] > ", end="", style="bold", soft_wrap=True)

    async def other(self, word: str, offers: Offers) -> bool:
        """What a person may want besides answering; whether the word is one of these."""
        if word in ("?", "h", "help"):
            self.screen.say("")
            for line in HELP.splitlines():
                self.screen.say(line)
        elif word in ("b", "board", "t", "table"):
            self.screen.draw()
        elif word in ("c", "cards"):
            cards = self.table.cards() or ["The game has nothing to say of your cards."]
            for line in cards:
                self.screen.point(line)
        elif word in ("l", "log"):
            self.screen.happened(self.since)
        elif word == "x":
            await self.take_back()
        elif word in ("all", "a"):
            self.list(offers.lines(most=len(offers.options)))
        elif not word:
            self.screen.say("Enter takes nothing here: type a number.")
        else:
            return False
        return True

    def find(self, word: str, offers: Offers) -> None:
        found = offers.find(word)
        if word.isdecimal():
            self.screen.say(f"There is no option {word}; there are 1 to {len(offers.options)}.")
        elif not found:
            self.screen.say(f"No option has {word!r} in it; `all` shows every one, ? helps.")
        else:
            self.list(offers.lines(found))

    async def is_sure(self) -> bool:
        self.console.print("Give the match up? It counts as lost. Type yes: ", end="")
        line = await self.lines.line()
        return line is None or line.lower() in ("yes", "y")

    # Standing orders

    async def order(self, kind: str, offers: Offers) -> bool:
        """Pass questions of this kind from now on; whether that answers this one too."""
        if kind not in self.may_order or not offers.declines:
            self.screen.say("This kind of question takes no standing order.")
            return False
        self.ordered.add(kind)
        await self.say(standing_order=pb.StandingOrder(match=self.match, window=kind, on=True))
        question = self.table.question(kind)
        self.screen.say(f"From now on you pass: {question} (x takes it back)")
        return True

    async def take_back(self) -> None:
        for kind in sorted(self.ordered):
            order = pb.StandingOrder(match=self.match, window=kind, on=False)
            await self.say(standing_order=order)
        self.screen.say("You are asked again." if self.ordered else "There are no orders.")
        self.ordered.clear()
