"""Commands that need no server: play, fuzz, bench, chaos, simulate."""

from pathlib import Path
from typing import Annotated

import typer

from matchmaker.cli.options import Json
from matchmaker.errors import WrongUse

Options = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="K=V", help="An option of the game; may be repeated."),
]


def add_to(app: typer.Typer) -> None:
    app.command()(play)
    app.command()(fuzz)
    app.command()(bench)
    app.command()(chaos)
    app.command()(simulate)


def game_options(words: list[str] | None) -> dict[str, str]:
    """`K=V` words as texts: the game reads them by the kind of each option."""
    options: dict[str, str] = {}
    for word in words or []:
        name, equals, text = word.partition("=")
        if not equals or not name:
            raise WrongUse(f"--option {word!r}: give it as NAME=VALUE")
        options[name] = text
    return options


def play(
    game: Annotated[str, typer.Argument(metavar="GAME", help="Its name.")],
    bots: Annotated[
        list[str], typer.Argument(metavar="BOT", help="A sample's name, a command, or `human`.")
    ],
    seed: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Equal ones play the same. [default: 1]")
    ] = None,
    pairings: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Each is played with all seats rotated. [default: 1]"
        ),
    ] = None,
    option: Options = None,
    replay: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep the replays here.")
    ] = None,
    show_bots: Annotated[
        bool, typer.Option("--show-bots", help="Show what the bots print, on standard error.")
    ] = False,
    log: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write down here what each bot hears and says."),
    ] = None,
    json: Json = False,
) -> int:
    """
    Play local matches without a server.

    What the bots print is shown with --show-bots; without it, only the last words of one that ends.

    With `human` among the bots you have that seat, at this terminal and without a clock: one match,
    on a new deal unless --seed names one. `warladder play GAME human greedy` gives you the first
    seat, `greedy human` the second.
    """
    from matchmaker.tools import play as tool

    return tool.run(
        game=game, bots=bots, seed=seed, pairings=pairings,
        options=game_options(option), replay=replay, json=json, show_bots=show_bots, log=log,
    )  # fmt: skip


def fuzz(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", help="Its name; not with --replay.")
    ] = None,
    games: Annotated[int, typer.Option(min=1, metavar="N", help="How many to play.")] = 100,
    seats: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Else all numbers that the game takes.")
    ] = None,
    option: Options = None,
    seed: Annotated[str, typer.Option(metavar="TEXT", help="Equal ones play the same.")] = "1",
    jobs: Annotated[int, typer.Option(min=1, metavar="N", help="Processes that play.")] = 1,
    leaks: Annotated[
        bool,
        typer.Option("--leaks", help="Hunt for leaks only: twins at every decision, carried on."),
    ] = False,
    every: Annotated[
        int, typer.Option(min=1, metavar="N", help="With --leaks: at one decision in so many.")
    ] = 1,
    replay: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Play a fault's file again instead.")
    ] = None,
    json: Json = False,
) -> int:
    """Play at random with all oracles watching."""
    from matchmaker.tools import fuzz as tool
    from matchmaker.tools.leaks import hunt

    if replay is not None:
        return tool.reproduce(replay)
    if game is None:
        raise WrongUse("fuzz: name a GAME, or a fault's file with --replay")
    if leaks:
        return hunt.run(
            game=game, matches=games, seats=seats, options=game_options(option),
            seed=seed, json=json, jobs=jobs, every=every,
        )  # fmt: skip
    return tool.run(
        game=game, games=games, seats=seats, options=game_options(option),
        seed=seed, jobs=jobs, json=json,
    )  # fmt: skip


def bench(
    what: Annotated[
        str, typer.Argument(metavar="engine|referee|ladder|kits", help="What is measured.")
    ],
    game: Annotated[str | None, typer.Option(metavar="G", help="Play this one alone.")] = None,
    seconds: Annotated[float, typer.Option(min=0.1, metavar="S", help="For each row.")] = 5.0,
    json: Json = False,
) -> int:
    """Measure, each figure with the raw limit of the same run."""
    from matchmaker.tools import bench as tool

    return tool.run(what=what, game=game, seconds=seconds, json=json)


def chaos(
    faults: Annotated[int, typer.Option(min=1, metavar="N", help="How many.")] = 20,
    seed: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Of the faults' plan; else a new one.")
    ] = None,
    longest: Annotated[
        float, typer.Option(min=0.1, metavar="S", help="That a process may sleep.")
    ] = 30.0,
    game: Annotated[str | None, typer.Option(metavar="G", help="Else the smallest.")] = None,
    keep: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep logs, archive and transcripts here.")
    ] = None,
    prometheus: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Tell which alerts of a Prometheus fire meanwhile."),
    ] = None,
    json: Json = False,
) -> int:
    """Kill, stop and cut a running ladder of real processes; nothing may be lost by it."""
    from matchmaker.tools import chaos as tool

    return tool.run(
        faults=faults, json=json, seed=seed, longest=longest, game=game, keep=keep,
        prometheus=prometheus,
    )  # fmt: skip


def simulate(
    bots: Annotated[int, typer.Option(min=4, max=1000, metavar="N", help="In a ladder.")] = 100,
    seeds: Annotated[int, typer.Option(min=2, metavar="K", help="Ladders of each kind.")] = 20,
    pairings: Annotated[
        int | None, typer.Option(min=100, metavar="P", help="In a ladder; else 30 a bot.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, metavar="N", help="Processes that play.")] = 1,
    json: Json = False,
) -> int:
    """Say how many matches a right table needs, beside simpler ways to pair."""
    from matchmaker.tools import simulate as tool

    return tool.run(bots=bots, seeds=seeds, pairings=pairings, jobs=jobs, json=json)
