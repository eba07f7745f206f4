"""One referee process: settings, doors, store, signals."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import threading
from typing import Any

import grpc
import structlog
from prometheus_client import start_http_server
from redis import exceptions
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from referee import logs
from referee.engine.errors import WarladderError
from referee.metrics import Metrics
from referee.server import door
from referee.server.config import BadSetting, Config, read_config
from referee.server.ladder import LadderReferee
from referee.server.limits import Limits
from referee.server.looptime import loop_factory, settle_memory
from referee.store.journal import AWAY
from referee.store.waiting import refuses, shown, why

log = structlog.get_logger("warladder.referee")

STORE_SECONDS = 5.0
"""An answer that takes longer is none."""
LONGEST_WAIT_SECONDS = 2.0
WRONG_USE = 2


def connect(url: str) -> Redis:
    """
    Make the store's client: it never waits without a limit, and those who use it retry.

    Raises:
        BadSetting: The URL cannot be one.
    """
    try:
        return Redis.from_url(
            url,
            socket_timeout=STORE_SECONDS,
            socket_connect_timeout=STORE_SECONDS,
            retry=Retry(NoBackoff(), 0),
        )
    except ValueError as fault:
        raise BadSetting(f"WARLADDER_REDIS_URL={shown(url)!r}: {fault}") from None


async def wait_for_store(redis: Redis, url: str) -> None:
    """Wait until the store answers; says once that it waits."""
    wait, said = 0.1, False
    while True:
        try:
            await redis.ping()
        except exceptions.AuthenticationError as fault:
            raise BadSetting(f"WARLADDER_REDIS_URL={shown(url)}: {fault}") from None
        except AWAY as fault:
            if refuses(fault):
                raise BadSetting(f"WARLADDER_REDIS_URL={shown(url)}: {fault}") from None
            if not said:
                log.warning("redis_away", redis=shown(url), fault=why(fault))
                said = True
            await asyncio.sleep(wait)
            wait = min(2 * wait, LONGEST_WAIT_SECONDS)
        except exceptions.RedisError as fault:  # it answers, but will never serve us so
            raise BadSetting(f"WARLADDER_REDIS_URL={shown(url)}: {fault}") from None
        else:
            if said:
                log.info("redis_back", redis=shown(url))
            return


async def serve(config: Config, limits: Limits | None = None) -> None:
    """Run until SIGTERM or SIGINT; a second one ends it at once."""
    limits = limits or Limits()
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, _stop, stopping)
    metrics = Metrics()
    redis = connect(config.redis_url)
    servers: list[grpc.aio.Server] = []
    try:
        starting = asyncio.ensure_future(wait_for_store(redis, config.redis_url))
        stop = asyncio.ensure_future(stopping.wait())
        await asyncio.wait((starting, stop), return_when=asyncio.FIRST_COMPLETED)
        stop.cancel()
        if not starting.done():
            starting.cancel()
            return
        starting.result()
        referee = LadderReferee(config, redis, metrics, limits)
        settle_memory()
        public = door.new_server(limits.received_bytes)
        public.add_generic_rpc_handlers((door.bot_handlers(referee.hall, referee.authenticate),))
        health = door.Health(public, [door.SERVICE])
        internal = door.new_server(limits.received_bytes)
        internal.add_generic_rpc_handlers(
            (door.internal_handlers(referee, config.internal_secret),)
        )
        listening = door.listen(public, config.listen, _credentials(config))
        referee.address = config.advertise or listening
        referee.internal_address = door.listen(internal, config.internal_listen)
        referee.hall.addresses = (referee.address,)
        if config.metrics_port is not None:
            _serve_metrics(config.metrics_port, metrics)
        servers = [internal, public]
        await internal.start()
        await public.start()
        await health.serving(True)
        referee.start()  # says that it is there, when it is
        log.info("referee_serves", referee=config.name, address=referee.address)
        stop = asyncio.ensure_future(stopping.wait())
        await asyncio.wait((stop, referee.broken), return_when=asyncio.FIRST_COMPLETED)
        stop.cancel()
        await health.serving(False)
        if referee.broken.done():
            referee.broken.result()
        await referee.leave(config.drain_seconds)
    finally:
        for server in servers:
            await server.stop(0.5)
        await door.calls_done()
        await redis.aclose()


def _stop(stopping: asyncio.Event) -> None:
    if stopping.is_set():
        os._exit(130)  # asked twice: nothing is worth waiting for
    stopping.set()


def _credentials(config: Config) -> grpc.ServerCredentials | None:
    if config.tls is None:
        return None
    certificate, key = config.tls
    pair = key.read_bytes(), certificate.read_bytes()
    if config.tls_client_ca is None:
        return grpc.ssl_server_credentials([pair])
    return grpc.ssl_server_credentials(
        [pair],
        root_certificates=config.tls_client_ca.read_bytes(),
        require_client_auth=True,
    )


def _serve_metrics(port: int, metrics: Metrics) -> tuple[Any, threading.Thread]:
    """Scrapes are answered by a thread of their own, off the event loop."""
    try:
        return start_http_server(port, addr="127.0.0.1", registry=metrics.registry)
    except OSError as fault:
        raise BadSetting(
            f"WARLADDER_METRICS_PORT={port}: {fault.strerror}; choose another port"
        ) from None


def run(config: Config | None = None, listen: str | None = None) -> int:
    """
    Run one referee process.

    Args:
        config: None reads it from the environment.
        listen: The option `--listen`; it goes before the environment.

    Returns:
        The exit code.
    """
    logs.of_process()
    try:
        settled = read_config(os.environ, listen) if config is None else config
        _calm_collector()
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            runner.run(serve(settled))
    except (BadSetting, door.BadAddress) as fault:
        print(f"referee: {fault}", file=sys.stderr, flush=True)
        return WRONG_USE
    except (WarladderError, exceptions.RedisError) as fault:
        print(f"referee: {fault}", file=sys.stderr, flush=True)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _calm_collector() -> None:
    """
    Leave what is there for ever out of collections, and collect less often.

    A full collection over hundreds of matches takes longer than a bot's clock may feel; sessions
    and streams are taken apart when they end, so little is left to collect.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
