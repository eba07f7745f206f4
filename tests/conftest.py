"""What every test shares: optional tools, and the closing list of what was skipped."""

import signal
from collections.abc import Callable, Generator

import pytest
from hypothesis import settings

from tests.helpers import tools

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell without job control starts what runs in its background deaf to Ctrl-C, and children
    # would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def require() -> Callable[..., str]:
    """`require("promtool")`: the path of an optional tool, or a skip that names it."""
    return tools.require


# Where a red run stops others, the same tree gives the same run; elsewhere Hypothesis explores.
settings.register_profile("explore", deadline=None)
settings.register_profile("repeat", deadline=None, derandomize=True)


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("repeat" if tools.all_required() else "explore")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With `WARLADDER_REQUIRE=all` a test that is skipped, for whatever reason, has failed."""
    report = yield
    if report.skipped and tools.all_required():
        report.outcome = "failed"
        report.longrepr = f"WARLADDER_REQUIRE=all, but skipped: {reason(report)}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for a whole file that skips itself when it is read."""
    report = yield
    if report.skipped and tools.all_required():
        report.outcome = "failed"
        report.longrepr = f"WARLADDER_REQUIRE=all, but skipped: {collector.nodeid}"
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List by name what was skipped, so that a green run says what it did not look at."""
    skipped = terminalreporter.stats.get("skipped", [])
    if not skipped:
        return
    terminalreporter.section("skipped")
    counts: dict[str, int] = {}
    for report in skipped:
        counts[reason(report)] = counts.get(reason(report), 0) + 1
    for why, tests in sorted(counts.items()):
        terminalreporter.write_line(f"{why} ({tests} {'test' if tests == 1 else 'tests'})")


def reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Why a report is a skip, without the place."""
    if isinstance(report.longrepr, tuple):
        return report.longrepr[2].removeprefix("Skipped: ")
    return str(getattr(report, "wasxfail", report.longrepr))
