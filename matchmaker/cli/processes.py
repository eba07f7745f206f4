"""One process each, told everything by the environment: referee, worker, matchmaker, web."""

from typing import Annotated

import typer

from matchmaker.ports import WEB


def add_to(app: typer.Typer) -> None:
    app.command()(referee)
    app.command()(worker)
    app.command()(matchmaker)
    app.command()(web)


def referee(
    listen: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Where bots dial, HOST:PORT or unix:PATH; else WARLADDER_REFEREE_LISTEN.",
        ),
    ] = None,
) -> int:
    """
    Play matches: the only process that holds what is hidden.

    Its settings are in the environment. Needed are WARLADDER_REDIS_URL, WARLADDER_REFEREE_LISTEN
    (or --listen), WARLADDER_INTERNAL_LISTEN, WARLADDER_INTERNAL_SECRET and WARLADDER_LADDER_KEY;
    referee/server/README.md has all.
    """
    from referee.server import main

    return main.run(listen=listen)


def worker() -> int:
    """
    Open and close matches: RQ jobs.

    Its settings are in the environment. Needed are WARLADDER_REDIS_URL, WARLADDER_ARCHIVE and
    WARLADDER_INTERNAL_SECRET; matchmaker/README.md has all.
    """
    from matchmaker import daemon, settings
    from matchmaker import worker as process

    return daemon.main("worker", settings.worker_config, process.run)


def matchmaker() -> int:
    """
    Pair bots, sweep, rate: one is active, others are hot spares.

    Its settings are in the environment. Needed are WARLADDER_REDIS_URL, WARLADDER_ARCHIVE and
    WARLADDER_GAMES; matchmaker/README.md has all.
    """
    from matchmaker import daemon, process, settings

    return daemon.main("matchmaker", settings.process_config, process.run)


def web(
    listen: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help=f"Where pages are served; else WARLADDER_WEB_LISTEN, else {WEB}.",
        ),
    ] = None,
) -> int:
    """
    Serve pages, a JSON API and live news; reads only.

    Its settings are in the environment. Needed are WARLADDER_REDIS_URL and WARLADDER_ARCHIVE;
    matchmaker/README.md has all.
    """
    from functools import partial

    from matchmaker import daemon, settings
    from matchmaker.web import main

    return daemon.main("web", partial(settings.web_config, listen=listen), main.run)
