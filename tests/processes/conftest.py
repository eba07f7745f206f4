"""All tests in this folder start real processes."""

import signal
from pathlib import Path

import pytest

HERE = Path(__file__).parent

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell without job control starts what runs in its background deaf to Ctrl-C, and children
    # would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.processes)
