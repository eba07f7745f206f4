"""Options that several commands share."""

from typing import Annotated

import typer

By = Annotated[
    str | None,
    typer.Option("--by", metavar="WHO", help="For the audit log; else your login name."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
