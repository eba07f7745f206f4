"""Check one's own component files: `python -m referee.games.stalingrad FOLDER`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from referee.engine.errors import BadData
from referee.games.stalingrad.load import load


def main(arguments: Sequence[str]) -> int:
    """Faults and warnings go to standard error, the digest to standard output."""
    if len(arguments) != 1:
        print("usage: python -m referee.games.stalingrad FOLDER", file=sys.stderr)
        return 2
    try:
        components = load(arguments[0])
    except BadData as refusal:
        for fault in str(refusal).split("; "):
            print(fault, file=sys.stderr)
        return 1
    for warning in components.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    print(components.digest)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
