"""An earlier owner's journal, entry by entry, into a session that takes its match over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.engine.errors import IllegalChoice
from referee.match.errors import BadJournal
from referee.match.journal import (
    Begun,
    Choice,
    End,
    Ending,
    Entry,
    Faulted,
    How,
    Order,
    Out,
)

if TYPE_CHECKING:
    from referee.match.flow import Flow


def apply_entry(session: Flow, entry: Entry) -> None:
    """
    Bring a session one entry on.

    Raises:
        BadJournal: The entry does not fit.
    """
    if isinstance(entry, Choice):
        _choose(session, entry)
    elif isinstance(entry, Begun):
        session.note_begun(session.written)
    elif isinstance(entry, Order):
        session.note_order(entry.seat, entry.window, entry.on)
    elif isinstance(entry, Faulted):
        seat = session.seats[entry.seat]
        if entry.decision == seat.decision + 1:  # in the decision that is open
            seat.bad_answers += 1
    elif isinstance(entry, Out):
        session.out(entry.seat, Ending(entry.ending), entry.text)
    elif isinstance(entry, End):
        raise BadJournal(f"match {session.match} has ended already: {entry.ending}")


def _choose(session: Flow, entry: Choice) -> None:
    session.choices += 1
    if entry.digest and entry.digest_at == session.applied:
        if session.state.digest() != entry.digest:
            raise BadJournal(
                f"match {session.match}: after {session.applied} choices the state is not the"
                " one in the journal"
            )
    try:
        session.state.choose(entry.seat, entry.option)
    except IllegalChoice as fault:
        raise BadJournal(f"match {session.match}: {fault}") from None
    session.applied += 1
    seat = session.seats[entry.seat]
    if entry.how in (How.ANSWERED, How.LATE):
        seat.decision += 1
        seat.bank_ms = entry.ledger.bank_ms
        seat.bad_answers = 0
        session.decisions += entry.how == How.ANSWERED
        seat.defaults += entry.how == How.LATE
