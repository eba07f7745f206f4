"""
Every Redis key of the matchmaker's own stores, named once; those of running matches it inherits.

The README lists them with their shapes.
"""

from referee.store.keys import Keys as StoreKeys

KEPT = (
    "number", "pairings", "first", "recent:*", "bots", "bot:*", "token:*", "versions:*",
    "history:*", "log:refused", "log:refusals", "voids", "seasons", "anew", "bans", "audit",
    "audit:position", "cases", "tournaments:*", "usual_seconds", "results:*", "chronicle:*",
)  # fmt: skip
"""What a backup holds beside the log: names behind the namespace, `*` for anything."""
LEFT = (
    "leader", "terms", "outbox", "open", "cancels", "target", "places:*", "match:*", "journal:*",
    "matches:*", "practise", "referees", "referee:*", "clock_ahead_ms",
    "log", "log:position", "log:base", "log:receipts", "fold", "table:*", "tables",
    "head_to_head:*",
)  # fmt: skip
"""What it does not: running matches and who is there; the log and tables, which are made anew."""


class Keys(StoreKeys):
    """The keys of one namespace."""

    def __init__(self, namespace: str = "warladder") -> None:
        super().__init__(namespace)
        self.leader = f"{namespace}:leader"
        """Text that expires: the token of the matchmaker that leads."""
        self.terms = f"{namespace}:terms"
        """Number of the last term."""
        self.outbox = f"{namespace}:outbox"
        """List: ids of planned matches that have no `open_match` job yet."""
        self.open = f"{namespace}:open"
        """Sorted set: ids of matches that are not closed, by match number."""
        self.number = f"{namespace}:number"
        """Number of the last planned match."""
        self.target = f"{namespace}:target"
        """Rated matches to play in all; absent on a ladder without end."""
        self.pairings = f"{namespace}:pairings"
        """Hash: pairings with matches still to play, by id."""
        self.served_first = f"{namespace}:first"
        """Set: bots whose last opponent did not come."""
        self.bots = f"{namespace}:bots"
        """Set: names of the registry's bots."""
        self.log = f"{namespace}:log"
        """Stream: the tail of the results log, id `position-0`, fields `entry` and `at`."""
        self.log_position = f"{namespace}:log:position"
        """Position of the last entry."""
        self.log_base = f"{namespace}:log:base"
        """Hash: `position` and `head` of the last entry that is in the archive alone."""
        self.receipts = f"{namespace}:log:receipts"
        """Hash: match id → `position:digest` of its result, for results of the tail."""
        self.refused = f"{namespace}:log:refused"
        """List: matches whose second, different result was refused, newest first."""
        self.refusals = f"{namespace}:log:refusals"
        """How many such results there were."""
        self.fold = f"{namespace}:fold"
        """The rater's checkpoint: position, head and fold."""
        self.tables = f"{namespace}:tables"
        """Set: games that have a table."""
        self.seasons = f"{namespace}:seasons"
        """Hash: `GAME NAME` → position of the season's entry in the log."""
        self.announced = f"{namespace}:tournaments:announced"
        """Hash: tournaments that are to be held, by name."""
        self.handled = f"{namespace}:tournaments:handled"
        """Hash: announcement's name → the last instant that was started or given up."""
        self.contests = f"{namespace}:tournaments:running"
        """Hash: tournament's id → its ready document, JSON."""
        self.said = f"{namespace}:tournaments:said"
        """Hash: tournament's id → entries that leaders have put into the log for it."""
        self.held = f"{namespace}:tournaments:over"
        """List: summaries of tournaments that are over, newest first, JSON."""
        self.news = f"{namespace}:tournaments:news"
        """List: what became of announcements, newest first, JSON."""
        self.clock_ahead = f"{namespace}:clock_ahead_ms"
        """Milliseconds by which schedules see the store's clock ahead; for rehearsals."""
        self.usual = f"{namespace}:usual_seconds"
        """Hash: game → usual length of a match, as its leader saw it last."""
        self.voids = f"{namespace}:voids"
        """Hash: match that an operator took out → position of the entry that says so."""
        self.anew = f"{namespace}:anew"
        """List: pairings that operators want played, for the leader to take in."""
        self.bans = f"{namespace}:bans"
        """Hash: `bot NAME` or `author NAME` → why."""
        self.audit = f"{namespace}:audit"
        """Stream: what operators did lately, id `position-0`."""
        self.audit_position = f"{namespace}:audit:position"
        """Position of the last line of the audit log."""
        self.cases = f"{namespace}:cases"
        """List: matches void as `referee_fault`, newest first, kept for a look."""

    def table(self, game: str) -> str:
        """JSON: the ready table of a game's running season."""
        return f"{self.prefix}table:{game}"

    def past_table(self, game: str, season: str) -> str:
        """JSON: the last table of a season that is over."""
        return f"{self.prefix}table:{game}:{season}"

    def head_to_head(self, game: str) -> str:
        """JSON: who met whom in a game's running season."""
        return f"{self.prefix}head_to_head:{game}"

    def past_head_to_head(self, game: str, season: str) -> str:
        """JSON: who met whom in a season that is over."""
        return f"{self.prefix}head_to_head:{game}:{season}"

    def recent(self, game: str) -> str:
        """List: bots of the last pairings of a game, newest first."""
        return f"{self.prefix}recent:{game}"

    def places(self, bot: str) -> str:
        """Set: ids of the matches that hold a place of this bot."""
        return f"{self.prefix}places:{bot}"

    def versions(self, bot: str) -> str:
        """Hash: versions of a bot with the time they were first seen."""
        return f"{self.prefix}versions:{bot}"

    def results(self, bot: str) -> str:
        """List: positions in the log of a bot's last results, newest first."""
        return f"{self.prefix}results:{bot}"

    def chronicle(self, game: str, bot: str) -> str:
        """List: how a bot stood in the published tables of the running season, oldest first."""
        return f"{self.prefix}chronicle:{game}:{bot}"

    def history(self, bot: str) -> str:
        """List: what happened to a bot's entry, newest first, in JSON."""
        return f"{self.prefix}history:{bot}"

    def queue(self, name: str) -> str:
        """Name of an RQ queue; RQ has a prefix of its own."""
        return f"{self.prefix}{name}"
