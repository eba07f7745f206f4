"""Every page of a demo, by name: what the tests walk through and what is looked at."""

from __future__ import annotations

from tests.web.ladder import FAULTS, GAME, LONG, TOURNAMENTS, Demo

SIZES = {"wide": 1600, "narrow": 360}
"""In pixels."""
SCHEMES = ("light", "dark")


def every(demo: Demo) -> dict[str, str]:
    """Path by name; a hash is where the viewer begins."""
    normal = demo.normal()
    match = where(normal)
    watch = f"/matches/{normal['match']}/watch?at={normal['position']}"
    middle = int(normal["decisions"]) // 2
    lost = {ending: demo.lost_by(ending) for ending in FAULTS.values()}
    return {
        "front": "/",
        "leaderboard": f"/games/{GAME}",
        "bots": "/bots",
        "bot": "/bots/greedy",
        "bot-hostile": "/bots/writer",
        "bot-long-name": f"/bots/{LONG}",
        "bot-at-fault": "/bots/sleeper",
        "matches": "/matches",
        "matches-filtered": "/matches?bot=greedy&game=stalingrad&ending=normal&standing=rated",
        "matches-none": "/matches?bot=greedy&ending=protocol",
        "match": match,
        **{f"match-{ending}": where(row) for ending, row in lost.items()},
        "match-hostile": where(demo.matches(bot="writer")[0]),
        "ledger": match.replace("?", "/ledger?"),
        "ledger-at-fault": f"{where(lost['illegal']).replace('?', '/ledger?')}&end=1",
        "watch-begin": f"{watch}#viewer=all&step=0",
        "watch-middle": f"{watch}#viewer=all&step={middle}",
        "watch-seat": f"{watch}#viewer=0&step={middle // 2}",
        "watch-public": f"{watch}#viewer=public&step={middle // 2}",
        "watch-end": f"{watch}#viewer=all&step=99999",
        "tournaments": "/tournaments",
        **{f"tournament-{name}": f"/tournaments/{name}" for name in TOURNAMENTS},
        "health": "/health",
        "protocol": "/protocol",
        "api": "/api",
        "not-found": "/bots/nobody",
    }


def where(row: dict[str, object]) -> str:
    return f"/matches/{row['match']}?at={row['position']}"
