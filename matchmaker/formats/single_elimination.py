"""Single elimination: who loses a meeting is out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matchmaker.formats import asked, brackets
from matchmaker.formats.brackets import Bracket, Node, Source
from matchmaker.formats.contract import Course, Entrant, Event, Forecast, Setting, Terms
from matchmaker.formats.tally import Log


class SingleElimination:
    name = "single_elimination"
    about = "who loses a meeting is out"
    settings: Mapping[str, Setting] = {
        **brackets.SETTINGS,
        "third_place": Setting(False, "whether the losers of the semi-finals meet"),
    }

    def check(self, terms: Terms, entrants: Sequence[Entrant]) -> None:
        asked.check_settings(self.name, self.settings, terms.settings)
        asked.check_field(self.name, terms, entrants, seats=(2,))

    def course(self, terms: Terms, entrants: Sequence[Entrant], events: Sequence[Event]) -> Course:
        log = Log(events)
        bots = asked.by_seed(entrants)
        late = [bot for bot in log.entered if bot not in bots]
        asked.check_late(self.name, late, "its bracket is drawn")
        nodes = knock_out(len(bots), third_place=bool(terms.settings["third_place"]))
        bracket = Bracket(terms, bots, nodes, log)
        return bracket.course(bracket.place(Source(winner=final_of(len(bots)))))

    def forecast(self, terms: Terms, entrants: Sequence[Entrant]) -> Forecast:
        third = bool(terms.settings["third_place"])
        nodes = knock_out(len(entrants), third_place=third)
        meetings, longest = brackets.lengths(nodes, len(entrants))
        each = len(brackets.orders(terms))
        plays = each * (1 + asked.whole(terms, "replays"))
        rounds = max(node.round for node in nodes)
        return Forecast(rounds, meetings * plays, each // 2 + 1, longest * plays)


def final_of(bots: int) -> str:
    return f"r{(bots - 1).bit_length()}-1"


def knock_out(bots: int, *, third_place: bool) -> list[Node]:
    """Draw the bracket: byes are seeds that nobody has, so they fall to the strongest."""
    last = (bots - 1).bit_length()
    order = brackets.seeding(1 << last)
    nodes = []
    for round in range(1, last + 1):
        for index in range(1 << last - round):
            if round == 1:
                sources = Source(seed=order[2 * index]), Source(seed=order[2 * index + 1])
            else:
                feeders = (f"r{round - 1}-{2 * index + 1}", f"r{round - 1}-{2 * index + 2}")
                sources = Source(winner=feeders[0]), Source(winner=feeders[1])
            nodes.append(
                Node(
                    key=f"r{round}-{index + 1}",
                    round=round,
                    label=_label(last - round, index + 1),
                    sources=sources,
                    stage=round,
                )
            )
    if third_place and last > 1:
        losers = Source(loser=f"r{last - 1}-1"), Source(loser=f"r{last - 1}-2")
        third = Node(
            key="third",
            round=last,
            label="third place",
            sources=losers,
            stage=last - 1,
            consolation=True,
        )
        nodes.insert(-1, third)
    return nodes


def _label(before: int, index: int) -> str:
    """Name a node by how many rounds are before the last."""
    if before == 0:
        return "final"
    names = {1: "semi-final", 2: "quarter-final"}
    return f"{names.get(before, f'round of {2 << before}, meeting')} {index}"
