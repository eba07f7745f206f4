"""Single and double elimination: brackets as printed, byes, draws, and who comes where."""

import pytest

from matchmaker import formats
from matchmaker.formats import brackets
from matchmaker.formats.contract import Played
from tests.matchmaker.formats.play import Tournament, drawn, entrants, stronger, terms

# First rounds, top to bottom, as printed on bracket sheets for 8, 16 and 32.
PRINTED = {
    8: "1-8, 4-5, 2-7, 3-6",
    16: "1-16, 8-9, 4-13, 5-12, 2-15, 7-10, 3-14, 6-11",
    32: "1-32, 16-17, 8-25, 9-24, 4-29, 13-20, 5-28, 12-21,"
    " 2-31, 15-18, 7-26, 10-23, 3-30, 14-19, 6-27, 11-22",
}


def weaker(seats: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(reversed(stronger(seats)))


def by_key(made: Tournament) -> dict[str, tuple[str, ...]]:
    return {shown.meeting.key: shown.meeting.bots for shown in made.course.shown}


@pytest.mark.parametrize("size", sorted(PRINTED))
def test_seeds_stand_as_printed(size: int) -> None:
    order = brackets.seeding(size)
    pairs = [f"{order[place]}-{order[place + 1]}" for place in range(0, size, 2)]
    assert ", ".join(pairs) == PRINTED[size]


@pytest.mark.parametrize("size", [2, 4, 8, 16, 32, 64])
def test_the_best_meet_as_late_as_can_be(size: int) -> None:
    made = Tournament(terms("single_elimination"), entrants(size))
    made.run()
    last = {s.meeting.bots[1]: s.meeting.round for s in made.course.shown}
    for bot, round in last.items():
        seed = int(bot[1:])
        assert round == size.bit_length() - (seed - 1).bit_length()


@pytest.mark.parametrize(
    ("bots", "first"),
    [
        (5, ["4-5"]),
        (6, ["4-5", "3-6"]),
        (11, ["8-9", "7-10", "6-11"]),
        (12, ["8-9", "5-12", "7-10", "6-11"]),
    ],
)
def test_byes_fall_to_the_top_seeds(bots: int, first: list[str]) -> None:
    made = Tournament(terms("single_elimination"), entrants([str(n) for n in range(1, bots + 1)]))
    opening = [meeting for meeting in made.course.wanted if meeting.round == 1]
    assert ["-".join(meeting.bots) for meeting in opening] == first
    byes = [shown.winner for shown in made.course.shown if shown.state == "bye"]
    assert sorted(byes, key=int) == [
        str(n) for n in range(1, (1 << (bots - 1).bit_length()) - bots + 1)
    ]


def test_a_bracket_of_eight_goes_by_seeds_and_places_by_rounds() -> None:
    made = Tournament(terms("single_elimination", third_place=True), entrants("12345678"))
    course = made.run()
    assert [(row.bot, row.place) for row in course.standings] == [
        ("1", 1), ("2", 2), ("3", 3), ("4", 4), ("5", 5), ("6", 5), ("7", 5), ("8", 5),
    ]  # fmt: skip
    labels = {s.meeting.key: s.meeting.label for s in course.shown}
    assert labels["r3-1"] == "final"
    assert labels["third"] == "third place"
    assert labels["r1-3"] == "quarter-final 3"


def test_without_a_third_place_the_semi_finals_losers_share_it() -> None:
    made = Tournament(terms("single_elimination"), entrants("1234"))
    assert [row.place for row in made.run().standings] == [1, 2, 3, 3]


def test_a_drawn_meeting_is_replayed_and_then_the_higher_seed_goes_on() -> None:
    made = Tournament(terms("single_elimination", replays=2), entrants("1234"))
    seen = []
    while made.course.wanted:
        meeting = made.course.wanted[0]
        seen.append(meeting.key)
        made.play(meeting, drawn)
    assert seen[:3] == ["r1-1", "r1-1+1", "r1-1+2"]
    assert made.course.summary["winner"] == "1"
    assert made.rows["1"].draws == 12


def test_a_replay_can_decide() -> None:
    made = Tournament(terms("single_elimination"), entrants("12"))
    made.play(made.wanted("r1-1"), drawn)
    made.play(made.wanted("r1-1+1"), weaker)
    assert made.course.over
    assert made.course.summary["winner"] == "2"


def test_a_decided_meeting_is_not_played_on() -> None:
    made = Tournament(terms("single_elimination", pairings=2), entrants("12"))
    made.play(made.wanted("r1-1"), matches=3)
    assert made.course.over
    made.withdraw("1")
    assert made.course.summary["winner"] == "1", "what is decided stays so"
    assert made.rows["2"].points == 0, "nothing is given away that need not be played"


def test_who_does_not_come_loses_even_when_ahead() -> None:
    made = Tournament(terms("single_elimination"), entrants("1234"))
    made.play(made.wanted("r1-1"), matches=1)
    made.forfeit(made.wanted("r1-1"), "1")
    assert by_key(made)["r2-1"] == ("4",)
    assert made.rows["1"].note == "out in round 1"


def test_if_both_do_not_come_nobody_goes_on() -> None:
    made = Tournament(terms("single_elimination"), entrants("1234"))
    made.forfeit(made.wanted("r1-1"), "1", "4")
    made.play(made.wanted("r1-2"))
    course = made.course
    assert course.over
    assert course.summary["winner"] == "2"
    assert [(row.bot, row.place) for row in course.standings[:2]] == [("2", 1), ("1", 2)]


def test_if_both_miss_the_final_the_first_place_stays_empty() -> None:
    made = Tournament(terms("single_elimination"), entrants("1234"))
    made.play(made.wanted("r1-1"))
    made.play(made.wanted("r1-2"))
    made.forfeit(made.wanted("r2-1"), "1", "2")
    course = made.course
    assert course.over
    assert "winner" not in course.summary
    assert [row.place for row in course.standings] == [2, 2, 4, 4]


def test_who_withdraws_gives_its_next_meeting_away() -> None:
    made = Tournament(terms("single_elimination"), entrants("1234"))
    made.withdraw("1", "broken")
    assert [meeting.key for meeting in made.course.wanted] == ["r1-2"]
    made.run()
    assert made.course.summary["winner"] == "2"
    assert made.rows["1"].note == "withdrawn: broken"


def test_taking_a_result_out_undoes_what_followed_from_it_alone() -> None:
    """The node opens again; another who comes through plays anew, the other half stands."""
    made = Tournament(terms("single_elimination"), entrants("12345678"))
    made.run()
    made.events = [e for e in made.events if not (isinstance(e, Played) and e.meeting == "r1-1")]
    course = made.course
    assert [meeting.key for meeting in course.wanted] == ["r1-1"]
    states = {shown.meeting.key: shown.state for shown in course.shown}
    assert states["r2-2"] == "over"
    assert states["r2-1"] == states["r3-1"] == "waiting"
    made.play(made.wanted("r1-1"), weaker)
    assert made.wanted("r2-1").bots == ("4", "8"), "results of 1 do not count here"
    made.play(made.wanted("r2-1"))
    assert made.wanted("r3-1").bots == ("2", "4")


def test_the_same_bots_again_keep_what_they_played() -> None:
    made = Tournament(terms("single_elimination"), entrants("1234"))
    made.run()
    gone = [e for e in made.events if isinstance(e, Played) and e.meeting == "r1-1"]
    made.events = [e for e in made.events if e not in gone]
    made.play(made.wanted("r1-1"))
    assert made.course.over


def test_double_elimination_of_eight_as_on_a_printed_sheet() -> None:
    """Favourites win: seven meetings above, six below, one final; losers of round 2 cross over."""
    made = Tournament(terms("double_elimination"), entrants("12345678"))
    course = made.run()
    found = {key: set(bots) for key, bots in by_key(made).items()}
    assert found == {
        "w1-1": set("18"), "w1-2": set("45"), "w1-3": set("27"), "w1-4": set("36"),
        "w2-1": set("14"), "w2-2": set("23"), "w3-1": set("12"),
        "l1-1": set("85"), "l1-2": set("76"),
        "l2-1": set("35"), "l2-2": set("46"),
        "l3-1": set("34"), "l4-1": set("23"),
        "final": set("12"),
    }  # fmt: skip
    assert [(row.bot, row.place) for row in course.standings] == [
        ("1", 1), ("2", 2), ("3", 3), ("4", 4), ("5", 5), ("6", 5), ("7", 7), ("8", 7),
    ]  # fmt: skip


def test_the_undefeated_must_lose_the_final_twice() -> None:
    made = Tournament(terms("double_elimination"), entrants("1234"))
    while "final" not in {meeting.key for meeting in made.course.wanted}:
        made.step()
    made.play(made.wanted("final"), weaker)
    assert not made.course.over
    assert made.wanted("reset").label == "grand final, second meeting"
    made.play(made.wanted("reset"))
    assert made.course.summary["winner"] == "1"
    assert made.rows["2"].place == 2


def test_without_a_reset_one_final_decides() -> None:
    made = Tournament(terms("double_elimination", reset=False), entrants("1234"))
    while "final" not in {meeting.key for meeting in made.course.wanted}:
        made.step()
    made.play(made.wanted("final"), weaker)
    assert made.course.over
    assert made.course.summary["winner"] == "2"
    assert made.rows["1"].place == 2


def test_a_drawn_grand_final_goes_to_the_undefeated() -> None:
    """The higher seed lost before; it does not pass by a draw."""
    made = Tournament(terms("double_elimination", replays=0), entrants("12"))
    made.play(made.wanted("w1-1"), weaker)
    made.play(made.wanted("final"), drawn)
    assert made.course.summary["winner"] == "2"


@pytest.mark.parametrize("bots", range(2, 18))
def test_everybody_but_the_first_two_loses_twice(bots: int) -> None:
    made = Tournament(terms("double_elimination", replays=0), entrants(bots))
    made.run()
    lost: dict[str, int] = dict.fromkeys((each.bot for each in made.field), 0)
    for shown in made.course.shown:
        if shown.state == "over":
            lost[next(bot for bot in shown.meeting.bots if bot != shown.winner)] += 1
    assert sorted(lost.values()) == [0, *[2] * (bots - 1)]
    ahead = formats.get("double_elimination").forecast(made.terms, made.field)
    assert ahead.matches == 2 * (2 * bots - 1), "two a meeting, each but one loses twice, one more"


@pytest.mark.parametrize("bots", range(2, 18))
def test_a_knock_out_has_one_meeting_fewer_than_bots(bots: int) -> None:
    made = Tournament(terms("single_elimination", replays=0), entrants(bots))
    ahead = formats.get("single_elimination").forecast(made.terms, made.field)
    made.run()
    assert ahead.matches == len(made.events) == 2 * (bots - 1)
    counts = [sum(e.seats.count(each.bot) for e in made.events) for each in made.field]  # type: ignore[union-attr]
    assert ahead.fewest == min(counts)
    assert ahead.most >= max(counts)
    assert ahead.most == 2 * (bots - 1).bit_length(), "somebody has no bye and may win"
