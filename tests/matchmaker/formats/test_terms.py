"""What every format asks of terms and entrants, and a ladder's season."""

import pytest

from matchmaker import formats
from matchmaker.formats.contract import BadTerms, Entered, Entrant, Terms, Value
from tests.matchmaker.formats.play import Tournament, drawn, entrants, terms

DUELS = ("single_elimination", "double_elimination", "gauntlet", "sprt")
FIXED = (*DUELS, "round_robin")


def refused(of: Terms, field: tuple[Entrant, ...]) -> str:
    with pytest.raises(BadTerms) as found:
        formats.get(of.format).check(of, field)
    text = str(found.value)
    assert "\n" not in text
    return text


def test_formats_are_found_by_name() -> None:
    assert formats.names() == (
        "double_elimination", "gauntlet", "round_robin", "season", "single_elimination", "sprt",
        "swiss",
    )  # fmt: skip
    assert all(formats.get(name).name == name for name in formats.names())
    with pytest.raises(BadTerms, match=r"no format 'cup'; choose one of double_elimination, "):
        formats.get("cup")


@pytest.mark.parametrize("name", formats.names())
def test_defaults_are_within_their_own_bounds(name: str) -> None:
    field = entrants(2)
    formats.get(name).check(terms(name), field)
    assert formats.get(name).about
    assert all(setting.about for setting in formats.get(name).settings.values())


@pytest.mark.parametrize(
    ("name", "setting", "value", "text"),
    [
        ("swiss", "rounds", -1, "'rounds' is -1; give a whole number from 0 to 50"),
        ("swiss", "rounds", 2.5, "'rounds' is 2.5; give a whole number"),
        ("swiss", "rounds", True, "'rounds' is True; give a whole number"),
        ("swiss", "bye", "maybe", "'bye' is 'maybe'; give one of win, draw, none"),
        ("round_robin", "pairings", 0, "'pairings' is 0; give a whole number from 1 to 100"),
        ("single_elimination", "third_place", 1, "'third_place' is 1; give true or false"),
        ("sprt", "elo0", float("nan"), "'elo0' is nan; give a number"),
        ("sprt", "elo0", 40, "elo0 is 40, elo1 40; give elo1 the greater"),
        ("gauntlet", "challengers", 2, "'challengers' is 2 of 2 bots; leave at least one"),
        ("sprt", "rounds", 3, "no setting 'rounds'; its settings: alpha, at_once, beta"),
    ],
)
def test_bad_settings_are_named_with_what_would_do(
    name: str, setting: str, value: Value, text: str
) -> None:
    assert text in refused(terms(name, **{setting: value}), entrants(2))


def test_a_missing_setting_is_named_with_its_default() -> None:
    of = Terms(format="swiss", game="skirmish", settings={"rounds": 3})
    assert "setting 'pairings' is missing; its default: 1" in refused(of, entrants(4))


@pytest.mark.parametrize("name", DUELS)
def test_duels_are_refused_for_more_seats(name: str) -> None:
    assert "matches have 4 seats; it needs 2" in refused(terms(name, seats=4), entrants(8))


def test_fields_that_cannot_be_are_refused() -> None:
    assert "1 bots entered; it takes 2 to 200" in refused(terms("round_robin"), entrants(1))
    assert "3 bots entered; it takes 2 to 2" in refused(terms("sprt"), entrants(3))
    assert "65 bots entered; with 3 seats" in refused(terms("round_robin", seats=3), entrants(65))
    twice = (Entrant("a", 1), Entrant("a", 2))
    assert "bot 'a' is entered twice" in refused(terms("swiss"), twice)
    twice = (Entrant("a", 1), Entrant("b", 1))
    assert "seed 1 is entered twice" in refused(terms("swiss"), twice)


def test_teams_need_more_than_one_match() -> None:
    sides = ((0, 2), (1, 3))
    of = terms("round_robin", seats=4, sides=sides, orders="one")
    assert "orders 'one' would fix partners" in refused(of, entrants(4))
    of = terms("round_robin", seats=4, sides=((0, 2), (1, 2)))
    assert "must hold each of 4 seats once" in refused(of, entrants(4))


@pytest.mark.parametrize("name", FIXED)
def test_formats_with_a_fixed_plan_take_no_late_entry(name: str) -> None:
    made = Tournament(terms(name), entrants(2))
    made.events.append(Entered("late"))
    with pytest.raises(BadTerms, match=r"takes no late entry \(late\)"):
        _ = made.course


def test_a_season_counts_what_the_ladder_plays_and_never_ends_by_itself() -> None:
    made = Tournament(terms("season"), entrants("ab"))
    made.events.append(Entered("c"))
    for _ in range(3):
        made.add("ladder", ("a", "b"), (2, 1))
    made.add("ladder", ("c", "a"), drawn(("c", "a")))
    course = made.course
    assert not course.over
    assert not course.wanted
    assert course.summary["matches"] == 4
    assert [(row.bot, row.points) for row in course.standings] == [("b", 6), ("c", 1), ("a", 1)]
    assert [dict(row.breaks)["share of points"] for row in course.standings] == [1, 0.5, 0.125]
    assert formats.get("season").forecast(made.terms, made.field).matches == 0
