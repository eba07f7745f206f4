"""What operators do to bots, matches and seasons, and the audit log that says who did it."""

from dataclasses import replace
from pathlib import Path

import pytest
import redis

from matchmaker import audit, blame, cancelling, closed, registry, seasons, voiding
from matchmaker.cancelling import cancel
from matchmaker.connection import Ladder
from matchmaker.entries import BotAdded, Keep, Result, Season, Standing
from matchmaker.errors import WrongUse
from matchmaker.fold import PRESEASON
from matchmaker.keys import Keys
from matchmaker.leader import Deposed, Term
from matchmaker.log import Log
from matchmaker.rater import recompute
from matchmaker.registry import Kind
from referee.match.journal import Ending
from referee.store.bots import token_digest
from tests.helpers.stage import Stage, forfeited, spoilt
from tests.matchmaker.test_fold import result
from tests.matchmaker.test_rater import append


@pytest.fixture
def stage(connection: redis.Redis, keys: Keys, tmp_path: Path) -> Stage:
    return Stage(connection, keys, tmp_path, ("a", "b"))


@pytest.fixture
def ladder(stage: Stage, tmp_path: Path) -> Ladder:
    return Ladder(
        redis=stage.redis, namespace=stage.keys.namespace, archive=str(tmp_path / "archive")
    )


def acts(stage: Stage, bot: str | None = None) -> list[tuple[str, ...]]:
    """All but positions and times; the stage's own registrations left out."""
    found = audit.read(stage.redis, stage.keys, stage.archive, bot)
    assert [act.position for act in found] == sorted(act.position for act in found)
    return [(act.by, act.what, act.on, act.why) for act in found if act.what != "bot add"]


def results(stage: Stage) -> list[Result]:
    entries = [logged.entry for logged in Log(stage.redis, stage.keys).whole_tail()]
    return [entry for entry in entries if isinstance(entry, Result)]


def one_played(stage: Stage) -> Result:
    """Play until a match is rated."""
    while not results(stage):
        stage.go(1)
    return results(stage)[0]


def planned(stage: Stage) -> str:
    stage.matchmaker.round()
    [match] = stage.open
    return match


class TestBans:
    @pytest.fixture
    def token(self, stage: Stage) -> str:
        return registry.rotate(stage.redis, "a", namespace=stage.keys.namespace)

    def opens(self, stage: Stage, token: str) -> bytes | None:
        return stage.redis.get(stage.keys.token(token_digest(token)))

    @pytest.mark.parametrize(("kind", "name"), [(Kind.BOT, "a"), (Kind.AUTHOR, "author-of-a")])
    def test_shut_out_until_they_are_lifted(
        self, stage: Stage, ladder: Ladder, token: str, kind: Kind, name: str
    ) -> None:
        assert self.opens(stage, token) == b"a"
        assert cancelling.ban(ladder, kind, name, "two\nbots in one", by="olga") == []
        assert self.opens(stage, token) is None
        stage.matchmaker.round()
        assert stage.open == [], "nobody is paired with it"
        assert registry.find(stage.redis, "a", namespace=stage.keys.namespace).paused == (
            "banned: two bots in one"
        )
        for act in (
            lambda: registry.resume(stage.redis, "a", namespace=stage.keys.namespace),
            lambda: registry.pause(stage.redis, "a", "x", namespace=stage.keys.namespace),
            lambda: registry.rotate(stage.redis, "a", namespace=stage.keys.namespace),
        ):
            with pytest.raises(WrongUse, match="banned; lift that with `unban`"):
                act()
        assert cancelling.ban(ladder, kind, name, "again") is None
        assert registry.unban(
            stage.redis, kind, name, "a mistake", by="olga", namespace=ladder.namespace
        )
        assert not registry.unban(stage.redis, kind, name, namespace=ladder.namespace)
        assert self.opens(stage, token) == b"a"
        stage.matchmaker.round()
        assert len(stage.open) == 1
        told = registry.history(stage.redis, "a", namespace=ladder.namespace)
        assert [(each["what"], each["text"]) for each in told if "ban" in each["what"]] == [
            ("unbanned", "a mistake"),
            ("banned", "two bots in one"),
        ]
        assert acts(stage, "a")[1:] == [
            ("olga", f"{kind} ban", name, "two bots in one"),
            ("olga", f"{kind} unban", name, "a mistake"),
        ]

    def test_end_running_matches_as_cancelled_and_nobody_is_to_blame(
        self, stage: Stage, ladder: Ladder
    ) -> None:
        match = planned(stage)
        assert cancelling.ban(ladder, Kind.BOT, "a", "why", listens=0.0) == [match]
        stage.matchmaker.round()
        stage.work("close")
        [found] = results(stage)
        assert (found.ending, found.standing) == (Ending.CANCELLED, Standing.VOID)
        assert not any(found.faults)
        [line] = [each for each in blame.of(ladder, "b", 5) if each.what == "match"]
        assert line.details == ("the server: an operator cancelled it: a is banned",)
        assert stage.redis.hlen(stage.keys.cancels) == 0
        stage.go(2)
        assert stage.open == []

    def test_of_a_bot_and_of_its_author_are_two(
        self, stage: Stage, ladder: Ladder, token: str
    ) -> None:
        cancelling.ban(ladder, Kind.BOT, "a", "one")
        cancelling.ban(ladder, Kind.AUTHOR, "author-of-a", "two")
        registry.unban(stage.redis, Kind.AUTHOR, "author-of-a", namespace=ladder.namespace)
        assert self.opens(stage, token) is None
        assert registry.find(stage.redis, "a", namespace=ladder.namespace).paused == "banned: one"
        registry.unban(stage.redis, Kind.BOT, "a", namespace=ladder.namespace)
        assert self.opens(stage, token) == b"a"

    def test_keep_a_banned_author_from_another_bot(self, stage: Stage, ladder: Ladder) -> None:
        cancelling.ban(ladder, Kind.AUTHOR, "author-of-a", "why")
        with pytest.raises(WrongUse, match="author 'author-of-a' is banned"):
            registry.add(stage.redis, "a2", "author-of-a", namespace=ladder.namespace)

    def test_a_removed_bot_is_not_let_in_by_lifting(
        self, stage: Stage, ladder: Ladder, token: str
    ) -> None:
        cancelling.ban(ladder, Kind.BOT, "a", "why")
        registry.remove(stage.redis, "a", namespace=ladder.namespace)
        assert registry.unban(stage.redis, Kind.BOT, "a", namespace=ladder.namespace)
        assert self.opens(stage, token) is None

    @pytest.mark.parametrize(("kind", "name"), [(Kind.BOT, "author-of-a"), (Kind.AUTHOR, "a")])
    def test_of_nobody_are_wrong_use(self, ladder: Ladder, kind: Kind, name: str) -> None:
        with pytest.raises(WrongUse, match=f"there is no {kind} {name!r}"):
            cancelling.ban(ladder, kind, name, "why")


class TestVoids:
    def test_take_a_result_out(self, stage: Stage, ladder: Ladder) -> None:
        found = one_played(stage)
        stage.settle()
        rated = stage.table()["rated"]
        assert isinstance(rated, int)
        done = voiding.void(ladder, found.match, "the host was\noverloaded", by="olga")
        assert (done.position, done.pairing) == (Log(stage.redis, stage.keys).position(), "")
        stage.settle()
        assert (stage.table()["rated"], stage.table()["void"]) == (rated - 1, 1)
        assert recompute(stage.redis, stage.archive, ladder.namespace).ok
        for bot in "ab":
            told = blame.of(ladder, bot, 50)
            assert f"voided: match {found.match}: the host was overloaded" in [
                each.text for each in told
            ]
            [line] = [each for each in told if each.match == found.match]
            assert "void: operator" in line.text
            assert line.blame == ""
        assert {row.result.match: row.standing for row in closed.matches(ladder, "a", None, 50)}[
            found.match
        ] == "void"
        assert acts(stage)[-1] == ("olga", "match void", found.match, "the host was overloaded")

    def test_of_what_does_not_count_are_refused(self, stage: Stage, ladder: Ladder) -> None:
        found = one_played(stage)
        voiding.void(ladder, found.match, "why")
        [running] = stage.open or [planned(stage)]
        stage.redis.hset(stage.keys.match("x1"), "status", "ended")
        append(Log(stage.redis, stage.keys), result(900, "a", "b", standing=Standing.UNRATED))
        for match, words in (
            (found.match, "is void already, by an operator's word"),
            ("nemo", "there is no match 'nemo'; `warladder replay list` names"),
            (running, "has not closed; `warladder match cancel` ends it"),
            ("m900", r"does not count: it is unrated \(no_show\)"),
        ):
            with pytest.raises(WrongUse, match=words):
                voiding.void(ladder, match, "why")
        with pytest.raises(WrongUse, match="--why is empty"):
            voiding.void(ladder, found.match, " ")

    def test_of_two_operators_at_once_count_once(
        self, stage: Stage, ladder: Ladder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        found = one_played(stage)
        monkeypatch.setattr(voiding, "_counting", lambda ladder, match: found)
        voiding.void(ladder, found.match, "one")
        with pytest.raises(WrongUse, match="void already"):
            voiding.void(ladder, found.match, "two")
        assert [act[1] for act in acts(stage)] == ["match void"]

    def test_anew_lets_the_same_seats_play_again(self, stage: Stage, ladder: Ladder) -> None:
        found = one_played(stage)
        done = voiding.void(ladder, found.match, "why", anew=True, by="olga")
        again: list[Result] = []
        for _ in range(20):
            stage.go(1, seconds=1.0)
            again = [each for each in results(stage) if each.cause == "anew"]
            if again:
                break
        [new] = again
        assert (new.pairing, new.seats, new.standing) == (
            done.pairing, found.seats, Standing.RATED,
        )  # fmt: skip
        old, record = stage.records[found.match], stage.records[new.match]
        assert (record.setting, record.seed != old.seed) == (old.setting, True)
        assert acts(stage)[-1] == ("olga", "match anew", found.match, "why")

    def test_anew_outlives_the_leader(self, stage: Stage, ladder: Ladder) -> None:
        """Taken in by one leader that then is gone: the next one has it from the pairings."""
        found = one_played(stage)
        stage.matchmaker.leave()
        done = voiding.void(ladder, found.match, "why", anew=True)
        stage.redis.delete(stage.keys.anew)
        stage.matchmaker = stage.new_matchmaker()
        stage.go(3)
        assert done.pairing in [each.pairing for each in results(stage) if each.cause == "anew"]

    def test_a_tournaments_match_is_voided_alone(self, stage: Stage, ladder: Ladder) -> None:
        log = Log(stage.redis, stage.keys)
        cup = result(900, "a", "b", standing=Standing.UNRATED)
        append(log, replace(cup, cause="tournament:cup/r1"))
        with pytest.raises(WrongUse, match="plays it anew by itself: `warladder match void m900`"):
            voiding.void(ladder, "m900", "why", anew=True)
        assert voiding.void(ladder, "m900", "why").position == log.position()


class TestSeasons:
    def test_begin_with_what_is_planned_from_now_on(self, stage: Stage, ladder: Ladder) -> None:
        one_played(stage)
        stage.settle()
        before, number = stage.table(), int(stage.redis.get(stage.keys.number) or 0)
        season = seasons.begin(
            stage.redis, "skirmish", "one",
            keep=Keep.MU, by="olga", why="a new year", namespace=ladder.namespace,
        )  # fmt: skip
        assert season == Season(game="skirmish", name="one", number=number, keep=Keep.MU)
        stage.settle()
        assert (stage.table()["season"], stage.table()["table"]) == ("one", [])
        rows = seasons.rows(stage.redis, ["skirmish"], ladder.namespace)
        assert [(row.season, row.running, row.rated) for row in rows] == [
            (PRESEASON, False, before["rated"]),
            ("one", True, 0),
        ]
        assert rows[0].leader
        assert acts(stage) == [("olga", "season begin", "skirmish one", "a new year")]
        stage.go(3)
        stage.settle()
        assert recompute(stage.redis, stage.archive, ladder.namespace).ok
        assert int(str(stage.table()["rated"])) > 0

    def test_a_target_counts_all_seasons(
        self, connection: redis.Redis, keys: Keys, tmp_path: Path
    ) -> None:
        stage = Stage(connection, keys, tmp_path, ("a", "b"), target=2)
        stage.go(6)
        stage.settle()
        assert stage.table()["rated"] == 2
        seasons.begin(stage.redis, "skirmish", "one", why="why", namespace=keys.namespace)
        stage.go(4)
        assert len(results(stage)) == 2

    @pytest.mark.parametrize(
        ("name", "words"),
        [("one", "already"), (PRESEASON, "already"), ("a b", "a name has"), ("", "a name has")],
    )
    def test_names_are_names_and_taken_once(self, stage: Stage, name: str, words: str) -> None:
        space = stage.keys.namespace
        seasons.begin(stage.redis, "toy", "one", why="why", namespace=space)
        seasons.begin(stage.redis, "skirmish", "one", why="why", namespace=space)
        with pytest.raises(WrongUse, match=words):
            seasons.begin(stage.redis, "toy", name, why="why", namespace=space)
        with pytest.raises(WrongUse, match="--why is empty"):
            seasons.begin(stage.redis, "toy", "two", why="", namespace=space)


class TestAuditLog:
    def test_says_who_did_what_to_whom_and_why(self, stage: Stage, ladder: Ladder) -> None:
        space = ladder.namespace
        stage.play = spoilt
        registry.pause(stage.redis, "a", "too slow", by="olga", namespace=space)
        registry.resume(stage.redis, "a", by="olga", namespace=space)
        assert not registry.resume(stage.redis, "a", by="olga", namespace=space)
        match = planned(stage)
        cancel(ladder, match, "wrong map", by="ivan")
        cancel(ladder, match, "once more", by="ivan")
        registry.remove(stage.redis, "b", "retired", by="olga", namespace=space)
        assert acts(stage) == [
            ("olga", "bot pause", "a", "too slow"),
            ("olga", "bot resume", "a", ""),
            ("ivan", "match cancel", match, "wrong map"),
            ("olga", "bot remove", "b", "retired"),
        ]
        assert [act[1] for act in acts(stage, "b")] == ["match cancel", "bot remove"]
        added = audit.read(stage.redis, stage.keys, None, "b")[0]
        assert (added.what, added.by, added.bots) == ("bot add", registry.OPERATOR, ("b",))
        assert added.line() == f"{added.when}Z  operator  bot add b"

    def test_the_ladders_own_pauses_are_no_acts(self, stage: Stage) -> None:
        stage.play = lambda record: forfeited(record)
        stage.go(3)
        assert acts(stage) == []

    def test_old_lines_go_to_the_archive_and_none_is_forgotten(
        self, stage: Stage, term: Term, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(audit, "TAIL", 10)
        monkeypatch.setattr(audit, "PART", 15)
        for number in range(40):
            registry.pause(stage.redis, "a", f"n{number}", namespace=stage.keys.namespace)
        moved = 0
        while part := audit.trim(stage.redis, stage.keys, term, stage.archive):
            moved += part
            assert [act[3] for act in acts(stage)] == [f"n{number}" for number in range(40)]
        assert (moved, stage.redis.xlen(stage.keys.audit)) == (30, 12)
        assert len(audit.read(stage.redis, stage.keys, None)) == 12
        registry.pause(stage.redis, "a", "last", namespace=stage.keys.namespace)
        assert acts(stage)[-1][3] == "last"

    def test_another_leader_trims_not(
        self, stage: Stage, term: Term, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(audit, "TAIL", 0)
        monkeypatch.setattr(audit, "PART", 1)
        stage.redis.set(stage.keys.leader, "another")
        with pytest.raises(Deposed):
            audit.trim(stage.redis, stage.keys, term, stage.archive)
        assert stage.redis.xlen(stage.keys.audit) == 2

    def test_who_is_what_he_says_else_his_login_name(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("LOGNAME", "ivan\x1b[31m")
        assert audit.who("  olga \n k") == "olga k"
        assert audit.who(None).startswith("ivan")
        assert audit.who(None).isprintable()
        with pytest.raises(WrongUse, match="--by is empty"):
            audit.who(" ")


def test_a_new_bots_entry_is_in_the_log_once(stage: Stage) -> None:
    registry.rotate(stage.redis, "a", namespace=stage.keys.namespace)
    entries = [logged.entry for logged in Log(stage.redis, stage.keys).whole_tail()]
    assert entries.count(BotAdded(bot="a", author="author-of-a")) == 1
