"""`warladder replay show`: where each decision's time went."""

from matchmaker.tools.replay import course
from tests.helpers.matches import record
from tests.helpers.sessions import Table


def test_each_decision_shows_where_its_time_went() -> None:
    table = Table(record())
    table.time.pass_seconds(0.25)
    table.play()
    for seat in (0, 1):
        lines = course(table.session.record, table.entries, seat)
        shown = [line for line in lines if line.startswith("    ms: charged")]
        ledgers = [choice.ledger for choice in table.choices if choice.seat == seat]
        assert len(shown) == len(ledgers)
        for line, ledger in zip(shown, ledgers, strict=True):
            assert line.startswith(f"    ms: charged {ledger.charged_ms}, with the bot")
            assert line.endswith(f"bank {ledger.bank_ms}")
    assert table.choices[0].ledger.charged_ms == 250
