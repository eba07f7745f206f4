"""Why a match ended as it did, in words that need no rulebook; pure."""

from __future__ import annotations

from matchmaker.browse import Row
from matchmaker.entries import Result
from matchmaker.viewing.titles import reason, role
from matchmaker.web import journals, shapes
from matchmaker.web.journals import Told
from matchmaker.web.reading import went
from matchmaker.web.words import ENDING_WORDS, FAULT_WORDS

LATES_TOLD = 3
"""Late answers that are told one by one."""


def ending(result: Result) -> str:
    """How a match came to its end: a sentence without its full stop."""
    blamed = [
        f"{result.seats[seat].bot} {FAULT_WORDS[fault]}"
        for seat, fault in enumerate(result.faults)
        if fault in FAULT_WORDS
    ]
    if result.reason or (result.ending == "normal" and not blamed):
        more = f" ({result.reason})" if result.reason else ""
        known = reason(result.game, result.reason)
        by_rules = known or f"it was played to its end by the rules{more}"
        return "; ".join((*blamed, by_rules)) if blamed else begun(by_rules)
    return "; ".join(blamed) or begun(ENDING_WORDS.get(result.ending, result.ending))


def begun(sentence: str) -> str:
    """The same with a capital letter; nothing that begins with a bot's name goes through it."""
    return sentence[:1].upper() + sentence[1:]


def of(row: Row, told: Told | None) -> list[shapes.Verdict]:
    """
    Tell each seat's, the best rank first.

    Args:
        told: The journal; None if it cannot be read.
    """
    seats = range(len(row.result.seats))
    order = sorted(seats, key=lambda seat: row.result.ranks[seat]) if row.result.ranks else seats
    return [_verdict(row.result, seat, told) for seat in order]


def _verdict(result: Result, seat: int, told: Told | None) -> shapes.Verdict:
    how = went(result, seat)
    more: list[str] = []
    step, number = None, 0
    if told is not None:
        own = [each for each in told.spent if each.seat == seat]
        number = own[-1].number if own else 0
        more = _clock(told, seat)
        if told.record.reveal:
            outs = [each.after for each in told.said if each.is_out and each.seat == seat]
            step = outs[0] if outs else len(told.spent)
    return shapes.Verdict(
        seat=seat,
        bot=result.seats[seat].bot,
        role=role(result.game, seat),
        went=how,
        why=_why(result, seat, told),
        more=more,
        step=step,
        number=number,
    )


def _why(result: Result, seat: int, told: Told | None) -> str:
    fault = result.faults[seat]
    if fault in FAULT_WORDS:
        said = told.said if told is not None else []
        exact = [each.text for each in said if each.is_out and each.seat == seat]
        words = exact[0].removeprefix("out: ").removeprefix(f"{fault}: ") if exact else ""
        exactly = f": {words}" if words and words != fault else ""
        return f"It {FAULT_WORDS[fault]}{exactly}"
    return ending(result)


def _clock(told: Told, seat: int) -> list[str]:
    """What its clock had to do with it."""
    own = told.of_seat(seat)
    late = [each for each in own if each.how == "late"]
    if not own:
        return ["It answered no question."]
    if not late:
        return [
            f"It answered {len(own)} {'question' if len(own) == 1 else 'questions'}, none late."
        ]
    numbers = ", ".join(str(each.decision) for each in late[:LATES_TOLD])
    more = "" if len(late) <= LATES_TOLD else " and others"
    return [
        f"{len(late)} of its {len(own)} answers came too late (decision {numbers}{more}):"
        " the game's default was taken for it."
    ]


def clocks(told: Told) -> list[dict[str, object]]:
    """How each seat used its time."""
    seats = range(len(told.record.seats))
    return [{"seat": seat, **journals.clock_of(told, seat)._asdict()} for seat in seats]
