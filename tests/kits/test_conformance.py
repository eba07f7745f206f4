"""Every kit and every example of the bridge keeps to all rules of the protocol."""

import json
from collections.abc import Callable

import pytest

from matchmaker import kits
from tests.helpers.processes import warladder
from tests.kits.conftest import EXAMPLES

pytestmark = pytest.mark.timeout(700)

MATCHES = 50
"""So many at once does it say it plays: rules on many matches are looked at too."""
NOT_ASKED = {"at-once", "sealed"}
"""Rules on what the kits do not ask for, several questions at once, or the game does not have."""


@pytest.mark.parametrize("name", [*kits.folders(), *EXAMPLES])
def test_it_keeps_to_every_rule(name: str, command: Callable[..., tuple[str, ...]]) -> None:
    words = command(name, matches=MATCHES)
    ran = warladder("bot", "check", "--json", "--jobs", "4", "--", *words, seconds=300)
    told = json.loads(ran.stdout)
    assert len(told["rules"]) > 40
    assert [rule for rule in told["rules"] if rule["verdict"] == "fail"] == []
    assert {rule["rule"] for rule in told["rules"] if rule["verdict"] == "skip"} == NOT_ASKED
    assert (ran.returncode, told["ok"]) == (0, True)
