"""What Redis keeps of tournaments: announcements, what runs, what is over."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import redis

from matchmaker.entries import Entry, Season, encode
from matchmaker.keys import Keys
from matchmaker.leader import Deposed, Term
from matchmaker.tournaments import scripts
from matchmaker.tournaments.schedule import Announced, pack, unpack
from referee.store.plainly import as_bytes
from referee.store.scripts import packed


class Tournaments:
    """The keys of tournaments in one namespace."""

    def __init__(self, connection: redis.Redis, keys: Keys) -> None:
        self.redis = connection
        self.keys = keys

    # What anybody may do

    def now_ms(self) -> int:
        """Tell the time by which tournaments are held: the store's, plus a rehearsal's lead."""
        with self.redis.pipeline(transaction=False) as pipe:
            pipe.time()
            pipe.get(self.keys.clock_ahead)
            (seconds, micros), ahead = pipe.execute()
        return int(seconds) * 1000 + int(micros) // 1000 + int(as_bytes(ahead) or 0)

    def announced(self) -> dict[str, Announced]:
        """Read what is to be held, by name."""
        stored = as_bytes(self.redis.hgetall(self.keys.announced))
        return {name.decode(): unpack(data) for name, data in sorted(stored.items())}

    def handled(self) -> dict[str, int]:
        """Read up to which instant each announcement has been started or given up."""
        stored = as_bytes(self.redis.hgetall(self.keys.handled))
        return {name.decode(): int(instant) for name, instant in stored.items()}

    def running(self) -> dict[str, dict[str, Any]]:
        """Read the ready documents of running tournaments, by id."""
        stored = as_bytes(self.redis.hgetall(self.keys.contests))
        return {name.decode(): json.loads(text) for name, text in sorted(stored.items())}

    def over(self) -> list[dict[str, Any]]:
        """Read the summaries of the last tournaments, newest first."""
        return [json.loads(line) for line in as_bytes(self.redis.lrange(self.keys.held, 0, -1))]

    def news(self, count: int = 500) -> list[dict[str, Any]]:
        """Read what became of announcements, newest first: `at_ms, name, what, text`."""
        lines = as_bytes(self.redis.lrange(self.keys.news, 0, count - 1))
        return [json.loads(line) for line in lines]

    def usual_seconds(self, game: str) -> float | None:
        """Tell the usual length of a game's matches; None if none was seen."""
        text = as_bytes(self.redis.hget(self.keys.usual, game))
        return None if text is None else float(text)

    def announce(self, announced: Announced, text: str) -> int:
        """
        Announce a tournament.

        Returns:
            1, 0 if one of this name is announced, -1 if one of this name has been held.
        """
        return int(
            self.redis.eval(
                scripts.ANNOUNCE,
                0,
                self.keys.prefix,
                announced.name,
                pack(announced),
                text,
                "0" if announced.cron else "1",
                announced.by,
            )
        )

    def take_back(self, name: str, why: str, by: str) -> bool:
        """
        Take an announcement back.

        Returns:
            Whether there was one.
        """
        return bool(self.redis.eval(scripts.TAKE_BACK, 0, self.keys.prefix, name, why, by))

    def order(
        self, command: str, tournament: str, entry: Entry, by: str, why: str = "", bot: str = ""
    ) -> bool:
        """
        Put an operator's word on a running tournament into the log.

        Args:
            bot: Whom it is about; its author reads it too.

        Returns:
            Whether it runs.
        """
        told = f"{command.removeprefix('tournament ')}: {tournament}" + (f": {why}" if why else "")
        return bool(
            self.redis.eval(
                scripts.ORDER,
                0,
                self.keys.prefix,
                tournament,
                encode(entry),
                command,
                by,
                why,
                bot,
                told,
            )
        )

    # What a leader does

    def begin(
        self,
        term: Term,
        announced: Announced,
        instant_ms: int,
        what: str,
        text: str,
        entries: Sequence[Entry] = (),
        running: tuple[str, bytes] = ("", b""),
        season: Season | None = None,
        over: bytes = b"",
    ) -> bool:
        """
        Settle an instant of an announcement: begin what is held then, or give it up.

        Args:
            running: Id and first document of what begins.
            season: Begins with it.
            over: Summary of what is not held.

        Returns:
            Whether it was not settled before.

        Raises:
            Deposed: Another matchmaker leads.
        """
        answer = self.redis.eval(
            scripts.BEGIN,
            0,
            self.keys.prefix,
            term.token,
            announced.name,
            instant_ms,
            "0" if announced.cron else "1",
            what,
            text,
            packed([encode(entry) for entry in entries]),
            *running,
            season.game if season else "",
            season.name if season else "",
            encode(season) if season else "",
            over,
        )
        return self._said(answer)

    def say(
        self, term: Term, tournament: str, count: int, entries: Sequence[Entry], over: bytes = b""
    ) -> bool:
        """
        Put what a leader has to say of a tournament into the log.

        Args:
            count: Entries that leaders have said of it before.
            over: The summary, if it is over with this.

        Returns:
            Whether nothing else was said meanwhile.

        Raises:
            Deposed: Another matchmaker leads.
        """
        answer = self.redis.eval(
            scripts.SAY,
            0,
            self.keys.prefix,
            term.token,
            tournament,
            count,
            packed([encode(entry) for entry in entries]),
            over,
        )
        return self._said(answer)

    def show(self, term: Term, running: Mapping[str, bytes], gone: Sequence[str]) -> None:
        """
        Write ready documents.

        Raises:
            Deposed: Another matchmaker leads.
        """
        blob = packed([dict(running), list(gone)])
        if not self.redis.eval(scripts.SHOW, 0, self.keys.prefix, term.token, blob):
            raise Deposed("another matchmaker leads; our tournaments' documents were refused")

    def note_usual(self, lengths: Mapping[str, float]) -> None:
        """Keep the usual length of matches, for plans."""
        if lengths:
            self.redis.hset(
                self.keys.usual, mapping={game: f"{each:.3f}" for game, each in lengths.items()}
            )

    @staticmethod
    def _said(answer: Any) -> bool:
        if answer == -1:
            raise Deposed("another matchmaker leads; what we said of a tournament was refused")
        return bool(answer)
