"""
What must come of each misbehaviour in each phase: written from the rules, not from the code.

The rules: a bank that is empty is `timeout`; a cap passed, or late in a sealed window, takes the
default, told and counted, the eleventh is `timeout`; an index not offered or an unreadable answer
is a private fault, the third in one decision is `illegal`; more than twenty other faults in a
minute are `protocol`; absent over the grace is `disconnected`; not ready in time, or out before all
were ready, is `no_show`. `STALE` costs nothing. Nothing else ends a match.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import grpc

from referee.match.journal import Ending
from tests.helpers.naughty.phases import Phase

START, ORDINARY, WINDOW, SEALED, LAST, BACK = Phase
ASKED = (ORDINARY, WINDOW, SEALED, LAST, BACK)

FAULT_TEXTS = {
    "BAD_HELLO": r"a stream has one Hello.*",
    "NO_SUCH_MATCH": r"you have no seat in match '.{1,64}' here.*",
    "NOT_ASKED": r"decision \d+ was not put to you.*",
    "NOT_OFFERED": r"option \d+ of decision \d+: there are \d+, from 0",
    "STALE": r"decision \d+ is settled already|this match is over(, or goes on elsewhere)?"
    r"|the answer to decision \d+ came too late",
    "TOO_BIG": r"\d+ bytes; at most 65536 are read",
    "TOO_FAST": r"(more than 50 messages a second|too many answers that answer nothing).*",
    "UNKNOWN_KIND": r"the bytes are no BotMessage|a message of a kind that is not known here"
    r"|'.{1,80}' takes no standing order; these do: .+",
    "NO_SUCH_GAME": r"'chess' is not among the games of your Hello",
    "NO_PARTNER": r"(there is no bot 'nobody at all'|more than 8 wishes at once).*",
    "REPLACED": r"a newer stream of this bot and instance has come",
}
"""What a fault says, whole."""

OUT_TEXTS = {
    Ending.TIMEOUT: r"timeout: decision \d+ \(\w+\) took \d+ ms"
    r"(, the bank had \d+ ms| of \d+ ms, late for the 11th time)",
    Ending.ILLEGAL: r"illegal: 3 bad answers in decision \d+",
    Ending.DISCONNECTED: r"disconnected: away for \d+ ms of \d+ ms in decision \d+ \(\w+\)",
    Ending.PROTOCOL: r"protocol: 21 faults in a minute, the last [A-Z_]+: .+",
    Ending.RESIGNED: r"resigned",
    Ending.NO_SHOW: r"no_show: not ready in 8000 ms|resigned|protocol: 21 faults .+",
}
"""What the journal says of a seat that is out."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What must be found."""

    ending: Ending
    """Of the match; but for `normal` it is the naughty seat's fault."""
    faults: tuple[str, ...] = ()
    """Told to the bot on its last stream, in order, before it is out or plays on."""
    replaced: int = 0
    """Streams of it that a newer one replaced."""
    status: grpc.StatusCode | None = None
    """How its own stream ends, if the referee ends it."""
    away: tuple[str, grpc.StatusCode] | None = None
    """Fault (none: empty) and status of a stream beside its own that is refused."""
    defaults: int | None = 0
    """Late answers; None: so many as the time was long."""
    stale: bool = False
    """Before these faults it is told `STALE` as often as the rate allows."""
    either: bool = False
    """A match of a thousandth of a second: in time or late, but one of the two wholly."""
    resumed: bool = False
    """Coming in again, it is told of its match."""


def plays_on(*faults: str) -> Verdict:
    return Verdict(ending=Ending.NORMAL, faults=faults)


def out(ending: Ending, *faults: str, status: grpc.StatusCode | None = None) -> Verdict:
    return Verdict(ending=ending, faults=faults, status=status)


def late(times: int, *faults: str, ending: Ending = Ending.NORMAL) -> Verdict:
    return Verdict(ending=ending, faults=faults, defaults=times)


def refused(fault: str, status: grpc.StatusCode) -> Verdict:
    return Verdict(ending=Ending.NORMAL, away=(fault, status))


def protocol(fault: str, told: int = 21) -> tuple[Verdict, Verdict]:
    """
    More than twenty faults: at the start nothing was played, so it is a no-show.

    Args:
        told: How many of them on its last stream.
    """
    faults, status = (fault,) * told, grpc.StatusCode.INVALID_ARGUMENT
    return (
        out(Ending.NO_SHOW, *faults, status=status),
        out(Ending.PROTOCOL, *faults, status=status),
    )


def leaves(ending: Ending = Ending.DISCONNECTED) -> tuple[Verdict, Verdict]:
    return out(Ending.NO_SHOW), out(ending)


COMES_AGAIN = Verdict(ending=Ending.NORMAL, replaced=1, resumed=True)

Row = Verdict | tuple[Verdict, Verdict]
"""The same in every phase; or at the start, and when it is asked."""

VERDICTS: Mapping[str, Row] = {
    # answers
    "index-one-too-large": (plays_on("NOT_ASKED"), plays_on("NOT_OFFERED")),
    "index-too-large-three-times": (
        plays_on(*["NOT_ASKED"] * 3),
        out(Ending.ILLEGAL, *["NOT_OFFERED"] * 3),
    ),
    "index-negative": (plays_on("NOT_ASKED"), plays_on("NOT_OFFERED")),
    "decision-to-come": plays_on("NOT_ASKED"),
    "decision-long-past": (plays_on("NOT_ASKED"), plays_on("STALE")),
    "decision-of-another-age": plays_on("NOT_ASKED"),
    "answer-to-a-foreign-match": plays_on("NO_SUCH_MATCH"),
    "answer-to-a-match-never-heard-of": plays_on("NO_SUCH_MATCH"),
    "answer-to-an-ended-match": plays_on(*["STALE"] * 5),
    "answers-twice": (plays_on("NOT_ASKED", "NOT_ASKED"), plays_on("STALE")),
    "two-answers-at-once": (plays_on("NOT_ASKED", "NOT_ASKED"), plays_on("STALE")),
    "answers-fifty-times": (
        protocol("NOT_ASKED")[0],
        plays_on(*["STALE"] * 50),
    ),
    "a-long-note": plays_on(),
    # words out of place
    "ready-twice": plays_on(),
    "ready-for-a-foreign-match": plays_on("NO_SUCH_MATCH"),
    "resigns-a-foreign-match": plays_on("NO_SUCH_MATCH"),
    "standing-order-in-a-foreign-match": plays_on("NO_SUCH_MATCH"),
    "standing-order-for-an-unknown-window": plays_on("UNKNOWN_KIND"),
    "standing-order-that-is-not-taken": plays_on("UNKNOWN_KIND"),
    "second-hello": plays_on("BAD_HELLO"),
    "thirty-hellos": protocol("BAD_HELLO"),
    # bytes
    "an-empty-message": plays_on("UNKNOWN_KIND"),
    "a-message-of-a-newer-kind": plays_on("UNKNOWN_KIND"),
    "garbage": plays_on("UNKNOWN_KIND"),
    "garbage-three-times": (
        plays_on(*["UNKNOWN_KIND"] * 3),
        out(Ending.ILLEGAL, *["UNKNOWN_KIND"] * 3),
    ),
    "text-that-is-no-text": plays_on("UNKNOWN_KIND"),
    "too-large-a-message": plays_on("TOO_BIG"),
    "more-than-the-transport-takes": (
        out(Ending.NO_SHOW, status=grpc.StatusCode.RESOURCE_EXHAUSTED),
        out(Ending.DISCONNECTED, status=grpc.StatusCode.RESOURCE_EXHAUSTED),
    ),
    "a-message-in-pieces": plays_on(),
    "half-a-message": (plays_on(), late(1, "STALE")),
    # floods
    "a-flood-of-pongs": protocol("TOO_FAST"),
    "a-flood-of-standing-orders": protocol("TOO_FAST"),
    "a-flood-of-old-answers": (
        protocol("NOT_ASKED")[0],
        Verdict(
            ending=Ending.PROTOCOL,
            faults=("TOO_FAST",) * 21,
            stale=True,
            status=grpc.StatusCode.INVALID_ARGUMENT,
        ),
    ),
    "a-flood-of-practise": protocol("NO_PARTNER"),
    "practise-with-nobody": protocol("NO_PARTNER"),
    "practise-of-another-game": plays_on("NO_SUCH_GAME"),
    "twenty-faults": plays_on(*["NO_SUCH_MATCH"] * 20),
    "twenty-faults-and-one-after-coming-back": protocol("NO_SUCH_MATCH", told=1),
    "twenty-one-faults": protocol("NO_SUCH_MATCH"),
    # leaving
    "resigns-twice": (out(Ending.NO_SHOW, "STALE"), out(Ending.RESIGNED, "STALE")),
    "says-goodbye-and-plays-on": Verdict(ending=Ending.NORMAL, status=grpc.StatusCode.OK),
    "stops-writing": leaves(),
    "hangs-up": leaves(),
    "the-line-is-cut": leaves(),
    "its-process-is-killed": leaves(),
    "its-process-is-stopped": leaves(Ending.TIMEOUT),
    # time
    "silent-once": (out(Ending.NO_SHOW, "STALE"), late(1, "STALE")),
    "a-millisecond-late": Verdict(ending=Ending.NORMAL, either=True),
    "silent-for-good": (out(Ending.NO_SHOW), late(10, ending=Ending.TIMEOUT)),
    "silent-until-the-bank-is-empty": leaves(Ending.TIMEOUT),
    "never-reads": leaves(Ending.TIMEOUT),
    # dialling
    "dials-with-no-game": refused("BAD_HELLO", grpc.StatusCode.INVALID_ARGUMENT),
    "dials-with-games-that-are-not-here": refused("NO_SUCH_GAME", grpc.StatusCode.NOT_FOUND),
    "dials-with-a-text-too-long": refused("BAD_HELLO", grpc.StatusCode.INVALID_ARGUMENT),
    "dials-with-a-wrong-token": refused("", grpc.StatusCode.UNAUTHENTICATED),
    "dials-and-says-nothing": refused("BAD_HELLO", grpc.StatusCode.DEADLINE_EXCEEDED),
    "dials-and-speaks-before-hello": refused("BAD_HELLO", grpc.StatusCode.INVALID_ARGUMENT),
    "dials-with-garbage": refused("BAD_HELLO", grpc.StatusCode.INVALID_ARGUMENT),
    "dials-with-a-bomb": refused("", grpc.StatusCode.RESOURCE_EXHAUSTED),
    "dials-as-another-instance": plays_on(),
    "comes-again-as-another-instance": leaves(),
    "comes-again": COMES_AGAIN,
    "comes-again-and-remembers-nothing": COMES_AGAIN,
    "comes-again-as-another-version": COMES_AGAIN,
    "claims-to-have-seen-more": COMES_AGAIN,
    "forges-a-receipt": COMES_AGAIN,
    "claims-a-foreign-match": COMES_AGAIN,
    "comes-twenty-times-at-once": Verdict(ending=Ending.NORMAL, replaced=20),
}

HELD_OVER = Verdict(ending=Ending.TIMEOUT, defaults=1)
"""Late in a sealed window, whatever ran out, takes the default; the next question has no bank."""

EXCEPTIONS: Mapping[tuple[str, Phase], Verdict] = {
    # The default of the last decision ends the match by its rules.
    ("silent-for-good", LAST): late(1),
    ("silent-until-the-bank-is-empty", SEALED): HELD_OVER,
    ("never-reads", SEALED): HELD_OVER,
    ("its-process-is-stopped", SEALED): HELD_OVER,
    # The old stream was gone already, so nothing is replaced.
    ("comes-again", BACK): Verdict(ending=Ending.NORMAL, resumed=True),
    ("comes-again-and-remembers-nothing", BACK): Verdict(ending=Ending.NORMAL, resumed=True),
    ("comes-again-as-another-version", BACK): Verdict(ending=Ending.NORMAL, resumed=True),
    ("claims-to-have-seen-more", BACK): Verdict(ending=Ending.NORMAL, resumed=True),
    ("forges-a-receipt", BACK): Verdict(ending=Ending.NORMAL, resumed=True),
    ("claims-a-foreign-match", BACK): Verdict(ending=Ending.NORMAL, resumed=True),
    ("comes-twenty-times-at-once", BACK): Verdict(ending=Ending.NORMAL, replaced=19),
}


def verdict(kind: str, phase: Phase) -> Verdict:
    """What must be found when this kind misbehaves in this phase, whichever seat it has."""
    special = EXCEPTIONS.get((kind, phase))
    if special is not None:
        return special
    row = VERDICTS[kind]
    if isinstance(row, Verdict):
        return row
    at_start, asked = row
    return at_start if phase is START else asked
