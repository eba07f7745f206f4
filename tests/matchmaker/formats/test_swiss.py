"""Swiss: who meets whom, who sits out, and the table."""

from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from itertools import combinations

import pytest

from matchmaker import formats
from matchmaker.formats import pairs, swiss
from matchmaker.formats.contract import BadTerms, Entered, Meeting, Paired
from tests.matchmaker.formats.play import Tournament, drawn, entrants, stronger, terms


def rounds(made: Tournament) -> list[tuple[Meeting, ...]]:
    return [event.meetings for event in made.events if isinstance(event, Paired)]


def met(made: Tournament) -> Counter[frozenset[str]]:
    return Counter(
        frozenset(pair)
        for meetings in rounds(made)
        for meeting in meetings
        for pair in combinations(meeting.bots, 2)
    )


def boards(meetings: tuple[Meeting, ...]) -> list[str]:
    return ["-".join(sorted(meeting.bots, key=int)) for meeting in meetings]


def numbered(bots: int) -> list[str]:
    return [str(number) for number in range(1, bots + 1)]


def test_first_round_pairs_the_top_half_with_the_bottom_half_in_order() -> None:
    """As in FIDE's Dutch rules: 1 v 5, 2 v 6, 3 v 7, 4 v 8; of nine the last sits out."""
    made = Tournament(terms("swiss"), entrants(numbered(8)))
    made.pair()
    assert boards(rounds(made)[0]) == ["1-5", "2-6", "3-7", "4-8"]
    made = Tournament(terms("swiss"), entrants(numbered(9)))
    made.pair()
    assert boards(rounds(made)[0]) == ["1-5", "2-6", "3-7", "4-8", "9"]


def test_next_rounds_pair_within_scores_and_float_the_last_down_to_the_first() -> None:
    """Favourites win among six: 1, 2, 3 have won; 3 floats down to the best of the losers."""
    made = Tournament(terms("swiss"), entrants(numbered(6)))
    made.step()
    made.pair()
    assert boards(rounds(made)[1]) == ["1-2", "3-4", "5-6"]


def test_eight_favourites_meet_as_in_a_textbook() -> None:
    """Scores 1: 1, 2, 3, 4; scores 0: 5, 6, 7, 8; then 1 and 2 are alone on top."""
    made = Tournament(terms("swiss"), entrants(numbered(8)))
    made.step()
    made.step()
    assert boards(rounds(made)[1]) == ["1-3", "2-4", "5-7", "6-8"]
    made.step()
    assert boards(rounds(made)[2])[0] == "1-2"
    assert made.course.over
    assert made.order[:2] == ["1", "2"]


def test_who_floated_down_in_the_last_round_stays_in_its_score() -> None:
    """Favourites win among ten: 15 floats down and wins; in the next round 12 does, not 15."""
    made = Tournament(terms("swiss"), entrants([str(number) for number in range(11, 21)]))
    made.step()
    made.step()
    made.pair()
    assert boards(rounds(made)[1])[:3] == ["11-13", "12-14", "15-16"]
    assert "11-15" in boards(rounds(made)[2])


def test_a_bye_goes_to_the_lowest_group_and_to_nobody_twice() -> None:
    made = Tournament(terms("swiss", rounds=9), entrants(numbered(9)))
    for number in range(9):
        made.pair()
        here = rounds(made)[number]
        (out,) = [meeting for meeting in here if len(meeting.bots) == 1]
        assert out.label == "bye"
        for meeting in made.course.wanted:
            made.play(meeting)
    byes = [m.bots[0] for here in rounds(made) for m in here if len(m.bots) == 1]
    assert sorted(byes) == numbered(9)
    assert set(met(made).values()) == {1}, "nine rounds of nine are a round robin"
    assert byes[:2] == ["9", "8"]


@pytest.mark.parametrize(("worth", "points"), [("win", 4), ("draw", 2), ("none", 0)])
def test_a_bye_is_worth_what_is_set(worth: str, points: int) -> None:
    made = Tournament(terms("swiss", bye=worth), entrants("abc"))
    made.pair()
    assert made.rows["c"].points == points
    assert made.rows["c"].note == "bye in round 1"
    assert made.rows["c"].wins == 0
    shown = {each.meeting.bots: each for each in made.course.shown}
    assert shown["c",].state == "bye"
    assert shown["c",].points == (points,)


def test_a_bye_is_nothing_for_who_was_not_there() -> None:
    made = Tournament(terms("swiss", rounds=2), entrants("abcde"))
    made.pair()
    [bye] = [each.meeting for each in made.course.shown if len(each.meeting.bots) == 1]
    before = made.rows["e"].points
    made.forfeit(bye, "e")
    assert (before, made.rows["e"].points) == (4, 0)
    assert made.rows["e"].note == ""
    [shown] = [each for each in made.course.shown if each.meeting == bye]
    assert (shown.state, shown.points) == ("forfeit", (0,))
    made.run()
    byes = [m.bots[0] for here in rounds(made) for m in here if len(m.bots) == 1]
    assert byes[0] == "e" != byes[1], "it was its turn, and comes once"


def test_a_meeting_given_counts_against_a_bye() -> None:
    """1 is given a meeting and then loses: it has least of those without a bye, and yet plays."""
    made = Tournament(terms("swiss", rounds=3, bye="none"), entrants(numbered(5)))
    made.pair()
    made.forfeit(made.wanted("1-1"), "3")
    made.step(drawn)
    made.step(lambda seats: tuple(1 + (bot in "15") for bot in seats))
    assert {bot: made.rows[bot].points for bot in "124"} == {"1": 4, "2": 6, "4": 6}
    made.pair()
    byes = [m.bots[0] for here in rounds(made) for m in here if len(m.bots) == 1]
    assert byes[:2] == ["5", "3"]
    assert byes[2] in "24"


def test_default_rounds_part_one_winner() -> None:
    """2 to the power of the rounds is at least the bots; FIDE and others advise no fewer."""
    found = [
        formats.get("swiss").forecast(terms("swiss"), entrants(bots)).rounds
        for bots in (2, 3, 4, 5, 8, 9, 16, 17, 500)
    ]
    assert found == [1, 2, 2, 3, 3, 4, 4, 5, 9]


def test_a_late_entrant_plays_from_the_next_round_and_has_nothing_for_those_missed() -> None:
    made = Tournament(terms("swiss", rounds=3), entrants("abcd"))
    made.pair()
    made.events.append(Entered("zoe"))
    assert all("zoe" not in meeting.bots for meeting in made.course.wanted)
    made.step(drawn)
    assert made.rows["zoe"].points == 0
    made.pair()
    assert sum("zoe" in meeting.bots for meeting in rounds(made)[1]) == 1
    made.run()
    with pytest.raises(BadTerms, match=r"takes no late entry.*last round is drawn"):
        made.events.append(Entered("yan"))
        _ = made.course


def test_who_withdraws_is_drawn_no_more_and_gives_its_open_meeting_away() -> None:
    made = Tournament(terms("swiss"), entrants("abcdefgh"))
    made.pair()
    meeting = made.wanted("1-1")
    made.play(meeting, drawn, matches=1)
    made.withdraw(meeting.bots[1], "no money")
    made.run()
    row = made.rows[meeting.bots[1]]
    assert row.points == 1
    assert row.note == "withdrawn: no money"
    later = [bot for here in rounds(made)[1:] for m in here for bot in m.bots]
    assert meeting.bots[1] not in later
    assert made.course.over


def test_it_ends_when_too_few_are_left() -> None:
    made = Tournament(terms("swiss", rounds=3), entrants("abcd"))
    made.step(lambda seats: stronger(seats) if "a" in seats else drawn(seats))
    for bot in "bcd":
        made.withdraw(bot)
    assert made.course.over
    assert made.course.pair is None
    assert made.course.summary["winner"] == "a"


def test_a_late_change_of_a_result_leaves_rounds_as_they_were_drawn() -> None:
    made = Tournament(terms("swiss"), entrants("abcdefgh"))
    made.step()
    made.pair()
    gone = made.events.pop(1)
    assert made.wanted("1-1").orders == ((0, 1),)
    assert [m.key for m in made.course.wanted][:2] == ["1-1", "2-1"]
    made.events.append(gone)
    assert made.course.pair is None


@pytest.mark.parametrize("bots", [8, 13, 20])
def test_single_matches_balance_the_seats(bots: int) -> None:
    made = Tournament(terms("swiss", orders="one", rounds=6), entrants(bots))
    made.run()
    for bot in (each.bot for each in made.field):
        mine = [
            m.bots.index(bot)
            for here in rounds(made)
            for m in here
            if len(m.bots) == 2 and bot in m.bots
        ]
        assert abs(2 * sum(mine) - len(mine)) <= 2, mine


@pytest.mark.parametrize("seats", [3, 4])
@pytest.mark.parametrize("bots", [6, 9, 11, 16, 40])
def test_groups_take_neighbours_who_have_not_met(seats: int, bots: int) -> None:
    number = min(3, bots // (bots % seats)) if bots % seats else 3
    made = Tournament(terms("swiss", seats=seats, orders="one", rounds=number), entrants(bots))
    made.run()
    byes = Counter(m.bots[0] for here in rounds(made) for m in here if len(m.bots) == 1)
    assert set(byes.values()) <= {1}
    assert sum(byes.values()) == number * (bots % seats)
    if bots > 15:
        assert set(met(made).values()) == {1}


def test_equal_lots_draw_equal_rounds_and_others_seat_otherwise() -> None:
    def seats(chance: str) -> list[tuple[str, ...]]:
        made = Tournament(terms("swiss", chance=chance, orders="one"), entrants(16))
        made.pair()
        return [meeting.bots for meeting in rounds(made)[0]]

    assert seats("one") == seats("one")
    assert seats("one") != seats("two")


def all_drawings(bots: list[str]) -> Iterator[list[tuple[str, str]]]:
    if not bots:
        yield []
        return
    for other in bots[1:]:
        rest = [bot for bot in bots[1:] if bot != other]
        for more in all_drawings(rest):
            yield [(bots[0], other), *more]


Drawing = list[tuple[str, str]]


class Faults:
    """What speaks against a drawing in the order in which it counts; NOBODY is an empty name."""

    def __init__(self, made: Tournament) -> None:
        self.points = {row.bot: row.points for row in made.course.standings}
        self.before = met(made)
        self.had = {m.bots[0] for here in rounds(made) for m in here if len(m.bots) == 1}

    def of(self, drawing: Drawing) -> tuple[int, int, int, int]:
        again = repeats = bye_score = apart = 0
        for one, other in drawing:
            if one and other:
                repeats += self.before[frozenset((one, other))]
                apart += (self.points[one] - self.points[other]) ** 2
            else:
                again += (one or other) in self.had
                bye_score += self.points[one or other]
        return again, repeats, bye_score, apart


@pytest.mark.parametrize("lot", range(8))
def test_the_drawing_is_the_best_of_all(lot: int) -> None:
    """Against every way to pair seven or eight bots, after rounds with results by lot."""
    bots = 7 + lot % 2
    made = Tournament(terms("swiss", chance=str(lot), rounds=7), entrants(bots))

    def by_lot(seats: tuple[str, ...]) -> tuple[int, ...]:
        toss = sha256(f"{lot}{seats}{len(made.events)}".encode()).digest()[0] % 3
        return [(1, 2), (2, 1), (1, 1)][toss]

    for number in range(7):
        pair = made.course.pair
        assert pair is not None
        now = [(m.bots[0], m.bots[1] if len(m.bots) == 2 else "") for m in pair.meetings]
        names = [*(each.bot for each in made.field), *[""] * (bots % 2)]
        faults = Faults(made)
        best = min(faults.of(each) for each in all_drawings(names))
        assert faults.of(now) == best, number
        assert best[0] == 0
        made.step(by_lot)


def test_hundreds_of_matches_a_meeting_fit_the_matching() -> None:
    bots = [
        pairs.Standing(
            bot=str(index), points=(index * 7919) % 100_000, met=Counter(), byes=0, given=0,
            floated=False, seats=(0, 0), last_seat=-1, seat_matters=False,
        )
        for index in range(100)
    ]  # fmt: skip
    bots.sort(key=lambda each: -each.points)
    found, out = pairs.draw_pairs(bots, "lot")
    assert not out
    order = [each.bot for each in bots]
    assert sum(abs(order.index(a) - order.index(b)) for a, b in found) == 50, "neighbours"


@pytest.mark.parametrize(
    ("seats", "bots", "rounds"), [(2, 4, 3), (2, 5, 5), (2, 2, 1), (4, 6, 3), (4, 7, 2), (3, 6, 9)]
)
def test_there_are_no_more_rounds_than_can_be_without_repeats(
    seats: int, bots: int, rounds: int
) -> None:
    """Who is entered and who is there are not always the same: a night is not lost for one bot."""
    assert swiss.rounds_of(terms("swiss", rounds=9, seats=seats), bots) == rounds
