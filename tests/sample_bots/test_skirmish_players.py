"""The sample bots' players at skirmish."""

import pytest

from tests.sample_bots.table import bot, play


@pytest.mark.parametrize(("seats", "options"), [(2, {}), (3, {}), (4, {}), (4, {"teams": True})])
def test_greedy_beats_random_from_every_seat(seats: int, options: dict[str, bool]) -> None:
    greedy, anything = bot("greedy").player, bot("random").Anything
    first = 0
    for n in range(60):
        makers = [lambda started: anything()] * seats
        mine = {n % seats, (n + 2) % seats} if options else {n % seats}
        for seat in mine:
            makers[seat] = greedy
        first += play("skirmish", makers, f"{n}", options).ranks[n % seats] == 1
    fair = 60 / (2 if options else seats)
    assert first > 1.3 * fair, first
