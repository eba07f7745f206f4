"""When tournaments are held, over changes of daylight saving and over times without anybody."""

import pytest

from matchmaker.tournaments.schedule import (
    Announced,
    BadSchedule,
    check_cron,
    due,
    edition,
    following,
    pack,
    read_instant,
    shown,
    unpack,
)

BERLIN = "Europe/Berlin"
HOUR = 3600_000
DAY = 24 * HOUR


def at(text: str, zone: str = BERLIN) -> int:
    return read_instant(text, zone)


def nightly(
    cron: str = "30 2 * * *", made: str = "2026-03-27 00:00", **changes: object
) -> Announced:
    fields: dict[str, object] = {
        "name": "nightly", "made_ms": at(made), "cron": cron, "zone": BERLIN,
        "format": "swiss", "game": "skirmish",
    }  # fmt: skip
    return Announced(**{**fields, **changes})  # type: ignore[arg-type]


def instants(announced: Announced, count: int) -> list[str]:
    return [shown(each, BERLIN) for each in following(announced, announced.made_ms, count)]


def test_what_falls_into_the_hour_that_is_skipped_comes_right_after_it() -> None:
    assert instants(nightly(), 4) == [
        "2026-03-27 02:30 CET",
        "2026-03-28 02:30 CET",
        "2026-03-29 03:00 CEST",  # clocks go from two to three
        "2026-03-30 02:30 CEST",
    ]


def test_a_fixed_time_in_the_hour_that_comes_twice_is_held_once_in_the_first() -> None:
    assert instants(nightly(made="2026-10-24 00:00"), 3) == [
        "2026-10-24 02:30 CEST",
        "2026-10-25 02:30 CEST",
        "2026-10-26 02:30 CET",
    ]


def test_an_hourly_one_is_held_in_both() -> None:
    hourly = nightly("0 * * * *", made="2026-10-25 01:30")
    assert instants(hourly, 3) == [
        "2026-10-25 02:00 CEST",
        "2026-10-25 02:00 CET",
        "2026-10-25 03:00 CET",
    ]


def test_a_year_of_nights_has_a_night_each_day() -> None:
    announced = nightly(made="2026-01-01 00:00")
    days = [shown(each, BERLIN)[:10] for each in following(announced, announced.made_ms, 365)]
    assert len(set(days)) == 365
    assert days[-1] == "2026-12-31"


@pytest.mark.parametrize(
    ("now", "instant", "missed"),
    [
        ("2026-03-27 02:29", None, 0),
        ("2026-03-27 02:30", "2026-03-27 02:30", 0),
        ("2026-03-27 08:30", "2026-03-27 02:30", 0),  # six hours later is still made up for
        ("2026-03-27 08:31", None, 1),
        ("2026-03-31 02:31", "2026-03-31 02:30", 4),
    ],
)
def test_the_latest_of_those_that_came_is_made_up_for(
    now: str, instant: str | None, missed: int
) -> None:
    found = due(nightly(), 0, at(now))
    assert found.instant_ms == (None if instant is None else at(instant))
    assert found.missed == missed


def test_what_was_handled_does_not_come_again() -> None:
    announced = nightly()
    first = due(announced, 0, at("2026-03-27 02:30"))
    assert due(announced, first.handled_ms, at("2026-03-28 02:29")).instant_ms is None
    second = due(announced, first.handled_ms, at("2026-03-28 02:30"))
    assert second.instant_ms == at("2026-03-28 02:30")


def test_instants_before_the_announcement_do_not_count() -> None:
    announced = nightly(made="2026-03-27 02:30")
    assert due(announced, 0, at("2026-03-27 02:30")).instant_ms == at("2026-03-27 02:30")
    later = nightly(made="2026-03-27 02:31")
    assert due(later, 0, at("2026-03-27 12:00")).instant_ms is None


def test_once_is_once() -> None:
    once = nightly(cron="", at_ms=at("2026-04-01 20:00"))
    assert due(once, 0, at("2026-04-01 19:59")).instant_ms is None
    assert due(once, 0, at("2026-04-01 20:05")).instant_ms == once.at_ms
    assert due(once, once.at_ms, at("2026-04-01 20:06")).instant_ms is None
    assert due(once, 0, at("2026-04-02 03:00")).missed == 1


def test_many_instants_that_nobody_saw_are_passed_in_one_look() -> None:
    announced = nightly("* * * * *", made="2026-03-01 00:00")
    found = due(announced, 0, at("2026-03-08 00:00"))
    assert found.instant_ms == at("2026-03-08 00:00")
    assert found.missed == 7 * 24 * 60


def test_editions_are_named_by_their_instant_in_utc() -> None:
    assert edition(nightly(), at("2026-03-29 03:00")) == "nightly-20260329T0100Z"
    assert edition(nightly(cron="", at_ms=5), 5) == "nightly"


def test_an_announcement_is_kept_as_it_is() -> None:
    announced = nightly(
        bots=("a", "b"), settings={"rounds": 5}, options={"rounds": 1}, sides=((0, 2), (1, 3))
    )
    assert unpack(pack(announced)) == announced


@pytest.mark.parametrize(
    ("expression", "zone", "words"),
    [
        ("0 2 * *", "UTC", "five fields"),
        ("0 25 * * *", "UTC", "hour"),
        ("0 2 30 2 *", "UTC", "0 2 30 2"),
        ("@daily", "UTC", "five fields"),
        ("0 0 2 * * *", "UTC", "five fields"),
        ("0 2 * * *", "Mars/Olympus", "Mars/Olympus"),
        ("0 2 * * *", "../etc/passwd", "tz database"),
    ],
)
def test_a_bad_expression_is_told(expression: str, zone: str, words: str) -> None:
    with pytest.raises(BadSchedule, match=words):
        check_cron(expression, zone)


@pytest.mark.parametrize("text", ["tomorrow", "2026-13-01 20:00", "20:00", ""])
def test_a_bad_instant_is_told(text: str) -> None:
    with pytest.raises(BadSchedule, match="YYYY-MM-DD"):
        read_instant(text, "UTC")


def test_an_instant_that_clocks_skip_is_refused() -> None:
    with pytest.raises(BadSchedule, match="go forward over it"):
        read_instant("2027-03-28 02:30", BERLIN)


def test_an_instant_may_name_its_own_zone() -> None:
    assert read_instant("2026-06-01T20:00+02:00", "UTC") == read_instant("2026-06-01 18:00", "UTC")


def test_the_library_reads_expressions_as_debians_cron_does() -> None:
    """Day of month and day of week: either, when both are given; both, when one has a star."""
    start = at("2026-06-01 00:00", "UTC")
    either = nightly("0 12 13 * 5", made="2026-06-01 00:00", zone="UTC")
    days = [shown(each)[8:10] for each in following(either, start, 5)]
    assert days == ["05", "12", "13", "19", "26"]
