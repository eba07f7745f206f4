"""Tables are pure folds of the log, in match-number order whatever the order of arrival."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchmaker.entries import (
    START,
    BadEntry,
    BotAdded,
    Entry,
    Result,
    RulesSet,
    Seated,
    Standing,
    Void,
    Why,
    decode,
    digest,
    encode,
    link,
)
from matchmaker.fold import CHECKPOINT_EVERY, Fold, GameFold, TooLate, whole
from matchmaker.ratings import RatingRules, TrueSkill
from matchmaker.table import render


def result(
    number: int,
    *bots: str,
    ranks: Sequence[int] = (1, 2),
    standing: Standing = Standing.RATED,
    version: str = "1",
    game: str = "toy",
    ending: str = "normal",
) -> Result:
    seats = tuple(Seated(bot, version) for bot in bots)
    return Result(
        match=f"m{number}",
        number=number,
        game=game,
        rules="1",
        cards="c",
        pairing=f"p{number // 2}",
        cause="ladder",
        attempt=0,
        standing=standing,
        why=Why.NONE if standing is Standing.RATED else Why.NO_SHOW,
        ending=ending,
        reason="points",
        seats=seats,
        sides=tuple((seat,) for seat in range(len(seats))),
        ranks=tuple(ranks),
        scores=(0,) * len(seats),
        faults=("",) * len(seats),
        decisions=10,
        digest=bytes(32),
        archive="a" * 64,
    )


def season(count: int, seed: int = 1) -> list[Result]:
    chance = random.Random(seed)
    bots = [f"b{i}" for i in range(6)]
    made = []
    for number in range(1, count + 1):
        one, other = chance.sample(bots, 2)
        ranks = chance.choice([(1, 2), (2, 1), (1, 1)])
        made.append(result(number, one, other, ranks=ranks))
    return made


def fold_of(entries: Sequence[Entry]) -> Fold:
    fold = Fold()
    for entry in entries:
        fold.add(entry)
    return fold


def table(fold: Fold, game: str = "toy") -> dict[str, Any]:
    return render(fold, game, 7, START)


def rows_of(fold: Fold, game: str = "toy") -> list[dict[str, Any]]:
    return list(table(fold, game)["table"])


class TestEntries:
    @pytest.mark.parametrize(
        "entry",
        [
            result(1, "a", "b"),
            Void(match="m1", by="root", reason="host was overloaded"),
            BotAdded(bot="a", author="ann"),
            RulesSet(game="toy", rules=RatingRules(beta=4.0)),
        ],
    )
    def test_come_back_as_they_went(self, entry: Entry) -> None:
        assert decode(encode(entry)) == entry

    def test_equal_results_are_equal_bytes(self) -> None:
        assert digest(encode(result(1, "a", "b"))) == digest(encode(result(1, "a", "b")))
        assert digest(encode(result(1, "a", "b"))) != digest(encode(result(1, "b", "a")))

    def test_of_a_newer_schema_are_refused_in_one_line(self) -> None:
        data = encode(BotAdded(bot="a", author="ann")).replace(b"\xa6schema\x01", b"\xa6schema\x02")
        with pytest.raises(BadEntry, match=r"schema 2; this program knows 1"):
            decode(data)

    @pytest.mark.parametrize("data", [b"", b"\xc1", b"rubbish", encode(result(1, "a"))[:-3]])
    def test_that_are_none_are_refused(self, data: bytes) -> None:
        with pytest.raises(BadEntry):
            decode(data)

    def test_of_unknown_kind_are_refused(self) -> None:
        data = encode(BotAdded(bot="a", author="ann")).replace(b"\xa3bot\xa3", b"\xa3cat\xa3")
        data = data.replace(b"\xa4kind\xa3bot", b"\xa4kind\xa3cat")
        with pytest.raises(BadEntry, match="unknown kind 'cat'"):
            decode(data)


def test_the_chain_depends_on_every_entry_and_its_order() -> None:
    one, other = encode(result(1, "a", "b")), encode(result(2, "a", "b"))
    heads = {
        link(link(START, 5, one), 6, other),
        link(link(START, 6, other), 5, one),
        link(link(START, 5, one), 7, other),
        link(START, 5, one),
    }
    assert len(heads) == 4


def test_worked_table() -> None:
    """Two wins and a draw, by the numbers of the rating tests."""
    fold = fold_of(
        [
            BotAdded(bot="a", author="ann"),
            result(1, "a", "b"),
            result(2, "c", "a", standing=Standing.UNRATED, ending="no_show"),
        ]
    )
    shown = table(fold)
    first, second = shown["table"]
    assert (first["bot"], first["author"], first["rank"]) == ("a", "ann", 1)
    assert first["mu"] == pytest.approx(29.3958, abs=5e-4)
    assert (first["matches"], first["wins"], first["draws"], first["losses"]) == (1, 1, 0, 0)
    assert (second["bot"], second["rank"], second["losses"]) == ("b", 2, 1)
    assert (shown["rated"], shown["unrated"], shown["void"]) == (1, 1, 0)
    assert shown["endings"] == {"no_show": 1, "normal": 1}


def test_free_for_all_counts_one_winner_or_a_shared_first_place() -> None:
    fold = fold_of(
        [result(1, "a", "b", "c", ranks=(2, 1, 3)), result(2, "a", "b", "c", ranks=(1, 1, 3))]
    )
    rows = {row["bot"]: row for row in rows_of(fold)}
    assert [rows[b]["wins"] for b in "abc"] == [0, 1, 0]
    assert [rows[b]["draws"] for b in "abc"] == [1, 1, 0]
    assert [rows[b]["losses"] for b in "abc"] == [1, 0, 2]


def test_a_team_shares_its_result() -> None:
    team = replace(result(1, "a", "b", "c", "d", ranks=(1, 2, 1, 2)), sides=((0, 2), (1, 3)))
    rows = {row["bot"]: row for row in rows_of(fold_of([team]))}
    assert [rows[b]["wins"] for b in "abcd"] == [1, 0, 1, 0]
    assert rows["a"]["mu"] == rows["c"]["mu"] == pytest.approx(28.108, abs=5e-4)


def test_games_have_tables_of_their_own() -> None:
    fold = fold_of([result(1, "a", "b"), result(2, "a", "b", game="other", ranks=(2, 1))])
    assert table(fold)["table"] != table(fold, "other")["table"]
    assert len(table(fold)["table"]) == 2


def test_a_new_version_keeps_mu_opens_sigma_and_takes_the_row() -> None:
    old = season(60)
    fold = fold_of(old)
    before = {row["bot"]: row for row in rows_of(fold)}["b0"]
    fold.add(result(61, "b0", "b1", version="2", ranks=(1, 1)))
    shown = table(fold)
    after = {row["bot"]: row for row in shown["table"]}["b0"]
    assert (after["version"], after["matches"]) == ("2", 1)
    assert after["sigma"] > before["sigma"] + 1
    assert {(row["bot"], row["version"]) for row in shown["earlier"]} == {("b0", "1"), ("b1", "1")}
    reopened = TrueSkill().reopen(fold.games["toy"].now.players[Seated("b0", "1")].rating)
    assert reopened.mu == before["mu"]


def test_a_late_result_changes_nothing_else() -> None:
    results = season(CHECKPOINT_EVERY * 3)
    for late in (1, CHECKPOINT_EVERY, CHECKPOINT_EVERY + 1, len(results) - 1):
        arrived = [r for r in results if r.number != late] + [results[late - 1]]
        assert table(fold_of(arrived)) == table(whole(results))


def test_a_voided_result_counts_no_more() -> None:
    results = season(80)
    fold = fold_of([*results, Void(match="m7", by="root", reason="why")])
    without = fold_of([r for r in results if r.number != 7])
    assert table(fold)["table"] == table(without)["table"]
    assert (fold.games["toy"].counts["rated"], fold.games["toy"].counts["void"]) == (79, 1)
    assert table(fold) == table(whole([*results, Void(match="m7", by="root", reason="why")]))


def test_settled_results_give_the_same_table_and_are_forgotten() -> None:
    results = season(100)
    fold = Fold()
    for entry in results:
        fold.add(entry)
        fold.settle(entry.number - 10)
    assert len(fold.games["toy"].results) == 10
    assert table(fold) == table(whole(results))


def test_what_is_settled_can_only_be_changed_by_folding_anew() -> None:
    fold = fold_of(season(10))
    fold.settle(10)
    with pytest.raises(TooLate, match="settled"):
        fold.add(result(5, "a", "b"))
    with pytest.raises(TooLate, match="settled"):
        fold.add(Void(match="m5", by="root", reason="why"))
    with pytest.raises(TooLate, match="rate all its results anew"):
        fold.add(RulesSet(game="toy", rules=RatingRules(beta=1.0)))


def test_rating_rules_hold_for_the_whole_game() -> None:
    rules = RatingRules(beta=10.0)
    first = fold_of([RulesSet(game="toy", rules=rules), *season(20)])
    assert table(first) == table(whole([*season(20), RulesSet(game="toy", rules=rules)]))
    assert table(first)["table"] != table(fold_of(season(20)))["table"]


def test_a_fold_comes_back_as_it_was() -> None:
    fold = fold_of([BotAdded(bot="b1", author="ann"), *season(90)])
    fold.settle(40)
    again = Fold.load(fold.dump())
    assert table(again) == table(fold)
    fold.add(result(95, "b1", "b2"))
    again.add(result(95, "b1", "b2"))
    late = result(41, "b3", "b4", ranks=(2, 1))
    late = replace(late, match="late")
    fold.add(late)
    again.add(late)
    assert table(again) == table(fold)
    assert again.dump() == fold.dump()


@pytest.mark.properties
@settings(max_examples=10, deadline=None)
@given(
    count=st.integers(1, 50),
    seed=st.integers(0, 9),
    order=st.randoms(use_true_random=False),
    wanted=st.sets(st.integers(1, 50), max_size=3),
)
def test_any_order_of_arrival_gives_one_table(
    count: int, seed: int, order: random.Random, wanted: set[int]
) -> None:
    results = season(count, seed)
    arrived = list(results)
    order.shuffle(arrived)
    voided = {f"m{number}" for number in wanted if number <= count}
    voids = [Void(match=match, by="root", reason="why") for match in sorted(voided)]
    expected = table(whole([*results, *voids]))
    assert table(fold_of([*arrived, *voids])) == expected
    # Settling as an operating ladder does: up to the lowest number that has not arrived.
    fold, missing = Fold(), {r.number for r in results}
    for entry in arrived:
        fold.add(entry)
        missing.discard(entry.number)
        fold.settle(min(missing, default=len(results) + 1) - 1)
    assert table(fold) == table(whole(results))


def test_a_fold_without_results_has_an_empty_table() -> None:
    assert table(Fold())["table"] == []
    assert GameFold().now.players == {}
