"""Holds what was found against the verdict: one line for each thing that is not as it must be."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import grpc

from referee.match.journal import Choice, End, Ending, Entry, How, Left, Out
from referee.match.record import MatchRecord
from referee.match.replay import verify
from tests.helpers.naughty.moment import Moment, faults_of
from tests.helpers.naughty.phases import Phase
from tests.helpers.naughty.verdicts import FAULT_TEXTS, OUT_TEXTS, Verdict
from warladder.v1 import referee_pb2 as pb

LINE_MS = 750.0
"""
What an answer may have cost beyond what its bot's own process saw itself take: a busy machine's
share. Every misbehaviour that plays with time plays with a second and more.
"""
BURST = range(150, 1_000)
"""How often `STALE` is told to a flood: a burst of 200 and what the rate adds meanwhile."""
WRITING = (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.INVALID_ARGUMENT)
BROKEN = "Internal error from Core"
"""
What gRPC's Python client says of a stream that the referee ended in the middle of a write, as it
does to one that sends too much; what it had not read by then it has thrown away.
"""


async def streams(moment: Moment, wanted: Verdict) -> list[str]:
    """What the naughty bot's streams were told, and how they ended."""
    with suppress(TimeoutError):
        async with asyncio.timeout(5):  # faults may come after the end
            while len(faults_of(moment.bot)) < len(wanted.faults) and await moment.bot.read():
                pass
    problems = []
    if wanted.status is not None:
        code, details = await moment.bot.status()
        if wanted.status in WRITING and details == BROKEN:
            moment.notes["broken"] = True
        elif code is not wanted.status:
            problems.append(f"the stream ended as {code} {details!r}, not {wanted.status}")
    problems += _faults(moment, wanted)
    ends = Counter((tuple(faults), status) for faults, status in await moment.replaced_ends())
    if ends[("REPLACED",), grpc.StatusCode.ABORTED] != wanted.replaced:
        problems.append(f"{ends}: not {wanted.replaced} streams were replaced")
    if wanted.away is not None:
        fault, status = wanted.away
        found = moment.notes.get("faults"), moment.notes.get("status")
        if found != ([fault] if fault else [], status):
            problems.append(f"the other stream: {found}, expected {wanted.away}")
    if wanted.resumed and moment.notes.get("resumed") != [moment.match]:
        problems.append(f"resumed: {moment.notes.get('resumed')}")
    return problems


def _faults(moment: Moment, wanted: Verdict) -> Iterator[str]:
    told, expected = faults_of(moment.bot), [list(wanted.faults)]
    if wanted.stale:
        rest = [code for code in told if code != "STALE"]
        if len(told) - len(rest) not in BURST and not moment.notes.get("broken"):
            yield f"STALE {len(told) - len(rest)} times"
        told = rest
    if wanted.either:
        expected = [[], ["STALE"]]
    cut = moment.notes.get("broken") and told == expected[0][: len(told)]
    if told not in expected and not cut:
        yield f"told {told}, expected {expected}"
    for message in moment.bot.heard:
        if message.WhichOneof("message") != "fault":
            continue
        fault = message.fault
        code = pb.FaultCode.Name(fault.code).removeprefix("FAULT_CODE_")
        if not re.fullmatch(FAULT_TEXTS.get(code, ""), fault.text):
            yield f"{code} says {fault.text!r}"
        if fault.match not in ("", moment.match, moment.before):
            yield f"{code} names match {fault.match!r}"


def told(wanted: Verdict, ended: pb.MatchEnded) -> Iterator[str]:
    """What the naughty bot was told of the end."""
    name = pb.Ending.Name(ended.ending).removeprefix("ENDING_").lower()
    if wanted.either and name == Ending.NO_SHOW:
        wanted = Verdict(ending=Ending.NO_SHOW)
    if name != wanted.ending:
        yield f"told of {name}, expected {wanted.ending}"
    if wanted.ending is Ending.NORMAL and ended.text:
        yield f"MatchEnded blames it: {ended.text!r}"
    if wanted.ending is not Ending.NORMAL:
        if not re.fullmatch(OUT_TEXTS[wanted.ending], ended.text):
            yield f"MatchEnded says {ended.text!r}"
    versions = {each.version for each in ended.opponents}
    if versions != {"1"}:
        yield f"versions {versions}"


def journal(
    planned: MatchRecord,
    entries: Sequence[Entry],
    seat: int,
    phase: Phase,
    wanted: Verdict,
    notes: Mapping[str, Any],
) -> Iterator[str]:
    """What the journal says of the naughty seat: its fault, and nobody else's."""
    found = verify(planned, entries, canary_every=1)
    yield from (*found.problems, *found.leaks)
    end = entries[-1] if entries else None
    if not isinstance(end, End):
        yield f"no end: {end}"
        return
    choices = [entry for entry in entries if isinstance(entry, Choice)]
    late = [entry for entry in choices if entry.how == How.LATE]
    ending = wanted.ending
    if wanted.either:
        if end.ending == Ending.NO_SHOW and phase is Phase.START:
            ending = Ending.NO_SHOW
        if len(late) > 1:
            yield f"late {len(late)} times"
    elif wanted.defaults != len(late):
        yield f"{len(late)} defaults, expected {wanted.defaults}"
    if any(entry.seat != seat for entry in late):
        yield "a default was taken for the victim"
    if end.ending != ending:
        yield f"ended as {end.ending} {end.text!r}, expected {ending}"
    faults = ["", ""]
    if ending is not Ending.NORMAL:
        faults[seat] = str(ending)
    if list(end.faults) != faults:
        yield f"faults {end.faults}, expected {faults}"
    ranks = [2 if each == seat else 1 for each in (0, 1)]
    if ending not in (Ending.NORMAL, Ending.NO_SHOW) and list(end.ranks) != ranks:
        yield f"ranks {end.ranks}, expected {ranks}"
    for entry in entries:
        if isinstance(entry, Out) and not re.fullmatch(OUT_TEXTS.get(ending, ""), entry.text):
            yield f"out says {entry.text!r}"
    if any(len(entry.note.encode()) > 512 for entry in choices):
        yield "a note was kept whole"
    if "chosen" in notes:
        decision, option = notes["chosen"]
        taken = [entry.option for entry in choices if entry.seat == seat][decision - 1]
        if taken != option:
            yield f"option {taken} of decision {decision} was taken, not {option}"


def honest(
    name: str,
    report: Mapping[str, Any],
    match: str,
    seat: int,
    entries: Sequence[Entry],
    charges: list[int],
) -> Iterator[str]:
    """
    An honest bot in its match: it is told the same end, and pays for its own time alone.

    Args:
        charges: What each of its answers cost is added, in milliseconds.
    """
    end = entries[-1] if entries else None
    ending = f"ENDING_{end.ending.upper()}" if isinstance(end, End) else ""
    if report["ended"].get(match) != ending:
        yield f"{name} heard of {report['ended'].get(match)}, not {ending}"
    if match in (*report["twice"], *report["defaults"], *report["resumed"]):
        yield f"{name} was told an end twice, of a default or of coming back"
    if any(isinstance(entry, Left) and entry.seat == seat for entry in entries):
        yield f"{name} left"
    held = report["held"].get(match, {})
    own = [entry for entry in entries if isinstance(entry, Choice) and entry.seat == seat]
    for decision, entry in enumerate(own, 1):
        took, late = held.get(str(decision), (0.0, 0.0))
        ledger = entry.ledger
        charges.append(ledger.charged_ms)
        if entry.how != How.ANSWERED or ledger.charged_ms > took + late + LINE_MS or ledger.away_us:
            yield (
                f"{name} was charged for decision {decision}: {ledger}, how {entry.how};"
                f" it took {took} ms, its process was {late} ms late"
            )
