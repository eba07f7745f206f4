"""Messages put together from parts are what the generated classes would have written."""

import pytest

from referee import games
from referee.match import shown
from referee.match.journal import Ending
from referee.match.record import Clocks, Pace
from referee.match.seats import DefaultTaken, Finished, Question, Told
from referee.server import frames
from tests.helpers.matches import record
from warladder.v1 import games_pb2
from warladder.v1 import referee_pb2 as pb

STATE = games.get("skirmish").start(seats=2, seed="frames")
WIRE = games.get("skirmish").wire
VIEW = WIRE.view(STATE.view(0))
OPTIONS = [WIRE.option(option) for option in STATE.options(0)]
EVENTS = [WIRE.event(event) for event in STATE.events(0, 0)]
TAKEN = DefaultTaken(decision=3, option=0, defaults=2, charged_ms=10_000)


def read(data: bytes) -> pb.RefereeMessage:
    return pb.RefereeMessage.FromString(data)


NUMBERS = [0, 1, 127, 128, 4095, 4096, 16_383, 16_384, 2**21 - 1, 2**21, 2**28, 2**32 - 1]


@pytest.mark.parametrize("number", NUMBERS)
def test_whole_numbers_are_written_as_protobuf_does(number: int) -> None:
    by_hand = b"\x08" + frames.varint(number) if number else b""
    assert by_hand == pb.Ping(number=number).SerializeToString()


@pytest.mark.parametrize("view", [True, False])
@pytest.mark.parametrize("taken", [None, TAKEN])
@pytest.mark.parametrize("defaults", [0, 4])
def test_a_decide_is_what_it_says(view: bool, taken: DefaultTaken | None, defaults: int) -> None:
    question = Question(
        decision=300,
        kind="support",
        events=[event.SerializeToString() for event in EVENTS],
        view=VIEW.SerializeToString() if view else None,
        options=[option.SerializeToString() for option in OPTIONS],
        bank_ms=119_800,
        cap_ms=10_000,
        defaults=defaults,
        bad_answers=0,
        last_event=17,
        default_taken=taken,
    )
    wanted = pb.Decide(
        match="m1",
        decision=300,
        kind="support",
        events=EVENTS,
        options=OPTIONS,
        clock=pb.Clock(bank_ms=119_800, cap_ms=10_000, defaults=defaults),
        last_event=17,
        receipt=b"12345678",
    )
    if view:
        wanted.view.CopyFrom(VIEW)
    if taken:
        wanted.default_taken.CopyFrom(pb.DefaultTaken(**taken._asdict()))
    assert read(frames.decide(b"m1", question, b"12345678")).decide == wanted


def test_an_update_is_what_it_says() -> None:
    told = Told([event.SerializeToString() for event in EVENTS], 12, TAKEN)
    wanted = pb.Update(
        match="m1",
        events=EVENTS,
        last_event=12,
        receipt=b"12345678",
        default_taken=pb.DefaultTaken(**TAKEN._asdict()),
    )
    assert read(frames.update(b"m1", told, b"12345678")).update == wanted


def test_a_start_tells_the_terms_and_no_secret() -> None:
    planned = record(
        seats=4,
        options={"teams": True, "cards": "/srv/cards"},
        clocks=Clocks(bank_ms=5),
        pace=Pace(floor_ms=100, quantum_ms=50),
    )
    data = frames.started(planned, 2, ((0, 2), (1, 3)), resumed=True)
    started = read(data).match_started
    assert (started.seat, started.seats, list(started.sides)) == (2, 4, [0, 1, 0, 1])
    assert dict(started.options) == {"teams": "true"}
    assert (started.clock.bank_ms, started.clock.floor_ms) == (5, 100)
    assert started.commitment == planned.commitment
    assert (started.rated, started.resumed) == (True, True)
    for secret in (planned.seed.encode(), planned.salt, b"/srv/cards"):
        assert secret not in data


def test_an_end_tells_outcome_faults_seed_and_names() -> None:
    finished = Finished(
        ending=Ending.TIMEOUT,
        ranks=(2, 1),
        scores=(),
        reason="",
        faults=("timeout", ""),
        seed="s",
        salt=b"t",
        events=[event.SerializeToString() for event in EVENTS],
        last_event=5,
        text="timeout: too slow",
    )
    ended = read(frames.ended(record(), finished)).match_ended
    assert ended.ending == pb.ENDING_TIMEOUT
    assert list(ended.outcome.ranks) == [2, 1]
    assert list(ended.outcome.faults) == [pb.ENDING_TIMEOUT, pb.ENDING_UNSPECIFIED]
    assert [each.bot for each in ended.opponents] == ["a", "b"]
    assert list(ended.events) == EVENTS
    assert (ended.seed, ended.salt, ended.last_event) == ("s", b"t", 5)


def test_an_end_of_ours_has_no_outcome() -> None:
    finished = Finished(Ending.STALLED, (), (), "", ("", ""), "", b"", [], 0, "away")
    assert not read(frames.ended(record(), finished)).match_ended.HasField("outcome")


def test_each_ending_and_fault_of_ours_has_its_name_in_the_protocol() -> None:
    assert {f"ENDING_{each.name}" for each in Ending} | {"ENDING_UNSPECIFIED"} == set(
        pb.Ending.keys()
    )
    for code in pb.FaultCode.keys()[1:]:
        told = read(frames.fault(code.removeprefix("FAULT_CODE_"), "why", "m1", fatal=True)).fault
        assert (told.code, told.match, told.fatal) == (pb.FaultCode.Value(code), "m1", True)
    for reason in pb.GoodbyeReason.keys()[1:]:
        said = read(frames.goodbye(reason.removeprefix("GOODBYE_REASON_"), 7)).goodbye
        assert (said.reason, said.reconnect_after_ms) == (pb.GoodbyeReason.Value(reason), 7)


def test_an_event_that_all_see_is_serialised_once_and_hashes_tell_views_apart() -> None:
    one, two = b"view", b"View"
    assert shown.shown_hash(one, [b"a", b"b"]) != shown.shown_hash(two, [b"a", b"b"])
    assert shown.shown_hash(one, [b"a", b"b"]) != shown.shown_hash(one, [b"ab"])
    assert len(shown.shown_hash(None, [])) == 8
    option = STATE.options(0)[0]
    again = shown.option_bytes(WIRE, option, True)
    assert again is shown.option_bytes(WIRE, option, True)
    assert games_pb2.Option.FromString(again).label == str(option)
