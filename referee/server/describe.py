"""What can be played here, for `Describe`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from referee.engine import Facts
from referee.match.record import Clocks
from referee.server import frames
from referee.server.limits import Limits
from warladder.v1 import referee_pb2 as pb

MINOR = 0
"""Minor version of the protocol."""
FEATURES: tuple[str, ...] = ()


def describe(
    games: Mapping[str, Facts],
    limits: Limits,
    addresses: Sequence[str],
    card_data: bytes | None = None,
) -> pb.DescribeResponse:
    response = pb.DescribeResponse(
        minor=MINOR,
        features=FEATURES,
        limits=limits.message(),
        referees=addresses,
        games=[_game(facts) for facts in games.values()],
    )
    if card_data is not None:
        response.card_data = card_data
    return response


def _game(facts: Facts) -> pb.GameFacts:
    return pb.GameFacts(
        game=facts.game,
        rules=facts.rules,
        seats=facts.seats,
        teams="teams" in facts.options,
        cards=facts.cards,
        kinds=[
            pb.DecisionKind(
                name=name,
                window=kind.window,
                paced=kind.paced,
                standing_order=kind.standing_order,
            )
            for name, kind in facts.kinds.items()
        ],
        options=[
            pb.GameOption(
                name=name,
                default_json=json.dumps(option.default),
                expected=option.expected(),
                text=option.says,
            )
            for name, option in facts.options.items()
        ],
        clocks=[frames.clocks_of(Clocks())],
    )
