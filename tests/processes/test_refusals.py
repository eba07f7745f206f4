"""A Redis that answers but will never serve us is a wrong setting, not one to wait for."""

from collections.abc import Iterator

import pytest
import redis

from matchmaker import daemon, settings
from matchmaker.errors import WrongUse
from referee.server import main
from referee.server.config import BadSetting
from tests.helpers.redis_server import redis_server

pytestmark = pytest.mark.timeout(20)


@pytest.fixture(params=["no such database", "a password is asked for"])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    with redis_server() as store:
        if request.param == "no such database":
            yield f"{store.url}?db=99"
            return
        with redis.Redis.from_url(store.url) as client:
            client.config_set("requirepass", "secret")
        yield store.url


def test_a_worker_and_a_matchmaker_say_so(url: str) -> None:
    with settings.connect(url) as client, pytest.raises(WrongUse, match="WARLADDER_REDIS_URL=unix"):
        daemon.wait_for_redis(client, url, lambda: False)


async def test_a_referee_says_so(url: str) -> None:
    client = main.connect(url)
    with pytest.raises(BadSetting, match="WARLADDER_REDIS_URL=unix"):
        await main.wait_for_store(client, url)
    await client.aclose()
