"""
One web process: `warladder web`. It only reads; a crash of it hurts nobody.

One thread answers, a few others read the store and make pages.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager

import structlog
import uvicorn

from matchmaker import metrics
from matchmaker.connection import Ladder
from matchmaker.daemon import Stop, main, wait_for_redis
from matchmaker.errors import WrongUse
from matchmaker.metrics import WebMetrics
from matchmaker.ports import obstacle
from matchmaker.settings import WebConfig, connect, web_config
from matchmaker.web.app import Web

LEAVE_SECONDS = 1
"""Answers under way have so long when the process is told to stop."""
BACKLOG = 512
SWITCH_SECONDS = 0.0005
"""
So long a thread that makes a page may keep the one that answers waiting, which has little to do:
with Python's own 5 ms all who ask meanwhile get their answer that much later.
"""
MOST_AT_ONCE = 1_024
"""Connections that are looked after; one more is told to come back."""

logger = structlog.get_logger()


class Server(uvicorn.Server):
    """Serves until told to stop; signals are our own business."""

    def __init__(self, config: uvicorn.Config, web: Web, stop: Stop) -> None:
        super().__init__(config)
        self.web = web
        self.stop = stop

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._told, number)
        yield

    def _told(self, number: int) -> None:
        self.stop.asked = self.stop.asked or number
        self.web.live.close()
        self.should_exit = True

    async def startup(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]
        await super().startup(None)
        if self.started and self.servers:
            host, port = self.servers[0].sockets[0].getsockname()[:2]
            shown = f"[{host}]" if ":" in host else host
            logger.info("web_serves", address=f"http://{shown}:{port}/")


def run(config: WebConfig) -> int:
    """
    Serve pages until told to stop.

    Raises:
        WrongUse: The address cannot be listened on.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    registry = metrics.process_registry()
    shown = WebMetrics(registry)
    if config.metrics_port is not None:
        metrics.serve(registry, config.metrics_port)
    stop = Stop()
    stop.install()
    why = obstacle(config.host, config.port)
    if why:
        raise WrongUse(f"{config.named}={config.host}:{config.port}: {why}")
    connection = connect(config.redis_url)
    if not wait_for_redis(connection, config.redis_url, stop):
        return stop.code
    web = Web(
        Ladder(redis=connection, namespace=config.namespace, archive=str(config.archive)), shown
    )
    server = Server(
        uvicorn.Config(
            web.asgi,
            host=config.host,
            port=config.port,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws="none",
            backlog=BACKLOG,
            limit_concurrency=MOST_AT_ONCE,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=LEAVE_SECONDS,
        ),
        web,
        stop,
    )
    server.run()
    if not server.started:
        raise WrongUse(f"{config.named}={config.host}:{config.port}: cannot be listened on")
    logger.info("web_stopped")
    return stop.code


if __name__ == "__main__":
    sys.exit(main("web", web_config, run))
