"""
What a decision costs at the referee, beside raw gRPC's messages and the game's own work.

Raw gRPC sends what the protocol asks for at the same sizes and as often: questions and answers, and
for each match its start, `Ready`, and its end. Whatever else a referee sends is its own doing. It
is measured at the referee's rate: the more round trips a second, the fewer wake-ups of gRPC's
threads each of them takes, so that the same server costs half as much for one at three times the
rate. The least is that and the game's own work, measured apart and added. Two more figures stand
beside it: raw gRPC as fast as it goes, a rate at which nothing that does work can answer; and both
parts in one server, which shows what a sum of parts leaves out.

Referee, echo and bots are processes of their own. What counts is the server's CPU a decision: on a
busy machine decisions a second fall long before that figure moves.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from matchmaker.errors import FellShort
from matchmaker.tools.bench import own
from matchmaker.tools.bench.echo import Traffic
from matchmaker.tools.bench.figures import Row, cost, cpu_for_one, rounded
from matchmaker.tools.bench.processes import Helper, socket_folder
from matchmaker.tools.oracles import AnyGame
from referee.games import get

BOTS = 64
DECISIONS = 64
"""Measured together, of the game alone."""
WARM_SHARE = 0.25
"""Of a row's time, before it counts."""


class Measured(NamedTuple):
    """One server under load."""

    cpu_seconds: float
    """For one decision or round trip."""
    clients_seconds: float
    """CPU of all clients together for the same."""
    rate: float
    """Of them, in a second."""
    traffic: Traffic
    """The messages that the protocol asks for."""
    endings: dict[str, int]


def measure(games: Sequence[str], seconds: float, bots: int = BOTS) -> list[Row]:
    """Rows of every game; each of its three servers is loaded for `seconds`."""
    return [row for game in games for row in measure_game(game, seconds, bots)]


def measure_game(game: str, seconds: float, bots: int = BOTS) -> list[Row]:
    """Referee and raw servers under the same load, and the game alone."""
    with socket_folder() as folder:
        referee = play(folder, game, seconds, bots)
        raw = echo(folder, referee.traffic, seconds, bots)
        both = echo(folder, referee.traffic, seconds, bots, game)
        slow = echo(folder, referee.traffic, seconds, bots, rate=referee.rate)
    alone = cpu_for_one(playing(get(game)), seconds / 2)
    least = slow.cpu_seconds + alone
    name = f"{game} {bots} bots"
    out, back = bytes_for_one(referee.traffic)
    return [
        Row(
            f"{name} decisions",
            rounded(referee.rate),
            "decisions/s",
            rounded(raw.rate),
            rounded(raw.rate / referee.rate),
            rounded(referee.cpu_seconds * 1e6),
        ),
        cost(f"{name} referee", referee.cpu_seconds, least),
        cost(f"{name} raw echo {out:.0f}+{back:.0f} bytes at the referee's rate", slow.cpu_seconds),
        cost(f"{game} rules, view and wire form", alone),
        cost(f"{name} raw echo as fast as it goes", raw.cpu_seconds, slow.cpu_seconds),
        cost(f"{name} raw server with the game's own work", both.cpu_seconds, least),
        Row(
            f"{name} raw echo's rate",
            rounded(slow.rate),
            "round trips/s",
            rounded(referee.rate),
            rounded(referee.rate / slow.rate),
            None,
        ),
    ]


def play(folder: Path, game: str, seconds: float, bots: int) -> Measured:
    """
    Load a referee.

    Raises:
        FellShort: A bot did not attend, or a match was not played to its end by the rules.
    """
    address = f"unix:{folder}/referee.sock"
    with Helper("host", address, game, str(bots)) as host:
        tokens = host.hear()
        with Helper("bots", "attend", address, game, *tokens) as clients:
            missing = host.ask("play")["missing"]
            if missing:
                raise FellShort(f"bench: {len(missing)} of {bots} bots did not attend")
            found = _loaded(host, clients, seconds)
    wrong = {what: n for what, n in found.endings.items() if what != "normal"}
    if wrong:
        raise FellShort(f"bench: matches ended as {wrong}")
    return found


def echo(
    folder: Path, traffic: Traffic, seconds: float, bots: int, *game: str, rate: float = 0.0
) -> Measured:
    """
    Load a raw gRPC server, which does a game's own work if one is named.

    Args:
        rate: Round trips in a second; 0: as many as it can.
    """
    address = f"unix:{folder}/echo.sock"
    words = json.dumps(traffic)
    with Helper("echo", address, words, *game) as server:
        server.hear()
        with Helper("bots", "echo", address, words, str(bots), str(rate)) as clients:
            return _loaded(server, clients, seconds)


def _loaded(server: Helper, clients: Helper, seconds: float) -> Measured:
    time.sleep(seconds * WARM_SHARE)
    sent, before = clients.ask("now"), server.ask("now")
    time.sleep(seconds)
    after, since = server.ask("now"), clients.ask("now")
    done = after["done"] - before["done"]
    if not done:
        raise FellShort(f"bench: nothing was done in {seconds:g} s")
    return Measured(
        cpu_seconds=(after["cpu"] - before["cpu"]) / done,
        clients_seconds=(since["cpu"] - sent["cpu"]) / done,
        rate=done / (after["wall"] - before["wall"]),
        traffic=traffic_of({what: n - sent.get(what, 0) for what, n in since.items()}),
        endings={
            what.removeprefix("ending "): n
            for what, n in after.items()
            if what.startswith("ending ")
        },
    )


def traffic_of(seen: Mapping[str, int]) -> Traffic:
    """From counts in the words of `bots.Count`."""

    def size(kind: str, back: str = "") -> int:
        return round(seen.get(f"{kind} bytes{back}", 0) / max(seen.get(kind, 0), 1))

    return Traffic(
        question=size("decide"),
        answer=size("decide", " back"),
        start=size("match_started"),
        ready=size("match_started", " back"),
        end=size("match_ended"),
        matches=seen.get("match_started", 0) / max(seen.get("decide", 0), 1),
    )


def bytes_for_one(traffic: Traffic) -> tuple[float, float]:
    """Bytes out and back for one decision, a match's start and end shared out."""
    share = traffic.matches
    out = traffic.question + share * (traffic.start + traffic.end)
    return out, traffic.answer + share * traffic.ready


def playing(game: AnyGame) -> Callable[[], int]:
    """Work for `cpu_for_one`: the game's own part of some decisions; returns how many."""
    steps = own.matches(game)

    def work() -> int:
        for _ in range(DECISIONS):
            next(steps)
        return DECISIONS

    return work
