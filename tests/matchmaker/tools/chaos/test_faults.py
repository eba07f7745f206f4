"""The plan of a chaos run."""

from matchmaker.tools.chaos.faults import KILL, WEIGHTS, plan


def test_the_same_seed_gives_the_same_faults() -> None:
    assert list(plan("s", 50, 1.0, 30.0)) == list(plan("s", 50, 1.0, 30.0))
    assert list(plan("s", 50, 1.0, 30.0)) != list(plan("t", 50, 1.0, 30.0))


def test_every_kind_comes_and_none_lasts_too_long() -> None:
    faults = list(plan("s", 400, 1.0, 30.0))
    assert {(fault.kind, fault.role) for fault in faults} == set(WEIGHTS)
    assert all(fault.seconds <= 30.0 for fault in faults)
    assert any(fault.seconds > 15.0 for fault in faults)
    assert all(fault.seconds == 0.0 for fault in faults if fault.kind == KILL)
