"""A process's log: one event a line, from whomever; turned over when it is large."""

import logging
import re
import subprocess
import sys
from pathlib import Path

from referee import logs
from tests.helpers.processes import ROOT, environment

NOISE = """
import asyncio, gc, logging, os, sys, threading, warnings
import structlog
from referee import logs

logs.of_process(cache=False)
log = structlog.get_logger()
log.info("said", games=("a", "b"), bots=["x", "y z"], ranks=(2, 1), text="one\\ntwo")
logging.getLogger("library").error("odd %s", "thing\\nhere", exc_info=ValueError("a\\nb"))
logging.getLogger("library").info("chatter")
warnings.warn("beware\\nof this")


def broken() -> None:
    raise ZeroDivisionError


thread = threading.Thread(target=broken, name="helper")
thread.start()
thread.join()


async def forgetful() -> None:
    async def lost() -> None:
        raise KeyError("k")

    task = asyncio.ensure_future(lost())
    await asyncio.sleep(0.01)
    del task


asyncio.run(forgetful())
gc.collect()
raise RuntimeError("the\\nend")
"""

FILL = """
import os, sys
import structlog
from referee import logs

logs.MOST_BYTES = 4000
logs.of_process(cache=False)
log = structlog.get_logger()
for number in range(120):
    log.info("counted", number=number, text="x" * 40)
    if number % 10 == 9:
        print(f"timestamp=now level=info event=printed number={number}", file=sys.stderr)
"""


def run(program: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment(**more), timeout=30,
        stdin=subprocess.DEVNULL, capture_output=True, text=True,
    )  # fmt: skip


def test_whatever_speaks_is_one_event_a_line() -> None:
    ran = run(NOISE)
    assert ran.returncode == 1
    assert ran.stdout == ""
    lines = ran.stderr.splitlines()
    heads = [re.match(r"timestamp=\S+Z level=(\w+) event=(\w+)", line) for line in lines]
    assert [head and head.groups() for head in heads] == [
        ("info", "said"), ("error", "library_message"), ("warning", "library_message"),
        ("critical", "thread_crashed"), ("error", "library_message"), ("critical", "crashed"),
    ]  # fmt: skip
    assert all(line.isprintable() for line in lines)
    assert r' games=a,b bots="x,y z" ranks=2,1 text=one\ntwo' in lines[0]
    assert "logger=library" in lines[1]
    assert "ValueError" in lines[1]
    assert "beware" in lines[2]
    assert "thread=helper fault=ZeroDivisionError()" in lines[3]
    assert "Traceback" in lines[5]


def test_a_large_log_is_turned_over_and_nothing_of_it_is_lost(tmp_path: Path) -> None:
    """What is printed goes on in the new file too."""
    path = tmp_path / "worker-1.log"
    with path.open("ab") as file:  # as a parent opens it
        subprocess.run(
            [sys.executable, "-c", FILL], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=file,
            stderr=file, env=environment(WARLADDER_LOG_FILE=str(path)), timeout=30, check=True,
        )  # fmt: skip
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == [
        "worker-1.log", "worker-1.log.1", "worker-1.log.2", "worker-1.log.3",
    ]  # fmt: skip
    assert all(file.stat().st_size <= 4200 for file in files)
    text = "".join(file.read_text() for file in (*reversed(files[1:]), files[0]))
    numbers = [int(found) for found in re.findall(r"event=counted number=(\d+)", text)]
    assert numbers == list(range(numbers[0], 120)), "the last ones, without a gap"
    printed = [int(found) for found in re.findall(r"event=printed number=(\d+)", text)]
    assert printed == [number for number in range(9, 120, 10) if number >= printed[0]]
    assert len(printed) > 3


def test_a_client_that_hangs_up_is_no_error_and_no_traceback() -> None:
    """gRPC logs a call that it cannot finish, as the other end has gone, as an error of its own."""

    class ExecuteBatchError(Exception):
        pass

    def record(fault: Exception) -> logging.LogRecord:
        info = (type(fault), fault, None)
        return logging.LogRecord("grpc", logging.ERROR, "server", 1, "raised", None, info)

    gone, ours = record(ExecuteBatchError()), record(ValueError())
    assert logs._hung_up(gone)
    assert (gone.levelname, gone.exc_info) == ("WARNING", None)
    assert logs._hung_up(ours)
    assert ours.levelname == "ERROR"
    assert ours.exc_info is not None
