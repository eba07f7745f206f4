"""The protocol's manual as a page: what `proto/manual.py` made of the protocol's files."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

from markupsafe import Markup, escape

from matchmaker.web import diagrams

CODE = re.compile(r"`([^`]+)`")
WORD = re.compile(r"\w+")


@cache
def manual() -> dict[str, Any]:
    """`situations`, each with its `drawing` and `told` in words; `files` with their items."""
    text = (files("warladder") / "manual.json").read_text("utf-8")
    document: dict[str, Any] = json.loads(text)
    for each in document["situations"]:
        each["drawing"] = diagrams.draw(each)
        each["told"] = list(diagrams.told(each))
    return document


def coded(said: str) -> Markup:
    """A text of the manual: what stands between backticks is code."""
    return Markup(CODE.sub(r"<code>\1</code>", str(escape(said))))


def linked(kind: str, names: set[str]) -> Markup:
    """A field's type, with links to the messages and enums that stand on the page."""

    def link(found: re.Match[str]) -> str:
        name = found[0]
        return f'<a href="#{name}">{name}</a>' if name in names else name

    return Markup(f"<code>{WORD.sub(link, str(escape(kind)))}</code>")
