"""
Children of one parent: started, restarted with back-off, and ended with it however it ends.

Each child leads a group of its own, so a Ctrl-C in the terminal reaches the parent alone, which
ends the rest in order. What happens if the parent is killed is in `guard`.
"""

import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import FrameType, TracebackType
from typing import Self

from matchmaker.errors import FellShort, WrongUse
from matchmaker.turning import Scribe
from referee.logs import MOST_BYTES

GUARD = str(Path(__file__).with_name("guard.py"))
FIRST_DELAY_SECONDS = 0.25
LONGEST_DELAY_SECONDS = 15.0
SETTLED_SECONDS = 20.0
"""A child that ran this long starts over with the first delay."""
LONGEST_WORDS = 300
"""Of a child's last line that are passed on: a crash is one line, traceback and all."""
WRONG_USE = 2
"""Exit code of a child that another start would not help."""


class Turned(Enum):
    """Who puts a child's log aside when it is large."""

    NEVER = "never"
    """Nobody: the log goes when the run ends, or the child turns it over itself."""
    ON_ITS_WAY = "on its way"
    """We do: its outputs are a pipe, and we write the file."""
    UNDER_IT = "under it"
    """We do: it opens the file anew for each line, so the file can be renamed."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """What a child is; the same for each of its lives."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    log: Path | None = None
    """Where both its outputs go, appended; the parent's standard error if None."""
    turned: Turned = Turned.NEVER
    """How its log is kept from growing without end."""
    is_handed_the_terminal: bool = False
    """It reads the parent's standard input; both its outputs go to the parent's standard error."""
    stop: int = signal.SIGTERM
    patience_seconds: float = 3.0
    """From the stop signal to the kill."""
    ready: str = ""
    """What it writes to its log when it has come up."""
    orphan: int = signal.SIGKILL
    """What it gets when the parent dies; one that must write first takes SIGTERM."""


class Child:
    """A task and its present life, if it has one."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.process: subprocess.Popen[bytes] | None = None
        self.wanted = True
        self.starts = 0
        self.delay_seconds = FIRST_DELAY_SECONDS
        self.started = 0.0
        self.due = 0.0
        """Monotonic time of the next start, while it has no life."""
        self.pipe = -1
        """Names its present life to the scribe, if its log is written here."""
        self.log_begin = 0
        """Where in its log the present life begins."""

    @property
    def pid(self) -> int | None:
        return self.process.pid if self.process else None

    def is_ready(self) -> bool:
        """Whether the present life has said that it has come up."""
        if self.process is None or self.task.log is None:
            return False
        return self.task.ready in self._log(self.log_begin)

    def last_line(self) -> str:
        """The last line of its last life: of a child that ended, what it died of."""
        if self.task.log is None:
            return ""
        end = self.task.log.stat().st_size
        begin = self.log_begin if self.log_begin <= end else 0  # it was turned over meanwhile
        lines = self._log(max(begin, end - 4096)).strip().splitlines()
        line = lines[-1] if lines else ""
        return line if len(line) <= LONGEST_WORDS else f"{line[: LONGEST_WORDS - 1]}…"

    def _log(self, begin: int) -> str:
        assert self.task.log is not None
        with self.task.log.open("rb") as log:
            log.seek(begin)
            return log.read().decode("utf-8", "replace")


class Supervisor:
    """
    A context in which children live. Only the main thread of a process may enter one.

    SIGINT, SIGTERM and SIGHUP raise KeyboardInterrupt in the body, once; leaving the body, for
    whatever reason, stops all children, the last started first unless `stop` was called before.
    """

    def __init__(self, keep_open: Iterable[int] = (), most_log_bytes: int = MOST_BYTES) -> None:
        """
        Make one; nothing is started.

        Args:
            keep_open: Files (a lock) to hold until the last thing we left behind has gone.
            most_log_bytes: Of a child's log that is turned over here, before it is.
        """
        self._keep_open = tuple(keep_open)
        self._most_log_bytes = most_log_bytes
        self.children: dict[str, Child] = {}
        self._guard: subprocess.Popen[bytes] | None = None
        self._handlers: dict[int, Callable[[int, FrameType | None], object] | int | None] = {}
        self._held = 0
        self._signalled = False
        self._deferred = False
        """A signal came while it had to wait."""
        self._closing = False
        self._wake_read, self._wake_write = -1, -1
        self._folders: list[Path] = []

    # -- life of the context

    def __enter__(self) -> Self:
        self._scribe = Scribe(self._most_log_bytes)
        self._wake_read, self._wake_write = os.pipe()
        for end in (self._wake_read, self._wake_write):
            os.set_blocking(end, False)
        self._held = 1
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self._handlers[number] = signal.signal(number, self._on_signal)
        self._handlers[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda number, frame: None)
        self._old_wakeup = signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
        self._guard = subprocess.Popen(
            [sys.executable, "-I", "-S", GUARD, "watch"],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True,
            pass_fds=self._keep_open,
        )  # fmt: skip
        self._held = 0
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing = True
        self.stop(reversed(list(self.children)))
        if self._guard is not None and self._guard.stdin is not None:
            with suppress(BrokenPipeError):
                self._guard.stdin.close()
            self._guard.wait()
        self._scribe.close()
        for folder in self._folders:  # the guard has removed them, unless it was killed
            shutil.rmtree(folder, ignore_errors=True)
        signal.set_wakeup_fd(self._old_wakeup)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        os.close(self._wake_read)
        os.close(self._wake_write)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self._closing:  # already on the way out: once is enough
            return
        self._signalled = True
        if self._held:
            self._deferred = True
            return
        raise KeyboardInterrupt

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Let a signal wait until what is begun is done, so that no child is forgotten."""
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1
        if self._deferred and not self._held and not self._closing:
            self._deferred = False
            raise KeyboardInterrupt

    # -- folders and children

    def tell_guard(self, line: str) -> None:
        assert self._guard is not None, "enter the supervisor first"
        assert self._guard.stdin is not None
        try:
            self._guard.stdin.write(line.encode() + b"\n")
            self._guard.stdin.flush()
        except BrokenPipeError:
            if not self._closing:
                raise self._unguarded() from None

    def _unguarded(self) -> FellShort:
        return FellShort("the guard of our processes was killed; start again")

    def temporary_folder(self, prefix: str) -> Path:
        """A private folder with a short path, removed at the end even if we are killed."""
        with self._whole():
            folder = Path(tempfile.mkdtemp(prefix=prefix, dir=short_place()))
            self._folders.append(folder)
            self.tell_guard(f"folder {folder}")
        return folder

    def start(self, task: Task) -> Child:
        assert task.name not in self.children, task.name
        child = self.children[task.name] = Child(task)
        self._spawn(child)
        return child

    def _spawn(self, child: Child) -> None:
        task = child.task
        with self._whole():
            output, is_ours = self._output(child)
            try:
                child.process = subprocess.Popen(
                    [sys.executable, "-I", "-S", GUARD, "run", str(os.getpid()),
                     str(int(task.orphan)), *task.command],
                    env={**os.environ, **task.environment},
                    stdin=None if task.is_handed_the_terminal else subprocess.DEVNULL,
                    stdout=output, stderr=output, start_new_session=True,
                )  # fmt: skip
            finally:
                if output is not None and is_ours:
                    os.close(output)
            self.tell_guard(f"+ {child.process.pid} {int(task.orphan)}")
            child.starts += 1
            child.started = time.monotonic()

    def _output(self, child: Child) -> tuple[int | None, bool]:
        """Where its next life writes, and whether that is ours to close once it has begun."""
        task = child.task
        if task.is_handed_the_terminal:
            return sys.stderr.fileno(), False
        if task.log is None:
            return None, False
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        output = os.open(task.log, flags, 0o666)
        child.log_begin = os.fstat(output).st_size
        if task.turned is Turned.ON_ITS_WAY:
            os.close(output)
            output, child.pipe = self._scribe.take(task.log)
        elif task.turned is Turned.UNDER_IT:
            self._scribe.watch(task.log)
        return output, True

    # -- watching

    def poll(self, seconds: float) -> None:
        """
        Wait until a child ends, but at most `seconds`; start again those that are due.

        Raises:
            WrongUse: A child says that it was asked for something impossible.
            FellShort: The guard is gone; nothing would end with us.
            KeyboardInterrupt: A signal asked us to end.
        """
        assert self._guard is not None, "enter the supervisor first"
        if self._guard.poll() is not None:
            raise self._unguarded()
        if self._signalled:  # whoever ran when it was raised has swallowed it
            raise KeyboardInterrupt
        now = time.monotonic()
        dues = [
            child.due - now
            for child in self.children.values()
            if child.wanted and child.process is None
        ]
        wait = max(0.0, min([seconds, *dues]))
        if select.select([self._wake_read], [], [], wait)[0]:
            os.read(self._wake_read, 4096)
        for child in list(self.children.values()):
            if child.process is not None and child.process.poll() is not None:
                self._ended(child)
            elif child.process is None and child.wanted and time.monotonic() >= child.due:
                self._spawn(child)

    def _ended(self, child: Child) -> None:
        code, lived = self._collect(child), time.monotonic() - child.started
        if not child.wanted:
            return
        if code == WRONG_USE and child.starts == 1:
            child.wanted = False
            line = child.last_line() or "it ended with exit code 2"
            kind = child.task.name.partition("-")[0]
            line = line.removeprefix("warladder ").removeprefix(f"{kind}: ")
            raise WrongUse(f"{child.task.name}: {line}")
        if lived > SETTLED_SECONDS:
            child.delay_seconds = FIRST_DELAY_SECONDS
        child.due = time.monotonic() + child.delay_seconds
        child.delay_seconds = min(2 * child.delay_seconds, LONGEST_DELAY_SECONDS)

    def _collect(self, child: Child) -> int:
        """Forget a life that has ended, with whatever else is left of its group."""
        with self._whole():
            assert child.process is not None
            code = child.process.wait()
            kill_group(child.process.pid, signal.SIGKILL)
            self.tell_guard(f"- {child.process.pid}")
            child.process = None
            if child.pipe >= 0:
                self._scribe.finish(child.pipe)
                child.pipe = -1
        return code

    def wait_for(self, what: str, ready: Callable[[], bool], seconds: float) -> None:
        """Poll until `ready` says so."""
        deadline = time.monotonic() + seconds
        while not ready():
            if time.monotonic() > deadline:
                raise FellShort(f"{what} did not come up within {seconds:g} s{self.complaints()}")
            self.poll(0.02)

    def complaints(self) -> str:
        """The last words of children that have no life at the moment."""
        words = [
            f"{child.task.name}: {child.last_line()}"
            for child in self.children.values()
            if child.process is None and child.wanted and child.last_line()
        ]
        return "".join(f"; {word}" for word in words)

    # -- ending

    def stop(self, names: Iterable[str]) -> None:
        """Ask these children to end, one after the other; each has its patience, then is killed."""
        for name in list(names):
            self.stop_together([name])

    def stop_together(self, names: Iterable[str]) -> None:
        """The same for children that do not need one another to end well."""
        with self._whole():
            children = [self.children.pop(name) for name in list(names) if name in self.children]
            for child in children:
                child.wanted = False
            self._end(children)

    def _end(self, children: list[Child]) -> None:
        for child in children:
            if child.process is not None:
                kill_group(child.process.pid, child.task.stop)
        for child in children:
            if child.process is None:
                continue
            patience = child.task.patience_seconds
            try:
                child.process.wait(patience)
            except subprocess.TimeoutExpired:
                kill_group(child.process.pid, signal.SIGKILL)
            self._collect(child)


def kill_group(group: int, number: int) -> None:
    """Send a signal to a group that may already be gone."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return


def short_place() -> str | None:
    """
    Where folders with sockets go: a socket's path may have 108 bytes (104 on some systems).

    Returns:
        None for the system's own choice.
    """
    place = os.environ.get("XDG_RUNTIME_DIR", "")
    if place and len(place) <= 40 and os.access(place, os.W_OK):
        return place
    return "/tmp" if os.access("/tmp", os.W_OK) else None
