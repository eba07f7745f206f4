"""The commands on tournaments: create, list, show, cancel, enter, withdraw, formats."""

from typing import Annotated, Any

import typer

from matchmaker import output
from matchmaker.cli.helping import Commands
from matchmaker.cli.local import game_options
from matchmaker.cli.options import By, Json

app = typer.Typer(
    cls=Commands,
    help="Hold competitions that run by themselves.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="The tournament's.")]
Why = Annotated[str, typer.Option(metavar="TEXT", help="For everybody to read.")]


@app.command()
def create(
    format: Annotated[str, typer.Argument(metavar="FORMAT", help="See `tournament formats`.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="Else its format and a number.")] = "",
    game: Annotated[
        str | None, typer.Option(metavar="G", help="Else the only one that has a ladder.")
    ] = None,
    seats: Annotated[
        int | None, typer.Option(min=2, max=16, metavar="N", help="In a match; else the ladder's.")
    ] = None,
    bots: Annotated[
        list[str] | None,
        typer.Option("--bots", metavar="A,B", help="Who is entered by name; may be repeated."),
    ] = None,
    top: Annotated[
        int, typer.Option(min=0, metavar="N", help="So many of the table's best, too.")
    ] = 0,
    everybody: Annotated[
        bool,
        typer.Option("--everybody", help="Whoever attends at the start; so if nobody is entered."),
    ] = False,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="K=V", help="A setting of the format; may be repeated."),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            metavar="K=V",
            help="An option of the game: not rated then; may be repeated.",
        ),
    ] = None,
    at: Annotated[
        str | None, typer.Option(metavar="WHEN", help="Such as '2026-12-01 20:00'; else at once.")
    ] = None,
    cron: Annotated[
        str | None, typer.Option(metavar="EXPR", help="Such as '0 2 * * *': each night at two.")
    ] = None,
    zone: Annotated[str, typer.Option(metavar="ZONE", help="Such as Europe/Berlin.")] = "UTC",
    catch_up_hours: Annotated[
        float,
        typer.Option(
            min=0.0, max=8760.0, metavar="H", help="A missed start is made up for so long."
        ),
    ] = 6.0,
    weight: Annotated[
        float,
        typer.Option(
            min=0.01, max=1000.0, metavar="W", help="Share of its bots' places; the ladder has 1."
        ),
    ] = 4.0,
    max_matches: Annotated[
        int, typer.Option(min=0, metavar="N", help="It ends then; 0: no such end.")
    ] = 0,
    max_hours: Annotated[
        float, typer.Option(min=0.0, max=8760.0, metavar="H", help="It ends then; 0: no such end.")
    ] = 24.0,
    absence: Annotated[
        float,
        typer.Option(
            min=1.0, max=86400.0, metavar="S", help="So long a bot may be away when it is to play."
        ),
    ] = 120.0,
    unrated: Annotated[
        bool, typer.Option("--unrated", help="Counts for nothing but itself.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan, do nothing.")] = False,
    by: By = None,
    json: Json = False,
) -> int:
    """Announce a tournament, now, later or by a schedule; prints its plan."""
    from dataclasses import replace

    from matchmaker import audit, connection, table
    from matchmaker.cli.tables import which
    from matchmaker.tournaments import desk, schedule
    from matchmaker.tournaments.wishes import Wish

    wish = Wish(
        format=format,
        name=name,
        game=game or "",
        seats=seats,
        bots=tuple(bot for word in bots or () for bot in word.split(",") if bot),
        top=top,
        everybody=everybody or not (bots or top),
        settings=tuple(set_ or ()),
        options=game_options(option),
        at=at,
        cron=cron,
        zone=zone,
        catch_up_hours=catch_up_hours,
        weight=weight,
        most_matches=max_matches,
        most_hours=max_hours,
        absence_seconds=absence,
        rated=not unrated,
        by=audit.who(by),
    )
    with connection.ladder() as ladder:
        wish = replace(wish, game=which(game, table.games(ladder.redis, ladder.namespace)))
        planned = desk.plan(ladder, wish)
        if not dry_run:
            desk.announce(ladder, planned)
    announced, ahead = planned.announced, planned.forecast
    when = [schedule.shown(instant, announced.zone) for instant in planned.instants]
    held = not planned.fault
    if json:
        print(
            output.document(
                "tournament create",
                held or not dry_run,
                name=announced.name,
                announced=not dry_run,
                next_ms=planned.instants,
                next=when,
                entered=planned.entered,
                attending=planned.here,
                plan=ahead._asdict() if ahead else None,
                fault=planned.fault,
                without=planned.without,
            )
        )
        return 0 if held or not dry_run else 1
    print(f"{announced.name}: {announced.format} of {announced.game}")
    print(f"when: {', '.join(when)}{', …' if announced.cron else ''}")
    print(f"entered: {', '.join(planned.entered) or 'nobody yet'}")
    away = [bot for bot in planned.entered if bot not in planned.here]
    if away:
        print(f"not attending now: {', '.join(away)} (dropped at the start if still not there)")
    if planned.without and held:
        print(f"without them it could not be held: {planned.without}")
    if ahead:
        print(f"plan: {ahead.text}")
    else:
        print(f"plan: it could not be held as things are: {planned.fault}")
    if dry_run:
        print("nothing was announced: leave out --dry-run to announce it")
        return 0 if held else 1
    edition = schedule.edition(announced, planned.instants[0])
    print(f"announced; from its start `warladder tournament show {edition}` follows it")
    return 0


@app.command("list")
def list_(json: Json = False) -> None:
    """Show what is announced, what runs, what is over."""
    from rich.table import Table

    from matchmaker import connection
    from matchmaker.tournaments import desk
    from matchmaker.tournaments.schedule import shown

    with connection.ladder() as ladder:
        found = desk.overview(ladder)
    if json:
        print(output.document("tournament list", True, **found))
        return
    grid = Table("tournament", "format", "game", "state", "when", "best", box=None)
    for each in found["announced"]:
        state = f"each '{each['cron']}'" if each["cron"] else "announced"
        grid.add_row(each["name"], each["format"], each["game"], state, each["next"][0], "")
    for each in found["running"]:
        state = f"running, {each['matches']} matches"
        grid.add_row(each["tournament"], *_common(each, state))
    for each in found["over"]:
        state = each["state"] + (f": {each['reason']}" if each["reason"] else "")
        grid.add_row(each["tournament"], *_common(each, state))
    print(output.drawn(grid))
    if found["news"]:
        print("lately:")
    for line in reversed(found["news"][:5]):
        when = shown(int(line["at_ms"]))
        print(output.harmless(f"  {when}  {line['name']} {line['what']}: {line['text']}"))


def _common(each: dict[str, Any], state: str) -> tuple[str, ...]:
    from matchmaker.tournaments.schedule import shown

    when = shown(each["begun_ms"]) if each["begun_ms"] else ""
    cells = each["format"] or "", each["game"] or "", state, when, ", ".join(each["best"])
    return tuple(map(output.harmless, cells))


@app.command()
def show(name: Name, json: Json = False) -> None:
    """Show a tournament's standings and meetings."""
    from rich.table import Table

    from matchmaker import connection
    from matchmaker.tournaments import desk

    with connection.ladder() as ladder:
        found = desk.show(ladder, name)
    if json:
        print(output.document("tournament show", True, **found))
        return
    reason = f": {found['reason']}" if found["reason"] else ""
    head = f"{name}: {found['format']} of {found['game']}, {found['state']}{reason}"
    print(output.harmless(head))
    if found["state"] == "announced":
        print(f"next: {', '.join(found['next'])}")
        print(output.harmless(f"editions: {', '.join(found['editions']) or 'none yet'}"))
        return
    for key, value in found["summary"].items():
        text = f"{value:.2f}" if isinstance(value, float) else str(value)
        print(output.harmless(f"{key}: {text}"))
    for each in found["dropped"]:
        print(output.harmless(f"{each['bot']}: {each['reason']}"))
    rows = found["standings"]
    breaks = [key for key in (rows[0]["breaks"] if rows else ()) if key != "wins"]
    grid = Table("place", "bot", "points", "won", "drawn", "lost", *breaks, "", box=None)
    for row, before in zip(rows, [None, *rows]):
        ties = [f"{row['breaks'].get(key, 0):g}" for key in breaks]
        counts = str(row["wins"]), str(row["draws"]), str(row["losses"])
        bot, note = output.harmless(row["bot"]), output.harmless(row["note"])
        place = f"{row['place']}{'=' if before and before['place'] == row['place'] else ''}"
        grid.add_row(place, bot, f"{row['points']:g}", *counts, *ties, note)
    print(output.drawn(grid))
    if not found["meetings"]:
        return
    meetings = Table("round", "meeting", "bots", "points", "state", box=None)
    for each in found["meetings"]:
        points = " : ".join(f"{value:g}" for value in each["points"])
        meetings.add_row(
            str(each["round"]),
            each["label"] or each["meeting"],
            output.harmless(" - ".join(each["bots"])),
            points,
            each["state"],
        )
    print(output.drawn(meetings))


@app.command()
def cancel(name: Name, why: Why, by: By = None, json: Json = False) -> None:
    """Take an announcement back, or end a running tournament as it stands."""
    from matchmaker import audit, connection
    from matchmaker.tournaments import desk

    with connection.ladder() as ladder:
        text = desk.cancel(ladder, name, why, audit.who(by))
    done("tournament cancel", text, json, name=name)


@app.command()
def enter(
    name: Name,
    bot: Annotated[str, typer.Argument(metavar="BOT", help="Its name.")],
    by: By = None,
    json: Json = False,
) -> None:
    """Let a bot take part in a running tournament from now on."""
    from matchmaker import audit, connection
    from matchmaker.tournaments import desk

    with connection.ladder() as ladder:
        desk.enter(ladder, name, bot, audit.who(by))
    done("tournament enter", f"{bot} takes part in {name}", json, name=name, bot=bot)


@app.command()
def withdraw(
    name: Name,
    bot: Annotated[str, typer.Argument(metavar="BOT", help="Its name.")],
    why: Why,
    by: By = None,
    json: Json = False,
) -> None:
    """Take a bot out of a running tournament; what it has begun is left as it is."""
    from matchmaker import audit, connection
    from matchmaker.tournaments import desk

    with connection.ladder() as ladder:
        desk.withdraw(ladder, name, bot, why, audit.who(by))
    done("tournament withdraw", f"{bot} has withdrawn from {name}", json, name=name, bot=bot)


@app.command("formats")
def formats_(
    name: Annotated[str | None, typer.Argument(metavar="FORMAT", help="This one alone.")] = None,
    json: Json = False,
) -> None:
    """Show the formats and their settings."""
    from matchmaker import formats
    from matchmaker.errors import WrongUse
    from matchmaker.formats.contract import BadTerms

    try:
        found = [formats.get(each) for each in ([name] if name else formats.names())]
    except BadTerms as fault:
        raise WrongUse(str(fault)) from None
    if json:
        rows = [
            {
                "format": each.name,
                "about": each.about,
                "settings": {key: setting._asdict() for key, setting in each.settings.items()},
            }
            for each in found
        ]
        print(output.document("tournament formats", True, formats=rows))
        return
    for each in found:
        print(f"{each.name}: {each.about}")
        for key, setting in each.settings.items():
            span = ""
            if setting.low is not None and setting.high is not None:
                span = f" ({setting.low:g} to {setting.high:g})"
            print(f"  {key}={setting.default}  {setting.about}{span}")


def done(command: str, text: str, json: bool, **fields: object) -> None:
    print(output.document(command, True, **fields, text=text) if json else text)
