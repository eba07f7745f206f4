"""A web process of its own, as the bars ask it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from matchmaker.keys import Keys
from tests.helpers.processes import ROOT, environment, eventually


@contextmanager
def web(url: str, keys: Keys, folder: Path) -> Iterator[tuple[int, psutil.Process]]:
    log = folder / "web.log"
    settings = {
        "WARLADDER_REDIS_URL": url,
        "WARLADDER_NAMESPACE": keys.namespace,
        "WARLADDER_ARCHIVE": str(folder / "archive"),
        "WARLADDER_WEB_LISTEN": "127.0.0.1:0",
    }
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "matchmaker", "web"], cwd=ROOT, stderr=out,
            env={**environment(), **settings, "PYTHONPATH": os.environ.get("PYTHONPATH", "")},
        )  # fmt: skip
    try:
        said = eventually(lambda: log.read_text().partition("web_serves address=")[2], 60)
        port = int(said.split()[0].strip('"').rstrip("/").rpartition(":")[2])
        yield port, psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(20)
