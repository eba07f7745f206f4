"""Battle for Stalingrad as the engine knows it."""

from __future__ import annotations

from typing import Any

from referee.engine import Facts, Game, Kind
from referee.engine.errors import BadSave, WarladderError
from referee.games.stalingrad import events, load
from referee.games.stalingrad.book import book
from referee.games.stalingrad.imagine import imagine
from referee.games.stalingrad.options import OPTIONS, Config, config
from referee.games.stalingrad.setup import SetUp, lay_locations, shuffle_decks
from referee.games.stalingrad.state import Stalingrad
from referee.games.stalingrad.victory import REASONS
from referee.games.stalingrad.view import View
from referee.games.stalingrad.vocabulary import ABSORB, WINDOWS

KINDS: dict[str, Kind] = {
    "setup_pick": Kind(),
    "setup_place": Kind(),
    "place_ration": Kind(),
    "main": Kind(),
    "move_dest": Kind(),
    "participants": Kind(),
    "discard": Kind(),
    "buy_place": Kind(),
    "target": Kind(),
    "free_move": Kind(),
    "search": Kind(),
    **{
        window.lower(): Kind(window=True, paced=True, standing_order=True)
        for window in WINDOWS
        if window != ABSORB
    },
    "firefight": Kind(),
    "absorb": Kind(window=True, paced=True),
    "medal": Kind(),
    "lose_ration": Kind(),
    "destroy_own": Kind(),
}
"""The decision catalogue (§3.8)."""


class StalingradGame(Game[Stalingrad, View]):
    """Two seats: 0 is the Russian, 1 the German."""

    facts = Facts(
        game=Stalingrad.GAME,
        rules=Stalingrad.RULES,
        seats=(2,),
        cards=load.shipped().digest,
        options=OPTIONS,
        kinds=KINDS,
        teams=lambda seats, options: ((0,), (1,)),
        title="Battle for Stalingrad",
        reasons=REASONS,
        roles=("Russian", "German"),
    )

    def _start(
        self, seats: int, seed: str, setting: str, options: dict[str, Any], events: bool
    ) -> Stalingrad:
        path = options["cards"]
        components = load.load(path) if path else load.shipped()
        rules = book(components.digest, config(options))
        s = Stalingrad(book=rules, seed=seed, events=events)
        lay_locations(s, setting)
        shuffle_decks(s)
        s.stack.append(SetUp())
        s.run()
        return s

    def card_data(self) -> bytes:
        return load.shipped().text.encode()

    def brings_to_light(self, event: Any, viewer: int) -> bool:
        return events.brings_to_light(event)

    def imagine(self, view: View, seed: str, events: bool = False) -> Stalingrad:
        return imagine(view, seed, events)

    def _unpack(self, seats: int, seed: str, events: bool, tables: Any) -> Stalingrad:
        digest, values, *rest = tables
        try:
            rules = book(digest, Config(*values))
        except WarladderError as fault:
            raise BadSave(str(fault)) from None
        s = Stalingrad(book=rules, seed=seed, events=events)
        s.unpack_tables(rest)
        return s


GAME = StalingradGame()
