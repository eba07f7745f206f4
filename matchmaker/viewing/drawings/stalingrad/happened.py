"""What happens, one sentence for each kind of event."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from matchmaker.viewing.drawings.stalingrad.names import SIDES, area, card, place
from matchmaker.viewing.words import signed, words

if TYPE_CHECKING:
    from matchmaker.viewing.table import Json, Table


def _drew(e: Json, t: Table) -> str:
    what = ", ".join(card(t, each) for each in e["cards"]) or t.count(e["drawn"], "card")
    return f"{t.seat(e['seat'])} draws {what}"


def _formed(e: Json, t: Table) -> str:
    top = f", {t.name(e['top'])} on top" if e["top"] else ""
    return f"{t.seat(e['seat'])} Force deck formed{top}"


def _searched(e: Json, t: Table) -> str:
    what = card(t, e["cards"][0]) if e["cards"] else "a card"
    return f"{t.seat(e['seat'])} takes {what} from the deck"


def _peeked(e: Json, t: Table) -> str:
    which = f": {', '.join(card(t, each) for each in e['cards'])}" if e["cards"] else ""
    return f"{t.seat(e['seat'])} knows the top {t.count(e['known'], 'card')} of its deck{which}"


def _rubble(e: Json, t: Table) -> str:
    now = "destroyed" if e["destroyed"] else f"Rubble {e['rubble']}"
    return f"{place(t, e['location'])}: {now}"


def _played(e: Json, t: Table) -> str:
    targets = f" on {t.listed(e['targets'])}" if e["targets"] else ""
    return f"{t.seat(e['seat'])} plays {card(t, e['card'])}{targets}"


def _absorbed(e: Json, t: Table) -> str:
    who = t.name(e["force"]) if e["force"] else "A card"
    return f"{who} absorbs {t.count(e['absorbed'], 'Hit')} ({e['how']}), {e['hits']} left"


def _turned(e: Json, t: Table) -> str:
    side = t.seat(e["seat"])
    if e["force"]:
        return f"{t.name(e['force'])} is on top of the {side} Force deck"
    return f"The {side} Force deck is empty"


def _ended(e: Json, t: Table) -> str:
    winners = [SIDES[n] for n, rank in enumerate(e["ranks"]) if rank == 1]
    who = f"the {winners[0]} wins" if len(winners) == 1 else "a draw"
    return f"The end: {who} ({e['reason']})"


TELL: dict[str, Callable[[Json, Table], str]] = {
    "BoardLaid": lambda e, t: f"The Locations: {t.listed(e['locations'])}",
    "ForcePicked": lambda e, t: f"{t.seat(e['seat'])} picks {t.name(e['force'])}",
    "ForcePlaced": lambda e, t: f"{t.name(e['force'])} is placed in {area(t, e['area'])}",
    "ForceDeckFormed": _formed,
    "Drew": _drew,
    "DeckMade": lambda e, t: (
        f"{t.seat(e['seat'])} Action deck shuffled: {t.count(e['size'], 'card')}"
    ),
    "Searched": _searched,
    "Recovered": lambda e, t: (
        f"{t.seat(e['seat'])} takes {card(t, e['card'])} from the discard pile"
    ),
    "HandKnown": lambda e, t: f"The {t.seat(e['seat'])} deck is empty: the hand is known",
    "TurnBegan": lambda e, t: f"Round {e['round']}: {t.seat(e['seat'])} turn",
    "StepBegan": lambda e, t: f"{e['step']} begins",
    "RationsChanged": lambda e, t: (
        f"{t.name(e['force'])}: {signed(e['change'])} Rations, has {e['rations']}"
    ),
    "RubbleChanged": _rubble,
    "MoveDeclared": lambda e, t: (
        f"{t.name(e['force'])} is to move to {area(t, e['area'])} ({e['way']})"
    ),
    "MoveCancelled": lambda e, t: f"The Move of {t.name(e['force'])} is cancelled",
    "MoveForbidden": lambda e, t: f"{t.name(e['force'])} may not move in this turn",
    "Moved": lambda e, t: f"{t.name(e['force'])} moves to {area(t, e['area'])}",
    "FreeMoveUsed": lambda e, t: f"{t.name(e['force'])}: free Moves used {e['free_moves_used']}",
    "CardPlayed": _played,
    "CardCancelled": lambda e, t: f"{card(t, e['card'])} is cancelled",
    "CardVoid": lambda e, t: f"{card(t, e['card'])} can no longer be paid",
    "CardDone": lambda e, t: f"{card(t, e['card'])} is dealt with",
    "Discarded": lambda e, t: (
        f"{t.seat(e['seat'])} discards {card(t, e['card'])} from {words(e['source'])}"
    ),
    "PutInPlay": lambda e, t: f"{card(t, e['card'])} stays in play",
    "AttackDeclared": lambda e, t: (
        f"{t.seat(e['seat'])} attacks {place(t, e['location'])} with {t.listed(e['participants'])}"
    ),
    "DefendersJoined": lambda e, t: f"Defenders: {t.listed(e['defenders'])}",
    "JoinedBattle": lambda e, t: f"{t.name(e['force'])} joins the battle",
    "ForceDoubled": lambda e, t: f"{t.name(e['force'])} counts double",
    "FirefightBarred": lambda e, t: "No Firefight and no flip in this battle",
    "RetreatBarred": lambda e, t: f"{t.seat(e['seat'])} may not retreat in this battle",
    "ExtraHits": lambda e, t: f"{t.seat(e['seat'])} inflicts {t.count(e['hits'], 'extra Hit')}",
    "Peeked": _peeked,
    "BuyPoints": lambda e, t: f"{t.count(e['points'], 'point')} to buy with",
    "CombatAdded": lambda e, t: (
        f"{t.seat(e['seat'])} Forces: Combat {signed(e['combat'])} in this turn"
    ),
    "DrawBonusBarred": lambda e, t: f"{t.seat(e['seat'])} draws no cards for Locations",
    "BaseTotals": lambda e, t: f"Combat: Russian {e['base'][0]}, German {e['base'][1]}",
    "FirePlayed": lambda e, t: f"{t.seat(e['seat'])} plays {card(t, e['card'])} in the Firefight",
    "Flipped": lambda e, t: f"{t.seat(e['seat'])} flips {card(t, e['card'])}",
    "HitsFixed": lambda e, t: f"Hits: by the Russian {e['hits'][0]}, by the German {e['hits'][1]}",
    "AbsorbBegan": lambda e, t: (
        f"{t.seat(e['seat'])} absorbs {t.count(e['hits'], 'Hit')} at {place(t, e['location'])}"
    ),
    "HitsAbsorbed": _absorbed,
    "AbsorbEnded": lambda e, t: f"{t.seat(e['seat'])} has absorbed the Hits",
    "ForceDestroyed": lambda e, t: f"{t.name(e['force'])} is destroyed",
    "MedalAwarded": lambda e, t: (
        f"{t.name(e['force'])}: Heroic Service, {t.count(e['medals'], 'counter')}"
    ),
    "BattleEnded": lambda e, t: f"The battle for {place(t, e['location'])} is over",
    "Passed": lambda e, t: f"{t.seat(e['seat'])} passes ({words(e['window'])})",
    "ResupplyDeclared": lambda e, t: f"{t.seat(e['seat'])} resupplies",
    "BuyDeclared": lambda e, t: f"{t.seat(e['seat'])} buys {t.name(e['force'])} for {e['cost']}",
    "TopTurned": _turned,
    "UranusPayment": lambda e, t: f"{t.seat(e['seat'])} pays to be rid of {card(t, e['card'])}",
    "TurnEnded": lambda e, t: f"{t.seat(e['seat'])} turn ends",
    "GameEnded": _ended,
}
