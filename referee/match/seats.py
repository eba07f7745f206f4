"""What a session says to its seats, and the channels it says it through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from referee.match.clock import Pending
from referee.match.journal import Ending
from referee.match.record import SeatRecord


class DefaultTaken(NamedTuple):
    """The bot was late: what was taken for it."""

    decision: int
    option: int
    defaults: int
    """How often so far."""
    charged_ms: int


class Question(NamedTuple):
    """A decision as it is put to a bot; the parts that are the game's are bytes."""

    decision: int
    kind: str
    events: Sequence[bytes]
    view: bytes | None
    options: Sequence[bytes]
    bank_ms: int
    cap_ms: int
    defaults: int
    bad_answers: int
    last_event: int
    default_taken: DefaultTaken | None


class Told(NamedTuple):
    """News for a bot that is not asked."""

    events: Sequence[bytes]
    last_event: int
    default_taken: DefaultTaken | None


class Finished(NamedTuple):
    """The end of a match as one seat is told."""

    ending: Ending
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    reason: str
    faults: tuple[str, ...]
    """Per seat, empty for none."""
    seed: str
    salt: bytes
    events: Sequence[bytes]
    last_event: int
    text: str
    """The seat's own fault, or ours."""


class Refusal(NamedTuple):
    """Why something a bot sent was not taken; the code is one of the protocol's."""

    code: str
    text: str
    told: bool = False
    """The seat's channel has told the bot already."""


class Channel(Protocol):
    """A seat's line to its bot. Calls return at once; nothing waits for the bot."""

    detail: int
    """What the bot wants to be sent; see `shown`."""

    def ping(self) -> float:
        """The line's median time there and back, in seconds."""
        ...

    def started(self, resumed: bool) -> None:
        """Tell the bot of its seat."""
        ...

    def ask(self) -> None:
        """A question is there: call `Session.take_question` when it is the bot's turn to get it."""
        ...

    def settled(self) -> None:
        """No question of this seat is open any more."""
        ...

    def update(self, told: Told) -> None: ...

    def fault(self, code: str, text: str) -> None:
        """Tell the bot, and nobody else, what was wrong."""
        ...

    def ended(self, finished: Finished) -> None: ...

    def dropped(self) -> None:
        """The match belongs to another referee now: say nothing more of it."""
        ...


class Seat:
    """One seat of a running match."""

    __slots__ = (
        "answered",
        "bad_answers",
        "bank_ms",
        "channel",
        "credit_ms",
        "decision",
        "default_taken",
        "defaults",
        "fault",
        "met",
        "number",
        "pending",
        "ready",
        "record",
        "seen",
        "standing",
        "text",
    )

    def __init__(self, number: int, record: SeatRecord, bank_ms: int) -> None:
        self.number = number
        self.record = record
        self.bank_ms = bank_ms
        self.credit_ms = 0
        """Charged while the store was away, before that was noticed: its next charges are less."""
        self.channel: Channel | None = None
        self.ready = False
        self.met = False
        """It has had a line in this session, and did not lose it through us."""
        self.decision = 0
        """Decisions put to it so far: the seat's own count."""
        self.pending: Pending | None = None
        self.bad_answers = 0
        """In the open decision."""
        self.answered = False
        """Its choice is in the journal or on the way, and not yet applied."""
        self.seen = 0
        """Events it has been told of."""
        self.defaults = 0
        self.default_taken: DefaultTaken | None = None
        """Not told yet."""
        self.standing: set[str] = set()
        self.fault: Ending | None = None
        self.text = ""

    @property
    def purse_ms(self) -> int:
        """What the open question may cost."""
        return self.bank_ms + self.credit_ms

    def use_credit(self, pending: Pending) -> None:
        """Take what was charged wrongly off what the open question costs."""
        pending.credited_ms = used = min(self.credit_ms, pending.charged_ms())
        self.credit_ms -= used
