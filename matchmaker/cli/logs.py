"""The commands on the whole results log: log head, verify, export, import."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from matchmaker import output
from matchmaker.cli.helping import Commands
from matchmaker.cli.options import By, Json
from matchmaker.errors import WrongUse

if TYPE_CHECKING:
    from matchmaker.archive import Archive
    from matchmaker.connection import Ladder
    from matchmaker.log import BrokenChain

app = typer.Typer(
    cls=Commands,
    help="Check the results log, and copy it.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)
File = Annotated[Path, typer.Argument(metavar="FILE", help="The export.")]


def archive_of(ladder: "Ladder") -> "Archive":
    """
    Raises:
        WrongUse: It is not known.
    """
    from matchmaker import closed

    archive = closed.archive_of(ladder)
    if archive is None:
        raise WrongUse("WARLADDER_ARCHIVE is not set: the older part of the log is there")
    return archive


@app.command()
def head(json: Json = False) -> None:
    """Show where the log ends, with the chain's head there: whoever keeps it can prove a change."""
    from matchmaker import connection, walk
    from matchmaker.keys import Keys
    from matchmaker.log import Log, chain

    with connection.ladder() as ladder:
        log = Log(ladder.redis, Keys(ladder.namespace))
        archive = archive_of(ladder)
        at = log.base()
        for logged in walk.every(log, archive, log.position(), at.position):
            at = chain(at, [logged])
    show_head("log head", at.position, at.head.hex(), json)


def show_head(command: str, position: int, head: str, json: bool, **fields: object) -> None:
    if json:
        print(output.document(command, True, position=position, head=head, **fields))
    else:
        print(f"position {position}, head {head}")


@app.command()
def verify(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="An export; else the ladder's own log.")
    ] = None,
    json: Json = False,
) -> int:
    """Walk the whole chain; the first broken place is named."""
    from matchmaker import checking, connection, exports
    from matchmaker.keys import Keys
    from matchmaker.log import BrokenChain

    try:
        if file is not None:
            header, rows = exports.read(file)
            count = sum(1 for _ in exports.followed(file, header, rows))
            part = header.part
            position, head = header.position, header.head
        else:
            with connection.ladder() as ladder:
                keys = Keys(ladder.namespace)
                at = checking.verify(ladder.redis, keys, archive_of(ladder))
            part, count, position, head = False, at.position, at.position, at.head.hex()
    except BrokenChain as broken:
        return show_broken(broken, json)
    if json:
        fields = {"position": position, "head": head, "entries": count, "part": part}
        print(output.document("log verify", True, **fields, broken=None))
    elif part:
        print(f"a part: each of its {count} entries is whole; the chain needs the others too")
    else:
        print(f"{count} entries, every one linked: position {position}, head {head}")
    return 0


def show_broken(broken: "BrokenChain", json: bool) -> int:
    import sys

    print(f"warladder: {output.harmless(str(broken))}", file=sys.stderr)
    if json:
        place = {"position": broken.position, "what": broken.what}
        print(output.document("log verify", False, broken=place))
    return 1


@app.command()
def export(
    file: File,
    game: Annotated[str | None, typer.Option(metavar="G", help="What concerns this game.")] = None,
    season: Annotated[str | None, typer.Option(metavar="S", help="Of this season of it.")] = None,
    format: Annotated[
        str | None,
        typer.Option("--format", metavar="jsonl|parquet", help="Else as FILE's name ends."),
    ] = None,
    json: Json = False,
) -> None:
    """Write the log to a file: whole, or the part of a game or a season."""
    from matchmaker import connection, exports, walk
    from matchmaker.keys import Keys
    from matchmaker.log import Log, Position, chain
    from referee import games

    if season is not None and game is None:
        raise WrongUse("--season needs --game: each game has seasons of its own")
    if game is not None:
        game = games.get(game).facts.game
    ending = file.suffix.removeprefix(".")
    try:
        form = exports.Format(format or ("parquet" if ending == "parquet" else "jsonl"))
    except ValueError:
        raise WrongUse(f"--format {format!r}: jsonl or parquet") from None
    with connection.ladder() as ladder:
        log = Log(ladder.redis, Keys(ladder.namespace))
        entries = list(walk.every(log, archive_of(ladder), log.position()))
    at = chain(Position(), entries)
    part = exports.Part((each.entry for each in entries), game, season) if game else None
    header = exports.write(file, entries, at, form, part=part, season=season)
    if json:
        fields = {"file": str(file), "format": form.value, "part": header.part}
        show_head("log export", at.position, header.head, True, entries=header.entries, **fields)
    else:
        what = "entries, a part" if header.part else "entries, the whole log"
        print(f"{file}: {header.entries} {what}; position {at.position}, head {header.head}")


@app.command("import")
def import_(
    file: File,
    why: Annotated[str, typer.Option(metavar="TEXT", help="For the audit log.")] = "",
    by: By = None,
    json: Json = False,
) -> None:
    """Take the log of a whole export into an empty ladder."""
    from matchmaker import adopting, audit, connection, exports
    from matchmaker.keys import Keys

    header, rows = exports.read(file)
    if header.part:
        raise WrongUse(f"{file}: a part of a log cannot be imported; export it whole")
    entries = list(exports.followed(file, header, rows))
    with connection.ladder() as ladder:
        at = adopting.adopt(
            ladder.redis, Keys(ladder.namespace), archive_of(ladder), entries,
            adopting.keys_of(entries),
            command="log import", by=audit.who(by), why=output.harmless(why) or str(file),
        )  # fmt: skip
    show_head("log import", at.position, at.head.hex(), json)
