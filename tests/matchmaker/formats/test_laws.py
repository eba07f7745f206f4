"""Laws of every format, whatever happens: results, no-shows, withdrawals, results taken out."""

from collections import Counter
from collections.abc import Iterator
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchmaker import formats
from matchmaker.formats.contract import (
    Course,
    Entered,
    Event,
    Forfeited,
    Meeting,
    Paired,
    Played,
    Terms,
    Withdrew,
    match_points,
)
from tests.matchmaker.formats.play import Tournament, entrants, terms

TEAMS = ((0, 2), (1, 3))
MOST_STEPS = 400

PLANS: dict[str, tuple[Terms, int]] = {
    "round robin": (terms("round_robin"), 7),
    "round robin of single matches": (terms("round_robin", orders="one", cycles=2), 6),
    "round robin of three": (terms("round_robin", seats=3, orders="turns"), 7),
    "round robin of teams": (terms("round_robin", seats=4, sides=TEAMS, orders="turns"), 5),
    "swiss": (terms("swiss"), 9),
    "swiss of single matches": (terms("swiss", orders="one", rounds=5, bye="draw"), 8),
    "swiss of four": (terms("swiss", seats=4, orders="turns"), 10),
    "single elimination": (terms("single_elimination", third_place=True, replays=1), 7),
    "double elimination": (terms("double_elimination", pairings=2, replays=1), 6),
    "double elimination without reset": (terms("double_elimination", reset=False, replays=0), 9),
    "gauntlet": (terms("gauntlet", challengers=2), 6),
    "sprt": (terms("sprt", pairings=12, elo1=150.0), 2),
}


class Eventful(Tournament):
    """A tournament to which things happen as Hypothesis draws them."""

    def happen(self, course: Course, draw: st.DataObject) -> None:
        """Let one thing happen; the log takes it as the runner would."""
        if course.pair is not None:
            self.events.append(course.pair)
            return
        kind = draw.draw(st.integers(0, 19))
        gone = withdrawn(self.events)
        still = [each.bot for each in self.field if each.bot not in gone]
        if kind == 0 and still:
            self.withdraw(draw.draw(st.sampled_from(still)))
        elif kind == 1:
            self.take_out(draw)
        elif kind == 2 and len(self.events) < 40 and self.terms.format == "swiss":
            self.enter(f"late{len(self.events)}")
        else:
            meeting = draw.draw(st.sampled_from(course.wanted))
            if kind == 3:
                absent = draw.draw(st.lists(st.sampled_from(meeting.bots), min_size=1, unique=True))
                self.events.append(Forfeited(meeting.key, tuple(absent)))
            else:
                # Mostly all that is left of the meeting, so that tournaments come to an end.
                self.play(
                    meeting, lambda seats: result(self.terms, draw), kind if kind < 6 else None
                )

    def enter(self, bot: str) -> None:
        """Try a late entry; one that comes too late is refused and not written."""
        self.events.append(Entered(bot))
        try:
            _ = self.course
        except formats.BadTerms:
            self.events.pop()

    def take_out(self, draw: st.DataObject) -> None:
        """An operator takes a result out, at most twice a tournament."""
        played = [each for each in self.events if isinstance(each, Played)]
        taken = getattr(self, "taken", 0)
        if played and taken < 2:
            self.taken = taken + 1
            self.events.remove(draw.draw(st.sampled_from(played)))


def result(of: Terms, draw: st.DataObject) -> tuple[int, ...]:
    sides = of.sides or tuple((seat,) for seat in range(of.seats))
    by_side = draw.draw(
        st.lists(st.integers(1, len(sides)), min_size=len(sides), max_size=len(sides))
    )
    ranks = [0] * of.seats
    for side, rank in zip(sides, by_side):
        for seat in side:
            ranks[seat] = rank
    return tuple(ranks)


def check(made: Tournament, course: Course) -> None:
    """What holds of every course."""
    bots = {each.bot for each in made.field}
    bots |= {each.bot for each in made.events if isinstance(each, Entered)}
    gone = withdrawn(made.events)
    assert sorted(row.bot for row in course.standings) == sorted(bots), "each has one row"
    assert [row.place for row in course.standings] == sorted(row.place for row in course.standings)
    for meeting in course.wanted:
        assert len(set(meeting.bots)) == made.terms.seats, "nobody plays itself"
        assert meeting.orders, "what is wanted has something left"
        assert not gone.intersection(meeting.bots), "who has withdrawn plays no more"
        for order in meeting.orders:
            assert sorted(order) == list(range(made.terms.seats))
    shown = Counter(each.meeting.key for each in course.shown)
    assert set(shown.values()) <= {1}, "a key names one meeting"
    assert {meeting.key for meeting in course.wanted} <= set(shown)
    for here in by_round(course).values():
        assert max(here.values()) == 1, "each plays at most once a round"
    assert not (course.over and (course.wanted or course.pair))
    assert course.over or course.wanted or course.pair, "it goes on or is over"


def withdrawn(events: list[Event]) -> set[str]:
    return {each.bot for each in events if isinstance(each, Withdrew)}


def by_round(course: Course) -> dict[int, Counter[str]]:
    """How often each bot is in a round; replays of a meeting belong to it."""
    found: dict[int, Counter[str]] = {}
    for each in course.shown:
        if "+" not in each.meeting.key and each.meeting.bots:
            found.setdefault(each.meeting.round, Counter()).update(each.meeting.bots)
    return found


def segments(events: list[Event]) -> Iterator[list[Event]]:
    """Cut events at each drawing."""
    here: list[Event] = []
    for event in events:
        if isinstance(event, Paired):
            yield here
            here = []
        here.append(event)
    yield here


@pytest.mark.properties
@pytest.mark.parametrize("plan", sorted(PLANS))
@settings(max_examples=10)
@given(st.data())
def test_tournaments_end_and_keep_their_laws(plan: str, data: st.DataObject) -> None:
    of, bots = PLANS[plan]
    made = Eventful(of, entrants(bots))
    for _ in range(MOST_STEPS):
        course = made.course
        check(made, course)
        if course.over:
            break
        made.happen(course, data)
    assert course.over, "it never ends"
    same_in_any_order(made, course, data)
    points_add_up(made, course)


def same_in_any_order(made: Tournament, course: Course, data: st.DataObject) -> None:
    """Equal input gives equal output, and results between two drawings may come in any order."""
    assert made.course == course
    mixed: list[Event] = []
    for here in segments(made.events):
        played = [each for each in here if isinstance(each, Played)]
        other = iter(data.draw(st.permutations(played)))
        mixed += [next(other) if isinstance(each, Played) else each for each in here]
    made.events = mixed
    assert made.course == course


def points_add_up(made: Tournament, course: Course) -> None:
    """Without anything given away the table has the points of the matches, no more."""
    if made.terms.format not in ("round_robin", "gauntlet") or any(
        isinstance(each, Forfeited | Withdrew) for each in made.events
    ):
        return
    played = [each for each in made.events if isinstance(each, Played)]
    points = Counter[str]()
    for match in played:
        for bot, more in zip(match.seats, match_points(match)):
            points[bot] += more
    assert {row.bot: row.points for row in course.standings} == {
        row.bot: points[row.bot] for row in course.standings
    }


def drawings(events: list[Event]) -> list[tuple[Meeting, ...]]:
    return [each.meetings for each in events if isinstance(each, Paired)]


@settings(max_examples=25)
@given(st.integers(2, 7), st.data())
def test_nobody_meets_twice_in_a_swiss_while_it_can_be_helped(
    bots: int, data: st.DataObject
) -> None:
    """Against all ways to pair, with withdrawals and late entries between rounds."""
    most = bots - 1 + bots % 2
    made = Eventful(terms("swiss", rounds=most), entrants(bots))
    while not made.course.over:
        paired = made.course.pair
        assert paired is not None
        fewest = least_repeats(
            [bot for m in paired.meetings for bot in m.bots], drawings(made.events)
        )
        made.events.append(paired)
        assert faults(paired.meetings, drawings(made.events)[:-1]) == fewest
        for meeting in made.course.wanted:
            made.play(meeting, lambda seats: result(made.terms, data))
        if data.draw(st.integers(0, 5)) == 0:
            made.withdraw(data.draw(st.sampled_from([each.bot for each in made.field])))
        elif data.draw(st.integers(0, 7)) == 0:
            made.enter(f"late{len(made.events)}")


def faults(meetings: tuple[Meeting, ...], before: list[tuple[Meeting, ...]]) -> tuple[int, int]:
    """Second byes and second meetings."""
    past = Counter(frozenset(m.bots) for here in before for m in here)
    byes = sum(past[frozenset(m.bots)] for m in meetings if len(m.bots) == 1)
    return byes, sum(past[frozenset(m.bots)] for m in meetings if len(m.bots) == 2)


def least_repeats(bots: list[str], before: list[tuple[Meeting, ...]]) -> tuple[int, int]:
    past = Counter(frozenset(m.bots) for here in before for m in here)
    best = None
    for order in permutations(bots):
        pairs = [frozenset(order[place : place + 2]) for place in range(0, len(order), 2)]
        found = (
            sum(past[pair] for pair in pairs if len(pair) == 1),
            sum(past[pair] for pair in pairs if len(pair) == 2),
        )
        best = found if best is None else min(best, found)
        if best == (0, 0):
            break
    assert best is not None
    return best
