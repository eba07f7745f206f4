"""The judge of a chaos run finds what is wrong, and nothing else."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from matchmaker.archive import Archive
from matchmaker.closing import result_of
from matchmaker.entries import Result, encode
from matchmaker.log import Logged
from matchmaker.tools.chaos.checker import RETURN_MS, Checker, Verdict, can_lead_to, told
from matchmaker.tools.chaos.stage import Done
from referee.match.journal import (
    Choice,
    End,
    Ending,
    Opened,
    pack_entry,
    unpack_entry,
    unpack_journal,
)
from referee.match.record import Clocks, MatchRecord
from referee.match.replay import verify
from tests.helpers.matches import record
from tests.helpers.stage import left, played

CLOCKS = Clocks()
ENDED = 1_001_000
NOON = 1_000_000
Lines = dict[str, dict[str, list[dict[str, Any]]]]


class Run:
    """A run of one match, written down as it was; tests change what is written."""

    def __init__(self, folder: Path, play: Callable[[MatchRecord], list[bytes]] = played) -> None:
        self.record = record(bots=("a", "b"))
        self.journal = play(self.record)
        self.archive = Archive(folder)
        entries = unpack_journal(self.journal)
        digest = self.archive.put_replay(self.record.match, self.journal)
        self.result = result_of(self.record, verify(self.record, entries), digest)
        self.transcripts: Lines = {"a": {}, "b": {}}
        streams = told(self.record, entries)
        for seat, bot in enumerate("ab"):
            lines: list[dict[str, Any]] = []
            choices = [each for each in entries if isinstance(each, Choice) and each.seat == seat]
            for number, choice in enumerate(choices, 1):
                lines.append({"what": "decide", "at_ms": NOON, "decision": number})
                lines.append(
                    {"what": "choose", "at_ms": NOON, "decision": number, "option": choice.option}
                )
            lines.append(
                {
                    "what": "ended",
                    "at_ms": NOON + 1000,
                    "events": streams[seat],
                    "last": len(streams[seat]),
                    "ending": f"ENDING_{self.result.ending.upper()}",
                    "ranks": list(self.result.ranks),
                }
            )
            self.transcripts[bot][self.record.match] = lines

    def lines(self, bot: str) -> list[dict[str, Any]]:
        return self.transcripts[bot][self.record.match]

    def check(
        self,
        *results: Result,
        harm: Sequence[Done] = (),
        still_open: Sequence[str] = (),
    ) -> Verdict:
        log = [
            Logged(number, NOON + 2000, encode(each))
            for number, each in enumerate(results or (self.result,), 1)
        ]
        return Checker(self.archive, self.transcripts, harm).check(log, still_open)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path)


def harmed(bot: str, kind: str, begin_ms: int = NOON, seconds: int = 0) -> Done:
    end_ms = begin_ms + 1000 * seconds
    return Done(kind=kind, role="bot", name=bot, begin_ms=begin_ms, end_ms=end_ms)


def test_nothing_is_found_in_a_run_where_all_is_right(run: Run) -> None:
    found = run.check()
    assert found.faults == []
    assert found.matches == 1
    assert found.endings == {"normal": 1}


def test_a_match_that_bots_knew_and_no_result_names_is_lost(run: Run) -> None:
    run.transcripts["a"]["m2"] = [{"what": "started", "at_ms": NOON}]
    assert run.check().lost == ["match m2 never ended"]


def test_a_match_still_open_at_the_end_is_lost(run: Run) -> None:
    assert run.check(still_open=["m3"]).lost == ["match m3 never ended"]


def test_a_gap_in_the_match_numbers_is_lost(run: Run) -> None:
    assert "match number 1 has no result" in run.check(replace(run.result, number=2)).lost


def test_two_results_of_a_match_are_doubled(run: Run) -> None:
    assert run.check(run.result, run.result).doubled == ["match m1 has two results"]


def test_two_matches_of_one_number_are_doubled(run: Run) -> None:
    found = run.check(run.result, replace(run.result, match="m2"))
    assert found.doubled == ["2 results of match number 1"]


def test_a_result_that_the_journal_does_not_give_is_unverified(run: Run) -> None:
    found = run.check(replace(run.result, ranks=run.result.ranks[::-1]))
    assert "the result is not what the journal gives" in found.unverified[0]


def test_a_replay_that_is_missing_is_unverified(run: Run) -> None:
    run.archive.path(run.result.archive).unlink()
    assert len(run.check().unverified) == 1


def test_an_answer_that_the_bot_did_not_give_is_a_disagreement(run: Run) -> None:
    answer = next(line for line in run.lines("a") if line["what"] == "choose")
    answer["option"] += 1
    assert "the bot said" in run.check().disagreements[0]


def test_an_event_that_the_journal_does_not_give_is_a_disagreement(run: Run) -> None:
    run.lines("b")[-1]["events"][0] = "another"
    assert "event 1 was another" in run.check().disagreements[0]


def test_a_consequence_of_what_the_journal_lacks_is_a_disagreement(run: Run) -> None:
    run.lines("b")[-1]["events"].append("more")
    run.lines("b")[-1]["last"] += 1
    run.lines("a").append({"what": "decide", "at_ms": NOON, "decision": 999})
    found = run.check().disagreements
    assert any("was shown, the journal has" in line for line in found)
    assert any("decision 999 was put" in line for line in found)


def test_another_end_than_the_results_is_a_disagreement(run: Run) -> None:
    run.lines("a")[-1]["ending"] = "ENDING_TIMEOUT"
    assert "told of the end timeout" in run.check().disagreements[0]


class TestForfeits:
    @pytest.fixture
    def run(self, tmp_path: Path) -> Run:
        found = Run(tmp_path, lambda record: left(record, 1))
        assert found.result.ending == Ending.DISCONNECTED
        return found

    def test_of_a_bot_that_nothing_was_done_to_is_unjust(self, run: Run) -> None:
        (line,) = run.check(harm=[harmed("a", "kill")]).unjust
        assert "m1: b: disconnected: away for" in line

    @pytest.mark.parametrize(
        "harm", [harmed("b", "kill"), harmed("b", "stop", seconds=12), harmed("b", "cut", NOON, 31)]
    )
    def test_of_a_bot_that_was_harmed_is_just(self, run: Run, harm: Done) -> None:
        assert run.check(harm=[harm]).unjust == []

    @pytest.mark.parametrize(
        "harm",
        [
            harmed("b", "cut", seconds=29),
            harmed("b", "delay", seconds=30),
            harmed("b", "stop", seconds=9),
            harmed("b", "kill", NOON - 60_000),
            harmed("b", "stop", NOON - 60_000, 12),
            harmed("b", "kill", ENDED + 1),
        ],
    )
    def test_of_short_old_or_later_harm_is_unjust(self, run: Run, harm: Done) -> None:
        assert len(run.check(harm=[harm]).unjust) == 1

    def test_is_judged_by_when_the_first_seat_was_told_of_the_end(self, run: Run) -> None:
        """The bot itself may hear of it much later, and the log too."""
        kill = harmed("b", "kill", ENDED - CLOCKS.grace_ms - CLOCKS.cap_ms)
        run.lines("b")[-1]["at_ms"] += 120_000
        assert run.check(harm=[kill]).unjust == []
        run.lines("a")[-1]["at_ms"] += 120_000
        run.transcripts["b"] = {}
        assert len(run.check(harm=[harmed("b", "kill", ENDED + 10_000)]).unjust) == 1


class TestWhatHarmCanDo:
    def test_until_the_bot_is_back_and_its_clocks_are_over(self) -> None:
        stop = harmed("b", "stop", NOON, 20)
        last = NOON + 20_000 + RETURN_MS + CLOCKS.grace_ms + CLOCKS.cap_ms
        for at_ms, expected in ((NOON - 1, False), (NOON, True), (last, True), (last + 1, False)):
            assert can_lead_to(stop, "timeout", at_ms, CLOCKS) is expected

    def test_longer_for_a_bot_that_did_not_come(self) -> None:
        kill = harmed("b", "kill")
        late = NOON + CLOCKS.startup_ms + 5_000
        assert can_lead_to(kill, "no_show", late, CLOCKS)
        assert not can_lead_to(kill, "disconnected", late, CLOCKS)

    @pytest.mark.parametrize("fault", ["illegal", "protocol", "resigned"])
    def test_nothing_makes_a_bot_answer_wrongly(self, fault: str) -> None:
        assert not can_lead_to(harmed("b", "kill"), fault, NOON + 1, CLOCKS)


def handed_on(record: MatchRecord, ending: str = "normal") -> list[bytes]:
    """A match that a second referee took over; void unless it ended as it should."""
    setup, opened, *rest = played(record)
    taken = [setup, opened, pack_entry(Opened(2, "r2")), *rest]
    if ending == "normal":
        return taken
    return [*taken[:4], pack_entry(End(ending=ending, text="by the test"))]


def given_up(record: MatchRecord) -> list[bytes]:
    """A match that lost its referee and was ended from outside, without another."""
    setup, opened, *_ = played(record)
    return [setup, opened, pack_entry(End(ending="cancelled", text="by the test"))]


class TestResumption:
    def test_a_match_that_another_referee_played_on_is_resumed(self, tmp_path: Path) -> None:
        found = Run(tmp_path, handed_on).check()
        assert (found.resumed, found.restarted, found.faults) == (1, [], [])

    @pytest.mark.parametrize("play", [lambda record: handed_on(record, "referee_fault"), given_up])
    def test_one_that_is_void_is_not(
        self, tmp_path: Path, play: Callable[[MatchRecord], list[bytes]]
    ) -> None:
        run = Run(tmp_path, play)
        for bot in "ab":
            run.lines(bot)[:] = []
        found = run.check()
        assert found.resumed == 0
        assert found.restarted[0].startswith("match m1: ")
        assert "by the test" in found.restarted[0]

    @pytest.mark.parametrize(
        ("resumed", "restarted", "ok"),
        [(95, 5, True), (94, 6, False), (19, 1, True), (18, 2, False), (3, 1, True), (3, 2, False)],
    )
    def test_nineteen_of_twenty_are_to_be(self, resumed: int, restarted: int, ok: bool) -> None:
        lines = [f"match m{number}: referee_fault" for number in range(restarted)]
        found = Verdict(resumed=resumed, restarted=lines)
        assert found.ok is ok
        assert found.faults == ([] if ok else [f"not resumed: {line}" for line in lines])


def lose(run: Run) -> dict[str, Any]:
    run.transcripts["a"]["m2"] = [{"what": "started", "at_ms": NOON}]
    return {}


def leave_open(run: Run) -> dict[str, Any]:
    return {"still_open": ["m3"]}


def change_the_archive(run: Run) -> dict[str, Any]:
    """Another option stands in the journal than was chosen; the result names that replay."""
    journal = list(run.journal)
    at = next(n for n, each in enumerate(journal) if isinstance(unpack_entry(each), Choice))
    entry = unpack_entry(journal[at])
    assert isinstance(entry, Choice)
    journal[at] = pack_entry(entry._replace(option=entry.option + 1))
    run.result = replace(run.result, archive=run.archive.put_replay("m1", journal))
    return {}


def charge(run: Run) -> dict[str, Any]:
    """The second seat is charged with a loss of its line that nobody did to it."""
    journal = left(run.record, 1)
    entries = unpack_journal(journal)
    digest = run.archive.put_replay("m1", journal)
    run.result = result_of(run.record, verify(run.record, entries), digest)
    return {"harm": [harmed("a", "kill"), harmed("b", "kill", NOON - 100_000)]}


def contradict(run: Run) -> dict[str, Any]:
    run.lines("b")[1]["option"] += 1
    return {}


def double(run: Run) -> dict[str, Any]:
    return {"results": [run.result, run.result]}


@pytest.mark.parametrize(
    ("plant", "kind"),
    [
        (lose, "lost"),
        (leave_open, "lost"),
        (double, "doubled"),
        (change_the_archive, "unverified"),
        (charge, "unjust forfeit"),
        (contradict, "transcript"),
    ],
)
def test_whatever_is_wrong_fails_the_run_and_is_told(
    run: Run, plant: Callable[[Run], dict[str, Any]], kind: str
) -> None:
    assert run.check().ok
    planted = plant(run)
    found = run.check(*planted.pop("results", []), **planted)
    assert not found.ok
    assert any(line.startswith(f"{kind}: ") for line in found.faults), found.faults
