"""All processes of a ladder on one machine, as children of one supervisor."""

import secrets
import socket
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from matchmaker import connection, embedded, registry
from matchmaker.lineup import Entry
from matchmaker.supervise import Supervisor, Task, Turned
from referee.filenames import file_name
from referee.logs import LOG_FILE

UP_SECONDS = 60.0
"""How long each process may take to come up on a busy machine."""
READY = {
    "referee": "event=referee_serves",
    "worker": "event=worker_started",
    "matchmaker": "event=matchmaker_started",
    "web": "event=web_serves",
}
"""What each process logs when it has come up."""
LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What runs, and where it keeps what."""

    games: tuple[str, ...]
    data: Path
    """The server's file, the ladder's key."""
    archive: Path
    logs: Path
    runtime: Path
    """Short private folder for sockets."""
    namespace: str
    redis_url: str | None
    """A server to use instead of the embedded one."""
    listen: str | None = None
    """Where bots dial in; a socket in `runtime` if None."""
    metrics_port: int | None = None
    """The first of as many ports as there are processes; free ones if None."""
    referees: int = 1
    workers: int = 1
    pace: str = ""
    """How outcomes of paced decisions are held back; what the environment says if empty."""
    matches: int | None = None
    """Stop pairing when so many are rated; never if None."""
    web: str | None = None
    """Where pages are served, `HOST:PORT`; port 0 takes a free one; no pages if None."""


class Machine:
    def __init__(self, supervisor: Supervisor, plan: Plan) -> None:
        self.supervisor = supervisor
        self.plan = plan
        self.redis_url = plan.redis_url or embedded.url(plan.runtime / "redis.sock")
        self.referees: list[str] = []
        """Addresses that bots dial."""
        self.metrics: dict[str, str] = {}
        """Address of each process's metrics."""
        self.web = ""
        """Address of the front page; empty if no pages are served."""
        self._servers: list[str] = []
        self._bots: list[str] = []
        self._shared = {
            "WARLADDER_REDIS_URL": self.redis_url,
            "WARLADDER_NAMESPACE": plan.namespace,
            "WARLADDER_ARCHIVE": str(plan.archive),
            "WARLADDER_INTERNAL_SECRET": secrets.token_hex(16),
        }

    # -- starting

    def start(self) -> None:
        """Start the server and every process of ours, and wait until they have come up."""
        for folder in (self.plan.data, self.plan.archive, self.plan.logs):
            folder.mkdir(parents=True, exist_ok=True)
        self._shared["WARLADDER_LADDER_KEY"] = self._ladder_key()
        if self.plan.redis_url is None:
            self.start_redis()
        else:
            embedded.wait_for_named(self.plan.redis_url, 5.0)
        for number in range(1, self.plan.referees + 1):
            self._start_referee(number)
        for number in range(1, self.plan.workers + 1):
            self._start(f"worker-{number}", "worker", {})
        pairing = {"WARLADDER_GAMES": ",".join(self.plan.games)}
        if self.plan.pace:
            pairing["WARLADDER_PACE"] = self.plan.pace
        if self.plan.matches is not None:
            pairing["WARLADDER_MATCHES"] = str(self.plan.matches)
        self._start("matchmaker", "matchmaker", pairing)
        if self.plan.web is not None:
            self._start_web(self.plan.web)
        for name in self._servers:
            self.supervisor.wait_for(name, self.supervisor.children[name].is_ready, UP_SECONDS)

    def start_redis(self) -> None:
        embedded.start(
            self.supervisor,
            self.plan.data / "redis",
            self.plan.runtime / "redis.sock",
            self.plan.logs / "redis.log",
        )

    def _start_referee(self, number: int) -> None:
        name = f"referee-{number}"
        if self.plan.listen is None:
            address = f"unix:{self.plan.runtime / name}.sock"
        else:
            host, _, port = self.plan.listen.rpartition(":")
            address = f"{host}:{int(port) + number - 1}"
        self.referees.append(address)
        self._start(
            name,
            "referee",
            {
                "WARLADDER_REFEREE_NAME": name,
                "WARLADDER_REFEREE_LISTEN": address,
                "WARLADDER_INTERNAL_LISTEN": f"unix:{self.plan.runtime / name}-internal.sock",
            },
        )

    def _start_web(self, listen: str) -> None:
        host, _, port = listen.rpartition(":")
        listen = f"{host}:{int(port) or free_port()}"  # the same again after a crash
        self.web = f"http://{listen}/"
        self._start("web", "web", {"WARLADDER_WEB_LISTEN": listen})

    def _start(self, name: str, what: str, environment: dict[str, str]) -> None:
        if self.plan.metrics_port is None:
            port = free_port()
        else:
            port = self.plan.metrics_port + len(self._servers)
        self.metrics[name] = f"http://{LOOPBACK}:{port}/metrics"
        self._servers.append(name)
        log = self.plan.logs / f"{name}.log"
        self.supervisor.start(
            Task(
                name=name,
                command=(sys.executable, "-P", "-m", "matchmaker", what),
                environment={
                    **self._shared,
                    **environment,
                    "WARLADDER_METRICS_PORT": str(port),
                    LOG_FILE: str(log),
                    # What the transport's C code has to say is no event, and anybody who dials
                    # in wrongly makes it say something.
                    "GRPC_VERBOSITY": "NONE",
                },
                log=log,
                ready=READY[what],
            )
        )

    def _ladder_key(self) -> str:
        """The key of receipts: made once, kept beside the data, since a new one voids the old."""
        file = self.plan.data / "ladder.key"
        if not file.exists():
            file.touch(mode=0o600)
            file.write_text(secrets.token_hex(32) + "\n")
        return file.read_text().strip()

    # -- bots

    def attend(self, entries: Iterable[Entry]) -> None:
        """Let the bots of a line-up attend, each in a process of its own, with a fresh token."""
        with connection.to(self.redis_url) as client:
            for entry in entries:
                token = registry.admit(
                    client, entry.name, entry.author,
                    house=True, by="up", why="its line-up attends", namespace=self.plan.namespace,
                )  # fmt: skip
                name = f"bot {entry.name}"
                self._bots.append(name)
                self.supervisor.start(
                    Task(
                        name=name,
                        command=entry.command,
                        environment={
                            "WARLADDER_REFEREE": self.referees[0],
                            "WARLADDER_TOKEN": token,
                        },
                        log=self.plan.logs / f"bot-{file_name(entry.name)}.log",
                        turned=Turned.ON_ITS_WAY,
                        patience_seconds=1.0,
                    )
                )

    # -- ending

    def stop(self) -> None:
        """
        End all in an order in which nobody is blamed for our leaving.

        Referees go before the bots, so that a bot's end is no fault in a match that goes on when
        all start again; the server goes last, when everything is written.
        """
        self.supervisor.stop_together(name for name in self._servers if "referee" not in name)
        self.supervisor.stop_together(name for name in self._servers if "referee" in name)
        self.supervisor.stop_together(self._bots)
        if self.plan.redis_url is None:
            self.supervisor.stop([embedded.NAME])


def free_port() -> int:
    """A port that nothing on this machine listens on now."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])
