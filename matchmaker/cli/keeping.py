"""The commands that keep a whole ladder: backup, restore."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from matchmaker import output
from matchmaker.cli.logs import archive_of
from matchmaker.cli.options import By, Json

File = Annotated[Path, typer.Argument(metavar="FILE", help="The backup.")]


def add_to(app: typer.Typer) -> None:
    app.command()(backup)
    app.command()(restore)


def backup(
    file: File,
    replays: Annotated[
        bool, typer.Option("--replays/--no-replays", help="With the archive's files.")
    ] = True,
    json: Json = False,
) -> None:
    """Write a whole ladder to one file, also while it runs; it has the tokens' digests."""
    from matchmaker import backups, connection
    from matchmaker.keys import Keys

    with connection.ladder() as ladder:
        header = backups.make(
            ladder.redis, Keys(ladder.namespace), archive_of(ladder), file, files=replays
        )
    tell("backup", file, header, json)


def restore(
    file: File,
    why: Annotated[str, typer.Option(metavar="TEXT", help="For the audit log.")] = "",
    by: By = None,
    json: Json = False,
) -> None:
    """Bring a ladder back from a backup, into an empty one."""
    from matchmaker import audit, backups, connection
    from matchmaker.keys import Keys

    with connection.ladder() as ladder:
        header = backups.restore(
            ladder.redis, Keys(ladder.namespace), archive_of(ladder), file,
            by=audit.who(by), why=output.harmless(why) or str(file),
        )  # fmt: skip
    tell("restore", file, header, json)


def tell(command: str, file: Path, header: object, json: bool) -> None:
    from matchmaker.backups import Header

    assert isinstance(header, Header)
    if json:
        fields = asdict(header)
        print(output.document(command, True, file=str(file), **fields))
    else:
        print(
            f"{file}: {header.position} entries of the log, {header.files} files;"
            f" head {header.head}"
        )
