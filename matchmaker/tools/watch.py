"""
`warladder watch`: follow a running match on a terminal, as the public may know it.

What is shown comes from `viewing.running` alone, as on the web: late by the match's delay, made of
the public's view and events. When the match has closed, the rest is told from its replay.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from rich.table import Table as Grid

from matchmaker import closed as files
from matchmaker import connection, output, underway
from matchmaker.archive import Archive
from matchmaker.browse import Past, Row
from matchmaker.connection import Ladder
from matchmaker.entries import Result
from matchmaker.errors import FellShort, WrongUse
from matchmaker.keys import Keys
from matchmaker.log import Log
from matchmaker.viewing import closed, titles
from matchmaker.viewing.closed import Withheld
from matchmaker.viewing.plain import changed
from matchmaker.viewing.running import Running
from matchmaker.viewing.screen import Screen
from matchmaker.viewing.table import Table, components_of
from matchmaker.web.words import ENDING_WORDS, STATE_WORDS, WHY_WORDS
from referee.games import PUBLIC
from referee.store.plainly import as_bytes

LOOK_SECONDS = 0.5
"""Between two looks at a match of which nothing new is due."""
CAUGHT_UP = 40
"""So many of the last events are told to who comes late; on no terminal, all are."""
WITHHELD = "another match on the same deal is still to be played; it is shown when that has ended"


def run(match: str | None, as_json: bool) -> int:
    """
    Follow a match until it has closed; without one, list those that run.

    Raises:
        WrongUse: There is no such match.
        FellShort: It cannot be shown.
    """
    with connection.ladder() as ladder:
        if match is None:
            return show_running(ladder, as_json)
        return Watching(ladder, match, as_json).to_the_end()


# The list


def show_running(ladder: Ladder, as_json: bool) -> int:
    """What can be watched; who plays is told when a match ends, not before."""
    found = [each for each in underway.listed(ladder) if each.status == "playing"]
    seconds, _ = as_bytes(ladder.redis.time())
    if as_json:
        matches = [
            {
                "match": each.match, "game": each.game, "seats": each.seats, "rated": each.rated,
                "tournament": each.tournament, "referee": each.referee,
                "opened_ms": each.opened_ms, "watch_delay_ms": each.pace.watch_delay_ms,
            }
            for each in found
        ]  # fmt: skip
        print(output.document("watch", True, matches=matches))
        return 0
    if not found:
        print("no match is running; `warladder replay list` has those that are over")
        return 0
    grid = Grid("match", "game", "seats", "for", "shown late by", box=None, pad_edge=False)
    for each in found:
        age, delay = int(seconds) - each.opened_ms // 1000, each.pace.watch_delay_ms / 1000
        grid.add_row(
            each.match, each.game, str(each.seats), f"{max(0, age)} s", f"{delay:g} s"
        )  # fmt: skip
    print(output.drawn(grid))
    return 0


# One match


class Watching:
    """One match, followed from where it is to its end."""

    def __init__(self, ladder: Ladder, match: str, as_json: bool) -> None:
        self.ladder = ladder
        self.archive = files.archive_of(ladder)
        self.match = match
        self.as_json = as_json
        self.running = Running(ladder)
        self.console = output.screen()
        self.screen: Screen | None = None
        """None until there is something to show."""
        self.now: Any = None
        """The position shown last."""
        self.steps = 0
        self.events: list[Any] = []
        self.turn = ""
        self.said = ""

    def to_the_end(self) -> int:
        while True:
            try:
                part = self.running.part(self.match, self.steps)
            except Withheld:
                raise FellShort(f"match {self.match}: {WITHHELD}") from None
            if part is not None:
                self.take(part)
                if part["end"]:
                    self.note("the match has ended and is about to be closed")
                wait = part["wait_ms"] / 1000
                time.sleep(min(wait, LOOK_SECONDS) if wait else LOOK_SECONDS)
            elif (row := self.closed()) is not None:
                return self.over(row)
            else:
                self.wait()

    def wait(self) -> None:
        """
        It is under way, but not in play.

        Raises:
            WrongUse: It is not under way at all, and never was.
        """
        found = underway.find(self.ladder, self.match)
        if found is None and self.closed() is None:
            raise WrongUse(
                f"there is no match {self.match!r}; `warladder watch` lists those that run,"
                " `warladder replay list` those that are over"
            )
        if found is not None:
            self.note(f"match {self.match} {STATE_WORDS.get(found.status, found.status)}")
            time.sleep(LOOK_SECONDS)

    def note(self, text: str) -> None:
        """Something for people about the match itself, once."""
        if text != self.said:
            self.said = text
            print(text, file=sys.stderr)

    def closed(self) -> Row | None:
        """Find its result; where the archive is not known, among the last ones alone."""
        log, archive = Log(self.ladder.redis, Keys(self.ladder.namespace)), self.archive
        receipt = log.receipt(self.match)
        if receipt is None and archive is None:
            return None
        past = Past(log, archive or Archive(Path(os.devnull)))
        return past.match(self.match, receipt.position if receipt else 0)

    # What is shown

    def take(self, part: dict[str, Any]) -> None:
        """Show some more steps."""
        if self.screen is None:
            self.begin(part)
        assert self.screen is not None
        table = self.screen.table
        self.events += part["events"]
        news: list[Any] = []
        turned = False
        for step in part["steps"]:
            self.now = part["begin"] if self.now is None else changed(self.now, step["change"])
            table.view, table.asked = self.now["public"], step["asked"]
            fresh = [self.events[number] for number in step["events"]]
            turned |= table.turn() != self.turn
            self.turn = table.turn()
            if self.as_json:
                self.line(step, fresh)
            news += fresh
        self.steps += len(part["steps"])
        if self.as_json or not part["steps"]:
            return
        if self.console.is_terminal and len(news) > CAUGHT_UP:
            self.screen.say(f"… {len(news) - CAUGHT_UP} things happened before")
            news = news[-CAUGHT_UP:]
        self.screen.happened(news)
        if turned:
            self.screen.draw()

    def begin(self, part: dict[str, Any]) -> None:
        components = components_of(part["game"], part["cards"])
        table = Table(part["game"], len(part["seats"]), PUBLIC, components)
        self.screen = Screen(self.console, table)
        delay = part.get("delay_ms", 0)
        if self.as_json:
            fields = {"game": part["game"], "seats": len(part["seats"]), "delay_ms": delay}
            self.print_json(output.document("watch", True, match=self.match, **fields))
            return
        late = f", {delay / 1000:g} s late" if delay else ""
        self.screen.say(f"match {self.match} of {part['game']}, as the public sees it{late}")

    def line(self, step: dict[str, Any], fresh: list[Any]) -> None:
        assert self.screen is not None
        table = self.screen.table
        told = [{"event": name, "fields": fields, "text": text} for name, fields, text in fresh]
        fields = {"turn": table.turn(), "asked": step["asked"], "events": told}
        self.print_json(output.printable(json.dumps(fields, ensure_ascii=False)))

    @staticmethod
    def print_json(line: str) -> None:
        print(line, flush=True)

    # Its end

    def over(self, row: Row) -> int:
        """Tell the rest, how it came out, and where it can be read."""
        result = row.result
        if self.screen is not None and result.archive:
            self.take_the_rest(result)
        played = result.archive
        file = str(self.archive.path(played)) if self.archive and played else ""
        found = files.Row(
            at_ms=row.at_ms, result=result, standing=row.standing.value, file=file
        )  # fmt: skip
        if self.as_json:
            self.print_json(output.document("watch", True, over=True, **found.fields()))
            return 0
        for line in how_it_came_out(row, found.file):
            print(output.harmless(line))
        return 0

    def take_the_rest(self, result: Result) -> None:
        """What was not shown yet: a closed match has no secrets from the public."""
        if self.archive is None:
            return
        try:
            self.take(closed.course(self.archive, result.archive, PUBLIC, self.steps))
        except Withheld:
            self.note(f"match {self.match}: {WITHHELD}")


def how_it_came_out(row: Row, file: str) -> list[str]:
    """A closed match in a few lines: ending, ranks, whether it counts, its replay."""
    result = row.result
    table = Table(result.game, len(result.seats), PUBLIC, b"{}")
    ending = ENDING_WORDS.get(result.ending, result.ending)
    why_so = titles.reason(result.game, result.reason) or result.reason
    reason = f"; {why_so}" if why_so else ""
    lines = [f"match {result.match} of {result.game} is over: {ending}{reason}"]
    for n, seat in enumerate(result.seats):
        rank = f"{result.ranks[n]}. " if result.ranks else ""
        fault = f", {result.faults[n]}" if result.faults[n] else ""
        lines.append(f"  {rank}{seat.bot}, {table.seat(n)}{fault}")
    why = WHY_WORDS.get(row.why.value, row.why.value)
    lines.append(f"{row.standing.value}{f': {why}' if why else ''}")
    if file:
        lines.append(f"read it with `warladder replay show {file}`")
    else:
        lines.append(
            "WARLADDER_ARCHIVE names no folder" if result.archive else "nothing was played"
        )
    return lines
