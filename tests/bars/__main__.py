"""Run the bars: `python -m tests.bars [--bar NAME] [--small]`; exit 1 if one falls short."""

import argparse
import importlib
import json
import pkgutil
import sys
import time

from tests.bars import Measured


def names() -> list[str]:
    """Every bar there is: the files beside this one that are neither tests nor this runner."""
    package = importlib.import_module("tests.bars")
    found = [module.name for module in pkgutil.iter_modules(package.__path__)]
    return sorted(name for name in found if not name.startswith(("_", "test_")))


def needs_browser(name: str) -> bool:
    """Whether a bar can run only where the browser's driver is installed."""
    return bool(getattr(importlib.import_module(f"tests.bars.{name}"), "BROWSER", False))


def run(name: str, small: bool) -> dict[str, object]:
    """Measure one bar: what `make prove` prints for it."""
    began = time.monotonic()
    measured: Measured = importlib.import_module(f"tests.bars.{name}").measure(small=small)
    if measured.notes:
        print(f"{name}: {measured.notes}", file=sys.stderr)
    return {
        "bar": name,
        "value": measured.value,
        "limit": measured.limit,
        "ok": measured.ok,
        "seconds": round(time.monotonic() - began, 1),
        "notes": measured.notes,
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="make prove", description=__doc__)
    parser.add_argument("--bar", choices=names())
    parser.add_argument("--small", action="store_true")
    wanted = parser.parse_args()
    fine = True
    for name in [wanted.bar] if wanted.bar else names():
        line = run(name, wanted.small)
        print(json.dumps(line), flush=True)
        fine = fine and bool(line["ok"])
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
