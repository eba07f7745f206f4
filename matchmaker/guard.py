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
    if not os.path.isdir("/proc/self"):
        return True
    # Its leader may be gone, or an uncollected entry, while others of the group run on.
    others = (name for name in os.listdir("/proc") if name.isdecimal())
    return runs_in(str(group), group) or any(runs_in(name, group) for name in others)


def runs_in(process: str, group: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as stat:
            state, _, its_group = stat.read().rpartition(")")[2].split()[:3]
    except OSError:  # it has just gone
        return False
    return state not in "ZX" and int(its_group) == group


if __name__ == "__main__":
    if sys.argv[1] == "watch":
        watch()
    else:
        run(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
