"""The way from a command to the Redis of a ladder: one that is named, or that of a running `up`."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import redis

from matchmaker import home
from matchmaker.errors import Away, WrongUse
from matchmaker.registry import HERE
from matchmaker.settings import AWAY
from referee.store.waiting import shown


@dataclass(frozen=True, kw_only=True)
class Ladder:
    """A ladder that a command talks to."""

    redis: redis.Redis
    namespace: str
    archive: str
    """Empty if it is not known."""


def named_url() -> str | None:
    """WARLADDER_REDIS_URL, if set."""
    url = os.environ.get("WARLADDER_REDIS_URL") or None
    if url is not None:
        check(url)
    return url


def check(url: str) -> None:
    """
    Raises:
        WrongUse: It is no URL that a client takes.
    """
    try:
        redis.Redis.from_url(url).close()
    except ValueError as error:
        raise WrongUse(f"WARLADDER_REDIS_URL {shown(url)!r}: {error}") from None


def named_namespace() -> str:
    """WARLADDER_NAMESPACE: what stands before each key."""
    namespace = os.environ.get("WARLADDER_NAMESPACE") or HERE
    if not namespace.replace("-", "").replace("_", "").isalnum():
        raise WrongUse(f"WARLADDER_NAMESPACE {namespace!r}: letters, digits, '-' and '_' only")
    return namespace


def to(url: str) -> redis.Redis:
    """A client that never waits without a limit; a context, as it has connections to close."""
    return redis.Redis.from_url(url, socket_connect_timeout=5, socket_timeout=10)


@contextmanager
def ladder() -> Iterator[Ladder]:
    """
    The ladder that WARLADDER_REDIS_URL names, else that of the `up` running in WARLADDER_HOME.

    Raises:
        WrongUse: There is neither.
        Away: It does not answer, at once or in the middle.
    """
    url, namespace = named_url(), named_namespace()
    archive = os.environ.get("WARLADDER_ARCHIVE", "")
    if url is None:
        running = home.Running.read(home.folder())
        if running is None:
            raise WrongUse(
                f"no `warladder up` is running in {home.folder()};"
                " start one, or set WARLADDER_HOME or WARLADDER_REDIS_URL"
            )
        url, namespace, archive = running.redis_url, running.namespace, running.archive
    with to(url) as client:
        try:
            client.ping()
            yield Ladder(redis=client, namespace=namespace, archive=archive)
        except AWAY:
            raise Away(
                f"Redis at {shown(url)} does not answer; start it or put the address right"
            ) from None
        except redis.RedisError as error:
            raise Away(f"Redis at {shown(url)} does not serve us: {error}") from None
