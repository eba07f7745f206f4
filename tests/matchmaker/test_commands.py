"""What a match costs the store: commands counted by the store itself, those in scripts too."""

from pathlib import Path

import redis

from matchmaker.keys import Keys
from matchmaker.ladder import LadderRules
from matchmaker.log import Log
from tests.helpers.stage import Stage

AT_MOST = 70
"""Found: 61.2, with a share of rounds and jobs; what a worker's loop needs is not here."""


def commands(connection: redis.Redis) -> int:
    return sum(row["calls"] for row in connection.info("commandstats").values())


def test_a_match_among_sixteen_needs_few_commands(
    connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    """From pairing to rating; its journal goes in one call, as a referee's would in a few."""
    rules = LadderRules(game="skirmish", patience_ms=0, options={"rounds": 1})
    stage = Stage(connection, keys, tmp_path, "abcdefgh", rules=rules, places=4)
    stage.go(1)
    log = Log(connection, keys)
    first, before = log.position(), commands(connection)
    stage.go(3)
    closed = log.position() - first
    assert closed >= 32, "many matches share a round"
    assert (commands(connection) - before) / closed <= AT_MOST
