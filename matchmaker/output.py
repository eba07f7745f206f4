"""What every `--json` output has in common."""

import json
from importlib.metadata import version as installed


def version() -> str:
    """Our own version, as installed."""
    return installed("warladder")


def document(command: str, ok: bool, **fields: object) -> str:
    """One JSON object on one line, the same text for the same content."""
    head = {"command": command, "version": version(), "ok": ok}
    return json.dumps({**head, **fields}, ensure_ascii=False)


def rows(table: list[dict[str, object]]) -> str:
    """The list of rows that `bench` prints."""
    return json.dumps(table, ensure_ascii=False)
