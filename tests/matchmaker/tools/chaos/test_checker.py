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
from matchmaker.tools.chaos.checker import Checker, Verdict, told
from matchmaker.tools.chaos.stage import Done
from referee.match.journal import Choice, Ending, unpack_journal
from referee.match.record import MatchRecord
from referee.match.replay import verify
from tests.helpers.matches import record
from tests.helpers.stage import left, played

GRACE_MS = 30_000
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
        return Checker(self.archive, self.transcripts, harm, GRACE_MS).check(log, still_open)


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
        "harm", [harmed("b", "kill"), harmed("b", "stop", seconds=5), harmed("b", "cut", NOON, 31)]
    )
    def test_of_a_bot_that_was_harmed_is_just(self, run: Run, harm: Done) -> None:
        assert run.check(harm=[harm]).unjust == []

    @pytest.mark.parametrize(
        "harm", [harmed("b", "cut", seconds=29), harmed("b", "kill", NOON - 120_000)]
    )
    def test_of_a_short_cut_or_an_old_kill_is_unjust(self, run: Run, harm: Done) -> None:
        assert len(run.check(harm=[harm]).unjust) == 1
