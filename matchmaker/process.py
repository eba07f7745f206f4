"""
One matchmaker process: the leader's round of fold, plan, send and sweep, or a hot spare's waiting.

One thread does all of it in turn, so what a round sees fits together. Redis may go away at any
point: the round is given up, and everything read anew when Redis is back.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import redis
import structlog

from matchmaker import attendance, audit, metrics, promises, registry, registry_scripts
from matchmaker.archive import Archive
from matchmaker.attendance import Attendance, Player
from matchmaker.chronicle import Chronicle
from matchmaker.daemon import BackOff, Stop, main, wait_for_redis
from matchmaker.entries import Standing
from matchmaker.fold import GameFold
from matchmaker.keys import Keys
from matchmaker.ladder import Ladder
from matchmaker.leader import Deposed, Term
from matchmaker.metrics import ENDINGS, MatchmakerMetrics
from matchmaker.queues import CLOSE, Queues
from matchmaker.rater import Rater, WentBack
from matchmaker.settings import AWAY, ProcessConfig, connect, process_config
from matchmaker.sweeper import Judgement, Sweeper
from matchmaker.tournaments.runner import Runner, Wanted
from referee.store.plainly import as_bytes

ROUND_SECONDS = 0.05
"""Between two rounds while nothing happens; a closed match begins the next at once."""
BUSY_SECONDS = 0.04
"""From one round's beginning to the next at least: what happens meanwhile is done together."""
SWEEP_SECONDS = 1.0
HEAD_BYTES = 6
"""As many as a metric, which is a float, shows exactly."""
SETTLE_SECONDS = 4.0
"""At the start and after Redis was away, referees have so long to say that they are present."""

logger = structlog.get_logger()


class Matchmaker:
    """All that a matchmaker does, one round at a time."""

    def __init__(
        self,
        connection: redis.Redis,
        config: ProcessConfig,
        shown: MatchmakerMetrics,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.redis = connection
        self.keys = Keys(config.namespace)
        self.metrics = shown
        self.clock = clock
        self.term = Term(connection, self.keys, clock)
        self.queues = Queues(connection, self.keys)
        self.ladder = Ladder(connection, self.keys, self.term, config.ladders, config.target, clock)
        self.rater = Rater(
            connection,
            self.keys,
            self.term,
            Archive(config.archive),
            [each.game for each in config.ladders],
            clock,
        )
        self.chronicle = Chronicle(connection, self.keys, self.term)
        self.runner = Runner(
            connection, self.keys, self.term, self.rater.archive, self.ladder.rules, clock
        )
        self.sweeper = Sweeper(connection, self.keys, self.term, self.queues, self._swept)
        self._led_term = 0
        """The term for which everything was read; 0 while we do not lead."""
        self._sweep_due = clock() + SETTLE_SECONDS
        self._was_away = False
        self._round_began = float("-inf")
        self._closing: set[str] = set()
        """Ended matches that have a job."""
        self._versions: set[tuple[str, str]] = set()

    def round(self) -> bool:
        """
        Do what is to be done now.

        Returns:
            Whether this process leads.

        Raises:
            Deposed: Another matchmaker leads.
            WentBack: Redis has forgotten its last second.
        """
        if not self.term.hold():
            self._stand_by()
            return False
        if self._led_term != self.term.number:
            self._take_over()
        self._round_began = time.monotonic()
        with self.metrics.round.time():
            settled = self.ladder.look()
            whole = self.rater.take(settled)
            if whole:  # plan by the whole log, never by a part of it
                there = attendance.read(self.redis, self.keys)
                self._note_versions(there)
                dropped = self.ladder.practise.dropped
                wanted = self._tournaments(there)
                planned = self.ladder.plan(there, self.rater.fold.games, wanted)
                self.metrics.planned.inc(planned)
                self.metrics.dropped.inc(self.ladder.practise.dropped - dropped)
            else:
                there = None
            self.queues.send()
            self._close_ended()
            self._publish()
            self.runner.show(self.rater.fold, self._rows)
            if self.clock() >= self._sweep_due:
                self._sweep(there)
        return True

    def wait(self) -> None:
        """Wait for the next round: until a match closes, or a moment."""
        if self._led_term:
            self.redis.xread(
                {self.keys.log: f"{self.rater.at.position}-0"},
                count=1,
                block=int(ROUND_SECONDS * 1000),
            )
            time.sleep(max(0.0, self._round_began + BUSY_SECONDS - time.monotonic()))
        else:
            time.sleep(ROUND_SECONDS * 4)

    def lost_redis(self) -> None:
        """Redis went away: nothing that we knew is certain."""
        self.metrics.away.inc()
        self.term.ask_again()
        self._was_away = True
        self._stand_by()

    def leave(self) -> None:
        """End in order: write what is known and give the lead up."""
        if self._led_term:
            self._publish(now=True)
        self.term.leave()

    def _publish(self, *, now: bool = False) -> None:
        if self.rater.publish(now=now):
            self.chronicle.note(self.rater.published())

    def _take_over(self) -> None:
        if self._was_away:  # presences may have expired meanwhile: let referees say so anew
            self._sweep_due = self.clock() + SETTLE_SECONDS
            self._was_away = False
        self.ladder.load()
        self.rater.load()
        self.runner.load()
        self.chronicle.forget()
        self._closing.clear()
        self._versions.clear()
        self._led_term = self.term.number
        self.metrics.leading.set(1)
        self.metrics.term.set(self.term.number)
        logger.info("term_began", term=self.term.number, position=self.rater.at.position)

    def _stand_by(self) -> None:
        if self._led_term:
            logger.warning("term_ended", term=self._led_term)
        self._led_term = 0
        self.metrics.leading.set(0)
        self.metrics.ladder.known = False

    def _close_ended(self) -> None:
        """Queue a close for each match that has ended since the last round."""
        ended = [name.decode() for name in as_bytes(self.redis.zrange(self.keys.ended, 0, -1))]
        self._closing.intersection_update(ended)
        new = [match for match in ended if match not in self._closing]
        if new:
            self.queues.put(CLOSE, new)
            self._closing.update(new)

    def _tournaments(self, there: Attendance) -> list[Wanted]:
        """Let tournaments begin, go on and end; what they want played now."""
        seen: dict[str, Mapping[str, Player]] = {}

        def players(game: str) -> Mapping[str, Player]:
            if game not in seen:
                seen[game] = self.ladder.players(there, game)
            return seen[game]

        return self.runner.step(there, players, self.rater.fold, self._rows)

    def _rows(self, game: str) -> list[dict[str, Any]]:
        """Rows of a game's table, best first."""
        rows: list[dict[str, Any]] = self.rater.table(game)["table"]
        return rows

    def _note_versions(self, there: Attendance) -> None:
        for referee in there.referees.values():
            for bot, streams in referee.attending.items():
                for version in {stream.version for stream in streams}:
                    if (bot, version) not in self._versions and bot in there.authors:
                        self._versions.add((bot, version))
                        if registry.note_version(self.redis, self.keys, bot, version):
                            logger.info("version_seen", bot=bot, version=version)

    def _sweep(self, there: Attendance | None) -> None:
        self._sweep_due = self.clock() + SWEEP_SECONDS
        for rule, count in self.sweeper.sweep().items():
            self.metrics.swept.labels(rule.value).inc(count)
        self.metrics.sweeps.inc()
        resumed = self.redis.eval(registry_scripts.UNPAUSE, 0, self.keys.prefix, self.term.token)
        for bot in as_bytes(resumed):
            logger.info("bot_resumed", bot=bot.decode())
        self.ladder.take_anew()
        self.rater.trim()
        audit.trim(self.redis, self.keys, self.term, self.rater.archive)
        self._show(there)

    def _swept(self, match: str, judgement: Judgement) -> None:
        logger.warning(
            "match_swept", match=match, rule=judgement.rule.value, text=judgement.text or None
        )

    def _show(self, there: Attendance | None) -> None:
        """Bring the metrics up to date; once a second, from what is known anyway."""
        shown, ladder = self.metrics, self.ladder
        with self.redis.pipeline(transaction=False) as pipe:
            pipe.zcard(self.keys.planned)
            pipe.zcard(self.keys.playing)
            pipe.zcard(self.keys.ended)
            pipe.llen(self.keys.outbox)
            pipe.info("memory")
            planned, playing, ended, outbox, memory = pipe.execute()
        shown.memory.set(memory["used_memory"])
        shown.memory_limit.set(memory["maxmemory"] or memory["total_system_memory"])
        for status, count in (("planned", planned), ("playing", playing), ("ended", ended)):
            shown.open.labels(status).set(count)
        shown.outbox.set(outbox)
        for name, length in self.queues.lengths().items():
            shown.queue.labels(name).set(length)
        shown.log.set(self.rater.at.position)
        shown.head.set(int.from_bytes(self.rater.at.head[:HEAD_BYTES]))
        shown.refused.set(self.rater.log.refusals())
        for game in ladder.rules:
            fold = self.rater.fold.games.get(game) or GameFold()
            for ending in ENDINGS:
                shown.matches.labels(game, ending).set(fold.endings[ending])
            for standing in Standing:
                shown.standings.labels(game, standing.value).set(fold.counts[standing])
            begun = sum(1 for pairing in ladder.pairings.values() if pairing.game == game)
            shown.pairings.labels(game).set(begun)
            shown.wait.labels(game).set(ladder.waits.longest_seconds.get(game, 0.0))
            if there is not None:
                bots, recent = ladder.players(there, game), ladder.recent(game)
                shown.bots.labels(game).set(len(bots))
                shown.spread.labels(game).set(promises.spread(recent, bots))
                shown.repeats.labels(game).set(promises.repeats(recent, len(bots)))
                uneven = promises.imbalance(fold.tally, fold.now.current, bots)
                shown.imbalance.labels(game).set(uneven)
        self.runner.store.note_usual(ladder.usual_seconds())
        shown.announced.set(self.runner.announced)
        shown.contests.set(len(self.rater.fold.contests))
        shown.meetings.set(ladder.meetings.waiting)
        if there is not None:
            shown.referees.set(len(there.referees))
            shown.paused.set(len(there.paused))
            shown.ladder.known = True
        shown.tables.shown = self.rater.published()


def run(config: ProcessConfig) -> int:
    """Pair, sweep and rate until told to stop."""
    collected = metrics.process_registry()
    shown = MatchmakerMetrics(collected)
    if config.metrics_port is not None:
        metrics.serve(collected, config.metrics_port)
    stop = Stop()
    stop.install()
    connection = connect(config.redis_url)
    if not wait_for_redis(connection, config.redis_url, stop, on_away=shown.away.inc):
        return stop.code
    matchmaker = Matchmaker(connection, config, shown)
    logger.info("matchmaker_started", games=",".join(each.game for each in config.ladders))
    back_off, away = BackOff(), False
    while not stop():
        try:
            matchmaker.round()
            if away:
                away = False
                logger.info("redis_back")
            back_off.reset()
            matchmaker.wait()
        except AWAY as error:
            if not away:
                away = True
                logger.warning("redis_away", fault=str(error))
            matchmaker.lost_redis()
            back_off.wait()
        except WentBack as fault:
            # It was back before it was missed: the client has dialled again by itself.
            logger.warning("redis_went_back", fault=str(fault))
            matchmaker.lost_redis()
        except Deposed as reason:
            logger.warning("deposed", reason=str(reason))
            matchmaker.term.lose()
    try:
        matchmaker.leave()
    except (*AWAY, Deposed) as error:
        logger.warning("left_without_a_word", fault=str(error))
    logger.info("matchmaker_stopped")
    return stop.code


if __name__ == "__main__":
    sys.exit(main("matchmaker", process_config, run))
