"""
Playthroughs: one text file a scenario, with what each viewer sees at every step of a random match.

The head of a file names the scenario; the rest follows from it.
`python -m tests.helpers.playthrough` writes all files anew; a changed line is reviewed like code.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from referee import games

FOLDER = Path(__file__).parent.parent / "referee" / "games"


class Scenario(NamedTuple):
    """The head of a playthrough file."""

    game: str
    seats: int
    seed: str
    options: dict[str, str]
    decisions: int
    """Steps written at most; a match that ends sooner is written whole."""

    @classmethod
    def read(cls, path: Path) -> Scenario:
        """The scenario that the first lines of a file name."""
        head = {}
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                if ": " not in line:
                    break
                key, _, value = line.strip().partition(": ")
                head[key] = value
        options = dict(
            pair.split("=", 1) for pair in head.get("options", "").split() if pair != "-"
        )
        return cls(head["game"], int(head["seats"]), head["seed"], options, int(head["decisions"]))

    def head(self) -> list[str]:
        options = " ".join(f"{k}={v}" for k, v in self.options.items()) or "-"
        return [
            f"game: {self.game}",
            f"seats: {self.seats}",
            f"seed: {self.seed}",
            f"options: {options}",
            f"decisions: {self.decisions}",
            "",
        ]


def files(game: str) -> list[Path]:
    return sorted((FOLDER / game / "playthroughs").glob("*.txt"))


def render(scenario: Scenario) -> str:
    """The whole text of a playthrough."""
    return "\n".join([*scenario.head(), *_steps(scenario)]) + "\n"


def _steps(scenario: Scenario) -> Iterator[str]:
    game = games.get(scenario.game)
    state = game.start(scenario.seats, scenario.seed, options=scenario.options)
    viewers = range(games.PUBLIC, scenario.seats)
    chooser = random.Random(scenario.seed)
    told = dict.fromkeys(viewers, 0)
    seen: dict[int, dict[str, Any]] = {viewer: {} for viewer in viewers}
    for step in range(1, scenario.decisions + 1):
        for viewer in viewers:
            events = state.events(viewer, told[viewer])
            told[viewer] += len(events)
            yield from (f"  {_who(viewer)} hears {event!r}" for event in events)
            view = fields(state.view(viewer))
            for name, value in view.items():
                if seen[viewer].get(name, ...) != value:
                    yield f"  {_who(viewer)} sees {name} = {value!r}"
            seen[viewer] = view
        if not state.asked():
            yield f"over after {step - 1} decisions: {state.outcome()!r}"
            return
        yield f"{step}. {state.where()}  [{state.digest().hex()[:16]}]"
        for seat in state.asked():
            texts = [str(option) for option in state.options(seat)]
            yield f"  seat {seat} is asked {state.kind(seat)}: {' | '.join(texts)}"
        seat = chooser.choice(state.asked())
        i = chooser.randrange(len(state.options(seat)))
        yield f"  seat {seat} chooses {state.options(seat)[i]}"
        state.choose(seat, i)


def fields(view: Any) -> dict[str, Any]:
    """A view's parts by name."""
    named: dict[str, Any] = view._asdict() if hasattr(view, "_asdict") else dict(vars(view))
    return named


def _who(viewer: int) -> str:
    return "public" if viewer == games.PUBLIC else f"seat {viewer}"


def main() -> int:
    for game in games.names():
        for path in files(game):
            path.write_text(render(Scenario.read(path)), encoding="utf-8")
            print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
