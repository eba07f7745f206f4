"""
A leader's part in tournaments: begins what is due, wants meetings, says what follows, ends.

Everything that must happen once is said in the results log by a script that checks the term and
what was said before; what is kept here can be lost.
"""

from __future__ import annotations

import secrets
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import redis
import structlog

from matchmaker import formats, registry, seasons
from matchmaker.archive import Archive
from matchmaker.attendance import Attendance, Player
from matchmaker.entries import (
    BotWithdrew,
    Entry,
    MeetingForfeited,
    Standing,
    TournamentBegun,
    TournamentEnded,
    cause_of,
)
from matchmaker.fold import Fold
from matchmaker.formats.contract import (
    BadTerms,
    Course,
    Entrant,
    Meeting,
    Terms,
)
from matchmaker.keys import Keys
from matchmaker.leader import Term
from matchmaker.tournaments.contest import AWAY_TWICE, Contest, entry_of
from matchmaker.tournaments.document import Ladder, document, packed, summary
from matchmaker.tournaments.schedule import (
    ASKED_MS,
    LATE_MS,
    Announced,
    due,
    edition,
    entered,
    following,
    shown,
)
from matchmaker.tournaments.store import Tournaments

LOOK_SECONDS = 1.0
"""Between two looks at the announcements."""
SHOW_SECONDS = 1.0
SHOW_SHARE = 20
"""Documents are written so many times more seldom than writing them takes."""
WORK_SHARE = 10
"""Courses are worked out so many times more seldom than that takes."""
SEASON = "season"
"""The format that is the ladder itself: its game's table begins afresh with it."""

logger = structlog.get_logger()


class Wanted(NamedTuple):
    """A meeting that a tournament wants played now."""

    contest: Contest
    meeting: Meeting
    is_sure: bool = True
    """False while there is news of it that the course does not know: then it has to wait."""

    @property
    def cause(self) -> str:
        return cause_of(self.contest.begun.tournament, self.meeting.key)


class Moment(NamedTuple):
    """When a tournament begins."""

    instant_ms: int
    """For which it was planned."""
    now_ms: int
    missed: int
    """Instants before it that nobody was there to see."""


class Runner:
    """All tournaments of one matchmaker, while it leads."""

    def __init__(
        self,
        connection: redis.Redis,
        keys: Keys,
        term: Term,
        archive: Archive,
        games: Iterable[str],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.redis = connection
        self.keys = keys
        self.term = term
        self.archive = archive
        self.games = frozenset(games)
        self.store = Tournaments(connection, keys)
        self.clock = clock
        self.announced = 0
        """Tournaments that are to be held, as of the last look."""
        self._look_due = self._show_due = float("-inf")
        self._next: dict[str, tuple[Announced, int]] = {}
        """Each announcement with its next instant; read anew when it is another one."""
        self._asked: dict[str, tuple[int, frozenset[str]]] = {}
        """Of an announcement, the instant for which presence was asked, and who was there."""
        self._late: dict[str, tuple[int, float]] = {}
        """Of an announcement, the instant that waits for bots, and since when."""
        self._away: dict[tuple[str, str, str], float] = {}
        """(tournament, meeting, bot) → since when it is not there."""
        self._drawing: set[tuple[str, str]] = set()
        """(tournament, meeting) of the last step: byes of rounds that wait to be drawn."""
        self._shown: dict[str, Contest] = {}
        self._shown_at: dict[str, int] = {}
        self._work_due: defaultdict[str, float] = defaultdict(lambda: float("-inf"))
        """When a tournament's course may be worked out again."""
        self._now_ms = 0
        """The time of schedules, as of the last look."""
        self._over: set[str] = set()
        """Ended by us; until the log has been read they still stand in the fold."""
        self._stale = True
        """Documents of tournaments that run no more may be there."""

    def load(self) -> None:
        """Take over from whoever led before."""
        self._look_due = self._show_due = float("-inf")
        for kept in (self._next, self._asked, self._late, self._away, self._shown_at, self._over):
            kept.clear()
        self._work_due.clear()
        self._stale = True

    def step(
        self,
        attendance: Attendance,
        players: Callable[[str], Mapping[str, Player]],
        fold: Fold,
        table: Callable[[str], Sequence[Mapping[str, Any]]],
    ) -> list[Wanted]:
        """
        Begin what is due, and say what follows for all that runs.

        Args:
            players: Who can be paired in a game now.
            fold: Of the whole log.
            table: Rows of a game's published table, best first.

        Returns:
            Meetings to be played now, in the order in which they should begin.

        Raises:
            Deposed: Another matchmaker leads.
        """
        if self.clock() >= self._look_due:
            self._look_due = self.clock() + LOOK_SECONDS
            self._look(attendance, players, lambda game: [row["bot"] for row in table(game)])
            if fold.contests:
                self._now_ms = self.store.now_ms()
        wanted: list[Wanted] = []
        self._drawing.clear()
        for _, contest in sorted(fold.contests.items()):
            game = contest.begun.game
            ladder = self._ladder_of(contest, fold, table)
            course = self._course(contest)
            if not self._follow(contest, course, ladder, players(game), attendance):
                wanted += [
                    Wanted(contest, meeting, meeting.key not in contest.touched)
                    for meeting in course.wanted
                ]
        if self._away:
            there = {(w.contest.begun.tournament, w.meeting.key) for w in wanted} | self._drawing
            for key in [key for key in self._away if key[:2] not in there]:
                del self._away[key]
        return wanted

    def show(self, fold: Fold, table: Callable[[str], Sequence[Mapping[str, Any]]]) -> None:
        """
        Write ready documents of what has changed, when it is time to.

        Args:
            table: As for `step`.

        Raises:
            Deposed: Another matchmaker leads.
        """
        if self.clock() < self._show_due:
            return
        began = self.clock()
        self._over &= fold.contests.keys()
        running = {name: each for name, each in fold.contests.items() if name not in self._over}
        changed = {
            name: packed(document(contest, ladder=self._ladder_of(contest, fold, table)))
            for name, contest in running.items()
            if self._shown_at.get(name) != len(contest.said)
            or self._shown.get(name) is not contest
            or contest.begun.format == SEASON
        }
        gone: list[str] = []
        if self._stale:
            gone = [name for name in self.store.running() if name not in fold.contests]
        if changed or gone:
            self.store.show(self.term, changed, gone)
        self._stale = False
        self._shown = running
        self._shown_at = {name: len(each.said) for name, each in running.items()}
        took = self.clock() - began
        self._show_due = self.clock() + max(SHOW_SECONDS, SHOW_SHARE * took)

    @staticmethod
    def _ladder_of(
        contest: Contest, fold: Fold, table: Callable[[str], Sequence[Mapping[str, Any]]]
    ) -> Ladder | None:
        """The ladder that a season is held on; None for what has meetings of its own."""
        if contest.begun.format != SEASON:
            return None
        game = contest.begun.game
        return Ladder(fold.game(game).counts[Standing.RATED], partial(table, game))

    # Announcements

    def _look(
        self,
        attendance: Attendance,
        players: Callable[[str], Mapping[str, Player]],
        order: Callable[[str], list[str]],
    ) -> None:
        announced = self.store.announced()
        self.announced = len(announced)
        for kept in (self._next, self._asked, self._late):
            for name in [name for name in kept if name not in announced]:
                del kept[name]
        if not announced:
            return
        now_ms = self.store.now_ms()
        for name, each in announced.items():
            known = self._next.get(name)
            if known is not None and known[0] == each and now_ms < known[1] - ASKED_MS:
                continue
            handled = self.store.handled().get(name, 0)
            found = due(each, handled, now_ms)
            if found.missed:
                logger.warning("tournament_missed", announcement=name, count=found.missed)
            if found.instant_ms is not None:
                moment = Moment(found.instant_ms, now_ms, found.missed)
                self._start(each, moment, attendance, players, order)
                continue
            if found.missed:
                text = f"{found.missed} missed: no matchmaker was there"
                self.store.begin(self.term, each, found.handled_ms, "missed", text)
            coming = following(each, max(now_ms, found.handled_ms))
            if coming:
                self._next[name] = each, coming[0]
                if coming[0] - now_ms <= ASKED_MS:
                    self._ask(each, coming[0], players, order)

    def _ask(
        self,
        announced: Announced,
        instant_ms: int,
        players: Callable[[str], Mapping[str, Player]],
        order: Callable[[str], list[str]],
    ) -> None:
        """Tell those that are entered and not there that they will be dropped."""
        asked = self._asked.get(announced.name)
        if asked is not None and asked[0] == instant_ms:
            return
        there = players(announced.game)
        some = entered(announced, order(announced.game), there)
        self._asked[announced.name] = instant_ms, frozenset(some)
        text = f"{announced.name} begins at {shown(instant_ms, announced.zone)}"
        for bot in some:
            if bot not in there:
                registry.remember(
                    self.redis, self.keys, bot, "tournament",
                    f"{text}: attend until then, or you are dropped",
                )  # fmt: skip
        logger.info("tournament_asked", announcement=announced.name, entered=len(some))

    def _start(
        self,
        announced: Announced,
        moment: Moment,
        attendance: Attendance,
        players: Callable[[str], Mapping[str, Player]],
        order: Callable[[str], list[str]],
    ) -> None:
        instant_ms, now_ms, missed = moment
        there = players(announced.game) if announced.game in self.games else {}
        asked = self._asked.get(announced.name)
        before = asked[1] if asked is not None and asked[0] == instant_ms else frozenset[str]()
        some = entered(announced, order(announced.game), there, before)
        since = self._late.get(announced.name)
        if since is None or since[0] != instant_ms:
            since = self._late[announced.name] = instant_ms, self.clock()
        if any(bot not in there for bot in some) or not some:
            if 1000 * (self.clock() - since[1]) < LATE_MS:
                return  # bots come back a moment after everything was started anew
        name = edition(announced, instant_ms)
        present = [bot for bot in some if bot in there]
        dropped = [
            (bot, self._why_not(bot, announced.game, attendance))
            for bot in some
            if bot not in there
        ]
        begun = TournamentBegun(
            tournament=name,
            name=announced.name,
            schedule=announced.name if announced.cron else "",
            planned_ms=instant_ms,
            begun_ms=now_ms,
            format=announced.format,
            game=announced.game,
            seats=announced.seats,
            sides=announced.sides,
            chance=secrets.token_hex(16),
            options=dict(announced.options),
            settings=dict(announced.settings),
            entrants=tuple((bot, seed) for seed, bot in enumerate(present, 1)),
            dropped=tuple(dropped),
            rated=announced.rated and not announced.options,
            weight=announced.weight,
            most_matches=announced.most_matches,
            most_seconds=announced.most_seconds,
            absence_ms=announced.absence_ms,
        )
        entries: list[Entry] = [begun]
        running = name, b"{}"
        fault = self._fault(begun) or _lost_challenger(announced, dict(dropped))
        over = b""
        if fault:
            last = document(Contest(begun), "not_held", fault, Ladder(0, tuple))
            digest = self.archive.put_tournament(packed(last))
            entries.append(
                TournamentEnded(tournament=name, how="not_held", reason=fault, archive=digest)
            )
            running, over = ("", b""), summary(last, digest, now_ms)
            what, text = "not held", fault
        else:
            what, text = "begun", f"{len(present)} bots, {len(dropped)} dropped"
        if announced.cron:
            text = f"{name}: {text}"
        season = None
        if begun.format == SEASON and not fault:
            season = seasons.entry(self.redis, self.keys, begun.game, name)
        if missed:
            text += f"; {missed} missed before it"
        if not self.store.begin(
            self.term, announced, instant_ms, what, text, entries, running, season, over
        ):
            return
        del self._late[announced.name]
        logger.info(
            "tournament_begun" if not fault else "tournament_not_held",
            tournament=name, bots=len(present), dropped=len(dropped), why=fault or None,
        )  # fmt: skip
        for bot, reason in dropped:
            registry.remember(self.redis, self.keys, bot, "tournament", f"{name}: {reason}")

    def _fault(self, begun: TournamentBegun) -> str:
        """Why a tournament cannot be held as it is; empty if it can."""
        if begun.game not in self.games:
            return f"this ladder does not play {begun.game}"
        terms = Terms(
            format=begun.format,
            game=begun.game,
            seats=begun.seats,
            sides=begun.sides,
            chance=begun.chance,
            settings=begun.settings,
        )
        try:
            entrants = [Entrant(bot, seed) for bot, seed in begun.entrants]
            formats.get(begun.format).check(terms, entrants)
        except BadTerms as fault:
            return str(fault)
        return ""

    def _why_not(self, bot: str, game: str, attendance: Attendance) -> str:
        if bot in attendance.paused:
            return "dropped: it is paused"
        if any(bot in referee.attending for referee in attendance.referees.values()):
            if bot not in attendance.authors:
                return "dropped: it is not in the registry any more"
            return f"dropped: it attends, but not for {game} by the rules played here"
        return "dropped: it did not attend at the start"

    # What runs

    def _course(self, contest: Contest) -> Course:
        """How a tournament stands, worked out anew no more often than its field allows."""
        name = contest.begun.tournament
        if contest.last is None or (contest.is_stale and self.clock() >= self._work_due[name]):
            began = time.perf_counter()
            course = contest.course
            took = time.perf_counter() - began
            self._work_due[name] = self.clock() + WORK_SHARE * took
            return course
        return contest.last

    def _follow(
        self,
        contest: Contest,
        course: Course,
        ladder: Ladder | None,
        there: Mapping[str, Player],
        attendance: Attendance,
    ) -> bool:
        """
        Say what follows from what has happened.

        Returns:
            Whether something was said: then nothing is wanted until the log has been read.
        """
        begun = contest.begun
        matches = ladder.matches if ladder else contest.matches
        if contest.cancelled:
            return self._end(contest, ladder, "cancelled", contest.cancelled)
        if course.over and not contest.is_stale:
            return self._end(contest, ladder, "done", "")
        # To reach its cap is how a season is meant to end.
        capped = "done" if ladder else "capped"
        if begun.most_matches and matches >= begun.most_matches:
            return self._end(contest, ladder, capped, f"{matches} matches have been played")
        if begun.most_seconds and self._now_ms - begun.begun_ms >= 1000 * begun.most_seconds:
            return self._end(contest, ladder, capped, f"{begun.most_seconds} s are over")
        if contest.is_stale:
            return False  # what would follow from an old course has been said, or is wrong
        is_played = any(begun.game in each.games for each in attendance.referees.values())
        if not is_played:  # nobody can attend: that is nobody's fault but ours
            self._away.clear()
        if course.pair is not None:
            # Nobody would notice in a meeting without a match, so its bot is waited for now.
            byes = [each for each in course.pair.meetings if len(each.bots) == 1]
            late = [each for each in byes if each.bots[0] not in there]
            gone = [each for each in byes if self._gone(begun, each, there)]
            if late and (not is_played or gone != late):
                self._drawing |= {(begun.tournament, each.key) for each in late}
                return False
            forfeits = [self._forfeit(begun, each, each.bots) for each in gone]
            return self._say(contest, [entry_of(begun.tournament, course.pair), *forfeits])
        said = self._absent(contest, course, there) if is_played else []
        return bool(said) and self._say(contest, said)

    def _absent(self, contest: Contest, course: Course, there: Mapping[str, Player]) -> list[Entry]:
        begun = contest.begun
        said: list[Entry] = []
        for meeting in course.wanted:
            if gone := self._gone(begun, meeting, there):
                said.append(self._forfeit(begun, meeting, gone))
        for bot in contest.absentees:
            reason = f"did not come to {AWAY_TWICE} meetings in a row"
            said.append(BotWithdrew(tournament=begun.tournament, bot=bot, reason=reason, by=""))
            registry.remember(
                self.redis, self.keys, bot, "tournament", f"{begun.tournament}: {reason}"
            )
        return said

    def _gone(
        self, begun: TournamentBegun, meeting: Meeting, there: Mapping[str, Player]
    ) -> list[str]:
        """Its bots that have been away for too long since they were wanted."""
        gone = []
        for bot in meeting.bots:
            key = begun.tournament, meeting.key, bot
            if bot in there:
                self._away.pop(key, None)
            elif self.clock() - self._away.setdefault(key, self.clock()) >= (
                begun.absence_ms / 1000
            ):
                gone.append(bot)
        return gone

    def _forfeit(
        self, begun: TournamentBegun, meeting: Meeting, gone: Sequence[str]
    ) -> MeetingForfeited:
        """Say that a meeting is given away by these bots, who are told so."""
        reason = f"not there for {begun.absence_ms / 1000:g} s when it was to play"
        for bot in gone:
            registry.remember(
                self.redis, self.keys, bot, "tournament",
                f"{begun.tournament}: {meeting.key} is forfeited: {reason}",
            )  # fmt: skip
        return MeetingForfeited(
            tournament=begun.tournament, meeting=meeting.key, absent=tuple(gone), reason=reason
        )

    def _say(self, contest: Contest, entries: list[Entry]) -> bool:
        return self.store.say(self.term, contest.begun.tournament, contest.statements, entries)

    def _end(self, contest: Contest, ladder: Ladder | None, how: str, reason: str) -> bool:
        name = contest.begun.tournament
        last = document(contest, how, reason, ladder)
        digest = self.archive.put_tournament(packed(last))
        ended = TournamentEnded(tournament=name, how=how, reason=reason, archive=digest)
        line = summary(last, digest, self.store.now_ms())
        self._over.add(name)
        if self.store.say(self.term, name, contest.statements, [ended], line):
            logger.info("tournament_ended", tournament=name, how=how, matches=last["matches"])
        return True


def _lost_challenger(announced: Announced, dropped: Mapping[str, str]) -> str:
    """Why a duel or gauntlet is not held whose challenger is not there; empty if it is."""
    first = announced.bots[0] if announced.as_named and announced.bots else ""
    return f"its challenger {first} was {dropped[first]}" if first in dropped else ""
