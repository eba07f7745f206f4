"""A season begins a game's table afresh; what is played before it stays with the one before."""

import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
import redis

from matchmaker import table
from matchmaker.archive import Archive
from matchmaker.entries import Entry, Keep, Result, RulesSet, Season, Seated, Void, decode, encode
from matchmaker.errors import WrongUse
from matchmaker.fold import PRESEASON, Fold, TooLate, whole
from matchmaker.keys import Keys
from matchmaker.leader import Term
from matchmaker.log import Log
from matchmaker.rater import Rater, recompute
from matchmaker.ratings import RatingRules, TrueSkill
from tests.matchmaker.test_fold import fold_of, result, rows_of, season
from tests.matchmaker.test_rater import append

SPRING = Season(game="toy", name="spring", number=40)
SUMMER = Season(game="toy", name="summer", number=70, keep=Keep.MU)


def tables(fold: Fold) -> list[str]:
    """Every season's table, oldest first."""
    return [
        json.dumps(table.render(fold, "toy", 0, bytes(32), each.name))
        for each in fold.game("toy").seasons
    ]


def stepped(entries: Sequence[Entry]) -> Fold:
    """Entry by entry; what changes what is settled folds all anew, as the rater does."""
    fold = Fold()
    for index, entry in enumerate(entries):
        try:
            fold.add(entry)
        except TooLate:
            fold = whole(entries[: index + 1])
        if index % 7 == 0:
            fold.refresh()
    return fold


def test_comes_back_as_it_went() -> None:
    assert decode(encode(SUMMER)) == SUMMER


def test_a_table_starts_afresh_and_the_last_one_stays() -> None:
    before = whole(season(40))
    fold = fold_of([*season(40), SPRING, *season(60)[40:]])
    first, second = fold.game("toy").seasons
    assert (first.name, second.name) == (PRESEASON, "spring")
    assert first.now.players == before.game("toy").now.players
    assert (first.counts["rated"], second.counts["rated"], second.rated_in_all) == (40, 20, 60)
    assert second.now.players == whole(season(60)[40:]).game("toy").now.players
    assert [row["bot"] for row in rows_of(fold)] == [
        row["bot"] for row in rows_of(whole(season(60)[40:]))
    ]


def test_another_game_goes_on() -> None:
    chess = [result(n, "a", "b", game="chess") for n in (1, 2)]
    fold = fold_of([chess[0], SPRING, chess[1]])
    assert [each.name for each in fold.game("chess").seasons] == [PRESEASON]
    assert fold.game("chess").counts["rated"] == 2


def test_with_mu_kept_a_bot_begins_where_it_was_but_less_certain() -> None:
    keep = Season(game="toy", name="spring", number=40, keep=Keep.MU)
    fold = fold_of([*season(40), keep])
    ended = fold.game("toy").earlier[0].now
    begun = fold.game("toy").now
    assert begun.players == {}, "nobody is in the table before he has played"
    ratings = TrueSkill()
    for seated, player in ended.players.items():
        assert begun.rating(seated, ratings) == ratings.reopen(player.rating)
        assert begun.rating(Seated(seated.bot, "2"), ratings) == ratings.reopen(player.rating)
    assert begun.rating(Seated("new", "1"), ratings) == ratings.fresh()


def test_who_sits_a_season_out_is_less_certain_still() -> None:
    two = [
        Season(game="toy", name="one", number=2, keep=Keep.MU),
        Season(game="toy", name="two", number=4, keep=Keep.MU),
    ]
    many = [result(1, "a", "b"), two[0], result(3, "c", "d"), two[1]]
    first, _, last = fold_of(many).game("toy").seasons
    ratings, known = TrueSkill(), first.now.players[Seated("a", "1")].rating
    assert last.now.rating(Seated("a", "1"), ratings) == ratings.reopen(ratings.reopen(known))


@pytest.mark.parametrize("keep", list(Keep))
def test_a_late_result_goes_to_its_own_season(keep: Keep) -> None:
    results = season(60)
    begun = Season(game="toy", name="spring", number=40, keep=keep)
    late = [*results[:19], *results[20:40], begun, *results[40:], results[19]]
    fold = Fold()
    for entry in late:
        fold.add(entry)
        fold.refresh()
    assert tables(fold) == tables(whole([*results, begun]))
    spring = fold.game("toy")
    assert spring.earlier[0].counts["rated"] == 40
    alone = whole(results[40:]).game("toy").now.players
    assert (spring.now.players == alone) == (keep is Keep.NOTHING)


def test_a_void_of_an_earlier_season_changes_that_season() -> None:
    fold = fold_of([*season(60)[:40], SPRING, *season(60)[40:]])
    fold.add(Void(match="m7", by="olga", reason="why"))
    first, second = fold.game("toy").seasons
    assert (first.counts["rated"], first.counts["void"]) == (39, 1)
    assert (second.counts["rated"], second.counts["void"]) == (20, 0)


def test_settled_seasons_and_checkpoints_change_nothing() -> None:
    entries = [*season(40), SPRING, *season(70)[40:], SUMMER, *season(90)[70:]]
    fold = Fold()
    for number, entry in enumerate(entries):
        fold.add(entry)
        if number % 9 == 0:
            fold.settle(number - 20)
            fold = Fold.load(json.loads(json.dumps(fold.dump())))
    assert tables(fold) == tables(whole(entries))
    assert [each.name for each in fold.game("toy").seasons] == [PRESEASON, "spring", "summer"]
    fold.settle(90)
    with pytest.raises(TooLate):
        fold.add(result(30, "b1", "b2"))
    with pytest.raises(TooLate):
        fold.add(Void(match="m75", by="olga", reason="why"))


def test_whatever_the_order_of_arrival_all_seasons_tables_are_the_same() -> None:
    entries: list[Entry] = [*season(90), SPRING, SUMMER, RulesSet(game="toy", rules=RatingRules())]
    entries += [Void(match=f"m{n}", by="olga", reason="why") for n in (3, 44, 45, 80)]
    expected = tables(whole(entries))
    assert len(expected) == 3
    for seed in range(8):
        random.Random(seed).shuffle(entries)
        assert tables(stepped(entries)) == expected
        assert tables(whole(entries)) == expected


def test_a_void_may_come_before_its_result() -> None:
    entries: list[Entry] = [Void(match="m2", by="olga", reason="why"), *season(3)]
    fold = stepped(entries)
    assert tables(fold) == tables(whole(entries)) == tables(whole(entries[::-1]))
    assert (fold.game("toy").counts["rated"], fold.game("toy").counts["void"]) == (2, 1)


def test_a_name_begins_one_season() -> None:
    again = Season(game="toy", name="spring", number=50)
    entries = [*season(60)[:40], SPRING, *season(60)[40:], again]
    assert tables(fold_of(entries)) == tables(whole(entries)) == tables(whole(entries[:-1]))


class TestReadyTables:
    @pytest.fixture
    def archive(self, tmp_path: Path) -> Archive:
        return Archive(tmp_path / "archive")

    @pytest.fixture
    def log(self, connection: redis.Redis, keys: Keys) -> Log:
        return Log(connection, keys)

    @pytest.fixture
    def rater(self, connection: redis.Redis, keys: Keys, term: Term, archive: Archive) -> Rater:
        made = Rater(connection, keys, term, archive, ["toy"], clock=lambda: 0.0)
        made.load()
        return made

    @pytest.fixture
    def played(self, rater: Rater, log: Log) -> list[Result]:
        """Forty results, a season, twenty more; one of the first forty is still played."""
        results = season(60)
        append(log, *results[:19], *results[20:40])
        log.note(SPRING)
        append(log, *results[40:])
        rater.take(0)
        rater.publish(now=True)
        return results

    def test_the_last_table_of_a_season_can_be_read(
        self, played: list[Result], connection: redis.Redis, keys: Keys
    ) -> None:
        now = table.read(connection, "toy", keys.namespace)
        assert (now["season"], now["seasons"]) == ("spring", [PRESEASON, "spring"])
        assert (now["rated"], now["rated_in_all"]) == (20, 59)
        past = table.read(connection, "toy", keys.namespace, PRESEASON)
        assert (past["season"], past["rated"]) == (PRESEASON, 39)
        assert table.games(connection, keys.namespace) == ["toy"]
        with pytest.raises(WrongUse, match=r"no season 'autumn'; there are: preseason, spring"):
            table.read(connection, "toy", keys.namespace, "autumn")

    def test_are_as_the_log_gives_them_also_after_a_late_result(
        self,
        played: list[Result],
        rater: Rater,
        log: Log,
        connection: redis.Redis,
        keys: Keys,
        archive: Archive,
    ) -> None:
        assert recompute(connection, archive, keys.namespace).ok
        before = connection.get(keys.past_table("toy", PRESEASON))
        append(log, *[result(61, "b1", "b2")])
        rater.take(0)
        rater.publish(now=True)
        assert connection.get(keys.past_table("toy", PRESEASON)) == before, "it has not changed"
        assert recompute(connection, archive, keys.namespace).ok
        append(log, played[19])
        rater.take(0)
        rater.publish(now=True)
        past = table.read(connection, "toy", keys.namespace, PRESEASON)
        assert (past["rated"], past["position"]) == (40, 63)
        found = recompute(connection, archive, keys.namespace)
        assert (found.ok, found.results) == (True, 61)

    def test_a_changed_one_is_found(
        self, played: list[Result], connection: redis.Redis, keys: Keys, archive: Archive
    ) -> None:
        key = keys.past_table("toy", PRESEASON)
        stored = connection.get(key)
        assert isinstance(stored, bytes)
        for changed, words in (
            (stored.replace(b'"wins":1', b'"wins":2', 1), "the table differs from what the log"),
            (stored.replace(b'"head":"', b'"head":"0', 1), "the chain's head differs"),
            (None, "its table is missing"),
        ):
            assert changed != stored
            if changed is None:
                connection.delete(key)
            else:
                connection.set(key, changed)
            [line] = recompute(connection, archive, keys.namespace).differences
            assert line.startswith(f"toy, season preseason: {words}")
