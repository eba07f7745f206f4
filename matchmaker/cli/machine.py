"""Commands that run a whole ladder on this machine: up, demo."""

from typing import Annotated

import typer

from matchmaker.home import REFEREE
from matchmaker.ports import WEB

Games = Annotated[
    list[str] | None, typer.Option("--game", metavar="G", help="Else the demo's; may be repeated.")
]


def add_to(app: typer.Typer) -> None:
    app.command()(up)
    app.command()(demo)


def up(
    game: Games = None,
    bots: Annotated[bool, typer.Option("--bots", help="The line-up attends too.")] = False,
    listen: Annotated[
        str,
        typer.Option(
            metavar="HOST:PORT",
            envvar="WARLADDER_REFEREE_LISTEN",
            help="Where bots dial: the first, of a port for each referee.",
        ),
    ] = REFEREE,
    metrics_port: Annotated[
        int,
        typer.Option(
            min=1,
            max=65000,
            metavar="P",
            envvar="WARLADDER_METRICS_PORT",
            help="The first, of a port for each process.",
        ),
    ] = 7750,
    web_listen: Annotated[
        str,
        typer.Option(
            metavar="HOST:PORT", envvar="WARLADDER_WEB_LISTEN", help="Where pages are served."
        ),
    ] = WEB,
    referees: Annotated[int, typer.Option(min=1, max=64, metavar="N", help="How many.")] = 1,
    workers: Annotated[int, typer.Option(min=1, max=64, metavar="N", help="How many.")] = 1,
) -> int:
    """
    Run everything on this machine.

    Its data, archive and logs are in WARLADDER_HOME, .warladder here unless set, and other commands
    find it there. WARLADDER_REDIS_URL names another store than its own, WARLADDER_NAMESPACE the
    ladder. A second ladder on a machine needs a home, a name and three ports of its own.
    """
    from matchmaker import connection
    from matchmaker import up as command

    return command.run(
        command.Wish(
            games=tuple(game or ()),
            bots=bots,
            listen=listen,
            metrics_port=metrics_port,
            referees=referees,
            workers=workers,
            redis_url=connection.named_url(),
            namespace=connection.named_namespace(),
            web=web_listen,
        )
    )


def demo(
    game: Annotated[
        str | None, typer.Option(metavar="G", help="Else the one of its line-up.")
    ] = None,
    matches: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Rated ones; else as the line-up says.")
    ] = None,
    json: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the result here; `-` for standard output."),
    ] = None,
    serve: Annotated[
        bool, typer.Option("--serve", help="Go on until Ctrl-C, and serve pages.")
    ] = False,
    web_port: Annotated[
        int | None,
        typer.Option(
            min=1, max=65535, metavar="P", help="Of the pages of --serve; else a free one."
        ),
    ] = None,
) -> int:
    """Play a rated ladder of the sample bots, with a live table."""
    from matchmaker import connection
    from matchmaker import demo as command

    return command.run(
        command.Wish(
            game=game,
            matches=matches,
            json=json,
            serve=serve,
            web_port=web_port,
            redis_url=connection.named_url(),
        )
    )
