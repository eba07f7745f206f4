"""Everything on one machine, until someone stops it; its home remembers over stops and kills."""

import os
import sys
from dataclasses import dataclass

from matchmaker import connection, home, lineup, ports, targets
from matchmaker.daemon import wait_for_redis
from matchmaker.machine import Machine, Plan
from matchmaker.supervise import Supervisor
from referee import games


@dataclass(frozen=True, kw_only=True)
class Wish:
    games: tuple[str, ...]
    bots: bool
    """Whether the line-ups of the games attend too."""
    listen: str
    metrics_port: int
    referees: int
    workers: int
    redis_url: str | None
    namespace: str
    web: str
    """Where pages are served, `HOST:PORT`."""


def run(wish: Wish) -> int:
    """Run until interrupted."""
    wanted = wish.games or (lineup.default(),)
    for game in wanted:
        games.get(game)
    listen = ports.listening(wish.listen, wish.referees)
    metrics = ports.measuring(wish.metrics_port, wish.referees + wish.workers + 2)
    web = ports.showing(wish.web)
    bots = lineup.together(lineup.of(game) for game in wanted) if wish.bots else []
    place = home.folder()
    lock = home.lock(place)
    with lock, Supervisor(keep_open=[lock.fileno()]) as supervisor:
        ports.check(listen, metrics, web)
        if wish.redis_url is not None:
            with connection.to(wish.redis_url) as client:
                wait_for_redis(client, wish.redis_url, lambda: False, who="warladder up")
        plan = Plan(
            games=wanted,
            data=place / "data",
            archive=place / "archive",
            logs=place / "logs",
            runtime=supervisor.temporary_folder("warladder-"),
            namespace=wish.namespace,
            redis_url=wish.redis_url,
            listen=wish.listen,
            metrics_port=wish.metrics_port,
            referees=wish.referees,
            workers=wish.workers,
            web=wish.web,
        )
        machine = Machine(supervisor, plan)
        try:
            machine.start()
            home.Running(
                pid=os.getpid(),
                redis_url=machine.redis_url,
                namespace=plan.namespace,
                referees=tuple(machine.referees),
                archive=str(plan.archive),
                metrics=machine.metrics,
                web=machine.web,
            ).write(place)
            targets.write(place, plan.namespace, machine.metrics)
            machine.attend(bots)
            say(machine, wanted, [bot.name for bot in bots])
            while True:
                supervisor.poll(60.0)
        finally:
            (place / "up.json").unlink(missing_ok=True)
            targets.clear(place)
            machine.stop()
            print("down; everything is kept", file=sys.stderr, flush=True)


def say(machine: Machine, ladders: tuple[str, ...], bots: list[str]) -> None:
    lines = [f"ladders: {', '.join(ladders)}"]
    lines += [f"bots dial {address}" for address in machine.referees]
    lines.append(f"pages at {machine.web}")
    lines += [f"metrics of {name}: {address}" for name, address in machine.metrics.items()]
    if bots:
        lines.append(f"attending: {', '.join(bots)}")
    lines.append("up; Ctrl-C ends it")
    print("\n".join(lines), file=sys.stderr, flush=True)
