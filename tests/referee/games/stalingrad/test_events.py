"""Each viewer's event stream is enough to rebuild his tables without the engine (§7.6)."""

from __future__ import annotations

from random import Random
from typing import Any, get_args

import pytest

from referee.games import PUBLIC
from referee.games.stalingrad import events, load
from referee.games.stalingrad.game import GAME
from tests.referee.games.stalingrad.fold import Fold, differences
from tests.referee.games.stalingrad.table import LINE, G, do, table

pytestmark = pytest.mark.properties

VIEWERS = (PUBLIC, 0, 1)


class Folds:
    """One fold a viewer, fed as events come."""

    def __init__(self) -> None:
        self.folds = {viewer: Fold(viewer, load.shipped()) for viewer in VIEWERS}
        self.heard = dict.fromkeys(VIEWERS, 0)

    def check(self, s: Any, look: bool = True) -> None:
        for viewer, fold in self.folds.items():
            news = s.events(viewer, self.heard[viewer])
            self.heard[viewer] += len(news)
            fold.tell(news)
            if look:
                assert differences(fold, s.view(viewer)) == [], s.where()


@pytest.mark.parametrize("options", [{}, {"scouts_reveal": True}, {"max_rounds": 3}], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_folded_events_are_the_viewers_tables(seed: int, options: dict[str, Any]) -> None:
    chance = Random(seed)
    s = GAME.start(seed=f"fold {seed}", options=options)
    folds = Folds()
    folds.check(s)
    while s.asked():
        (seat,) = s.asked()
        s.choose(seat, chance.randrange(len(s.options(seat))))
        folds.check(s, look=chance.random() < 0.4 or not s.asked())


def test_random_play_tells_every_kind_of_event_but_rare_ones() -> None:
    """So that the folds above have met them."""
    seen: set[type] = set()
    for seed in range(12):
        chance = Random(seed)
        s = GAME.start(seed=f"kinds {seed}")
        while s.asked():
            (seat,) = s.asked()
            s.choose(seat, chance.randrange(len(s.options(seat))))
        seen |= {type(event) for event in s.events(PUBLIC)}
    untold = {each.__name__ for each in set(get_args(events.Event)) - seen}
    assert untold <= {"CardVoid", "ExtraHits", "Peeked", "Recovered"}


def test_a_barred_draw_bonus_is_over_when_the_turn_wins() -> None:
    """It holds for one DRAW step; no later turn tells that it is over."""
    german = ("G384", "G76I", "G295", "G371", "G20R")
    s = table(
        G,
        german={force: f"{place}.C" for force, place in zip(german, LINE, strict=True)},
        enemy_hand=["propaganda_war -1"],
    )
    do(s, "R: play propaganda_war -1")  # the German can only end
    assert s.outcome()
    fold = Fold(PUBLIC, load.shipped())
    fold.no_draw_bonus = True  # as Propaganda War tells
    fold.tell(s.events(PUBLIC)[-2:])
    assert fold.no_draw_bonus == s.view(PUBLIC).no_draw_bonus
