"""What each page and each route of the API shows, put together from the readings."""

from __future__ import annotations

import base64
import binascii
import threading
from collections import Counter
from dataclasses import asdict
from typing import Any, NamedTuple

from matchmaker import blame, registry
from matchmaker.browse import Row, Wanted
from matchmaker.entries import Standing
from matchmaker.underway import Underway
from matchmaker.viewing.titles import role
from matchmaker.web import health, journals, shapes, verdicts
from matchmaker.web.contests import Contests
from matchmaker.web.problems import BadRequest, NotHere, NotYours
from matchmaker.web.reading import Reading, endings_of, went
from matchmaker.web.words import STATE_WORDS
from referee.engine.errors import WarladderError
from referee.match.journal import Ending

ENDINGS = tuple(each.value for each in Ending)
STANDINGS = tuple(each.value for each in Standing)
FAULTS_SHOWN = 10
HAPPENINGS_SHOWN = 20
PUBLIC_HAPPENINGS = frozenset(
    {"added", "paused", "resumed", "removed", "banned", "unbanned", "version"}
)
"""What of a bot's history anybody may read; the rest is its author's."""
MATCHES_AT_ONCE = 50
LONGEST = 256
"""Characters of a parameter: answers are kept by what was asked, so that is bounded too."""
LEDGER_AT_ONCE = 200
KEPT_LEDGERS = 8
"""Of closed matches, in memory; the longest have 2 MB each."""


class Ledger(NamedTuple):
    """A part of a match's ledger."""

    match: shapes.Match
    spent: list[shapes.Spent]
    said: list[shapes.Said]
    """What happened besides, in the same part of the match."""
    after: int
    """How many choices come before."""
    more: int
    """Where to go on; 0 at the end."""


class Views:
    """All that is shown of one ladder."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.contests = Contests(reading)
        self._playing = threading.Lock()
        """One replay at a time: it is up to a fifth of a second's work."""
        self._played: dict[str, journals.Told] = {}

    # Tables

    def games(self) -> shapes.Games:
        found = []
        for game in self.reading.games():
            now = self.reading.table(game)
            found.append(shapes.Game.model_validate({**now, "bots": len(now["table"])}))
        return shapes.Games(games=found)

    def leaderboard(self, game: str, season: str = "") -> shapes.Leaderboard:
        now = self.reading.table(game, season)
        running = season in ("", self.reading.table(game)["season"])
        trends = self.reading.trends(now) if running and now["table"] else {}
        rows = [{**row, "trend": trends.get(row["bot"])} for row in now["table"]]
        return shapes.Leaderboard.model_validate({**now, "table": rows})

    # Bots

    def bot(self, name: str) -> shapes.BotPage:
        reading = self.reading
        entry = reading.bot(name)
        games = []
        for game in reading.games():
            shown = self._bot_game(game, name)
            if shown is not None:
                games.append(shown)
        recent = reading.recent(name)
        waiting: Counter[tuple[str, str]] = Counter(
            (each.game, each.status) for each in reading.underway_of(name)
        )
        happenings = [
            each for each in reading.history(name) if each["what"] in PUBLIC_HAPPENINGS
        ]  # fmt: skip
        return shapes.BotPage(
            bot=name,
            entry=entry_of(entry) if entry else None,
            games=games,
            recent=len(recent),
            endings=dict(endings_of(recent, name).most_common()),
            faults=self._faults(recent, name),
            underway=[
                shapes.Waiting(game=game, status=status, matches=count)
                for (game, status), count in sorted(waiting.items())
            ],
            happenings=[
                shapes.Happening.model_validate({**each, "text": str(each.get("text") or "")})
                for each in happenings[:HAPPENINGS_SHOWN]
            ],
        )

    def _bot_game(self, game: str, name: str) -> shapes.BotGame | None:
        now = self.reading.table(game)
        mine = [row for row in now["table"] if row["bot"] == name]
        earlier = [row for row in now["earlier"] if row["bot"] == name]
        course = self.reading.course(game, name)
        if not (mine or earlier or course):
            return None
        _, meetings = self.reading.meetings(game, name)
        return shapes.BotGame(
            game=game,
            position=now["position"],
            head=now["head"],
            now=shapes.TableRow.model_validate(mine[0]) if mine else None,
            earlier=[shapes.TableRow.model_validate(row) for row in earlier],
            course=[shapes.Point.model_validate(each) for each in course],
            meetings=[shapes.Meeting.model_validate(each) for each in meetings],
        )

    def _faults(self, recent: list[Row], name: str) -> list[shapes.Fault]:
        found = []
        for row in recent:
            result = row.result
            own = [number for number, seat in enumerate(result.seats) if seat.bot == name]
            ending = next((result.faults[seat] for seat in own if result.faults[seat]), "")
            if not ending:
                continue
            found.append(
                shapes.Fault(
                    match=result.match,
                    position=row.position,
                    at_ms=row.at_ms,
                    game=result.game,
                    ending=ending,
                    details=list(blame.details(result, own, self.reading.archive)),
                )
            )
            if len(found) == FAULTS_SHOWN:
                break
        return found

    def bots(self) -> list[shapes.BotEntry]:
        return [entry_of(each) for each in self.reading.bots()]

    # Matches

    def matches(
        self, wanted: Wanted, cursor: str = "", count: int = MATCHES_AT_ONCE
    ) -> shapes.Page[shapes.MatchRow]:
        """
        Find closed matches, newest first.

        Raises:
            BadRequest: No such ending or standing, or no cursor of ours.
            NotHere: There was never such a bot.
        """
        among("ending", wanted.ending, ENDINGS)
        among("standing", wanted.standing, STANDINGS)
        if wanted.bot:
            self.reading.bot(wanted.bot)
        found = self.reading.matches(wanted, count, read_cursor(cursor))
        return shapes.Page[shapes.MatchRow](
            items=[row_of(row) for row in found.rows],
            next=cursor_of(found.before) if found.before else None,
        )

    def underway(self) -> list[shapes.Underway]:
        return [shapes.Underway.model_validate(each) for each in self.reading.all_underway()]

    def match(self, name: str, position: int = 0) -> shapes.Match:
        """
        Show one match: what anybody may know of it.

        Raises:
            NotHere: There is none of this id.
        """
        row = self.reading.match(name, position)
        if row is None:
            raise NotHere(f"there is no match {name!r}")
        if isinstance(row, Underway):
            return shapes.Match(
                match=name,
                underway=shapes.Underway.model_validate(row),
                rules=row.rules,
                commitment=row.commitment,
                clocks=asdict(row.clocks),
                pace=asdict(row.pace),
            )
        result = row.result
        shown: dict[str, Any] = {
            "match": name,
            "result": row_of(row),
            "rules": result.rules,
            "cards": result.cards,
            "pairing": result.pairing,
            "digest": result.digest.hex(),
            "verdicts": verdicts.of(row, None),
        }
        if not result.archive:
            return shapes.Match.model_validate({**shown, "unread": "nothing was played"})
        told = self._told(result.archive)
        if isinstance(told, str):
            return shapes.Match.model_validate({**shown, "unread": told})
        record = told.record
        shown |= {
            "commitment": record.commitment.hex(),
            "options": dict(record.options),
            "clocks": asdict(record.clocks),
            "pace": asdict(record.pace),
            "seat_clocks": verdicts.clocks(told),
            "said": [each._asdict() for each in told.said],
            "verdicts": verdicts.of(row, told),
        }
        if record.reveal:
            shown |= {
                "replay": f"/matches/{name}/replay?at={row.position}",
                "replay_digest": result.archive,
                "seed": record.seed,
                "salt": record.salt.hex(),
            }
        return shapes.Match.model_validate(shown)

    def replay(self, name: str, position: int = 0) -> str:
        """
        Name the file of a match's replay.

        Raises:
            NotHere: There is none, or its deal is still to be played.
        """
        row = self._closed(name, position, "replay")
        told = self._told(row.result.archive)
        if isinstance(told, str):
            raise NotHere(told)
        if not told.record.reveal:
            raise NotHere(
                f"match {name}: another match on the same deal is still to be played;"
                " its replay is told when that has ended"
            )
        return row.result.archive

    def _closed(self, name: str, position: int, wanted: str) -> Row:
        """
        Find a closed match that was played.

        Raises:
            NotHere: There is none of this id, it is under way, or nothing was played.
        """
        row = self.reading.match(name, position)
        if row is None:
            raise NotHere(f"there is no match {name!r}")
        if isinstance(row, Underway):
            state = STATE_WORDS[row.status]
            raise NotHere(
                f"match {name} is under way ({state}); its {wanted} is there when it is closed"
            )
        if not row.result.archive:
            raise NotHere(f"match {name} has no {wanted}: nothing was played")
        return row

    def ledger(self, name: str, position: int, seat: int | None, after: int = 0) -> Ledger:
        """
        Tell what each decision was about, and where its time went.

        Args:
            after: Leave out so many; negative: give the last part.
        """
        row = self._closed(name, position, "ledger")
        told = self._chosen(row.result.archive)
        if isinstance(told, str):
            raise NotHere(told)
        if seat is not None and not 0 <= seat < len(row.result.seats):
            raise BadRequest(f"seat {seat}: the match has seats 0 to {len(row.result.seats) - 1}")
        spent = [each for each in told.spent if seat in (None, each.seat)]
        if after < 0:
            after = max(0, len(spent) - 1) // LEDGER_AT_ONCE * LEDGER_AT_ONCE
        part = spent[after : after + LEDGER_AT_ONCE]
        end = after + len(part)
        more = end if end < len(spent) else 0
        begin = part[0].number - 1 if after and part else 0
        said = [
            each
            for each in told.said
            if seat in (None, each.seat) or each.seat is None
            if begin <= each.after and (not more or each.after < spent[end].number - 1)
        ]
        return Ledger(
            match=self.match(name, position),
            spent=[shapes.Spent.model_validate(each) for each in part],
            said=[shapes.Said.model_validate(each) for each in said],
            after=after,
            more=more,
        )

    def _chosen(self, digest: str) -> journals.Told | str:
        """A journal with its choices; the last ones asked for are kept, as each costs a replay."""
        with self._playing:
            kept = self._played.get(digest)
            if kept is None:
                try:
                    kept = journals.read_choices(self.reading.archive, digest)
                except WarladderError:
                    return self._told(digest)
                while len(self._played) >= KEPT_LEDGERS:
                    self._played.pop(next(iter(self._played)))
                self._played[digest] = kept
            return kept

    def _told(self, digest: str) -> journals.Told | str:
        """A journal, or why it cannot be read."""
        try:
            return journals.read(self.reading.archive, digest)
        except WarladderError as fault:
            return f"its replay cannot be read here ({type(fault).__name__}); tell the operator"

    # An author's own

    def me(self, bot: str) -> shapes.Me:
        entry = self.reading.bot(bot)
        if entry is None:
            raise NotHere(f"{bot} was removed")
        return shapes.Me(
            entry=entry_of(entry),
            underway=[
                shapes.Underway.model_validate(each) for each in self.reading.underway_of(bot)
            ],
        )

    def own_log(self, bot: str, count: int) -> shapes.OwnLog:
        """What happened to a bot: its last matches, and every change of its entry."""
        reading = self.reading
        lines = [
            blame.Happening(
                at_ms=int(each["at_ms"]), what=str(each["what"]), text=str(each.get("text") or "")
            )
            for each in reading.history(bot)
        ]
        for row in reading.recent(bot)[:count]:
            result = blame.taken_out(row.result) if row.why == "operator" else row.result
            lines.append(blame.told(row.at_ms, result, bot, reading.archive))
        lines.sort(key=lambda each: each.at_ms)
        return shapes.OwnLog(
            bot=bot, lines=[shapes.OwnLine.model_validate(blame.fields(each)) for each in lines]
        )

    def own_ledger(self, bot: str, name: str, position: int = 0) -> shapes.OwnLedger:
        """
        A bot's own decisions in a match, with its notes; also before the deal is told.

        Raises:
            NotHere: There is no such closed match.
            NotYours: It was played by others.
        """
        row = self._closed(name, position, "ledger")
        seats = [number for number, seat in enumerate(row.result.seats) if seat.bot == bot]
        if not seats:
            raise NotYours(f"{bot} did not play match {name}")
        told = self._told(row.result.archive)
        if isinstance(told, str):
            raise NotHere(told)
        own = told.of_seat(seats[0])
        return shapes.OwnLedger(
            match=name,
            seat=seats[0],
            decisions=[shapes.OwnSpent.model_validate(each) for each in own],
            said=[
                shapes.Said.model_validate(each)
                for each in told.said
                if each.seat in (None, seats[0])
            ],
        )

    # The rest

    def tournaments(self) -> shapes.Tournaments:
        return shapes.Tournaments.model_validate(self.contests.overview())

    def tournament(self, name: str) -> shapes.Tournament:
        return shapes.Tournament.model_validate(self.contests.one(name))

    def health(self) -> shapes.Health:
        return shapes.Health.model_validate(health.look(self.reading))


def entry_of(bot: registry.Bot) -> shapes.BotEntry:
    return shapes.BotEntry(
        bot=bot.name,
        author=bot.author,
        versions=list(bot.versions),
        paused=bot.paused,
        paused_until_ms=bot.paused_until_ms,
        house=bot.house,
        added_ms=bot.added_ms,
    )


def row_of(row: Row) -> shapes.MatchRow:
    result = row.result
    return shapes.MatchRow(
        match=result.match,
        number=result.number,
        position=row.position,
        at_ms=row.at_ms,
        game=result.game,
        seats=[
            shapes.MatchSeat(
                seat=number,
                role=role(result.game, number),
                bot=seat.bot,
                version=seat.version,
                rank=result.ranks[number] if result.ranks else None,
                score=result.scores[number] if result.scores else None,
                fault=result.faults[number],
            )
            for number, seat in enumerate(result.seats)
        ],
        ending=result.ending,
        reason=result.reason,
        words=verdicts.ending(result),
        went=[went(result, seat) for seat in range(len(result.seats))],
        standing=row.standing.value,
        why=row.why.value,
        decisions=result.decisions,
        tournament=row.tournament,
        attempt=result.attempt,
    )


def among(name: str, value: str, known: tuple[str, ...]) -> None:
    """
    Raises:
        BadRequest: It is none of these.
    """
    if value and value not in known:
        raise BadRequest(f"{name} {value[:40]!r}: it is one of {', '.join(known)}")


def cursor_of(position: int) -> str:
    """Where a list goes on; opaque, so that it may mean something else later."""
    return base64.urlsafe_b64encode(f"p{position}".encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> int:
    """
    Raises:
        BadRequest: It is none of ours.
    """
    if not cursor:
        return 0
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except (binascii.Error, ValueError):
        text = ""
    number = text[1:]
    is_number = number.isascii() and number.isdecimal() and len(number) <= 15
    # Only as we write it: whatever else reads as the same would be another answer to keep.
    if not is_number or cursor != cursor_of(int(number)):
        raise BadRequest(f"cursor {cursor[:40]!r}: take `next` of an answer as it is")
    return int(number)
