"""The board: areas, Forces on them, Rations, Rubble, Control, and what notes and modifiers add."""

from __future__ import annotations

from referee.engine import State
from referee.games.stalingrad import events
from referee.games.stalingrad.book import Book
from referee.games.stalingrad.records import Force, Location

LOCATIONS = 5
"""Locations in the line."""
AREAS = 2 * LOCATIONS
"""Areas of one side: `C` and `P` of each Location, in board order."""
OFF = -1
"""Area of a Force that is in its deck."""
NOBODY = -1


class Board(State):
    """
    Tables of the board.

    An area of a side is 2 × its Location's place in the line, + 1 for the Perimeter Area.
    """

    book: Book
    board: tuple[int, ...]
    """Location numbers in the line; empty before they are laid."""
    unused: tuple[int, ...]
    """The other Location numbers, ascending."""
    rubble: list[int]
    """By place in the line."""
    destroyed: list[int]
    """0 or 1, by place in the line."""
    areas: list[tuple[int, ...]]
    """Forces in each area, ascending; the Russian ten, then the German ten."""
    area_of: list[int]
    """By Force: its area, or OFF."""
    rations: list[int]
    medals: list[int]
    no_move: list[int]
    """0 or 1, by Force."""
    free_moves_used: list[int]
    force_deck: list[list[int]]
    """By seat, top first; empty before it is formed."""
    known_bottom: list[int]
    """By seat: how many cards at the bottom of the Force deck everybody knows, in order."""
    in_play: list[list[int]]
    """By seat: kinds of cards in play, in the order played."""
    combat_add: list[int]
    """By seat, until the end of the turn."""

    def force(self, f: int) -> Force:
        return self.book.forces[f]

    def location(self, place: int) -> Location:
        return self.book.locations[self.board[place]]

    def area_id(self, area: int) -> str:
        """`GUM.C`: an area's id; its side is implied by the Force."""
        return self.book.area_ids[2 * self.board[area // 2] + area % 2]

    def area_no(self, area_id: str) -> int:
        """The area of that id on this board."""
        place = self.board.index(self.book.location_no[area_id[:-2]])
        return 2 * place + (area_id[-1] == "P")

    def place_of(self, location_id: str) -> int:
        """Place in the line of a Location, by its id."""
        return self.board.index(self.book.location_no[location_id])

    def in_area(self, seat: int, area: int) -> tuple[int, ...]:
        return self.areas[AREAS * seat + area]

    def has_room(self, seat: int, area: int) -> bool:
        return len(self.areas[AREAS * seat + area]) < self.book.config.area_capacity

    def forces_of(self, seat: int) -> list[int]:
        """Forces on the board, by id."""
        area_of = self.area_of
        return [f for f in self.book.forces_of[seat] if area_of[f] >= 0]

    def forces_in(self, seat: int, area: str) -> list[int]:
        """Forces on the board in any `C` or any `P`, or anywhere if that is empty, by id."""
        forces = self.forces_of(seat)
        return [f for f in forces if self.area_of[f] % 2 == (area == "P")] if area else forces

    # Control (§1.2)

    def controller(self, place: int) -> int:
        """Who Controls a Location; NOBODY if it is Uncontrolled."""
        russian = self.areas[2 * place]
        german = self.areas[AREAS + 2 * place]
        if russian:
            return NOBODY if german else 0
        return 1 if german else NOBODY

    def controlled(self, seat: int) -> int:
        """How many Locations a side Controls."""
        return sum(self.controller(place) == seat for place in range(LOCATIONS))

    # Positions

    def put(self, f: int, area: int) -> None:
        """Put a Force that is off the board, or elsewhere on it, into an area."""
        seat = self.book.seat_of[f]
        if self.area_of[f] >= 0:
            self._lift(f)
        at = AREAS * seat + area
        self.areas[at] = tuple(sorted((*self.areas[at], f)))
        self.area_of[f] = area

    def move(self, f: int, area: int) -> None:
        """Put a Force that is on the board into another area, and tell."""
        self.put(f, area)
        if self.log is not None:
            self.tell(events.Moved(self.force(f).id, self.area_id(area)))

    def _lift(self, f: int) -> None:
        at = AREAS * self.book.seat_of[f] + self.area_of[f]
        self.areas[at] = tuple(each for each in self.areas[at] if each != f)

    def destroy(self, f: int) -> None:
        """A Force leaves the board for the bottom of its deck (§4.3)."""
        seat = self.book.seat_of[f]
        self._lift(f)
        self.area_of[f] = OFF
        self.rations[f] = self.medals[f] = self.no_move[f] = self.free_moves_used[f] = 0
        deck = self.force_deck[seat]
        deck.append(f)
        self.known_bottom[seat] += 1
        if self.log is not None:
            self.tell(events.ForceDestroyed(self.force(f).id))

    # Counters

    def change_rations(self, f: int, change: int) -> None:
        self.rations[f] += change
        assert self.rations[f] >= 0, (self.force(f).id, change)
        if self.log is not None:
            self.tell(events.RationsChanged(self.force(f).id, change, self.rations[f]))

    def award_medals(self, f: int, n: int) -> None:
        """Put Heroic Service counters on a Force."""
        self.medals[f] += n
        if self.log is not None:
            self.tell(events.MedalAwarded(self.force(f).id, self.medals[f]))

    def add_rubble(self, place: int, n: int) -> None:
        """Place Rubble, which may destroy the Location (§4.6); below 0, take what is there away."""
        if self.destroyed[place] or not n:
            return
        self.rubble[place] = max(0, self.rubble[place] + n)
        if self.rubble[place] >= self.location(place).destroyed_at:
            self.rubble[place] = 0
            self.destroyed[place] = 1
        if self.log is not None:
            self.tell(
                events.RubbleChanged(
                    self.location(place).id, self.rubble[place], bool(self.destroyed[place])
                )
            )

    # Derived numbers (§1.4)

    def yield_of(self, place: int, seat: int) -> int:
        """Rations that a Location gives a side that Controls it."""
        if self.destroyed[place]:
            return 0
        rations = self.location(place).rations(self.rubble[place])
        return max(0, rations + self.modifier("location_yield", seat))

    def note(self, seat: int, key: str, card: str = "", param: str = "") -> int:
        """Sum of the notes of this key on the Locations that a side Controls."""
        added = 0
        for place, no in enumerate(self.board):
            note = self.book.locations[no].note
            if (
                note is not None
                and note.key == key
                and note.card == card
                and note.param == param
                and (not self.destroyed[place] or self.book.locations[no].note_kept)
                and self.controller(place) == seat
            ):
                added += note.add
        return added

    def modifier(self, key: str, seat: int) -> int:
        """Sum of what cards in play add to `key` for a side."""
        added = 0
        for owner, kinds in enumerate(self.in_play):
            for kind in kinds:
                for effect in self.book.cards[self.book.card_of[kind]].effect:
                    if effect.op == "modifier" and effect.params["key"] == key:
                        if self.meant(effect.params["who"], owner) == seat:
                            added += effect.params["add"]
        return added

    def card_param(self, seat: int, card: str, param: str) -> int:
        """What notes and cards in play add to a number of a card that a side plays."""
        added = self.note(seat, "card", card, param)
        for kind in self.in_play[seat]:
            for effect in self.book.cards[self.book.card_of[kind]].effect:
                if effect.op == "card_param" and (card, param) == (
                    effect.params["card"],
                    effect.params["param"],
                ):
                    added += effect.params["add"]
        return added

    def meant(self, who: str, seat: int) -> int:
        """The seat that `self` or `enemy` is for a card of this seat."""
        return 1 - seat if who == "enemy" else seat

    def eff(self, f: int, *, attacking: bool, doubled: bool) -> int:
        """Combat of a participant with all that is added to it, doubled last."""
        force = self.book.forces[f]
        seat = force.seat
        combat = force.combat + self.medals[f] + self.combat_add[seat]
        combat += self.modifier("combat", seat)
        if attacking:
            combat += force.attack_bonus
        return 2 * combat if doubled else combat

    def move_cost(self, f: int) -> int:
        """Rations that a Move Action of this Force costs (§3.3)."""
        force = self.book.forces[f]
        if force.free_move and self.free_moves_used[f] < self.book.config.free_move_cap:
            return 0
        return max(0, 1 + self.modifier("move_cost", force.seat))

    def buy_cost(self, f: int) -> int:
        force = self.book.forces[f]
        return max(0, force.cost + self.modifier("buy_cost", force.seat))
