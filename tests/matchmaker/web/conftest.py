"""A ladder of real matches behind the web application, asked without a network."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from prometheus_client import CollectorRegistry

from matchmaker.connection import Ladder
from matchmaker.keys import Keys
from matchmaker.metrics import WebMetrics
from matchmaker.web.app import Web
from tests.helpers.redis_server import RedisServer
from tests.helpers.stage import Stage
from tests.matchmaker.web.site import Site


def site_of(connection: redis.Redis, keys: Keys, folder: Path) -> Site:
    ladder = Ladder(redis=connection, namespace=keys.namespace, archive=str(folder / "archive"))
    registry = CollectorRegistry()
    return Site(Web(ladder, WebMetrics(registry)), registry)


@pytest.fixture
def site(connection: redis.Redis, keys: Keys, tmp_path: Path) -> Site:
    """Of an empty ladder, or of what the test puts there."""
    return site_of(connection, keys, tmp_path)


@pytest.fixture(scope="module")
def played(
    server: RedisServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Stage, Site]]:
    """A ladder of three bots with some closed matches; to be read only."""
    folder = tmp_path_factory.mktemp("ladder")
    keys = Keys(f"web{folder.name}")
    with redis.Redis.from_url(server.url) as client:
        stage = Stage(client, keys, folder, target=12)
        stage.go(20)
        stage.settle()
        yield stage, site_of(client, keys, folder)
