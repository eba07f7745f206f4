"""What a chaos run tells of alerts: when each began to fire, and after which fault."""

from typing import Any

import pytest

from matchmaker.errors import WrongUse
from matchmaker.tools import chaos
from matchmaker.tools.chaos.alerts import Alerts, before
from matchmaker.tools.chaos.stage import Done

NOWHERE = "http://127.0.0.1:1"


def done(kind: str, name: str) -> Done:
    role = name.partition("-")[0]
    return Done(kind=kind, role=role, name=name, begin_ms=1, end_ms=1)


def alert(name: str, state: str = "firing", **labels: str) -> dict[str, Any]:
    return {"labels": {"alertname": name, "ladder": "chaos", **labels}, "state": state}


def test_an_alert_tells_of_its_own_processs_last_fault() -> None:
    faults = [done("kill", "referee-1"), done("stop", "worker-2"), done("kill", "bot-03")]
    assert before(faults, "referee-1") == "kill referee"
    assert before(faults, "worker-2") == "stop worker"
    assert before([*faults, done("stop", "referee-1")], "referee-1") == "stop referee"
    assert before(faults, "worker-1") == "unassigned", "nothing was done to it"
    assert before(faults, "") == "unassigned", "it tells of the whole ladder"
    assert before([], "") == "nothing"
    assert before([], "referee-1") == "nothing"


def test_each_beginning_is_counted_once() -> None:
    faults: list[Done] = []
    alerts = Alerts(NOWHERE, faults)
    faults.append(done("kill", "redis"))
    alerts._note([alert("NoLeader"), alert("ProcessDown", "pending", process="worker-1")])
    alerts._note([alert("NoLeader")])
    faults.append(done("stop", "worker-1"))
    alerts._note([alert("ProcessDown", process="worker-1"), alert("NoLeader")])
    alerts._note([])
    alerts._note([alert("NoLeader")])
    assert alerts.report() == {
        "NoLeader": {"unassigned": 2},
        "ProcessDown": {"stop worker": 1},
    }


def test_without_a_prometheus_it_says_so() -> None:
    with pytest.raises(WrongUse, match="no Prometheus answers there"):
        Alerts(NOWHERE, []).ask("alerts")


def test_the_list_of_processes_needs_a_place() -> None:
    with pytest.raises(WrongUse, match="needs --keep DIR"):
        chaos.run(
            faults=1, json=False, seed=None, longest=1.0, game=None, keep=None, prometheus=NOWHERE
        )
