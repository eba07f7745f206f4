"""One process each, told everything by the environment: referee, worker, matchmaker, web."""

import typer


def add_to(app: typer.Typer) -> None:
    app.command()(referee)
    app.command()(worker)
    app.command()(matchmaker)
    app.command()(web)


def referee() -> int:
    """Play matches: the only process that holds what is hidden."""
    from referee.server import main

    return main.run()


def worker() -> int:
    """Open and close matches: RQ jobs."""
    from matchmaker import daemon, settings
    from matchmaker import worker as process

    return daemon.main("worker", settings.worker_config, process.run)


def matchmaker() -> int:
    """Pair bots, sweep, rate: one is active, others are hot spares."""
    from matchmaker import daemon, process, settings

    return daemon.main("matchmaker", settings.process_config, process.run)


def web() -> int:
    """Serve pages, a JSON API and live news; reads only."""
    from matchmaker import daemon, settings
    from matchmaker.web import main

    return daemon.main("web", settings.web_config, main.run)
