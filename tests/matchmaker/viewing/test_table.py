"""A match in words: events, questions, options and the table, for every game."""

import re
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from io import StringIO
from itertools import islice
from random import Random
from typing import Any, NamedTuple

import pytest

from matchmaker import output
from matchmaker.tools.replay import course
from matchmaker.viewing import choices
from matchmaker.viewing.course import ALL, Course, told
from matchmaker.viewing.drawings.stalingrad import deck
from matchmaker.viewing.plain import plain
from matchmaker.viewing.screen import Screen
from matchmaker.viewing.table import Table, components_of, drawing_of
from referee import games
from referee.games import PUBLIC
from referee.games.stalingrad import vocabulary
from referee.match.journal import Choice, unpack_journal
from tests.helpers.matches import record
from tests.helpers.random_play import random_journal
from tests.helpers.sessions import Table as Sitting

WIDTH = 80
MOST_CHECKED = 25
"""Questions of a kind, and tables of a viewer, that are looked at."""


def table(game: str, viewer: int = PUBLIC, seats: int = 2) -> Table:
    return Table(game, seats, viewer, components_of(game, games.get(game).facts.cards))


def positions(game: str, seeds: int, **more: Any) -> Iterator[Any]:
    """Positions of random matches, each before a choice is made; the last is over."""
    for seed in range(seeds):
        state = games.get(game).start(seed=str(seed), **more)
        rng = Random(seed)
        while state.asked():
            yield state
            seat = state.asked()[0]
            state.choose(seat, rng.randrange(len(state.options(seat))))
        yield state


class Card(NamedTuple):
    card: str
    value: int


class HandKnown(NamedTuple):
    seat: int
    cards: tuple[Card, ...]
    top: Card
    granted: bool
    places: tuple[str, ...] = ()


# A game without a drawing of its own


def test_without_a_drawing_names_and_fields_are_told() -> None:
    shown = Table("chess", 2, PUBLIC, b"{}")
    event = HandKnown(
        seat=0, cards=(Card("R01", 3), Card("R02", 1)), top=Card("R03", 2), granted=True
    )
    assert shown.tell(told(event)) == (
        "hand known: seat 0, cards R01/3 R02/1, top R03/2, granted yes"
    )
    assert shown.tell(("HillFought", {"value": 3, "seat": -1})) == "hill fought: value 3, nobody"
    shown.view, shown.asked = {"deck_size": 3, "rows": [1, 2]}, (1,)
    assert shown.draw() == ["deck size: 3", "rows: 1 2"]
    assert shown.phase() == "asked: seat 1"
    assert shown.question("on_card") == "On card"
    assert shown.option("take R01 3") == ("", "take R01 3")
    assert (shown.turn(), shown.scene(), shown.cards()) == ("", "", [])


def test_without_component_data_ids_stand_for_names() -> None:
    own = Table("stalingrad", 2, 0, components_of("stalingrad", "another digest"))
    assert own.option("pick R13G") == ("", "R13G")
    assert own.tell(("ForceDestroyed", {"force": "R13G"})) == "R13G is destroyed"
    for state in islice(positions("stalingrad", 1), 0, 200, 20):
        own.view, own.asked = plain(state.view(0)), state.asked()
        assert own.draw()
        assert own.cards()


def test_what_a_name_holds_is_harmless() -> None:
    evil = Table("stalingrad", 2, 0, b'{"forces": [{"id": "R13G", "name": "\\u001b[2J"}]}')
    assert evil.name("R13G") == "\\x1b[2J"


# Every game


@pytest.mark.parametrize("game", games.names())
def test_every_event_of_a_game_has_a_sentence(game: str) -> None:
    drawing = drawing_of(game)
    assert drawing is not None
    seen = set()
    shown = table(game)
    for state in positions(game, 3):
        if state.asked():
            continue
        for viewer in (PUBLIC, 0, 1):
            for event in state.events(viewer, 0):
                seen.add(type(event).__name__)
                sentence = shown.tell(told(event))
                assert sentence == sentence.strip()
                assert not set("{}[]='\"\n") & set(sentence.replace("Pavlov's", "")), sentence
    assert seen <= set(drawing.TELL)
    kinds = {
        name for name, kind in vars(import_module(f"referee.games.{game}.events")).items()
        if isinstance(kind, type) and kind.__module__.endswith(".events")
    }  # fmt: skip
    assert set(drawing.TELL) == kinds


@pytest.mark.parametrize("game", games.names())
def test_every_question_is_asked_in_words_and_no_two_options_read_alike(game: str) -> None:
    drawing = drawing_of(game)
    assert drawing is not None
    assert set(drawing.ASK) == set(games.get(game).facts.kinds)
    checked: Counter[str] = Counter()
    own = table(game, 0), table(game, 1)
    for state in positions(game, 2):
        for seat in state.asked():
            kind = state.kind(seat)
            checked[kind] += 1
            if checked[kind] > MOST_CHECKED:
                continue
            own[seat].view = plain(state.view(seat))
            said = [own[seat].option(str(option)) for option in state.options(seat)]
            assert len(set(said)) == len(said), said
            assert all(each.text and each.text == each.text.strip() for each in said)


@pytest.mark.parametrize(
    ("game", "seats", "options"),
    [
        ("skirmish", 2, {}), ("skirmish", 4, {"teams": True}),
        ("stalingrad", 2, {"max_rounds": 6}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("viewer", [PUBLIC, 0, 1])
def test_the_table_fits_into_80_columns(
    game: str, seats: int, options: dict[str, Any], viewer: int
) -> None:
    own = table(game, viewer, seats)
    scenes: set[Any] = set()
    for state in islice(
        positions(game, 1, seats=seats, options=options), 0, None, 5 if game == "stalingrad" else 1
    ):
        own.view, own.asked = plain(state.view(viewer)), state.asked()
        if own.scene() in scenes:
            continue
        scenes.add(own.scene())
        console = output.console(width=WIDTH, record=True, file=StringIO())
        Screen(console, own).draw()
        lines = console.export_text().splitlines()
        assert max(len(line.rstrip()) for line in lines) <= WIDTH
        assert own.turn() in lines[0]
        assert not any("{" in line for line in lines)
        if len(scenes) == MOST_CHECKED:
            break
    assert len(scenes) > 3


# Battle for Stalingrad


def test_a_place_in_the_table_shows_what_lies_there() -> None:
    own = table("stalingrad", 0)
    state = next(each for each in positions("stalingrad", 1) if each.view(0).round == 2)
    view = own.view = plain(state.view(0))
    console = output.console(width=WIDTH, record=True, file=StringIO())
    Screen(console, own).draw()
    text = console.export_text()
    for force, rations in zip(view["forces"], view["rations"], strict=True):
        [line] = [line for line in text.splitlines() if f" {own.name(force)} ◆" in line]
        assert f"●{rations}" in line
    for location in view["locations"]:
        assert f"\n{location} " in text
    for kind in view["hand"]:
        assert own.name(kind["card"]) in text
    assert "German (acting): hand " in text


def test_every_word_of_a_card_has_a_meaning_in_words() -> None:
    for said, known in (
        (deck.EFFECTS, vocabulary.EFFECTS), (deck.COSTS, vocabulary.COSTS),
        (deck.CONDITIONS, vocabulary.CONDITIONS),
    ):  # fmt: skip
        assert set(known) - set(said) <= {"card_param"}
    assert set(deck.WHEN) == set(vocabulary.MOMENTS)
    assert set(deck.MODIFIED) == set(vocabulary.MODIFIERS)
    own = table("stalingrad", 0)
    for each in own.components["cards"]:
        text = deck.does(own, each["id"], "RG".index(each["side"]))
        assert not set("{}[]='\"_") & set(text), text


def test_a_card_says_when_on_what_and_to_what() -> None:
    own = table("stalingrad", 1)
    assert deck.does(own, "artillery_barrage", 1) == (
        "as an Action, on an enemy Force in a Control Area: +1 Rubble on its Location;"
        " 3 Hits on the Force"
    )
    assert deck.does(own, "uranus_ii", 0) == (
        "as an Action, at the cost of: 2 cards: for the enemy: the yield of Locations −1"
    )
    assert deck.does(own, "fog_of_war", 1) == "when a card is played: the card is cancelled"


def test_options_say_where_a_force_stands_and_what_it_has() -> None:
    own = table("stalingrad", 0)
    own.view = {"forces": ["R13G"], "areas": ["DOC.C"], "rations": [1]}
    assert own.option("move R13G") == (
        "Move, for a Ration", "13th Guards (DOC Control, 1 Ration)",
    )  # fmt: skip
    assert own.option("to DOC.P") == ("", "Perimeter of The Docks (DOC)")
    assert own.option("target DOC") == ("", "The Docks (DOC)")
    assert own.option("play fog_of_war -2") == ("Play a card", "Fog of War −2")
    assert own.option("pick R13G") == (
        "", "13th Guards: cost 4, Combat 4, Rations 3, attack +2",
    )  # fmt: skip


# Where it is used


@pytest.mark.parametrize("seat", [None, 0, 1])
def test_replay_show_tells_events_in_the_games_words(seat: int | None) -> None:
    sitting = Sitting(record())
    sitting.play()
    lines = list(course(sitting.session.record, sitting.entries, seat))
    assert any(line.strip().startswith("seat 0 takes the hill of ") for line in lines)
    assert [line for line in lines if "=" in line or line != line.rstrip()] == []


def test_replay_show_draws_the_table_where_a_turn_begins() -> None:
    sitting = Sitting(record(options={"rounds": 2}))
    sitting.play()
    drawn: list[tuple[str, list[Any]]] = []
    lines = list(
        course(sitting.session.record, sitting.entries, 1, lambda table: drawn.append(
            (table.turn(), table.view["hand"])
        ))
    )  # fmt: skip
    assert [turn for turn, _ in drawn] == [
        f"Round {n} of 2, for the hill of {value}"
        for n, value in enumerate(sitting.session.state.view(1).hills[:2], 1)
    ]
    assert all(hand for _, hand in drawn), "the seat's own"
    assert lines == list(course(sitting.session.record, sitting.entries, 1))


def test_a_long_line_goes_on_under_its_first_word() -> None:
    console = output.console(width=30, record=True, file=StringIO())
    Screen(console, table("skirmish")).point("one two three four five six seven eight nine")
    assert console.export_text().splitlines() == [
        "· one two three four five six", "  seven eight nine",
    ]  # fmt: skip


# One home for the words of options


@pytest.mark.parametrize("game", games.names())
def test_browser_replay_ledger_and_terminal_word_an_option_alike(game: str) -> None:
    """A terminal that knows the table says more of it, never otherwise."""
    options = {"max_rounds": 2} if game == "stalingrad" else {}
    planned = record(game, game=game, options=options)
    entries = unpack_journal(random_journal(planned))
    shown = Course(planned, ALL)
    shown.add(entries)
    part = shown.part()
    by_text = dict(zip(part["texts"], part["words"], strict=True))
    assert len(by_text) > 10
    lines = [line for line in course(planned, entries, None) if line.startswith("seat ")]
    chosen = choices.taken(planned, entries)
    for each, line in zip(chosen, lines, strict=True):
        assert each.words == by_text[each.option]
        brackets = "" if each.words == each.option else f" [{each.option}]"
        assert f"{each.kind}: {each.words}{brackets}" in line
    sitting = games.get(game).start(
        seats=2, seed=planned.seed, setting=planned.setting, options=planned.options
    )
    tables, blind = [table(game, seat) for seat in (0, 1)], table(game)
    for choice in (entry for entry in entries if isinstance(entry, Choice)):
        at = tables[choice.seat]
        at.view = plain(sitting.view(choice.seat))
        for text in map(str, sitting.options(choice.seat)):
            said, bare = at.option(text), blind.option(text)
            assert bare.line == by_text[text]
            assert said.group == bare.group
            told_more = re.sub(r" \([A-Z]{3} \w+, \d+ Rations?\)", "", said.text)
            assert told_more.startswith(bare.text), (said, bare)
        sitting.choose(choice.seat, choice.option)
