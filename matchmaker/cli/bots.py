"""Commands around bots: new, check, add, list, log, pause, resume, remove, rotate, ban, unban."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from matchmaker import output
from matchmaker.cli import bans, checks
from matchmaker.cli.bans import Why, WhyNot
from matchmaker.cli.helping import Commands
from matchmaker.cli.options import By, Json

app = typer.Typer(
    cls=Commands,
    help="Add bots, and say which may play.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)
checks.add_to(app)
Name = Annotated[str, typer.Argument(metavar="NAME", help="The bot's.")]


@app.command()
def add(
    name: Name,
    author: Annotated[str, typer.Option(metavar="A", help="Who owns it.")],
    house: Annotated[
        bool, typer.Option("--house", help="Anybody may practise against it.")
    ] = False,
    by: By = None,
    json: Json = False,
) -> None:
    """Register a bot; prints its token, which nobody can show again."""
    from matchmaker import audit, connection, registry

    with connection.ladder() as ladder:
        token = registry.add(
            ladder.redis, name, author, house=house, by=audit.who(by), namespace=ladder.namespace
        )
    show_token("bot add", name, author, token, json)


@app.command()
def new(
    language: Annotated[str, typer.Argument(metavar="LANGUAGE", help="Of the kit it begins with.")],
    folder: Annotated[Path, typer.Argument(metavar="NAME", help="The bot's new folder.")],
    json: Json = False,
) -> None:
    """Begin a bot of your own with a kit: a folder that stands alone, ready to build."""
    from matchmaker import kits, lineup

    kits.begin(language, folder)
    if json:
        print(output.document("bot new", True, language=language, folder=str(folder)))
        return
    print(f"{folder}: a bot in {language}; README.md says how to go on:")
    print(f"  make -C {folder}")
    print(f'  warladder play {lineup.default()} "{folder}/bot greedy" random')


@app.command()
def rotate(name: Name, by: By = None, json: Json = False) -> None:
    """Give a bot a new token; the old one opens nothing any more, and its streams end."""
    from matchmaker import audit, connection, registry

    with connection.ladder() as ladder:
        author = registry.find(ladder.redis, name, namespace=ladder.namespace).author
        token = registry.rotate(ladder.redis, name, by=audit.who(by), namespace=ladder.namespace)
    show_token("bot rotate", name, author, token, json)


def show_token(command: str, name: str, author: str, token: str, json: bool) -> None:
    if json:
        print(output.document(command, True, bot=name, author=author, token=token))
        return
    print(token)
    print(
        f"{name}: keep this token, it is shown once; set WARLADDER_TOKEN to it and start your bot",
        file=sys.stderr,
    )


@app.command("list")
def list_(json: Json = False) -> None:
    """Show every bot."""
    from rich.table import Table

    from matchmaker import attendance, connection, registry
    from matchmaker.keys import Keys

    with connection.ladder() as ladder:
        bots = registry.bots(ladder.redis, namespace=ladder.namespace)
        there = attendance.read(ladder.redis, Keys(ladder.namespace)).attending
    if json:
        rows = [
            {"bot": bot.name, **bot._asdict(), "attends": sorted(there.get(bot.name, ()))}
            for bot in bots
        ]
        for row in rows:
            del row["name"]
        print(output.document("bot list", True, bots=rows))
        return
    grid = Table("bot", "author", "versions", "attends", "playing", "paused", box=None)
    for bot in bots:
        games = ", ".join(sorted(there.get(bot.name, ())))
        cells = bot.name, bot.author, ", ".join(bot.versions), games, str(bot.places), bot.paused
        grid.add_row(*map(output.harmless, cells))
    print(output.drawn(grid))


@app.command()
def pause(
    name: Name,
    reason: Annotated[
        str, typer.Option("--why", "--reason", metavar="TEXT", help="Its author reads it.")
    ] = "paused by the operator",
    seconds: Annotated[
        int, typer.Option(min=0, metavar="S", help="For so long; until resumed if 0.")
    ] = 0,
    by: By = None,
    json: Json = False,
) -> None:
    """Give a bot no new matches."""
    from matchmaker import audit, connection, registry

    with connection.ladder() as ladder:
        registry.pause(
            ladder.redis, name, reason,
            seconds=seconds, by=audit.who(by), namespace=ladder.namespace,
        )  # fmt: skip
    done("bot pause", name, f"{name} is paused: {reason}", json)


@app.command()
def resume(name: Name, by: By = None, json: Json = False) -> None:
    """Let a paused bot play again."""
    from matchmaker import audit, connection, registry

    with connection.ladder() as ladder:
        was = registry.resume(ladder.redis, name, by=audit.who(by), namespace=ladder.namespace)
    done("bot resume", name, f"{name} {'plays again' if was else 'was not paused'}", json)


@app.command()
def remove(
    name: Name,
    reason: Annotated[
        str, typer.Option("--why", "--reason", metavar="TEXT", help="For its history.")
    ] = "",
    by: By = None,
    json: Json = False,
) -> None:
    """Take a bot out; its streams end, and it loses the matches it is in."""
    from matchmaker import audit, connection, registry

    with connection.ladder() as ladder:
        registry.remove(ladder.redis, name, reason, by=audit.who(by), namespace=ladder.namespace)
    done("bot remove", name, f"{name} is removed", json)


@app.command("ban")
def ban_bot(name: Name, why: Why, by: By = None, json: Json = False) -> None:
    """Shut a bot out until it is lifted: its token opens nothing, its matches are cancelled."""
    bans.ban("bot", name, why, by, json)


@app.command("unban")
def unban_bot(name: Name, why: WhyNot = "", by: By = None, json: Json = False) -> None:
    """Lift a bot's ban; its token is good again."""
    bans.unban("bot", name, why, by, json)


@app.command()
def log(
    name: Name,
    matches: Annotated[int, typer.Option(min=1, metavar="N", help="The last so many.")] = 50,
    json: Json = False,
) -> None:
    """Tell what happened to a bot: how its matches ended and through whom, faults, pauses."""
    from matchmaker import blame, connection

    with connection.ladder() as ladder:
        happenings = blame.of(ladder, name, matches)
    if json:
        print(
            output.document(
                "bot log", True, bot=name, lines=[blame.fields(each) for each in happenings]
            )
        )
        return
    for each in happenings:
        through = f"  [through {each.blame}]" if each.blame else ""
        words = " ".join(filter(None, (each.when, each.match, each.text)))
        print(output.harmless(words) + through)
        for line in each.details:
            print(f"    {output.harmless(line)}")


def done(command: str, name: str, line: str, json: bool) -> None:
    print(output.document(command, True, bot=name) if json else output.harmless(line))
