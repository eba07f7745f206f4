"""
Two worlds that a viewer cannot tell apart, carried on with the same choices.

One is the real position, the other a twin imagined from the viewer's view; both stand at a referee
of their own. They get the same answers at the same times, drawn from what is offered in both and
matched by content. Everything the viewer gets must be equal, byte for byte and moment for moment,
until something comes to light that the rules show him: a draw of his own, a flip, a secret answer.
"""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

from matchmaker.tools import twins
from matchmaker.tools.leaks.world import Heard, World
from matchmaker.tools.oracles import AnyGame, difference, fail, short
from referee import games
from referee.engine import Option, State
from referee.match.record import MatchRecord
from warladder.v1 import referee_pb2 as pb

LONGEST = 120
"""Choices after which a pair has shown enough."""
THINKING = (0.001, 0.02, 0.3)
"""Seconds a bot takes for an answer: with the question's news still on the way, or long after."""
WAITS = 400
"""A match that asks nobody for so many waits hangs."""
WAIT = 0.05
MISCHIEF = 0.12
"""Share of choices before which the viewer's bot does something else, or the other's does."""
FIGURES_EVERY = 40
"""The metrics are compared at one question in so many: they take longer than all the rest."""


class Carried(NamedTuple):
    """How far a pair came."""

    choices: int
    parted: str
    """Why it went no further: the event that told them apart, or `over`, `secret`, `long`."""


def carry_on(
    game: AnyGame,
    record: MatchRecord,
    state: State,
    viewer: int,
    key: str,
    secrets: twins.Secrets,
    temper: float,
) -> Carried | None:
    """
    Carry a position and a twin of it on.

    Args:
        record: Of a match whose two worlds they are.
        secrets: What seats have begun in secret at this position.
        temper: Share of choices that take the default.

    Returns:
        None if the twin cannot be brought to where the same seats are asked.

    Raises:
        Fault: The viewer can tell them apart.
    """
    rng = Random(f"{key}|carry")
    other: State = game.imagine(state.view(viewer), key, events=True)
    real = state.clone(events=True)
    if not twins.align(real, other, viewer, rng, secrets):
        return None
    with World(game, record, real) as here, World(game, record, other) as there:
        pair = Pair(game, here, there, viewer, rng)
        here.begin()
        there.begin()
        return pair.carry_on(temper)


class Pair:
    """Two worlds at the same moment."""

    def __init__(self, game: AnyGame, here: World, there: World, viewer: int, rng: Random) -> None:
        self.game, self.here, self.there = game, here, there
        self.viewer, self.rng = viewer, rng
        self.wire = twins.wire_of(game)
        self.told = 0
        """Events of the viewer's that are compared."""
        self.heard = 0
        """Messages to the viewer that are compared."""
        self.logged = 0

    @property
    def worlds(self) -> tuple[World, World]:
        return self.here, self.there

    def carry_on(self, temper: float) -> Carried:
        choices = 0
        while True:
            parted = self._next_question()
            if parted:
                return Carried(choices, parted)
            if choices >= LONGEST:
                return Carried(choices, "long")
            if self.rng.random() < MISCHIEF:
                self._mischief()
            choice = self._common(temper)
            if choice is None:
                return Carried(choices, "secret")
            seat, option = choice
            for world in self.worlds:
                world.choose(seat, world.state.options(seat).index(option))
            choices += 1

    def _next_question(self) -> str:
        """
        Let both go on until somebody is asked, comparing what is said on the way.

        Returns:
            Why the pair ends here; empty if it goes on.
        """
        seconds = self.rng.choice(THINKING)
        for _ in range(WAITS):
            for world in self.worlds:
                world.pass_seconds(seconds)
            parted = self._compare()
            if parted:
                return parted
            if self.here.session.over or self.there.session.over:
                self._searched()
                return "over"
            if self.here.asked():
                return ""
            seconds = WAIT
        fail("asked", f"nobody was asked for {WAITS * WAIT:.0f} s at {self.here.state.where()}")

    # What is done

    def _common(self, temper: float) -> tuple[int, Option] | None:
        """A choice offered in both worlds; by content, since a hidden hand changes the numbers."""
        seats = self.here.asked()
        left, right = (world.state for world in self.worlds)
        while seats:
            seat = seats.pop(self.rng.randrange(len(seats)))
            offered = set(right.options(seat))
            common = [option for option in left.options(seat) if option in offered]
            if common:
                usual = left.options(seat)[left.default(seat)]
                if usual in common and self.rng.random() < temper:
                    return seat, usual
                return seat, self.rng.choice(common)
        return None

    def _mischief(self) -> None:
        """Something besides the answer, the same in both worlds."""
        seat = self.rng.choice(self.here.asked())
        what = self.rng.randrange(6)
        for world in self.worlds:
            if what == 0:
                world.choose(seat, 1_000_000)
            elif what == 1:
                world.choose(seat, 0, ago=1)
            elif what == 2:
                world.babble(seat, b"\xff\xfe no message")
            elif what == 3:
                self._order(world, seat)
            elif what == 4:
                world.come_back(seat)
            else:
                world.say(seat, pb.BotMessage(practise=pb.Practise(game="nowhere")))
            world.pass_seconds(THINKING[0])
        self._same_moment()

    def _order(self, world: World, seat: int) -> None:
        kinds = [name for name, kind in self.game.facts.kinds.items() if kind.standing_order]
        match = world.record.match
        window = kinds[0] if kinds else "none"
        order = pb.StandingOrder(match=match, window=window, on=self.told % 2 == 0)
        world.say(seat, pb.BotMessage(standing_order=order))

    # What is compared

    def _same_moment(self) -> None:
        """Nothing may have come to light."""
        parted = self._compare()
        if parted:
            fail("events", f"{parted} came to light without a choice")

    def _compare(self) -> str:
        """
        Compare all that has been said since the last time.

        Returns:
            The name of the event that has told the worlds apart; empty if nothing has.
        """
        viewer, here, there = self.viewer, self.here, self.there
        news, others = (world.state.events(viewer, self.told) for world in self.worlds)
        if news != others:
            alike = here.state.view(viewer) == there.state.view(viewer)
            if not (alike and twins.same_news(viewer, news, others)):
                return self._parted(news, others, alike)
        elif viewer not in here.asked():  # else the question holds the view
            view, others_view = here.state.view(viewer), there.state.view(viewer)
            if view != others_view:
                apart = difference(view, others_view)
                fail("events", f"viewer {viewer} sees a difference that no event told: {apart}")
        self.told += len(news)
        self._same_messages(news == others)
        self._same_outside()
        return ""

    def _parted(self, news: tuple[Any, ...], others: tuple[Any, ...], alike: bool) -> str:
        """The viewer can tell the worlds apart now: by right?"""
        k = next(
            (k for k, (left, right) in enumerate(zip(news, others)) if left != right),
            min(len(news), len(others)),
        )
        told = [each[k] for each in (news, others) if k < len(each)]
        names = " against ".join(short(event) for event in told)
        if alike:
            fail("events", f"viewer {self.viewer} sees the same, but was told {names}")
        if not any(self.game.brings_to_light(event, self.viewer) for event in told):
            fail("events", f"viewer {self.viewer} was told apart by {names}")
        if self.viewer != games.PUBLIC:
            left, right = (self._before(world, self.told + k) for world in self.worlds)
            self._same_list(left, right)
        return type(told[0]).__name__

    def _before(self, world: World, count: int) -> list[Heard]:
        """The messages not compared yet, up to the one that carries the event of this number."""
        before = []
        for heard in world.heard[self.viewer][self.heard :]:
            if last_event(heard.data) > count:
                break
            before.append(heard)
        return before

    def _same_messages(self, in_order: bool) -> None:
        if self.viewer == games.PUBLIC:
            return
        left, right = (world.heard[self.viewer][self.heard :] for world in self.worlds)
        if in_order:
            self._same_list(left, right)
        elif [len(each.data) for each in left] != [len(each.data) for each in right]:
            fail("messages", f"sizes of messages to {self.viewer} tell equal draws apart")
        self.heard += len(left)

    def _same_list(self, left: list[Heard], right: list[Heard]) -> None:
        for one, two in zip(left, right):
            if one.data != two.data:
                texts = short(message(one.data)), short(message(two.data))
                fail("messages", f"viewer {self.viewer} gets {texts[0]} against {texts[1]}")
            if abs(one.at - two.at) > 1e-6:
                fail(
                    "timing",
                    f"viewer {self.viewer} gets {short(message(one.data))} after {one.at:.4f} s"
                    f" against {two.at:.4f} s",
                )
        if len(left) != len(right):
            fail("messages", f"viewer {self.viewer} gets {len(left)} messages, not {len(right)}")

    def _same_outside(self) -> None:
        """Who is asked what, the log, and now and then the metrics."""
        asked = [[(s, w.state.kind(s)) for s in w.asked()] for w in self.worlds]
        if asked[0] != asked[1]:
            fail("asked", f"asked are {asked[0]} against {asked[1]}, viewer {self.viewer}")
        left, right = (world.logged.entries[self.logged :] for world in self.worlds)
        if left != right:
            fail("log", f"the log says {short(left)} against {short(right)}")
        self.logged += len(left)
        if self.rng.randrange(FIGURES_EVERY) == 0 and self.here.figures() != self.there.figures():
            fail("metrics", f"the metrics tell apart what viewer {self.viewer} cannot see")

    def _searched(self) -> None:
        """A match is over: its deal was told with the end, or never."""
        for world in self.worlds:
            for heard in world.heard:
                self._search(world.record, heard)

    def _search(self, record: MatchRecord, heard: list[Heard]) -> None:
        for each in heard:
            if record.reveal and message(each.data).WhichOneof("message") == "match_ended":
                continue
            for name, secret in (("seed", record.seed.encode()), ("salt", record.salt)):
                if secret in each.data:
                    fail("reveal", f"the {name} is in {short(message(each.data))}")


def message(data: bytes) -> pb.RefereeMessage:
    return pb.RefereeMessage.FromString(data)


def last_event(data: bytes) -> int:
    """Number of the last event that the bot has been told of with this message; 0 if of none."""
    read = message(data)
    kind = read.WhichOneof("message")
    if kind in ("decide", "update", "match_ended"):
        number: int = getattr(read, kind).last_event
        return number
    return 0
