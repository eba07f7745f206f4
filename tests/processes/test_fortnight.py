"""Two weeks of scheduled tournaments, with the schedules' clock set ahead; all else is real."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

import pytest

from matchmaker.entries import Result, TournamentBegun, TournamentEnded, tournament_of
from matchmaker.log import Log
from matchmaker.tournaments.schedule import ASKED_MS, MINUTE_MS, read_instant, shown
from matchmaker.tournaments.store import Tournaments
from tests.helpers.ladder_processes import LadderProcesses, ladder_processes
from tests.helpers.processes import ROOT, eventually

BERLIN = "Europe/Berlin"
FIRST = "2027-03-22"
"""A Monday; the clocks go forward on the Sunday."""
NIGHTS = 14
RESTARTED = ("leader", "worker", "r1", "bot-a", "bot-b", "store", "spare")
"""What ends and begins anew before a night, in turn."""
AWAY = 9
"""Before this night nothing of ours runs for a day."""
BOTS = ("a", "b", "c", "d")


@pytest.fixture
def ladder() -> Iterator[LadderProcesses]:
    with ladder_processes() as processes:
        yield processes


class Fortnight:
    """A ladder whose nights come one after the other."""

    def __init__(self, ladder: LadderProcesses) -> None:
        self.ladder = ladder
        self.store = Tournaments(ladder.redis, ladder.keys)
        self.tokens: dict[str, str] = {}

    def command(self, *words: str) -> dict[str, object]:
        """Run a `warladder` command as an organiser does."""
        done = subprocess.run(
            [sys.executable, "-m", "matchmaker", *words, "--json"], cwd=ROOT, timeout=60,
            env=self.ladder.environment(), capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        answer: dict[str, object] = json.loads(done.stdout)
        return answer

    def set_clock(self, instant_ms: int) -> None:
        ahead = int(self.ladder.redis.get(self.ladder.keys.clock_ahead) or 0)
        real = self.store.now_ms() - ahead
        self.ladder.redis.set(self.ladder.keys.clock_ahead, instant_ms - real)

    def start(self, name: str) -> None:
        if name in ("leader", "spare"):
            # No ladder beside it: a rated target that is reached at once.
            self.ladder.matchmaker(name, 1)
        elif name == "worker":
            self.ladder.worker(name)
        elif name == "r1":
            self.ladder.referee()
        elif name == "store":
            self.ladder.store.start()
        else:
            self.ladder.bots(name.removeprefix("bot-"), places=2)

    def restart(self, name: str) -> None:
        if name == "store":
            self.ladder.store.stop()
        else:
            self.ladder.kill(name)
        self.start(name)

    def over(self) -> dict[str, str]:
        return {line["tournament"]: line["state"] for line in self.store.over()}


@pytest.mark.timeout(280)
def test_a_fortnight_of_nightly_tournaments(ladder: LadderProcesses) -> None:
    """Each is begun once, ended and archived; every process is restarted in between."""
    fortnight = Fortnight(ladder)
    everything = ("r1", "worker", "leader", "spare", *(f"bot-{bot}" for bot in BOTS))
    for name in everything:
        fortnight.start(name)
    fortnight.set_clock(read_instant(f"{FIRST} 01:00", BERLIN))
    made = fortnight.command(
        "tournament", "create", "swiss", "nightly", "--game", "skirmish", "--bots", ",".join(BOTS),
        "--cron", "30 2 * * *", "--zone", BERLIN, "--set", "rounds=2", "--by", "tester",
    )  # fmt: skip
    assert made["next"][0] == f"{FIRST} 02:30 CET"  # type: ignore[index]
    handled = 0
    for night in range(NIGHTS):
        [announced] = fortnight.command("tournament", "list")["announced"]  # type: ignore[misc]
        instant = announced["next_ms"][0]
        assert instant > handled
        handled = instant
        if night == AWAY:  # the machine is off for a day and a bit: one night is missed
            for name in everything:
                ladder.kill(name)
            instant = announced["next_ms"][1]
            handled = instant
            fortnight.set_clock(instant + 3 * MINUTE_MS)
            for name in everything:
                fortnight.start(name)
        else:
            fortnight.restart(RESTARTED[night % len(RESTARTED)])
            fortnight.set_clock(instant - ASKED_MS + 1000)
            eventually(
                lambda: "tournament_asked" in "".join(
                    ladder.log(name).read_text() for name in ("leader", "spare")
                ), 20, why="nobody was asked",
            )  # fmt: skip
            fortnight.set_clock(instant - 1000)
            if night % 3 == 0:  # a leader dies at the very minute
                leading = "leader" if "leader" in ladder.running else "spare"
                fortnight.restart(leading)
        name = f"nightly-{shown(instant).replace('-', '').replace(':', '')[:13].replace(' ', 'T')}Z"
        eventually(
            lambda name=name: name in fortnight.over(), 60, why=f"{name} was not over in time"
        )
    entries = [logged.entry for logged in Log(ladder.redis, ladder.keys).whole_tail()]
    begun = [entry for entry in entries if isinstance(entry, TournamentBegun)]
    ended = {entry.tournament: entry for entry in entries if isinstance(entry, TournamentEnded)}
    assert len({each.tournament for each in begun}) == len(begun) == NIGHTS
    assert len({each.planned_ms for each in begun}) == NIGHTS
    assert ended.keys() == {each.tournament for each in begun}
    assert {each.how for each in ended.values()} == {"done"}
    assert all(not each.dropped and len(each.entrants) == len(BOTS) for each in begun)
    hours = Counter(shown(each.planned_ms, BERLIN)[11:] for each in begun)
    assert hours == {"02:30 CET": 6, "03:00 CEST": 1, "02:30 CEST": NIGHTS - 7}
    results = [entry for entry in entries if isinstance(entry, Result)]
    for each in begun:
        document = json.loads(ladder.archive.tournament(ended[each.tournament].archive))
        played = {match for meeting in document["meetings"] for match in meeting["matches"]}
        counted = [
            result.match for result in results
            if (tournament_of(result.cause) or ("",))[0] == each.tournament
            and result.standing.value == "rated"
        ]  # fmt: skip
        assert played == set(counted)
        assert len(counted) == 8, "two rounds of two meetings on both sides"
    found = ladder.recompute()
    assert found.ok, found.differences
