"""Double elimination: who loses a second meeting is out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matchmaker.formats import asked, brackets
from matchmaker.formats.brackets import Bracket, Node, Place, Source
from matchmaker.formats.contract import Course, Entrant, Event, Forecast, Setting, Terms
from matchmaker.formats.tally import Log

FINAL, RESET = "final", "reset"


class DoubleElimination:
    name = "double_elimination"
    about = "who loses a second meeting is out"
    settings: Mapping[str, Setting] = {
        **brackets.SETTINGS,
        "reset": Setting(True, "whether who comes undefeated to the final must lose there twice"),
    }

    def check(self, terms: Terms, entrants: Sequence[Entrant]) -> None:
        asked.check_settings(self.name, self.settings, terms.settings)
        asked.check_field(self.name, terms, entrants, seats=(2,))

    def course(self, terms: Terms, entrants: Sequence[Entrant], events: Sequence[Event]) -> Course:
        log = Log(events)
        bots = asked.by_seed(entrants)
        late = [bot for bot in log.entered if bot not in bots]
        asked.check_late(self.name, late, "its bracket is drawn")
        nodes = two_brackets(len(bots), reset=bool(terms.settings["reset"]))
        bracket = Bracket(terms, bots, nodes, log)
        champion: Place = bracket.outcomes[FINAL].winner
        if RESET in bracket.outcomes:
            champion = bracket.outcomes[RESET].winner
        return bracket.course(champion)

    def forecast(self, terms: Terms, entrants: Sequence[Entrant]) -> Forecast:
        nodes = two_brackets(len(entrants), reset=bool(terms.settings["reset"]))
        meetings, longest = brackets.lengths(nodes, len(entrants))
        each = len(brackets.orders(terms))
        plays = each * (1 + asked.whole(terms, "replays"))
        rounds = max(node.round for node in nodes)
        return Forecast(rounds, meetings * plays, 2 * (each // 2 + 1), longest * plays)


def two_brackets(bots: int, *, reset: bool) -> list[Node]:
    """
    Draw both brackets.

    The losers of the first round meet each other. From then on a round of the losers' bracket
    brings in the losers of the next round of the winners' bracket, and one halves its field. They
    come in turned about, so that bots that have met do not meet again before they must.
    """
    last = (bots - 1).bit_length()
    order = brackets.seeding(1 << last)
    nodes = []
    for round in range(1, last + 1):
        count = 1 << last - round
        for index in range(count):
            if round == 1:
                sources = Source(seed=order[2 * index]), Source(seed=order[2 * index + 1])
            else:
                sources = _winners(f"w{round - 1}", index)
            label = "winners' final" if count == 1 else f"winners' round {round}, {index + 1}"
            when = 1 if round == 1 else 2 * (round - 1)
            nodes.append(_node(f"w{round}-{index + 1}", when, label, sources))
    lower = 2 * (last - 1)
    for round in range(1, lower + 1):
        count = 1 << last - 1 - (round + 1) // 2
        for index in range(count):
            if round == 1:
                sources = (
                    Source(loser=f"w1-{2 * index + 1}"),
                    Source(loser=f"w1-{2 * index + 2}"),
                )
            elif round % 2:
                sources = _winners(f"l{round - 1}", index)
            else:
                fallen = _turned(count, round // 2)[index] + 1
                sources = (
                    Source(loser=f"w{round // 2 + 1}-{fallen}"),
                    Source(winner=f"l{round - 1}-{index + 1}"),
                )
            label = "losers' final" if round == lower else f"losers' round {round}, {index + 1}"
            nodes.append(_node(f"l{round}-{index + 1}", round + 1, label, sources))
    survivor = Source(winner=f"l{lower}-1") if lower else Source(loser="w1-1")
    finalists = Source(winner=f"w{last}-1"), survivor
    nodes.append(
        Node(
            key=FINAL,
            round=2 * last,
            label="grand final",
            sources=finalists,
            stage=2 * last,
            first_leads=True,
        )
    )
    if reset:
        nodes.append(
            Node(
                key=RESET,
                round=2 * last + 1,
                label="grand final, second meeting",
                sources=(Source(loser=FINAL), Source(winner=FINAL)),
                stage=2 * last + 1,
                only_if_second_won=FINAL,
            )
        )
    # By round, so that each stands after those it gets its bots from.
    return sorted(nodes, key=lambda node: node.round)


def _node(key: str, round: int, label: str, sources: tuple[Source, Source]) -> Node:
    return Node(key=key, round=round, label=label, sources=sources, stage=round)


def _winners(above: str, index: int) -> tuple[Source, Source]:
    first, second = f"{above}-{2 * index + 1}", f"{above}-{2 * index + 2}"
    return Source(winner=first), Source(winner=second)


def _turned(count: int, drop: int) -> list[int]:
    """
    Order the losers that come in: backwards, each half backwards, halves exchanged, straight.

    Of the ways tried this has the fewest second meetings: 0.8 a tournament of 32 with results by
    lot, where it is 6.4 if the losers come in straight and 2.1 if always backwards.
    """
    order, half = list(range(count)), count // 2
    ways = (
        order,
        order[::-1],
        order[:half][::-1] + order[half:][::-1],
        order[half:] + order[:half],
    )
    return ways[drop % 4]
