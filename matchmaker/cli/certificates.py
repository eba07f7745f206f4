"""The command that makes certificates: cert."""

from pathlib import Path
from typing import Annotated

import typer

from matchmaker.cli.options import Json


def add_to(app: typer.Typer) -> None:
    app.command()(cert)


def cert(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where the files go.")],
    host: Annotated[
        list[str] | None,
        typer.Option(metavar="H", help="A name or address that bots dial; may be repeated."),
    ] = None,
    client: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Also one for this bot; may be repeated."),
    ] = None,
    days: Annotated[
        int, typer.Option(min=1, max=3650, metavar="D", help="How long they hold.")
    ] = 365,
    json: Json = False,
) -> None:
    """
    Make a local certificate authority, and what it signs for a referee and its bots.

    Without --host and --client: for localhost. An authority that is in DIR already is used again.
    """
    from matchmaker import certificates, output

    hosts = host or ([] if client else ["localhost", "127.0.0.1", "::1"])
    issued = certificates.make(folder, hosts, client or [], days)
    if json:
        files = {
            role: {"certificate": str(each.certificate), "key": str(each.key)}
            for role, each in issued.items()
        }
        print(output.document("cert", True, **files))
        return
    for each in issued.values():
        print(each.certificate)
    if certificates.SERVER in issued:
        server = issued[certificates.SERVER]
        print(f"referee: WARLADDER_TLS_CERTIFICATE={server.certificate}")
        print(f"referee: WARLADDER_TLS_KEY={server.key}")
    authority = issued[certificates.AUTHORITY].certificate
    print(f"bots: WARLADDER_TLS_CA={authority}")
    if client:
        print(f"referee, to let in only bots with one: WARLADDER_TLS_CLIENT_CA={authority}")
    for name in client or []:
        mine = issued[name]
        print(f"{name}: WARLADDER_TLS_CERTIFICATE={mine.certificate}")
        print(f"{name}: WARLADDER_TLS_KEY={mine.key}")
