"""
What a match more costs a referee in memory: 64 bots play 64 matches at once, then 256.

The value is the KiB by which a match more raises the most memory that the referee had resident. A
match that does not end by the rules, as by a timeout, fails the bar.
"""

from matchmaker.tools.bench.processes import Helper, socket_folder
from referee.games import names
from tests.bars import Measured

AT_MOST_KIB = 300.0
BOTS, FEW, MANY = 64, 64, 256


def measure(small: bool) -> Measured:
    share = 4 if small else 1
    growth, endings = {}, {}
    for game in ("skirmish",) if small else names():
        growth[game], endings[game] = play(game, BOTS // share, FEW // share, MANY // share)
    value = max(growth.values())
    fine = all(set(found) == {"ending normal"} for found in endings.values())
    return Measured(
        value=value,
        limit=AT_MOST_KIB,
        ok=fine and value <= AT_MOST_KIB,
        notes=f"KiB a match {growth}, {endings}",
    )


def play(game: str, bots: int, few: int, many: int) -> tuple[float, dict[str, int]]:
    """KiB a match from `few` at once to `many`, and how all of them ended."""
    with socket_folder() as folder:
        address = f"unix:{folder}/referee.sock"
        with Helper("host", address, game, str(bots)) as host:
            tokens = host.hear()
            with Helper("bots", "attend", address, game, *tokens):
                missing = host.ask("attend")["missing"]
                assert not missing, missing
                before = host.ask(f"at once {few}")["peak_kib"]
                after = host.ask(f"at once {many}")
    endings = {what: n for what, n in after.items() if what.startswith("ending ")}
    assert after["matches"] == few + many, endings
    return round((after["peak_kib"] - before) / (many - few), 1), endings
