"""
Seconds that a demo of its usual length takes, from the command to its end.

Besides, every match is rated, and a player that plans comes out above one that does not.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bars import Measured
from tests.helpers.demo_json import faults

AT_MOST = 90.0
SMALL = 15
USUAL = 60


def measure(small: bool) -> Measured:
    matches = SMALL if small else USUAL
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "demo.json"
        words = ["demo", "--matches", str(matches), "--json", str(file)]
        ran = subprocess.run(
            [sys.executable, "-m", "matchmaker", *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=1200,
        )
        if ran.returncode != 0:
            return Measured(value=-1.0, limit=AT_MOST, ok=False, notes=ran.stderr[-2000:])
        found = json.loads(file.read_text())
    wrong = faults(found, matches)
    order = [row["bot"] for row in found["table"]]
    if len(order) < 5:
        wrong.append("at least five bots")
    if not small and order.index("greedy") > order.index("random"):
        wrong.append("greedy above random")
    seconds = found["seconds"]
    return Measured(
        value=seconds,
        limit=AT_MOST,
        ok=not wrong and seconds <= AT_MOST,
        notes="; ".join(f"not so: {name}" for name in wrong) or f"{found['endings']}, {order}",
    )
