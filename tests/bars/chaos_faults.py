"""
Matches lost, doubled, unverified, unjustly charged or told otherwise to a bot, in a run of faults.

Besides, every fault is done, and at least twice as many matches are played. Where there is a
Prometheus it watches the run: no alert may say that a seat saw too much or a result is in doubt.
"""

import json
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from matchmaker import targets
from tests.bars import Measured
from tests.helpers.ladder_processes import free_port
from tests.helpers.prometheus import prometheus, watch
from tests.helpers.tools import find

FAULTS, SMALL = 200, 20
LONGEST = {False: "30", True: "12"}
"""Seconds that a process may sleep: a small run is to end within two minutes."""
NEVER = {"LeakFound", "MatchUnverified", "ResultRefused"}
"""Alerts that no fault of a process may raise."""


def measure(small: bool) -> Measured:
    wanted = SMALL if small else FAULTS
    words = ["chaos", "--faults", str(wanted), "--longest", LONGEST[small], "--json"]
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="wl-chaos-")))
        tool = find("prometheus")
        if tool is not None:
            port = free_port()
            stack.enter_context(prometheus(tool, place / "prometheus", port))
            watch(place / "prometheus", "chaos", place / "run" / targets.NAME)
            words += ["--prometheus", f"http://127.0.0.1:{port}", "--keep", str(place / "run")]
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
    if tool is not None:
        told = set(found["alerts"])
        ok = ok and not told & NEVER and (small or "ProcessRestarted" in told)
    return Measured(value=value, limit=0.0, ok=ok and not value, notes=f"{found} {ran.stderr}")
