"""Bans of bots and of authors: what both groups of commands do."""

from typing import Annotated

import typer

from matchmaker import output
from matchmaker.cli.helping import Commands
from matchmaker.cli.options import By, Json

app = typer.Typer(
    cls=Commands,
    help="Say which authors may play.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="As `bot list` shows it.")]
Why = Annotated[str, typer.Option(metavar="TEXT", help="Its author reads it.")]
WhyNot = Annotated[str, typer.Option("--why", metavar="TEXT", help="Its author reads it.")]


@app.command("ban")
def ban_author(name: Name, why: Why, by: By = None, json: Json = False) -> None:
    """Shut an author out with all bots: tokens open nothing, their matches are cancelled."""
    ban("author", name, why, by, json)


@app.command("unban")
def unban_author(name: Name, why: WhyNot = "", by: By = None, json: Json = False) -> None:
    """Lift an author's ban; all bots' tokens are good again."""
    unban("author", name, why, by, json)


def ban(kind: str, name: str, why: str, by: str | None, json: bool) -> None:
    from matchmaker import audit, cancelling, connection, registry

    with connection.ladder() as ladder:
        ended = cancelling.ban(ladder, registry.Kind(kind), name, why, by=audit.who(by))
    if json:
        fields = {kind: name, "before": ended is None, "cancelled": ended or []}
        print(output.document(f"{kind} ban", True, **fields))
    elif ended is None:
        print(f"{kind} {name} was banned before")
    else:
        print(f"{kind} {name} is banned; matches cancelled: {len(ended)}")


def unban(kind: str, name: str, why: str, by: str | None, json: bool) -> None:
    from matchmaker import audit, connection, registry
    from referee.logs import harmless

    with connection.ladder() as ladder:
        was = registry.unban(
            ladder.redis, registry.Kind(kind), name, harmless(" ".join(why.split())),
            by=audit.who(by), namespace=ladder.namespace,
        )  # fmt: skip
    if json:
        print(output.document(f"{kind} unban", True, **{kind: name, "before": not was}))
    else:
        print(f"{kind} {name} {'is banned no more' if was else 'was not banned'}")
