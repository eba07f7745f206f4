"""
Make the dashboards' JSON: `python -m deploy.grafana.generate [--check]`.

`--check` writes nothing and exits 1 if a file differs from what would be written.
"""

import json
import sys
from pathlib import Path
from typing import Any

from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard

from deploy.grafana.boards import BOARDS
from deploy.grafana.panels import Board, build

FOLDER = Path(__file__).parent / "dashboards"


def through_schema(document: Any) -> Any:
    """A dashboard as Grafana's schema reads it: unknown words are gone, what it adds is there."""
    register_default_plugins()
    return plain(Dashboard.from_json(document))


def plain(made: Dashboard) -> Any:
    return json.loads(json.dumps(made, cls=JSONEncoder))


def text(board: Board) -> str:
    """What stands in a dashboard's file."""
    document = through_schema(plain(build(board)))
    return json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def wanted() -> dict[str, str]:
    """All files, by name."""
    return {f"{board.uid}.json": text(board) for board in BOARDS}


def drift() -> list[str]:
    """Names of files that are missing, left over or different."""
    there = {file.name: file.read_text(encoding="utf-8") for file in FOLDER.glob("*.json")}
    made = wanted()
    return sorted(name for name in {*there, *made} if there.get(name) != made.get(name))


def main(words: list[str]) -> int:
    if words not in ([], ["--check"]):
        print("usage: python -m deploy.grafana.generate [--check]", file=sys.stderr)
        return 2
    if words:
        for name in drift():
            print(f"{FOLDER / name}: not what deploy/grafana makes; run make dashboards")
        return int(bool(drift()))
    FOLDER.mkdir(exist_ok=True)
    for name in drift():
        (FOLDER / name).unlink(missing_ok=True)
        if name in (made := wanted()):
            (FOLDER / name).write_text(made[name], encoding="utf-8")
            print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
