"""A ladder whose processes are left in peace: its bots, its operators and its archive go wrong."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from matchmaker import cancelling
from matchmaker.errors import WrongUse
from referee.store.plainly import as_bytes
from referee.store.records import unpack_record
from tests.bars._alerts import Cause
from tests.bars._alerts.ladders import Up, together
from tests.bars._alerts.watch import Watch

ROOM = 12
SETTINGS = {
    "WARLADDER_CLOCKS": "cap_ms=1500,bank_ms=30000,grace_ms=1000",
    "WARLADDER_REFEREE_ROOM": str(ROOM),
}
WORDS = ("--game", "stalingrad", "--referees", "2", "--workers", "2")
APART = "stalingrad"
"""The game of two bots that sit at different referees."""
DISK_BYTES = 64 * 1024 * 1024
PIECE = b"x" * 65_536


@contextmanager
def disk(place: Path) -> Iterator[Path]:
    """A small file system of its own, with the archive of a ladder to be started in a place."""
    mount = place / "disk"
    mount.mkdir(parents=True)
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "none", str(mount)], check=True
    )
    try:
        (mount / "archive").mkdir()
        (place / "home").mkdir()
        (place / "home" / "archive").symlink_to(mount / "archive")
        yield mount
    finally:
        subprocess.run(["umount", "-l", str(mount)], check=True)


def hermits(calm: Up, *addresses: str) -> AbstractContextManager[None]:
    return together(
        *(
            calm.troupe(address, {"name": f"hermit-{number}", "game": APART})
            for number, address in enumerate(addresses)
        )
    )


@contextmanager
def apart(calm: Up, watch: Watch) -> Iterator[None]:
    """Two bots of a game, each at a referee of its own."""
    with hermits(calm, *calm.running.referees):
        yield


@contextmanager
def at_one_referee(calm: Up, watch: Watch) -> Iterator[None]:
    first = calm.running.referees[0]
    with hermits(calm, first, first):
        yield


@contextmanager
def bots_at_fault(calm: Up, watch: Watch) -> Iterator[None]:
    """Most of a ladder's: they answer wrongly, not at all, or hang up, and are paused for it."""
    manners = ("illegal",) * 5 + ("leaves",) * 2 + ("silent",)
    bad = [{"name": f"bad-{k}", "places": 2, "manner": manner} for k, manner in enumerate(manners)]
    good = [{"name": f"good-{k}", "places": 2, "think": 0.1} for k in range(2)]
    with calm.troupe(calm.running.referees[0], *bad, *good):
        yield


@contextmanager
def operator_cancels(calm: Up, watch: Watch) -> Iterator[None]:
    """An operator ends each match in which one bot sits in the second seat."""
    over = threading.Event()
    slow = [{"name": name, "places": 8, "think": 0.35} for name in ("x", "y")]

    def cancel(match: str) -> None:
        with suppress(WrongUse):  # it has ended meanwhile
            cancelling.cancel(calm.ladder, match, "this run shows what it looks like")

    def work() -> None:
        done = set[str]()
        with ThreadPoolExecutor(8) as pool:
            while not over.wait(0.1):
                for name in as_bytes(calm.redis.zrange(calm.keys.open, 0, -1)):
                    match = name.decode()
                    record = as_bytes(calm.redis.hget(calm.keys.match(match), "record"))
                    if record is None or match in done:
                        continue
                    seats = unpack_record(record).seats
                    if seats[1].bot == "x":
                        done.add(match)
                        pool.submit(cancel, match)

    operator = threading.Thread(target=work, name="operator")
    operator.start()
    try:
        with calm.troupe(calm.running.referees[0], *slow):
            yield
    finally:
        over.set()
        operator.join()


@contextmanager
def matches_are_played_out(calm: Up, watch: Watch) -> Iterator[None]:
    quick = [{"name": name, "places": 8} for name in ("x", "y")]
    with calm.troupe(calm.running.referees[0], *quick):
        yield


@contextmanager
def three_play_most(calm: Up, watch: Watch) -> Iterator[None]:
    """Three quick bots with many places beside slow ones with one."""
    quick = [{"name": f"quick-{k}", "places": 5} for k in range(3)]
    slow = [{"name": f"slow-{k}", "think": 0.9} for k in range(3)]
    with calm.troupe(calm.running.referees[0], *quick, *slow):
        yield


@contextmanager
def more_than_room(calm: Up, watch: Watch) -> Iterator[None]:
    many = [{"name": f"many-{k}", "places": 12, "think": 0.2} for k in range(4)]
    with calm.troupe(calm.running.referees[0], *many):
        yield


@contextmanager
def play(calm: Up) -> Iterator[None]:
    """Matches that end and are to be filed."""
    members = [{"name": f"player-{k}", "places": 4, "think": 0.1} for k in range(4)]
    with calm.troupe(calm.running.referees[0], *members):
        calm.until_bots(4)
        yield


@contextmanager
def disk_filled(calm: Up, watch: Watch) -> Iterator[None]:
    """Nine tenths at once, then steadily, until nothing is left."""
    mount, over = (calm.home / "archive").resolve().parent, threading.Event()
    filler = mount / "filler"

    def fill() -> None:
        with filler.open("wb") as file, suppress(OSError):
            file.write(PIECE * (DISK_BYTES * 8 // 10 // len(PIECE)))
            file.flush()
            while not over.wait(0.3):
                file.write(PIECE)
                file.flush()

    filling = threading.Thread(target=fill, name="fill")
    with play(calm):
        filling.start()
        try:
            yield
        finally:
            over.set()
            filling.join()
            filler.unlink()


@contextmanager
def archive_gone(calm: Up, watch: Watch) -> Iterator[None]:
    """As a mount that is lost: the way to it leads nowhere."""
    folder = (calm.home / "archive").resolve()
    with play(calm):
        os.rename(folder, folder.with_name("elsewhere"))
        try:
            yield
        finally:
            os.rename(folder.with_name("elsewhere"), folder)


APART_CAUSE = Cause(
    alerts=("BotWaitsLong",), what="two bots of a game attend different referees", do=apart,
    then=at_one_referee,
    fires_within=420.0,
)  # fmt: skip
"""Beside all others: it takes five minutes, and is of another game."""
CAUSES = (
    Cause(
        alerts=("ManyBotFaults", "ManyBotsPaused"), what="eight of ten bots misbehave",
        do=bots_at_fault, fires_within=120.0,
    ),
    Cause(
        alerts=("ManyCancelled", "SeatsUneven"), what="an operator cancels one side's matches",
        do=operator_cancels,
        then=matches_are_played_out, fires_within=120.0,
    ),
    Cause(
        alerts=("PairingsUneven",), what="quick bots with many places beside slow ones with one",
        do=three_play_most, fires_within=120.0,
    ),
    Cause(alerts=("RefereesFull",), what="bots want more matches than fit", do=more_than_room),
    Cause(
        alerts=("ArchiveFillsUp", "ArchiveAlmostFull"), what="the archive's disk is filled",
        do=disk_filled, fires_within=180.0,
    ),
    Cause(
        alerts=("ArchiveGone", "JobsFail"), what="the archive is moved away", do=archive_gone,
        fires_within=120.0,
    ),
)  # fmt: skip
