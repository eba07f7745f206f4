"""
Ends what a parent leaves behind when it dies without a word, kill -9 included.

Run as a file by `supervise`, with the standard library alone, so that it starts in milliseconds.
`run` takes the place of each child and asks Linux to end it with its parent. `watch` is one process
beside them all, for what the first way cannot reach: children of children, other systems, folders.
"""

import os
import shutil
import signal
import sys
import time

PR_SET_PDEATHSIG = 1
PATIENCE_SECONDS = 3.0
"""How long a group that was asked politely has before it is killed."""


def run(parent: int, ending: int, command: list[str]) -> None:
    """Become `command`, ended by the signal `ending` when `parent` dies."""
    if sys.platform.startswith("linux"):
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, ending)
    if os.getppid() != parent:  # it died before we could ask
        sys.exit(1)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        print(f"{command[0]}: cannot be run: {error.strerror}", file=sys.stderr)
        sys.exit(127)


def watch() -> None:
    """
    Read what to end from standard input, and end it when that closes.

    Lines: `+ GROUP SIGNAL` a group of processes and how to ask it; `- GROUP` it is gone;
    `folder PATH` one to remove at the end.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups: dict[int, int] = {}
    folders: list[str] = []
    for line in sys.stdin:
        verb, _, rest = line.rstrip("\n").partition(" ")
        if verb == "+":
            group, ending = rest.split()
            groups[int(group)] = int(ending)
        elif verb == "-":
            groups.pop(int(rest), None)
        elif verb == "folder":
            folders.append(rest)
    end(groups)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def end(groups: dict[int, int]) -> None:
    """Ask every group to end, wait a little, and kill what is left."""
    for group, ending in groups.items():
        send(group, ending)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while any(lives(group) for group in groups):
        if time.monotonic() > deadline:
            for group in groups:
                send(group, signal.SIGKILL)
            return
        time.sleep(0.02)


def send(group: int, number: int) -> bool:
    """Whether the group was there to be sent to."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def lives(group: int) -> bool:
    """Whether the group has a process that is more than an entry nobody has collected yet."""
    if not send(group, 0):
        return False
    try:
        with open(f"/proc/{group}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return True


if __name__ == "__main__":
    if sys.argv[1] == "watch":
        watch()
    else:
        run(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
