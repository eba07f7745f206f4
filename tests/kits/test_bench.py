"""`bench kits` measures real bots; how good the figures are is for people to read."""

from collections.abc import Callable
from pathlib import Path

import pytest

from matchmaker.tools.bench import kits

pytestmark = pytest.mark.timeout(300)


def test_a_kit_is_measured_beside_a_bare_client(built: Callable[[str], Path]) -> None:
    found = {row.name: row for row in kits.measure_kits({"python": built("python")}, 0.5)}
    raw = next(row for name, row in found.items() if name.startswith("raw echo "))
    decisions, bot = found["python decisions"], found["python bot"]
    referee, memory = found["python referee"], found["python memory"]
    assert [decisions.unit, bot.unit, referee.unit] == ["decisions/s", "us", "us"]
    assert [decisions.raw, bot.raw] == [raw.value, raw.cpu_us]
    assert bot.value == decisions.cpu_us
    assert bot.value > 50  # a kit in Python costs more than nothing
    assert referee.raw is not None
    assert memory.value > 10
    assert len(found) == 5
