"""What a viewer is shown of a match is his views, his events and his questions, and no more."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from matchmaker.viewing.course import ALL, Course, together, told, viewers
from matchmaker.viewing.plain import changed, plain
from matchmaker.viewing.table import Table
from referee import games
from referee.engine import State
from referee.games import PUBLIC
from referee.match.errors import BadJournal
from referee.match.journal import Choice, End, Entry, How, Ledger, unpack_journal
from referee.match.record import MatchRecord
from tests.helpers.matches import record
from tests.helpers.random_play import random_journal

MATCHES = {
    "duel": record("duel"),
    "three": record("three", seats=3),
    "teams": record("teams", seats=4, options={"teams": True}),
    "stalingrad": record("stalingrad", game="stalingrad", options={"max_rounds": 2}),
}


def journal(planned: MatchRecord) -> list[Entry]:
    return unpack_journal(random_journal(planned, temper=0.4))


JOURNALS = {name: journal(planned) for name, planned in MATCHES.items()}


def start(planned: MatchRecord) -> State:
    state: State = games.get(planned.game).start(
        seats=len(planned.seats), seed=planned.seed, options=planned.options
    )
    return state


def course(name: str, viewer: int) -> Course:
    made = Course(MATCHES[name], viewer)
    made.add(JOURNALS[name])
    return made


def positions(part: Any) -> list[Any]:
    """Unfold a document as a browser does."""
    found, now = [], part["begin"]
    for step in part["steps"]:
        now = changed(now, step["change"])
        found.append(now)
    return found


def cases() -> list[tuple[str, int]]:
    return [
        (name, viewer)
        for name, planned in MATCHES.items()
        for viewer in viewers(len(planned.seats)).values()
    ]


@pytest.mark.parametrize(("name", "viewer"), cases())
def test_each_position_is_the_viewers_view(name: str, viewer: int) -> None:
    state, shown = start(MATCHES[name]), Course(MATCHES[name], viewer)
    now, steps = shown.begin, 1
    for entry in JOURNALS[name]:
        shown.add([entry])
        for step in shown.steps[steps:]:
            now = changed(now, step["change"])
        steps = len(shown.steps)
        if isinstance(entry, Choice):
            state.choose(entry.seat, entry.option)
        assert now["public"] == plain(state.view(PUBLIC if viewer == ALL else viewer))
        if viewer == ALL:
            for seat in range(len(MATCHES[name].seats)):
                assert {**now["public"], **now[str(seat)]} == plain(state.view(seat))
    assert positions(json.loads(json.dumps(shown.part())))[-1] == now


@pytest.mark.parametrize(("name", "viewer"), [case for case in cases() if case[1] != ALL])
def test_events_are_the_viewers_own_in_their_order(name: str, viewer: int) -> None:
    state, shown = start(MATCHES[name]), course(name, viewer)
    for entry in JOURNALS[name]:
        if isinstance(entry, Choice):
            state.choose(entry.seat, entry.option)
    heard = [shown.events.rows[number] for step in shown.steps for number in step["events"]]
    assert [row[:2] for row in heard] == [told(event) for event in state.events(viewer)]
    words = Table(MATCHES[name].game, len(MATCHES[name].seats), PUBLIC, b"{}")
    for event, fields, text in heard:
        assert text, event
        if MATCHES[name].game == "skirmish":  # which has no component data
            assert text == words.tell((event, fields))
    assert shown.steps[-1]["public"] == len(state.events(PUBLIC))


@pytest.mark.parametrize(("name", "viewer"), cases())
def test_questions_are_the_viewers_own_with_the_option_taken(name: str, viewer: int) -> None:
    state, shown = start(MATCHES[name]), course(name, viewer)
    asked: list[tuple[int, str | None, list[str], int]] = []
    for entry in JOURNALS[name]:
        if isinstance(entry, Choice):
            if viewer in (ALL, entry.seat):
                options = [str(option) for option in state.options(entry.seat)]
                asked.append((entry.seat, state.kind(entry.seat), options, entry.option))
            state.choose(entry.seat, entry.option)
    questions: dict[tuple[int, int], Any] = {}
    for step in shown.steps:
        for each in step["questions"]:
            questions[each["seat"], each["decision"]] = each
    texts = shown.texts.rows
    assert sorted(
        (each["seat"], each["kind"], [texts[k] for k in each["options"]], each["taken"])
        for each in questions.values()
    ) == sorted(asked)
    assert set(texts) == {text for _, _, options, _ in asked for text in options}


@pytest.mark.parametrize("viewer", [PUBLIC, 0])
def test_secret_answers_of_others_make_no_step(viewer: int) -> None:
    """All name a card in secret; who has answered is told to nobody."""
    shown = Course(MATCHES["three"], viewer)
    choices = [entry for entry in JOURNALS["three"] if isinstance(entry, Choice)]
    sealed = choices[:3]
    assert {choice.seat for choice in sealed} == {0, 1, 2}
    for choice in sealed:
        steps = len(shown.steps)
        shown.add([choice])
        is_last = choice is sealed[-1]
        assert len(shown.steps) == steps + (is_last or choice.seat == viewer)
        if not is_last:
            own = [0] if viewer == 0 and sealed.index(choice) < _answer_of(sealed, 0) else []
            others = [seat for seat in range(3) if seat != viewer]
            assert shown.steps[-1]["asked"] == own + others


def _answer_of(sealed: Sequence[Choice], seat: int) -> int:
    return next(k for k, choice in enumerate(sealed) if choice.seat == seat)


def hidden_swap(viewer: int, swap: bool) -> tuple[str, bool]:
    """
    A match of two rounds, as a document; with `swap` seat 1 holds another card that it never shows.

    Returns:
        The document, and whether the swap could be seen in the state.
    """
    planned = record("swap", options={"rounds": 2})
    shown = Course(planned, viewer)
    state: Any = shown.state
    before = state.digest()
    kept, undrawn = state.hands[1][-1], state.deck[-1]
    if swap:
        state.hands[1] = sorted([*state.hands[1][:-1], undrawn])
        state.deck[-1] = kept
        state._offers.clear()
    while state.asked():
        seat = state.asked()[0]
        allowed = [
            k
            for k, option in enumerate(state.options(seat))
            if not {kept, undrawn} & set(option.args)
        ]
        shown.add([Choice(seat, allowed[0])])
    part = shown.part()
    return json.dumps([part["begin"], part["steps"], part["texts"], part["events"]]), (
        before != state.digest()
    )


def test_a_card_that_nobody_saw_is_nowhere_in_what_is_sent() -> None:
    """Two deals that differ in a card that seat 1 keeps: only who sees its hand can tell."""
    for viewer in (PUBLIC, 0):
        (one, _), (other, _) = hidden_swap(viewer, False), hidden_swap(viewer, True)
        assert one == other, viewer
    for viewer in (1, ALL):
        assert hidden_swap(viewer, False)[0] != hidden_swap(viewer, True)[0], viewer


def test_neither_names_nor_chance_are_in_a_course() -> None:
    planned = record("needles", bots=("needle-one", "needle-two"), seed="needle-seed")
    for viewer in viewers(2).values():
        shown = Course(planned, viewer)
        shown.add(unpack_journal(random_journal(planned)))
        text = json.dumps(shown.part())
        assert "needle-" not in text
        assert planned.salt.hex() not in text


def test_cards_in_a_public_course_have_been_seen_by_all() -> None:
    state: Any = start(MATCHES["duel"])
    for entry in JOURNALS["duel"]:
        if isinstance(entry, Choice):
            state.choose(entry.seat, entry.option)
    seen = {0, *state.gone, *state.shown}
    part = course("duel", PUBLIC).part()
    for position in positions(part):
        view = position["public"]
        assert seen.issuperset([*view["hand"], *view["shown"], *view["gone"]])
    for name, fields, _ in part["events"]:
        found = {
            "Shown": lambda told: told["cards"],
            "Supported": lambda told: [told["card"]],
            "Drew": lambda told: [told["card"]],
            "Began": lambda told: told["hand"],
        }.get(name, lambda told: [])(fields)
        assert seen.issuperset(found), name
    assert part["texts"] == []


def test_how_an_answer_came_about_is_its_own_seats_business() -> None:
    planned = record("m7")
    ledger = Ledger(charged_ms=7, bank_ms=113)
    late = [Choice(0, 0, How.LATE, ledger), Choice(1, 0, How.ANSWERED, ledger)]
    shown = {name: Course(planned, viewer) for name, viewer in viewers(2).items()}
    for each in shown.values():
        each.add(late)
    first = shown["0"].steps[0]["questions"][0]
    assert (first["how"], first["charged_ms"], first["left_ms"]) == ("late", 7, 113)
    assert "late" not in json.dumps([shown["1"].part(), shown["public"].part()])


def test_parts_together_are_the_whole() -> None:
    whole = course("stalingrad", PUBLIC).part()
    shown = Course(MATCHES["stalingrad"], PUBLIC)
    first = json.loads(json.dumps(shown.part()))
    entries, parts = JOURNALS["stalingrad"], [first]
    for k in range(0, len(entries), 7):
        shown.add(entries[k : k + 7])
        after = sum(len(part["steps"]) for part in parts)
        parts.append(json.loads(json.dumps(shown.part(after))))
    for name in ("steps", "events", "texts", "words"):
        assert [each for part in parts for each in part[name]] == whole[name], name
    assert parts[-1]["end"] == whole["end"]
    assert parts[1]["begin"] is None


def test_the_end_is_told() -> None:
    (last,) = (entry for entry in JOURNALS["duel"] if isinstance(entry, End))
    end = course("duel", PUBLIC).end
    assert end is not None
    assert end["ranks"] == list(last.ranks)
    assert end["ending"] == "normal"


def test_a_choice_that_is_not_offered_is_a_bad_journal() -> None:
    with pytest.raises(BadJournal, match=r"duel: .*not offered"):
        Course(MATCHES["duel"], PUBLIC).add([Choice(0, 99)])


def test_of_an_event_told_in_different_words_the_fuller_ones_count() -> None:
    assert together(["a", "x"], [["a", "x1"], ["a", "x"]]) == ["a", "x1"]
    assert together(["h"], [["h0"], ["h1"]]) == ["h0", "h1"]
    assert together(["a"], [["a", "own"], ["a"]]) == ["own", "a"]
