"""
The JSON API's shapes. They are white-lists: what a document holds besides is not shown.

Times are milliseconds UTC by the ladder's clock, unless a name says otherwise.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

T = TypeVar("T")


class Shape(BaseModel):
    model_config = ConfigDict(extra="ignore", from_attributes=True, frozen=True)


class Problem(Shape):
    """What went wrong (RFC 9457)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str = Field(description="What is wrong, and what would do.")


class Trend(Shape):
    change: float = Field(description="Of the estimate, in points.")
    matches: int = Field(description="Of this version, over which it changed so much.")


class Counts(Shape):
    wins: int
    draws: int
    losses: int


class TableRow(Shape):
    """One version of a bot. Without an estimate its columns are null."""

    bot: str
    author: str
    version: str
    rank: int = Field(description="From 1; 0 for versions that play no more.")
    mu: float
    sigma: float = Field(description="Of TrueSkill's filter; no interval.")
    worth: float
    matches: int = Field(description="Rated ones of this version in this season.")
    wins: int
    draws: int
    losses: int
    estimate: float | None
    low: float | None
    high: float | None
    rank_low: int | None
    rank_high: int | None
    above_next: float | None = Field(description="How likely it is truly above the next row.")
    tie_group: int | None
    provisional: bool | None
    sides: list[Counts] = Field(description="By seat, from seat 0.")
    pentanomial: list[int]
    trend: Trend | None = None


class Prior(Shape):
    mean: float
    spread: float


class SideEffect(Shape):
    sides: int
    side: int
    effect: float
    low: float
    high: float
    share: float


class Leaderboard(Shape):
    """A ladder's published table: see the matchmaker's README for each column."""

    game: str
    season: str
    seasons: list[str]
    position: int = Field(description="Entry of the results log up to which this holds.")
    head: str = Field(description="The log's hash chain there, hex.")
    order: str
    matches: int
    rated: int
    unrated: int
    void: int
    endings: dict[str, int]
    decisions: int
    prior: Prior | None = None
    side_effect: list[SideEffect] = []
    table: list[TableRow]
    earlier: list[TableRow]


class Game(Shape):
    game: str
    season: str
    position: int
    head: str
    bots: int
    rated: int


class Games(Shape):
    games: list[Game]


class Page(Shape, Generic[T]):
    """A part of a list."""

    items: list[T]
    next: str | None = Field(
        default=None, description="`cursor` of the next part; null at the end of the list."
    )


class BotEntry(Shape):
    """A bot of the registry."""

    bot: str
    author: str
    versions: list[str] = Field(description="Oldest first.")
    paused: str = Field(description="Why it gets no matches; empty if it does.")
    paused_until_ms: int = Field(description="0 if somebody must resume it.")
    house: bool
    added_ms: int


class Point(Shape):
    """How a bot stood in a published table."""

    position: int
    season: str
    version: str
    rank: int
    matches: int
    mu: float
    sigma: float
    estimate: float | None
    low: float | None
    high: float | None


class Meeting(Shape):
    opponent: str
    better: int
    equal: int
    worse: int
    share: float = Field(description="Of the points, 0 to 1.")


class Waiting(Shape):
    """How many matches hold a place of a bot. Whose opponent it is, nobody is told meanwhile."""

    game: str
    status: str
    matches: int


class Happening(Shape):
    """A change of a bot's entry."""

    at_ms: int
    what: str
    text: str


class BotGame(Shape):
    game: str
    position: int
    head: str
    now: TableRow | None = Field(description="Null if it has not played this season.")
    earlier: list[TableRow]
    course: list[Point] = Field(description="Oldest first.")
    meetings: list[Meeting] = Field(description="Most matches first.")


class Fault(Shape):
    """A match that a bot lost by a fault of its own."""

    match: str
    position: int
    at_ms: int
    game: str
    ending: str
    details: list[str]


class BotPage(Shape):
    bot: str
    entry: BotEntry | None = Field(description="Null if it was removed.")
    games: list[BotGame]
    recent: int = Field(description="Last matches from which endings and faults are told.")
    endings: dict[str, int]
    faults: list[Fault]
    underway: list[Waiting]
    happenings: list[Happening] = Field(description="Newest first.")


class MatchSeat(Shape):
    seat: int
    role: str = Field(description="What the game calls the seat; empty if nothing.")
    bot: str
    version: str
    rank: int | None
    score: int | None
    fault: str = Field(description="The ending that it brought about, or empty.")


class MatchRow(Shape):
    """A closed match."""

    match: str
    number: int
    position: int
    at_ms: int
    game: str
    seats: list[MatchSeat]
    ending: str
    reason: str = Field(description="The game's own word.")
    words: str = Field(description="How it came to its end, in plain words.")
    went: list[str] = Field(
        description="By seat: `won`, `drawn`, `lost`, `unplayed`, or its own fault."
    )
    standing: str
    why: str = Field(description="Why it is not rated; a closed list.")
    decisions: int
    tournament: str
    attempt: int


class Underway(Shape):
    """A match that is not closed. Who plays is told when it ends."""

    match: str
    game: str
    rules: str
    status: str
    seats: int
    planned_ms: int
    opened_ms: int
    referee: str
    attempt: int
    rated: bool
    tournament: str
    commitment: str


class SeatClock(Shape):
    seat: int
    decisions: int
    lates: int
    charged_ms: int
    median_ms: float
    longest_ms: int
    bank_ms: int | None


class Said(Shape):
    seat: int | None
    after: int = Field(description="Choices that had been taken.")
    text: str
    is_out: bool = Field(default=False, description="It ended the seat's part.")


class Verdict(Shape):
    """How a match went for a seat, and why."""

    seat: int
    bot: str
    role: str
    went: str = Field(description="`won`, `drawn`, `lost`, `unplayed`, or its own fault.")
    why: str = Field(description="In plain words.")
    more: list[str] = Field(description="What else there is to know, a sentence each.")
    step: int | None = Field(
        description="Where it was decided, a step of the course of `all`; null if not told."
    )
    number: int = Field(description="The seat's last choice in the ledger; 0 if it made none.")


class Match(Shape):
    """A match, closed (`result`) or not (`underway`)."""

    match: str
    underway: Underway | None = None
    result: MatchRow | None = None
    rules: str = ""
    cards: str = ""
    pairing: str = ""
    digest: str = Field(default="", description="Of the last state, hex.")
    replay: str = Field(default="", description="Path of its replay file; empty if not told.")
    replay_digest: str = Field(default="", description="Names it in the archive, hex.")
    commitment: str = Field(default="", description="Hex.")
    seed: str = Field(default="", description="Empty while another match on its deal is open.")
    salt: str = Field(default="", description="Hex; empty when the seed is.")
    options: dict[str, Any] = {}
    clocks: dict[str, int] = {}
    pace: dict[str, int] = {}
    seat_clocks: list[SeatClock] = []
    said: list[Said] = []
    verdicts: list[Verdict] = Field(default=[], description="Of each seat, the best rank first.")
    unread: str = Field(default="", description="Why the journal is not told here.")


class Spent(Shape):
    """Where one decision's time went."""

    number: int = Field(description="The match's count of choices, from 1.")
    seat: int
    decision: int = Field(description="The seat's own count; 0 if nobody was asked.")
    how: str
    waited_ms: float
    elapsed_ms: float
    away_ms: float
    delay_ms: float
    ping_ms: float
    charged_ms: int
    bank_ms: int
    kind: str = Field(description="Which decision; empty while the deal is not told.")
    option: str = Field(description="The option taken, in the game's canonical text.")
    words: str = Field(description="The same in the game's words.")
    options: int = Field(description="How many there were.")


class OwnSpent(Spent):
    note: str = Field(description="The bot's own word.")


class Entrant(Shape):
    bot: str
    seed: int


class Dropped(Shape):
    bot: str
    reason: str


class TournamentRow(Shape):
    place: int
    bot: str
    points: float
    breaks: dict[str, float] = Field(description="Tie-breaks, in the order in which they count.")
    wins: int
    draws: int
    losses: int
    note: str


class TournamentMeeting(Shape):
    meeting: str
    round: int
    label: str
    bots: list[str]
    points: list[float]
    state: str
    winner: str
    matches: list[str]


class RunningTournament(Shape):
    tournament: str
    format: str
    game: str
    begun_ms: int
    entrants: int
    matches: int
    best: list[str]


class OverTournament(RunningTournament):
    planned_ms: int
    over_ms: int
    state: str
    reason: str


class News(Shape):
    """What became of an announcement."""

    at_ms: int
    name: str
    what: str
    text: str


class Tournament(Shape):
    """A tournament's document: see the README of tournaments."""

    tournament: str
    name: str
    schedule: str
    state: str
    reason: str
    planned_ms: int
    begun_ms: int
    format: str
    game: str
    seats: int
    options: dict[str, Any]
    settings: dict[str, Any]
    rated: bool
    weight: float
    entrants: list[Entrant]
    dropped: list[Dropped]
    matches: int
    standings: list[TournamentRow]
    meetings: list[TournamentMeeting]
    summary: dict[str, Any]


class Announced(Shape):
    name: str
    format: str
    game: str
    cron: str
    zone: str
    rated: bool
    next_ms: list[int]


class Instant(Shape):
    """When something is to be held."""

    at_ms: int
    local: str = Field(description="In the schedule's own time zone.")
    name: str
    format: str
    game: str


class Tournaments(Shape):
    now_ms: int
    announced: list[Announced]
    calendar: list[Instant] = Field(description="Soonest first.")
    running: list[RunningTournament]
    over: list[OverTournament] = Field(description="Newest first.")
    news: list[News] = Field(description="Newest first.")


class GameHealth(Shape):
    game: str
    position: int
    behind: int = Field(description="Entries of the log that the table does not show yet.")
    rated: int
    unrated: int
    void: int
    attending: int


class RefereeHealth(Shape):
    name: str
    address: str
    playing: int
    room: int
    draining: bool
    streams: int
    games: dict[str, str]


class Health(Shape):
    ok: bool
    complaints: list[str]
    store_ms: float
    leader: bool
    term: int
    log_position: int
    log_archived: int
    planned: int
    playing: int
    ended: int
    outbox: int
    cases: int
    refused_results: int
    paused: int
    games: list[GameHealth]
    referees: list[RefereeHealth]


class Me(Shape):
    """The token's own bot."""

    entry: BotEntry
    underway: list[Underway]


class OwnLine(Shape):
    """One line of a bot's own log."""

    at_ms: int
    what: str
    text: str
    match: str
    ending: str
    blame: str
    details: list[str]


class OwnLog(Shape):
    bot: str
    lines: list[OwnLine] = Field(description="Oldest first.")


class OwnLedger(Shape):
    match: str
    seat: int
    decisions: list[OwnSpent]
    said: list[Said]
