"""The ladder: pairings with rotated seats, planned as late as possible, each match once."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgpack
import pytest
import redis

from matchmaker import attendance, ladder, progress, registry, scripts
from matchmaker.entries import Result, Seated, Standing, Why
from matchmaker.keys import Keys
from matchmaker.ladder import ABANDON_SECONDS, LEFT_SECONDS, LadderRules
from matchmaker.leader import Deposed, Term
from matchmaker.log import Log
from matchmaker.queues import OPEN
from matchmaker.rater import WentBack, recompute
from matchmaker.series import ANEW, after, new_pairing
from referee import games
from tests.helpers.stage import Stage, forfeited, spoilt
from tests.matchmaker.test_fold import result


@pytest.fixture
def stage(connection: redis.Redis, keys: Keys, tmp_path: Path) -> Stage:
    return Stage(connection, keys, tmp_path)


def results(stage: Stage) -> list[Result]:
    entries = [logged.entry for logged in Log(stage.redis, stage.keys).whole_tail()]
    return [entry for entry in entries if isinstance(entry, Result)]


class TestCourse:
    """What a closed match means for its pairing."""

    pairing = replace(
        new_pairing("toy", [Seated("a", "1"), Seated("b", "1")], ((0, 1), (1, 0))), match="m1"
    )

    def test_the_other_side_comes_next(self) -> None:
        following = after(self.pairing, result(1, "a", "b"))
        assert following is not None
        assert (following.orders, following.match) == (((1, 0),), "")

    def test_it_is_over_after_both(self) -> None:
        assert after(replace(self.pairing, orders=((1, 0),)), result(1, "a", "b")) is None

    def test_a_match_that_we_spoilt_is_played_anew_three_times(self) -> None:
        void = replace(result(1, "a", "b"), standing=Standing.VOID, why=Why.STALLED)
        pairing = self.pairing
        for attempt in range(2, ANEW + 2):
            following = after(pairing, void)
            assert following is not None
            assert (following.attempt, following.orders) == (attempt, self.pairing.orders)
            pairing = following
        following = after(pairing, void)
        assert following is not None
        assert (following.attempt, following.orders) == (1, ((1, 0),)), "and then the other side"

    def test_an_absent_bot_ends_it(self) -> None:
        absent = replace(result(1, "a", "b", standing=Standing.UNRATED), ending="no_show")
        assert after(self.pairing, absent) is None

    def test_a_match_without_a_result_is_played_again(self) -> None:
        assert after(self.pairing, None) == replace(self.pairing, match="")


def test_a_pairing_has_both_sides_on_one_setting_with_fresh_deals(stage: Stage) -> None:
    stage.go(4)
    by_pairing: dict[str, list[Any]] = {}
    for record in stage.records.values():
        by_pairing.setdefault(record.pairing, []).append(record)
    one, other = next(iter(by_pairing.values()))
    assert [seat.bot for seat in one.seats] == [seat.bot for seat in other.seats][::-1]
    assert one.setting == other.setting
    assert one.seed != other.seed
    assert one.salt != other.salt
    settings = {records[0].setting for records in by_pairing.values()}
    assert len(settings) == len(by_pairing), "another pairing has another setting"


def test_three_seats_have_all_six_orders(
    connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    rules = LadderRules(game="skirmish", seats=3, patience_ms=0)
    stage = Stage(connection, keys, tmp_path, rules=rules)
    stage.go(7)
    seatings = [tuple(seat.bot for seat in record.seats) for record in stage.records.values()]
    assert len(set(seatings[:6])) == 6


def test_planning_takes_a_place_of_each_bot_and_closing_gives_it_back(stage: Stage) -> None:
    stage.matchmaker.round()
    [match] = stage.open
    record = stage.redis.hget(stage.keys.match(match), "record")
    assert record is not None
    busy = [bot for bot in "abc" if stage.places(bot)]
    assert len(busy) == 2
    assert all(stage.places(bot) == {match} for bot in busy)
    stage.work(OPEN)
    stage.matchmaker.round()
    stage.work()
    assert stage.open == []
    assert all(not stage.places(bot) for bot in "abc")
    assert not stage.redis.exists(stage.keys.match(match), stage.keys.journal(match))


def test_no_bot_has_more_matches_than_places(
    connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    stage = Stage(connection, keys, tmp_path, bots="abcd", places=2)
    for _ in range(6):
        stage.matchmaker.round()
        stage.clock.now += 1
        assert all(len(stage.places(bot)) <= 2 for bot in "abcd")
    assert len(stage.open) == 4, "all places are used"


def test_a_bot_whose_opponent_has_left_plays_others_meanwhile(
    connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    stage = Stage(connection, keys, tmp_path, bots="abc")
    stage.go(1)
    while stage.work():
        pass
    [begun] = [each for each in stage.matchmaker.ladder.pairings.values() if each.orders[1:]]
    gone, left = (bot.bot for bot in begun.bots)
    stage.attend({bot: stage.streams[bot] for bot in "abc" if bot != gone})
    stage.go(1)
    assert len(results(stage)) == 1, "a lost line may be back in a moment"
    stage.clock.now += LEFT_SECONDS
    stage.go(3)
    assert {seat.bot for seat in results(stage)[-1].seats} == set("abc") - {gone}
    assert left in {seat.bot for seat in results(stage)[-1].seats}
    stage.attend()
    stage.go(6)
    assert [each.pairing for each in results(stage)].count(begun.pairing) == 2


def test_match_ids_tell_nothing_about_other_matches(stage: Stage) -> None:
    stage.go(12)
    ids = list(stage.records)
    assert all(len(match) == 16 and int(match, 16) >= 0 for match in ids)
    assert sorted(ids) != ids


def test_numbers_are_without_gaps_in_the_order_planned(stage: Stage) -> None:
    stage.go(10)
    numbers = [record.number for record in stage.records.values()]
    assert numbers == list(range(1, len(numbers) + 1))


def test_everyone_plays_about_as_much(stage: Stage) -> None:
    stage.go(40)
    counts = Counter(seat.bot for record in stage.records.values() for seat in record.seats)
    assert max(counts.values()) - min(counts.values()) <= 4


@pytest.mark.parametrize("target", [1, 6, 7])
def test_a_target_stops_the_ladder_and_says_so(
    connection: redis.Redis, keys: Keys, tmp_path: Path, target: int
) -> None:
    stage = Stage(connection, keys, tmp_path, bots="abcde", target=target)
    assert not progress.progress(connection, keys.namespace).done
    stage.go(2 * target + 5)
    stage.settle()
    reached = progress.progress(connection, keys.namespace)
    assert reached == progress.Progress(target, target, 0)
    assert not stage.matchmaker.ladder.pairings, "a pairing half played engages nobody"
    assert reached.done
    assert len(results(stage)) == target


def test_a_target_counts_rated_matches_alone(
    connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    """Two matches are spoilt; they are played anew and do not count."""
    left = [2]

    def play(record: Any) -> list[bytes]:
        left[0] -= 1
        return spoilt(record) if left[0] >= 0 else forfeited(record)

    stage = Stage(connection, keys, tmp_path, target=4, play=play)
    stage.go(14)
    stage.settle()
    assert progress.progress(connection, keys.namespace).done
    standings = Counter(each.standing for each in results(stage))
    assert standings == {Standing.RATED: 4, Standing.VOID: 2}


def test_a_spoilt_match_is_played_anew_by_the_same_seats(
    connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    stage = Stage(connection, keys, tmp_path, bots="ab", play=spoilt)
    stage.go(5)
    first = list(stage.records.values())[:4]
    assert [record.attempt for record in first] == [1, 2, 3, 4]
    assert len({record.seats for record in first}) == 1
    assert len({record.seed for record in first}) == 4, "on a fresh deal"
    fifth = list(stage.records.values())[4]
    assert (fifth.attempt, fifth.seats) == (1, first[0].seats[::-1])
    why = {each.why for each in results(stage)}
    assert why == {Why.STALLED}
    assert all(each.standing is Standing.VOID for each in results(stage))


def test_a_paused_or_removed_bot_is_not_paired(stage: Stage) -> None:
    registry.pause(stage.redis, "a", "why", namespace=stage.keys.namespace)
    stage.go(6)
    assert all("a" not in {s.bot for s in record.seats} for record in stage.records.values())
    registry.remove(stage.redis, "b", namespace=stage.keys.namespace)
    stage.records.clear()
    stage.go(4)
    assert not stage.records


def test_a_paused_bots_running_match_is_played_to_its_end(stage: Stage) -> None:
    stage.matchmaker.round()
    [match] = stage.open
    for bot in "abc":
        registry.pause(stage.redis, bot, "why", namespace=stage.keys.namespace)
    stage.work(OPEN)
    stage.go(2)
    assert [each.match for each in results(stage)] == [match]


def test_a_leaving_bot_and_one_of_another_game_are_not_paired(stage: Stage) -> None:
    other = stage.stream()._replace(games=("another",))
    streams = {"a": (stage.stream(leaving=True),), "b": (stage.stream(),), "c": (other,)}
    stage.attend(streams)
    stage.go(3)
    assert not stage.records


def test_bots_of_other_rules_are_not_paired(stage: Stage) -> None:
    facts = games.get("skirmish").facts
    there = attendance.read(stage.redis, stage.keys)
    assert set(there.players("skirmish", facts.rules, facts.cards)) == {"a", "b", "c"}
    assert not there.players("skirmish", facts.rules + "x", facts.cards)
    assert not there.players("skirmish", facts.rules, "other cards")


def test_a_match_names_instances_that_attend_one_referee(
    connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    stage = Stage(connection, keys, tmp_path, bots="ab", places=2)
    several = tuple(stage.stream(places=2)._replace(instance=name) for name in ("x", "y"))
    stage.attend({"a": several, "b": (stage.stream(places=2),)})
    stage.attend({"a": (several[0]._replace(instance="z"),)}, name="r2")
    stage.matchmaker.round()
    stage.work(OPEN)
    taken = [
        {seat.bot: seat.instance for seat in record.seats} for record in stage.records.values()
    ]
    assert sorted(each["a"] for each in taken) == ["x", "y"], "the least busy, at r1"
    assert all(each["b"] == "" for each in taken)


def test_a_new_version_ends_a_pairing_and_is_another_player(stage: Stage) -> None:
    stage.matchmaker.round()
    stage.work(OPEN)
    stage.attend({bot: (stage.stream(version="2"),) for bot in "abc"})
    stage.go(6)
    versions = [{seat.version for seat in record.seats} for record in stage.records.values()]
    assert versions[0] == {"1"}
    assert all(each == {"2"} for each in versions[1:])
    assert registry.find(stage.redis, "a", namespace=stage.keys.namespace).versions == ("1", "2")


def test_a_pairing_whose_bot_stays_away_is_abandoned(stage: Stage) -> None:
    stage.matchmaker.round()
    stage.work(OPEN)
    stage.attend({})
    stage.go(2)
    assert stage.redis.hlen(stage.keys.pairings) == 1
    stage.clock.now += ABANDON_SECONDS
    stage.matchmaker.round()
    assert stage.redis.hlen(stage.keys.pairings) == 0


def test_a_deposed_leader_plans_nothing(stage: Stage) -> None:
    assert stage.matchmaker.round()
    stage.go(1)
    stage.redis.set(stage.keys.leader, "another")
    before = stage.redis.get(stage.keys.number)
    with pytest.raises(Deposed):
        stage.go(2)
    assert stage.redis.get(stage.keys.number) == before


def test_a_new_leader_goes_on_where_the_old_one_stopped(stage: Stage) -> None:
    stage.go(3)
    second = stage.new_matchmaker()
    assert not second.round(), "a spare waits"
    stage.matchmaker.leave()
    stage.clock.now += 2
    assert second.round()
    stage.matchmaker = second
    stage.go(6)
    orders = Counter(record.pairing for record in stage.records.values())
    assert max(orders.values()) == 2
    assert next(iter(orders.values())) == 2, "the pairing that was begun had its other side"
    numbers = [record.number for record in stage.records.values()]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_leader_that_slept_through_its_term_reads_everything_anew(stage: Stage) -> None:
    """Its term expired, another led for a while and left: what it remembers is not so."""
    stage.go(1)
    sleeper = stage.matchmaker
    stage.redis.delete(stage.keys.leader)
    stage.matchmaker = stage.new_matchmaker()
    stage.go(3)
    stage.matchmaker.leave()
    stage.clock.now += 4
    stage.matchmaker = sleeper
    stage.go(3)
    numbers = [record.number for record in stage.records.values()]
    assert numbers == list(range(1, len(numbers) + 1))
    orders = Counter(record.pairing for record in stage.records.values())
    assert max(orders.values()) == 2


def test_a_leader_keeps_its_term_when_redis_was_away_for_a_moment(stage: Stage) -> None:
    stage.go(1)
    number = stage.matchmaker.term.number
    stage.matchmaker.lost_redis()
    stage.go(3)
    assert stage.matchmaker.term.number == number
    numbers = [record.number for record in stage.records.values()]
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("has_grown_again", [False, True])
def test_a_leader_whose_store_forgot_its_last_result_reads_everything_anew(
    stage: Stage, has_grown_again: bool
) -> None:
    """The store was back so soon that nobody missed it."""
    stage.go(2)
    checkpoint = stage.redis.get(stage.keys.fold)
    stage.go(2)
    stage.settle()
    last = Log(stage.redis, stage.keys).position()
    rows = stage.redis.xrange(stage.keys.log)
    stage.redis.delete(stage.keys.log)
    for name, fields in rows[:-1]:
        stage.redis.xadd(stage.keys.log, fields, id=name)
    stage.redis.set(stage.keys.log_position, last - 1)
    stage.redis.set(stage.keys.fold, checkpoint)
    if has_grown_again:
        registry.add(stage.redis, "d", "author-of-d", namespace=stage.keys.namespace)
    with pytest.raises(WentBack, match=f"lost entry {last}"):
        stage.matchmaker.round()
    stage.matchmaker.lost_redis()
    stage.go(3)
    stage.settle()
    found = recompute(stage.redis, stage.archive, stage.keys.namespace)
    assert found.ok, found.differences


def test_a_leader_killed_between_outbox_and_queue_loses_nothing(stage: Stage) -> None:
    """A job is queued twice if the process dies in between: one match all the same."""
    stage.matchmaker.round()
    [match] = stage.open
    stage.redis.rpush(stage.keys.outbox, match)
    stage.matchmaker.queues.send()
    assert len(stage.queued(OPEN)) == 2
    stage.go(3)
    assert [each.match for each in results(stage)].count(match) == 1


def test_a_bot_paused_at_the_last_moment_holds_up_nobody_elses_match(
    connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    """What was ready behind its match is planned all the same, and no number is left out."""
    stage = Stage(connection, keys, tmp_path, "abcdef")
    assert stage.matchmaker.term.hold()
    stage.matchmaker.ladder.load()
    there = attendance.read(stage.redis, stage.keys)
    registry.pause(stage.redis, "a", "why", namespace=keys.namespace)
    stage.matchmaker.ladder.look()
    assert stage.matchmaker.ladder.plan(there, {}) == 2
    assert not stage.places("a")
    found = stage.redis.zrange(keys.open, 0, -1, withscores=True)
    assert [number for _, number in found] == [1, 2]
    assert len(stage.matchmaker.ladder.pairings) == 2


class TestPlanScript:
    """The script that plans, called past all checks."""

    def plan(
        self, stage: Stage, number: int = 1, bots: tuple[str, ...] = ("a", "b"), match: str = "m"
    ) -> Any:
        [answer] = self.plan_all(stage, (match, number, bots))
        return answer

    def plan_all(self, stage: Stage, *matches: tuple[str, int, tuple[str, ...]]) -> Any:
        blob = ladder.packed(
            [
                [match, number, b"record", "skirmish", list(bots), [1, 1], "p", b"pairing", True]
                for match, number, bots in matches
            ]
        )
        token = stage.matchmaker.term.token
        return stage.redis.eval(scripts.PLAN, 0, stage.keys.prefix, token, blob)

    @pytest.fixture(autouse=True)
    def leads(self, stage: Stage) -> None:
        stage.matchmaker.term.hold()

    def test_refuses_another_term(self, stage: Stage) -> None:
        stage.matchmaker.term.token = "stale"
        assert self.plan(stage) == [-1]

    def test_refuses_a_number_that_is_not_the_next(self, stage: Stage) -> None:
        assert self.plan(stage, number=2) == [-2]

    def test_refuses_a_bot_without_a_place(self, stage: Stage) -> None:
        stage.redis.sadd(stage.keys.places("b"), "other")
        assert self.plan(stage) == [-3, b"b"]

    def test_refuses_a_paused_bot_and_an_unknown_one(self, stage: Stage) -> None:
        registry.pause(stage.redis, "a", "why", namespace=stage.keys.namespace)
        assert self.plan(stage) == [-3, b"a"]
        assert self.plan(stage, bots=("b", "nemo")) == [-3, b"nemo"]

    def test_happens_wholly_or_not_at_all(self, stage: Stage) -> None:
        before = sorted(stage.redis.scan_iter(stage.keys.prefix + "*"))
        self.plan(stage, bots=("b", "nemo"))
        assert sorted(stage.redis.scan_iter(stage.keys.prefix + "*")) == before
        assert self.plan(stage)[0] == 1
        assert stage.redis.lrange(stage.keys.outbox, 0, -1) == [b"m"]
        assert stage.places("a") == stage.places("b") == {"m"}
        assert stage.redis.zscore(stage.keys.open, "m") == 1
        assert stage.redis.zscore(stage.keys.planned, "m") is not None

    def test_plans_up_to_the_first_that_is_refused(self, stage: Stage) -> None:
        """A place that one match of a call takes is no longer free for the next."""
        answers = self.plan_all(
            stage, ("m1", 1, ("a", "b")), ("m2", 2, ("b", "c")), ("m3", 3, ("c",))
        )
        assert answers == [[1], [-3, b"b"]]
        assert stage.redis.lrange(stage.keys.outbox, 0, -1) == [b"m1"]
        assert stage.places("c") == set()
        assert self.plan(stage, number=2, bots=("c",), match="m3") == [1]


class TestPractise:
    def ask(self, stage: Stage, bot: str, **more: Any) -> None:
        request = {"bot": bot, "game": "skirmish", "opponent": "", "seat": None, **more}
        stage.redis.rpush(stage.keys.practise, msgpack.packb(request))

    @pytest.fixture
    def stage(self, connection: redis.Redis, keys: Keys, tmp_path: Path) -> Stage:
        """A house bot and a guest, at places enough; no rated match is planned."""
        stage = Stage(connection, keys, tmp_path, bots=("guest",), places=2)
        registry.add(connection, "house", "us", house=True, namespace=keys.namespace)
        stage.streams = {bot: (stage.stream(places=2),) for bot in ("guest", "house")}
        stage.attend()
        stage.matchmaker.ladder.rules.clear()
        stage.matchmaker.ladder.rules["skirmish"] = stage.rules
        return stage

    def practised(self, stage: Stage) -> list[Any]:
        return [record for record in stage.records.values() if record.cause == "practise"]

    @pytest.mark.parametrize("seat", [0, 1])
    def test_it_is_one_unrated_match_in_the_seat_asked_for(self, stage: Stage, seat: int) -> None:
        self.ask(stage, "guest", seat=seat)
        stage.go(3)
        [record] = self.practised(stage)
        assert record.seats[seat].bot == "guest"
        assert not record.rated
        [closed] = [each for each in results(stage) if each.cause == "practise"]
        assert (closed.standing, closed.why) == (Standing.UNRATED, Why.PRACTISE)

    def test_only_house_bots_can_be_asked_for(self, stage: Stage) -> None:
        self.ask(stage, "house", opponent="guest")
        stage.go(2)
        assert not self.practised(stage)

    def test_a_request_waits_for_a_place_and_is_dropped_after_a_while(self, stage: Stage) -> None:
        stage.attend({"guest": stage.streams["guest"]})
        self.ask(stage, "guest")
        stage.go(2)
        assert stage.matchmaker.ladder.practise.dropped == 0
        stage.attend()
        stage.go(2)
        assert len(self.practised(stage)) == 1
        stage.attend({"guest": stage.streams["guest"]})
        self.ask(stage, "guest")
        stage.go(2, seconds=61)
        stage.go(1)
        assert stage.matchmaker.ladder.practise.dropped == 1
        last = registry.history(stage.redis, "guest", namespace=stage.keys.namespace)[0]
        assert (last["what"], last["by"]) == ("practise", "ladder")

    def test_rubbish_is_dropped(self, stage: Stage) -> None:
        stage.redis.rpush(stage.keys.practise, b"\xc1", msgpack.packb([1]), msgpack.packb({}))
        stage.go(1)
        assert stage.matchmaker.ladder.practise.dropped == 3


def test_a_term_is_one_matchmakers_at_a_time(connection: redis.Redis, keys: Keys) -> None:
    now = [0.0]
    one, other = (Term(connection, keys, lambda: now[0]) for _ in range(2))
    assert one.hold()
    assert not other.hold()
    connection.delete(keys.leader)  # it expires
    now[0] += 3
    assert other.hold()
    assert not one.hold()
    assert other.number == one.number + 1 or other.number == 2
    one.leave()
    assert other.hold(), "who has lost the lead cannot give it away"
