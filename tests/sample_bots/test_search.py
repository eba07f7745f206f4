"""The search, its evaluation and its tuner at Battle for Stalingrad."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from referee import games
from tests.sample_bots.table import BOTS, bot, play
from warladder.v1 import referee_pb2 as pb

GAME = games.get("stalingrad")
search: ModuleType = bot("search").searcher


def modules(folder: str, *names: str) -> list[ModuleType]:
    """A program's own files as modules, forgotten again so that no other test meets them."""
    before, path = set(sys.modules), sys.path.copy()
    sys.path[:0] = [str(BOTS / folder), str(BOTS / "search"), str(BOTS)]
    try:
        found = [__import__(name) for name in names]
    finally:
        sys.path[:] = path
        for each in set(sys.modules) - before:
            if str(getattr(sys.modules[each], "__file__", "")).startswith(str(BOTS)):
                del sys.modules[each]
    return found


evaluation, playout, thinking = modules("search", "evaluation", "playout", "thinking")
tune, fit, sprt = modules("tune", "tune", "fit", "sprt")


def positions(count: int) -> Iterator[Any]:
    """Positions of random play, whoever is asked and whatever for."""
    for n in range(count):
        s = GAME.start(2, f"search {n}", None, None, False)
        chance = Random(n)
        for _ in range(60 + 40 * n):
            if not s.asked():
                break
            (seat,) = s.asked()
            s.choose(seat, chance.randrange(len(s.options(seat))))
        yield s


class Anything:
    def told(self, events: Any) -> None:
        pass

    def choose(self, asked: pb.Decide, chance: Random) -> int:
        return chance.randrange(len(asked.options))


def searcher(steps: int, taken: list[int] | None = None) -> Any:
    def make(started: pb.MatchStarted) -> Any:
        player = search.Searcher(started, search.Budget(steps=steps))
        if taken is not None:
            choose = player.choose

            def noted(asked: pb.Decide, chance: Random) -> int:
                taken.append(choose(asked, chance))
                return taken[-1]

            player.choose = noted
        return player

    return make


@pytest.mark.parametrize("side", [0, 1])
def test_it_beats_random_from_both_sides(side: int) -> None:
    seats: list[Any] = [lambda started: Anything()] * 2
    seats[side] = searcher(40)
    assert sum(play("stalingrad", seats, f"{n}").ranks[side] == 1 for n in range(2)) == 2


def test_with_a_budget_in_steps_a_match_comes_out_the_same() -> None:
    first: list[int] = []
    again: list[int] = []
    for taken in (first, again):
        play("stalingrad", [searcher(40, taken), lambda started: Anything()], "same")
    assert len(first) > 20
    assert first == again


def test_weights_name_every_feature_and_nothing_else() -> None:
    book = next(positions(1)).book
    for path in (evaluation.WEIGHTS, BOTS / "tune" / "start.json"):
        for seat, weights in enumerate(evaluation.read(path)):
            features = evaluation.Evaluation(book, seat, {}).names
            assert list(weights) == [*features, *evaluation.RATES]


def test_the_worth_of_a_position_hangs_on_what_its_seat_may_know() -> None:
    for s in positions(6):
        for seat in (0, 1):
            ours = evaluation.Evaluation(s.book, seat, evaluation.read()[seat])
            view = s.view(seat)
            worths = {ours.worth(GAME.imagine(view, f"{k}")) for k in range(3)}
            assert worths == {ours.worth(s)}


def test_a_playout_ends_at_a_quiet_point() -> None:
    for s in positions(8):
        t = s.clone()
        playout.Playouts(s.book, 0.5).settle(t)
        for seat in t.asked():
            assert t.kind(seat) in ("main", "free_move", "move_dest", "setup_pick", "setup_place")


def test_a_line_leads_where_its_plan_says() -> None:
    """What was planned with an answer is answered at once when it is asked."""
    thinker = thinking.Thinker(0, evaluation.read()[0])
    thinker.plan = ["to GUM.C"]
    labels = ["to GRA.C", "to GUM.C"]
    assert thinker.choose(None, labels, Random(1), thinking.Budget(steps=1)) == 1
    assert thinker.plan == []


@pytest.mark.parametrize(
    ("budget", "bank", "cap", "allowed"),
    [
        ({"ms": 50.0}, 120_000, 10_000, {"ms": 50.0}),
        ({"ms": 50.0}, 1_500, 10_000, {"ms": 10.0}),
        ({"ms": 50.0}, 120_000, 40, {"ms": 10.0}),
        ({"steps": 600}, 120_000, 10_000, {"steps": 600}),
        ({"steps": 600}, 1_500, 10_000, {"steps": 600, "ms": 10.0}),
    ],
)
def test_a_budget_is_cut_to_what_the_clock_allows(
    budget: dict[str, Any], bank: int, cap: int, allowed: dict[str, Any]
) -> None:
    player = search.Searcher(pb.MatchStarted(seat=0), search.Budget(**budget))
    asked = pb.Decide(clock=pb.Clock(bank_ms=bank, cap_ms=cap))
    assert player.allowed(asked) == search.Budget(**allowed)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("--steps 0", "--steps: '0' is not a whole number from 1 to 1000000"),
        ("--steps -5", "--steps: '-5' is not a whole number from 1 to 1000000"),
        ("--steps 1000001", "--steps: '1000001' is not a whole number from 1 to 1000000"),
        (f"--steps {'9' * 5000}", "is not a whole number from 1 to 1000000"),
        ("--steps 1.5", "--steps: '1.5' is not a whole number from 1 to 1000000"),
        ("--ms 0", "--ms: '0' is not a time above 0 and up to 600000 ms"),
        ("--ms -3", "--ms: '-3' is not a time above 0 and up to 600000 ms"),
        ("--ms 600001", "--ms: '600001' is not a time above 0 and up to 600000 ms"),
        ("--ms nan", "--ms: 'nan' is not a time above 0 and up to 600000 ms"),
        ("--ms long", "--ms: 'long' is not a time above 0 and up to 600000 ms"),
        ("--steps 200 --ms 20", "argument --ms: not allowed with argument --steps"),
        ("--max-matches 4294967296", "'4294967296' is not a whole number from 1 to 1000000"),
    ],
)
@pytest.mark.parametrize("name", ["search", "best"])
def test_a_senseless_budget_is_refused(
    name: str, words: str, complaint: str, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.setattr(sys, "argv", [f"{name}/bot.py", *words.split()])
    with pytest.raises(SystemExit) as refused:
        search.attend_with("A search.", bot(name).STEPS)
    assert refused.value.code == 2
    assert complaint in capsys.readouterr().err.splitlines()[-1]


# The tuner


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("improve --generations 0", "--generations: '0' is not a whole number from 1 to 1000000"),
        ("improve --fit-every -1", "--fit-every: '-1' is not a whole number from 1 to 1000000"),
        ("improve --fit-matches 0", "--fit-matches: '0' is not a whole number"),
        ("improve --hold 0", "--hold: '0' is not a number above 0"),
        ("improve --better 0.5", "--better: '0.5' is not a number above 0.5, below 1"),
        ("improve --better nan", "--better: 'nan' is not a number above 0.5, below 1"),
        ("improve --most 0", "--most: '0' is not a whole number"),
        ("improve --start nowhere.json", "--start: 'nowhere.json' is no file of weights"),
        ("improve --output no/folder/at/all", "'no/folder/at/all' is no file in a folder"),
        ("scale --by cards=inf", "--by: 'inf' is not a number above 0"),
        ("scale --by cards", "--by: '' is not a number above 0"),
        ("scale --by luck=2", "--by: 'luck' is no group of weights"),
        ("scale --by enemy_fire=2", "--by: 'enemy_fire' is no group of weights"),
        ("scale --by polish:cards=2", "--by: 'polish' is no seat: russian or german, or none"),
        ("screen --by 1", "--by: '1' is not a number above 1, below inf"),
        ("screen --matches 0", "--matches: '0' is not a whole number from 1 to 1000000"),
        ("match --steps 0", "--steps: '0' is not a whole number from 1 to 1000000"),
        ("match --matches none", "--matches: 'none' is not a whole number from 1 to 1000000"),
        ("match --one pyproject.toml", "--one: 'pyproject.toml' is no file of weights"),
        ("match --cards nowhere", "--cards: cards='nowhere': no such folder; it must hold"),
        ("match --other brave", "--other: 'brave' is no file of weights"),
    ],
)
def test_senseless_flags_of_the_tuner_are_refused(
    words: str, complaint: str, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.setattr(sys, "argv", ["tune.py", *words.split()])
    monkeypatch.chdir(BOTS.parent.parent)
    with pytest.raises(SystemExit) as refused:
        tune.main()
    assert refused.value.code == 2
    assert complaint in capsys.readouterr().err.splitlines()[-1]


def test_the_weights_are_what_their_command_makes(tmp_path: Path, monkeypatch: Any) -> None:
    made = json.loads(evaluation.WEIGHTS.read_text())
    command = made["command"].split()
    assert command[:2] == ["python", "sample_bots/python/tune/tune.py"]
    output = tmp_path / "weights.json"
    monkeypatch.setattr(sys, "argv", command[1:] + ["--output", str(output)])
    monkeypatch.chdir(BOTS.parent.parent)
    tune.main()
    assert json.loads(output.read_text())["seats"] == made["seats"]


def test_a_step_scales_the_weights_of_its_group_seat_and_side_alone() -> None:
    weights = evaluation.read()
    seats, group, factor = tune.step("german:own_cards=2")
    new = tune.scaled(weights, group, factor, seats)
    assert new[0] == weights[0]
    changed = {name for name in new[1] if new[1][name] != weights[1][name]}
    assert changed == {"own_hand", "own_hand_more", "own_hand_most"}
    assert new[1]["own_hand"] == 2 * weights[1]["own_hand"]
    assert tune.step("card=0.5") == ((0, 1), "card", 0.5)


def test_a_match_tells_each_side_and_plays_with_the_cards_it_is_given(
    monkeypatch: Any, capsys: Any
) -> None:
    """The same data from a folder plays the same."""
    rows = []
    for more in ([], ["--cards", str(BOTS.parent.parent / "referee/games/stalingrad/data")]):
        words = ["match", "--one", "greedy", "--other", "greedy", "--matches", "2", "--seed", "3"]
        monkeypatch.setattr(sys, "argv", ["tune.py", *words, *more])
        tune.main()
        rows.append(json.loads(capsys.readouterr().out))
    row = rows[0]
    assert rows == [row, row]
    assert row["points"] == row["as_russian"] + row["as_german"]
    assert row["russian"] == row["as_russian"] + 1 - row["as_german"]
    assert row["russian_low"] < row["russian"] / 2 < row["russian_high"] or row["russian"] in (0, 2)


def screened(words: str, monkeypatch: Any, capsys: Any) -> list[dict[str, Any]]:
    monkeypatch.setattr(sys, "argv", ["tune.py", "screen", *words.split()])
    tune.main()
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_screening_finds_the_weights_that_decide(monkeypatch: Any, capsys: Any) -> None:
    """The Russian wins whose own cards count more; the German's fired ones decide half as much."""
    weights = evaluation.read()

    def decided(makers: Any, seed: str, setting: str) -> Any:
        assert seed == setting
        russian, german = (makers[seat](seat).thinker.weights for seat in (0, 1))
        hoards = russian["own_hand"] > weights[0]["own_hand"]
        fires = german["fired"] < weights[1]["fired"]
        return SimpleNamespace(score=0.5 * hoards + 0.25 * fires + 0.1)

    monkeypatch.setattr(tune, "play", decided)
    few = screened("--matches 9", monkeypatch, capsys)
    assert few == screened("--matches 9", monkeypatch, capsys)
    assert few != screened("--matches 9 --seed 2", monkeypatch, capsys)
    rows = screened("--matches 60", monkeypatch, capsys)
    first, second = rows[:2]
    assert (first["seat"], first["group"]) == ("russian", "own_cards")
    assert (second["seat"], second["group"]) == ("german", "fired")
    assert abs(first["gain"] - 0.5) < 0.15
    assert abs(second["gain"] - 0.25) < 0.15
    assert all(abs(row["gain"]) < 4 * row["error"] for row in rows[2:])
    groups = {seat: {row["group"] for row in rows if row["seat"] == seat} for seat in tune.SEATS}
    assert groups["russian"] == {*tune.SCREENED} - {"against"}, "he faces no Uranus"
    assert groups["german"] == {*tune.SCREENED} - {"play"}, "he has none in play"


def test_proposals_hang_on_the_seed_and_keep_what_they_do_not_scale() -> None:
    weights = evaluation.read()
    for n in range(5):
        new = tune.proposed_by_scale(weights, f"{n}")
        assert new == tune.proposed_by_scale(weights, f"{n}")
        changed = {
            name.removeprefix("own_").removeprefix("enemy_")
            for seat in (0, 1)
            for name in weights[seat]
            if new[seat][name] != weights[seat][name]
        }
        assert any(changed <= set(group) for group in tune.GROUPS.values())


def test_a_fit_finds_what_decides_and_holds_to_what_was_known() -> None:
    chance = Random(3)
    rows = [[chance.gauss(0, 1), chance.gauss(0, 1), 1.0] for _ in range(400)]
    won = [float(row[0] + 0.3 * chance.gauss(0, 1) > 0) for row in rows]
    free = fit.fit(rows, won, [0.0, 0.5, 0.0], 1.0)
    held = fit.fit(rows, won, [0.0, 0.5, 0.0], 10_000.0)
    assert free[0] > 1.5
    assert abs(free[1]) < 0.5
    assert held == pytest.approx([0.0, 0.5, 0.0], abs=0.05)


def test_the_sequential_test_closes_on_clear_results_alone() -> None:
    assert sprt.verdict(18, 20, 0.65) is True
    assert sprt.verdict(6, 20, 0.65) is False
    assert sprt.verdict(11, 20, 0.65) is None
    low, high = sprt.interval(60, 100)
    assert (round(low, 3), round(high, 3)) == (0.502, 0.691)
