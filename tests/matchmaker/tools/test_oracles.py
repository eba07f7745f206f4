"""The oracles and the runner themselves: each broken law is named, found and brought back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from matchmaker.errors import WrongUse
from matchmaker.tools import fuzz, oracles, twins
from matchmaker.tools.oracles import Fault, Order, difference
from matchmaker.tools.random_matches import plan, played
from referee.engine import PASS, Option, Outcome, State
from referee.engine.errors import BadOption
from referee.games import get
from referee.games.skirmish.game import Skirmish
from referee.games.skirmish.rounds import NameCard, Support
from tests.referee.engine.toy import TOY

Patch = pytest.MonkeyPatch


@pytest.fixture
def state() -> State:
    return get("skirmish").start(2, "oracles")  # type: ignore[no-any-return]


@pytest.fixture
def in_window() -> State:
    s = get("skirmish").start(2, "oracles")
    s.choose(0, 0)
    s.choose(1, 0)
    return s  # type: ignore[no-any-return]


def offer(patch: Patch, ask: type, change: Callable[[tuple[Option, ...]], Any]) -> None:
    honest = ask.options
    patch.setattr(ask, "options", lambda frame, s: change(honest(frame, s)))


@pytest.mark.parametrize(
    ("law", "change"),
    [
        ("options", lambda offered: (*offered, offered[-1])),
        ("options", lambda offered: ()),
        ("order", lambda offered: (*offered[1:], PASS)),
        (
            "order",
            lambda offered: (offered[0], Option("b"), Option("discard", (99,)), Option("b", (1,))),
        ),
        ("options", lambda offered: offered[1:]),
    ],
    ids=["twice", "none", "pass last", "verbs apart", "standing order without pass"],
)
def test_a_bad_list_of_options_is_a_fault(
    law: str, change: Callable[[Any], Any], in_window: State, monkeypatch: Patch
) -> None:
    offer(monkeypatch, Support, change)
    in_window._offers.clear()
    with pytest.raises(Fault) as fault:
        oracles.decision(get("skirmish"), in_window, Order())
    assert fault.value.law == law


def test_an_order_that_turns_round_is_a_fault() -> None:
    a, b = Option("play", ("a",)), Option("play", ("b",))
    order = Order()
    order.check("main", (a, b))
    order.check("discard", (b, a))
    with pytest.raises(Fault, match="elsewhere after"):
        order.check("main", (b, a))


def test_a_kind_outside_the_catalogue_is_a_fault(state: State, monkeypatch: Patch) -> None:
    monkeypatch.setattr(NameCard, "kind", lambda ask, s: "guess")
    with pytest.raises(Fault, match="catalogue"):
        oracles.decision(get("skirmish"), state, Order())


def test_an_option_that_cannot_be_taken_is_a_fault(state: State, monkeypatch: Patch) -> None:
    offer(monkeypatch, NameCard, lambda offered: (*offered, Option("name", (99,))))
    state.choose(0, 0)
    with pytest.raises(Fault, match="offers name 99, which fails"):
        oracles.every_option(state)


def test_a_clone_that_shares_a_hand_is_a_fault(in_window: State, monkeypatch: Patch) -> None:
    honest: Any = Skirmish._copy_tables

    def shallow(s: Skirmish, twin: Skirmish) -> None:
        honest(s, twin)
        twin.hands = s.hands

    monkeypatch.setattr(Skirmish, "_copy_tables", shallow)
    with pytest.raises(Fault, match="clone"):
        oracles.every_option(in_window)


def test_a_save_that_forgets_is_a_fault(in_window: State, monkeypatch: Patch) -> None:
    game = get("skirmish")
    honest: Any = type(game)._unpack

    def forgetful(*args: Any) -> Skirmish:
        s: Skirmish = honest(*args)
        s.taken = [each + 1 for each in s.taken]
        return s

    monkeypatch.setattr(type(game), "_unpack", forgetful)
    with pytest.raises(Fault, match="load"):
        oracles.copies(game, in_window, Random(1))


@pytest.mark.parametrize("ranks", [(1, 3), (2, 3), (0, 1), (1,)])
def test_ranks_that_cannot_be_are_a_fault(ranks: tuple[int, ...], monkeypatch: Patch) -> None:
    s = get("skirmish").start(2, "x", None, {"rounds": 1})
    while s.asked():
        s.choose(s.asked()[0], 0)
    oracles.over(get("skirmish"), s)
    monkeypatch.setattr(Skirmish, "outcome", lambda s: Outcome(ranks, (1,) * len(ranks), "points"))
    with pytest.raises(Fault, match="outcome"):
        oracles.over(get("skirmish"), s)


def test_a_reason_without_words_is_a_fault(monkeypatch: Patch) -> None:
    s = get("skirmish").start(2, "x", None, {"rounds": 1})
    while s.asked():
        s.choose(s.asked()[0], 0)
    monkeypatch.setattr(Skirmish, "outcome", lambda s: Outcome((1, 2), (1, 0), "MOON"))
    with pytest.raises(Fault, match="reason 'MOON' has no words"):
        oracles.over(get("skirmish"), s)


def test_a_difference_names_the_field_and_stays_short(state: State) -> None:
    view = state.view(0)
    text = difference(view, view._replace(hills=(9,) * 500))
    assert text.startswith("hills ")
    assert len(text) < 500
    assert difference((1, (2, 3)), (1, (2, 4))) == "[1] [1] 3 against 4"


def test_sealed_follow_ups_keep_the_laws_of_secrets() -> None:
    """What a seat began in secret is asked anew in a twin, and caught up with unseen."""
    differing = 0
    for bids in ((2, None), (2, 1), (0, None), (1, None)):
        s = TOY.start(2, "toy")
        secrets: dict[int, tuple[Option, ...]] = {}
        for bid in (each for each in bids if each is not None):
            secrets[0] = (*secrets.get(0, ()), s.options(0)[bid])
            s.choose(0, bid)
        oracles.sealed(s, Random(1))
        for viewer in oracles.viewers(s):
            differing += twins.twin(TOY, s, viewer, "k", secrets)
    assert differing > 0


def test_a_draft_is_hidden_until_it_is_whole() -> None:
    s = TOY.start(2, "toy")
    for seat in (0, 1):
        s.choose(seat, 0)
    draft = s.options(0)[1]
    s.choose(0, 1)
    for viewer in oracles.viewers(s):
        twins.twin(TOY, s, viewer, "k", {0: (draft,)})


def broken(patch: Patch) -> None:
    """From the second round on, supporting fails."""
    honest: Any = Support.take

    def take(ask: Support, s: Skirmish, option: Option) -> Any:
        assert s.round < 2, "deliberate"
        return honest(ask, s, option)

    patch.setattr(Support, "take", take)


def test_a_fault_comes_back_from_its_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Patch
) -> None:
    with monkeypatch.context() as patch:
        broken(patch)
        assert fuzz.run("skirmish", 3, seats=2, folder=tmp_path, json=True) == 1
        result = capsys.readouterr()
        lines, files = result.err.splitlines(), sorted(tmp_path.iterdir())
        assert len(files) > 0
        assert json.loads(result.out)["faults"] == len(lines) == len(files)
        assert all(any(str(file) in line for line in lines) for file in files)
        for file in files:
            assert fuzz.reproduce(file) == 1
            assert "deliberate" in capsys.readouterr().out
    assert fuzz.reproduce(files[0]) == 0


def test_a_run_prints_its_figures_and_plays_all_numbers_of_seats(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fuzz.run("skirmish", 6, json=True, folder=tmp_path / "none") == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["command"] == "fuzz"
    assert figures["ok"] is True
    assert figures["seats"] == [2, 3, 4]
    assert (figures["games"], figures["faults"]) == (6, 0)
    assert figures["decisions"] > figures["longest"] > 20
    assert figures["twins"] > 0
    assert not (tmp_path / "none").exists()
    assert fuzz.run("skirmish", 4, options={"teams": True}) == 0
    assert "seats        4" in capsys.readouterr().out


def test_equal_seeds_play_equally() -> None:
    first, second = (fuzz.play(plan("skirmish", 4, 3, {}, "s")) for _ in range(2))
    assert first == second


def test_two_processes_find_what_one_finds(tmp_path: Path) -> None:
    chunks = [[*plan("skirmish", 2, 2, {}, str(k))] for k in range(2)]
    one, two = fuzz.Tally(), fuzz.Tally()
    for part in played(chunks, 1, fuzz.play):
        one.add(part)
    for part in played(chunks, 2, fuzz.play):
        two.add(part)
    assert one == two


def test_wrong_use_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadOption, match="5"):
        fuzz.run("skirmish", 1, seats=5)
    with pytest.raises(BadOption, match="colour"):
        fuzz.run("skirmish", 1, options={"colour": "red"})
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(WrongUse, match="is no file of"):
        fuzz.reproduce(tmp_path / "x.json")
    with pytest.raises(WrongUse, match=r"absent\.json: No such file"):
        fuzz.reproduce(tmp_path / "absent.json")
