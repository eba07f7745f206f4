"""The table: each Location with both sides' Forces, the battle, the sides with their cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table as Grid
from rich.text import Text

from matchmaker.viewing.drawings.stalingrad.asked import specials
from matchmaker.viewing.drawings.stalingrad.names import SIDES, card, fact, place, turn
from matchmaker.viewing.words import signed, words

if TYPE_CHECKING:
    from matchmaker.viewing.table import Json, Table

STYLES = ("red", "blue")
SHORT = {"attack_bonus": "a", "retreat_extra": "r", "ignore": "i", "free_move": "f"}
LEGEND = (
    "C Control, P Perimeter · ◆ Combat ● Rations ★ Heroic Service ■ Rubble\n"
    "a attack bonus, r retreats further, i ignores Hits, f free Moves"
)


def scene(view: Json) -> Hashable:
    """A player sees the table at each turn, and at each of his Actions."""
    own = view["kind"] == "main" and view["asked"] == view["viewer"]
    return turn(view), view["actions"] if own else 0


def draw(t: Table) -> Iterator[Any]:
    grid = Grid(box=box.HORIZONTALS, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    grid.add_column("Location", width=20)
    for side, style in zip(SIDES, STYLES, strict=True):
        grid.add_column(side, header_style=style, width=28)
    for n, location in enumerate(t.view["locations"]):
        grid.add_row(_location(t, location, n), *(_forces(t, location, side) for side in (0, 1)),
                     end_section=True)  # fmt: skip
    yield grid
    yield LEGEND
    yield from _doing(t)
    for n in (0, 1):
        yield from _side(t, n)


def _location(t: Table, location: str, n: int) -> Text:
    view, known = t.view, fact(t, "locations", location)
    control = view["control"][n]
    text = Text(f"{location} {t.name(location)}\n", style="bold")
    holder = f"{SIDES[control]} Control" if control >= 0 else "Uncontrolled"
    text.append(f"{holder}\n", STYLES[control] if control >= 0 else "not bold")
    if view["destroyed"][n]:
        text.append("destroyed, yields 0", "not bold")
    else:
        text.append(_rubble(view["rubble"][n], known), "not bold")
    if known.get("note"):
        text.append(f"\n{_note(t, known)}", "not bold")
    return text


def _rubble(now: int, known: Json) -> str:
    if not known:
        return f"Rubble {now}"
    yields = next((rations for most, rations in known["chart"] if now <= most), 0)
    marks = "■" * now + "□" * (known["destroyed_at"] - now)
    return f"{marks} yields {yields}"


def _note(t: Table, known: Json) -> str:
    """What the Location adds for the side that Controls it."""
    note = known["note"]
    what = (
        f"{t.name(note['card'])}: {words(note['param'])}"
        if note.get("card")
        else words(note["key"])
    )
    return f"{what} {signed(note['add'])}"


def _forces(t: Table, location: str, side: int) -> Text:
    view = t.view
    lines = []
    for which in "CP":
        for n, (force, area) in enumerate(zip(view["forces"], view["areas"], strict=True)):
            if area == f"{location}.{which}" and side_of(t, force) == side:
                lines.append(_force(t, which, force, n))
    return Text("\n").join(lines)


def side_of(t: Table, force: str) -> int:
    """The side of a Force on the board: the component data's, else the order of the columns."""
    known = fact(t, "forces", force)
    return int(known["side"] == "G") if known else int(force.startswith("G"))


def _force(t: Table, which: str, force: str, n: int) -> Text:
    view, known = t.view, fact(t, "forces", force)
    medals = view["medals"][n]
    text = Text(f"{which} {t.name(force)}")
    combat = f" ◆{known['combat'] + medals}" if known else ""
    text.append(f"{combat} ●{view['rations'][n]}{f' ★{medals}' if medals else ''}")
    for each in known.get("specials", ()):
        short = SHORT.get(each["key"], each["key"])
        text.append(f" {short}{'' if each['key'] == 'free_move' else each['n']}", "dim")
    for flag in _flags(view, force, n):
        text.append(f" {flag}", "bold yellow")
    return text


def _flags(view: Json, force: str, n: int) -> Iterator[str]:
    battle, absorb, move = view["battle"], view["absorb"], view["move"]
    if battle and force in battle["participants"]:
        yield "attacks"
    if battle and force in battle["defenders"]:
        yield "defends"
    if battle and force in battle["doubled"]:
        yield "doubled"
    if absorb and force in absorb["forces"]:
        ignore = absorb["ignore"][absorb["forces"].index(force)]
        yield f"hit, ignores {ignore}" if ignore else "hit"
    if move and move["force"] == force:
        yield "Move cancelled" if move["cancelled"] else "moves"
    if view["no_move"][n]:
        yield "no Move"
    if view["free_moves_used"][n]:
        yield f"{view['free_moves_used'][n]} free used"


# What is going on


def _doing(t: Table) -> Iterator[Any]:
    view = t.view
    if view["battle"]:
        yield from _battle(t, view["battle"])
    if view["absorb"]:
        absorb = view["absorb"]
        left = t.count(absorb["hits"], "Hit")
        yield f"{SIDES[absorb['seat']]} absorbs: {left} left at {place(t, absorb['location'])}"
    if view["playing"]:
        playing = []
        for each in reversed(view["playing"]):
            on = f" on {t.listed(each['targets'])}" if each["targets"] else ""
            off = " (cancelled)" if each["cancelled"] else ""
            playing.append(f"{SIDES[each['seat']]} {card(t, each['card'])}{on}{off}")
        yield f"Cards being played, the last first: {'; '.join(playing)}"


def _battle(t: Table, battle: Json) -> Iterator[Any]:
    more = [f"no retreat for the {SIDES[n]}" for n in (0, 1) if battle["no_retreat"][n]]
    more += ["no Firefight"] if battle["no_firefight"] else []
    more += [f"lost: {t.listed(battle['lost'])}"] if battle["lost"] else []
    yield f"Battle for {place(t, battle['location'])}{': ' if more else ''}{'; '.join(more)}"
    attacker = battle["attacker"]
    for side, forces in ((attacker, "participants"), (1 - attacker, "defenders")):
        does = "attacks" if side == attacker else "defends"
        with_ = t.listed(battle[forces]) or "–"
        extra = battle["extra_hits"][side]
        figures = [f"Combat {battle['base'][side]}", f"Firefight {signed(battle['fire'][side])}"]
        figures += [f"{signed(extra)} Hits"] if extra else []
        yield f"  {SIDES[side]} {does} with {with_}: {', '.join(figures)}"


# The sides


def _side(t: Table, n: int) -> Iterator[Any]:
    view, own = t.view, n == t.viewer
    acts = " (acting)" if view["acting"] == n and view["round"] else ""
    figures = [
        f"hand {view['hand_sizes'][n]}", f"Action deck {view['deck_sizes'][n]}",
        f"discards {len(view['discards'][n])}", f"Force deck {len(view['force_decks'][n])}",
    ]  # fmt: skip
    if acts and view["buy_points"]:
        figures.append(f"{view['buy_points']} points to buy with")
    if view["combat_add"][n]:
        figures.append(f"Combat {signed(view['combat_add'][n])} in this turn")
    line = Text(f"{SIDES[n]}{' (you)' if own else ''}{acts}", f"bold {STYLES[n]}")
    line.append(f": {', '.join(figures)}", "not bold default")
    yield line
    top = view["force_deck_tops"][n]
    if top:
        yield f"  Force deck's top: {bought(t, top)}"
    for title, kinds in (("In play", view["in_play"][n]), ("On the table", view["table"][n])):
        if kinds:
            yield f"  {title}: {pile(t, kinds)}"
    if own:
        yield f"  Your hand: {pile(t, view['hand']) or 'none'}"
        if view["peeked"]:
            yield f"  You know the top of your deck: {pile(t, view['peeked'])}"
    elif view["known_hands"][n]:
        yield f"  Everybody knows of the hand: {pile(t, view['known_hands'][n])}"


def bought(t: Table, force: str) -> str:
    known = fact(t, "forces", force)
    if not known:
        return t.name(force)
    more = "".join(f", {each}" for each in specials(known))
    figures = f"cost {known['cost']}, Combat {known['combat']}, Rations {known['rations']}"
    return f"{t.name(force)} ({figures}{more})"


def pile(t: Table, kinds: list[Json]) -> str:
    """Cards with equal ones together: `Fog of War −2 ×2, Scouts +1`."""
    counts = Counter(card(t, each) for each in kinds)
    return ", ".join(f"{name} ×{n}" if n > 1 else name for name, n in counts.items())
