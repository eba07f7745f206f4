"""
Matches lost, doubled, unverified, unjustly charged or told otherwise to a bot, in a run of faults.

Besides, every fault is done, and at least twice as many matches are played.
"""

import json
import subprocess
import sys

from tests.bars import Measured

FAULTS, SMALL = 200, 20
LONGEST = {False: "30", True: "12"}
"""Seconds that a process may sleep: a small run is to end within two minutes."""


def measure(small: bool) -> Measured:
    wanted = SMALL if small else FAULTS
    words = ["chaos", "--faults", str(wanted), "--longest", LONGEST[small], "--json"]
    ran = subprocess.run(
        [sys.executable, "-m", "matchmaker", *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=1500,
    )
    if not ran.stdout:
        return Measured(value=-1.0, limit=0.0, ok=False, notes=ran.stderr[-2000:])
    found = json.loads(ran.stdout)
    names = ("lost", "doubled", "unjust_forfeits", "unverified", "disagreements")
    value = sum(found[name] for name in names)
    ok = found["ok"] and found["faults"] == wanted and found["matches"] >= 2 * wanted
    return Measured(value=value, limit=0.0, ok=ok and not value, notes=f"{found} {ran.stderr}")
