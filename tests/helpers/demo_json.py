"""
Check what a demo writes with `--json`: `python -m tests.helpers.demo_json FILE MATCHES`.

Prints one line a fault and ends with 1 if there is one.
"""

import json
import sys
from pathlib import Path
from typing import Any

ROW = ["bot", "author", "rank", "mu", "sigma", "matches", "wins", "draws", "losses"]
HEAD = ["command", "version", "ok", "seconds", "matches", "rated", "unrated", "void", "endings"]


def faults(found: dict[str, Any], matches: int) -> list[str]:
    """What is not as it must be in a demo that should have rated so many matches."""
    missing = [name for name in [*HEAD, "table"] if name not in found]
    if missing:
        return [f"missing: {', '.join(missing)}"]
    table = found["table"]
    sums = {name: sum(row[name] for row in table) for name in ROW[5:]}
    checks = {
        "the command is demo": found["command"] == "demo",
        "it is ok": found["ok"] is True,
        f"at least {matches} are rated": found["rated"] >= matches,
        "none is void": found["void"] == 0,
        "matches are the sum of what became of them": found["matches"]
        == found["rated"] + found["unrated"] + found["void"]
        == sum(found["endings"].values()),
        "rows have their fields": all(list(row) == ROW for row in table),
        "at least two bots have played": sum(row["matches"] > 0 for row in table) >= 2,
        "ranks count up": [row["rank"] for row in table] == list(range(1, len(table) + 1)),
        "each match has two seats": sums["matches"] == 2 * found["rated"],
        "wins, draws and losses add up": sums["wins"] + sums["draws"] + sums["losses"]
        == sums["matches"],
    }
    return [name for name, holds in checks.items() if not holds]


def main() -> int:
    file, matches = Path(sys.argv[1]), int(sys.argv[2])
    found = json.loads(file.read_text())
    wrong = faults(found, matches)
    for name in wrong:
        print(f"demo: not so: {name}", file=sys.stderr)
    if not wrong:
        print(
            f"demo: {found['rated']} rated in {found['seconds']} s, {found['endings']},"
            f" {len(found['table'])} bots"
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
