"""Battle for Stalingrad in the protocol and back; the only code of it that knows the protocol."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from referee.engine import Option
from referee.engine.canonical import pack, unpack
from referee.games.stalingrad import events
from referee.games.stalingrad.book import CARD_VERBS, FORCE_VERBS, CardKind
from referee.games.stalingrad.options import Config
from referee.games.stalingrad.view import (
    AbsorbView,
    BattleView,
    Kinds,
    MoveView,
    PlayView,
    View,
)
from warladder.v1 import games_pb2
from warladder.v1 import stalingrad_pb2 as pb

# Views


def view(seen: View) -> games_pb2.View:
    """The view as packed columns; nothing of it is lost."""
    return games_pb2.View(
        stalingrad=pb.StalingradView(
            viewer=seen.viewer,
            cards=seen.cards,
            config=_config(seen.config),
            round=seen.round,
            acting=seen.acting,
            step=seen.step,
            asked=seen.asked,
            kind=seen.kind,
            left=seen.left,
            begun=seen.begun,
            locations=seen.locations,
            rubble=seen.rubble,
            destroyed=seen.destroyed,
            control=seen.control,
            unused=seen.unused,
            forces=seen.forces,
            areas=seen.areas,
            rations=seen.rations,
            medals=seen.medals,
            no_move=seen.no_move,
            free_moves_used=seen.free_moves_used,
            force_deck_tops=seen.force_deck_tops,
            russian_force_deck=seen.force_decks[0],
            german_force_deck=seen.force_decks[1],
            russian_force_deck_bottom=seen.force_deck_bottoms[0],
            german_force_deck_bottom=seen.force_deck_bottoms[1],
            hand=_cards(seen.hand),
            hand_sizes=seen.hand_sizes,
            known_hands=map(_cards, seen.known_hands),
            deck_sizes=seen.deck_sizes,
            unseen=map(_cards, seen.unseen),
            discards=map(_pile, seen.discards),
            in_play=map(_pile, seen.in_play),
            table=map(_pile, seen.table),
            peeked=_pile(seen.peeked),
            peeked_sizes=seen.peeked_sizes,
            shuffles=seen.shuffles,
            buy_points=seen.buy_points,
            combat_add=seen.combat_add,
            plays_seats=[seat for seat, _, _ in seen.plays],
            plays_cards=[card for _, card, _ in seen.plays],
            plays_counts=[n for _, _, n in seen.plays],
            actions=seen.actions,
            no_draw_bonus=seen.no_draw_bonus,
            battle=seen.battle and pb.StalingradBattle(**seen.battle._asdict()),
            absorb=seen.absorb and pb.StalingradAbsorb(**seen.absorb._asdict()),
            move=seen.move and pb.StalingradMove(**seen.move._asdict()),
            playing=map(_play, seen.playing),
            result=seen.result
            and pb.StalingradResult(winner=seen.result[0], reason=seen.result[1]),
            stack=pack(seen.stack),
        )
    )


def read_view(message: games_pb2.View) -> View:
    seen = message.stalingrad
    stack: Any = unpack(seen.stack)
    return View(
        viewer=seen.viewer,
        cards=seen.cards,
        config=_record(Config, seen.config),
        round=seen.round,
        acting=seen.acting,
        step=seen.step,
        asked=seen.asked,
        kind=seen.kind,
        left=seen.left,
        begun=tuple(seen.begun),
        locations=tuple(seen.locations),
        unused=tuple(seen.unused),
        rubble=tuple(seen.rubble),
        destroyed=tuple(seen.destroyed),
        control=tuple(seen.control),
        forces=tuple(seen.forces),
        areas=tuple(seen.areas),
        rations=tuple(seen.rations),
        medals=tuple(seen.medals),
        no_move=tuple(seen.no_move),
        free_moves_used=tuple(seen.free_moves_used),
        force_deck_tops=_pair(seen.force_deck_tops),
        force_decks=(tuple(seen.russian_force_deck), tuple(seen.german_force_deck)),
        force_deck_bottoms=(
            tuple(seen.russian_force_deck_bottom),
            tuple(seen.german_force_deck_bottom),
        ),
        hand=_read_cards(seen.hand),
        hand_sizes=_pair(seen.hand_sizes),
        known_hands=_pair(map(_read_cards, seen.known_hands)),
        deck_sizes=_pair(seen.deck_sizes),
        unseen=_pair(map(_read_cards, seen.unseen)),
        discards=_pair(map(_read_pile, seen.discards)),
        in_play=_pair(map(_read_pile, seen.in_play)),
        table=_pair(map(_read_pile, seen.table)),
        peeked=_read_pile(seen.peeked),
        peeked_sizes=_pair(seen.peeked_sizes),
        shuffles=_pair(seen.shuffles),
        buy_points=seen.buy_points,
        combat_add=_pair(seen.combat_add),
        plays=tuple(zip(seen.plays_seats, seen.plays_cards, seen.plays_counts, strict=True)),
        actions=seen.actions,
        no_draw_bonus=seen.no_draw_bonus,
        battle=_record(BattleView, seen.battle) if seen.HasField("battle") else None,
        absorb=_record(AbsorbView, seen.absorb) if seen.HasField("absorb") else None,
        move=_record(MoveView, seen.move) if seen.HasField("move") else None,
        playing=tuple(map(_read_play, seen.playing)),
        result=(seen.result.winner, seen.result.reason) if seen.HasField("result") else None,
        stack=stack,
    )


def _cards(kinds: Kinds) -> pb.StalingradCards:
    """A sorted multiset as columns with counts."""
    cards: list[str] = []
    ffs: list[int] = []
    counts: list[int] = []
    last = None
    for kind in kinds:
        if kind == last:
            counts[-1] += 1
        else:
            last = kind
            cards.append(kind[0])
            ffs.append(kind[1])
            counts.append(1)
    return pb.StalingradCards(cards=cards, ffs=ffs, counts=counts)


@lru_cache(maxsize=64)
def _config(config: Config) -> pb.StalingradConfig:
    return pb.StalingradConfig(**config._asdict())


def _read_cards(message: pb.StalingradCards) -> Kinds:
    rows = zip(message.cards, message.ffs, message.counts, strict=True)
    return tuple(kind for card, ff, n in rows for kind in (CardKind(card, ff),) * n)


def _pile(kinds: Kinds) -> pb.StalingradPile:
    return pb.StalingradPile(cards=[each.card for each in kinds], ffs=[each.ff for each in kinds])


def _read_pile(message: pb.StalingradPile) -> Kinds:
    return tuple(map(CardKind, message.cards, message.ffs))


def _play(seen: PlayView) -> pb.StalingradPlay:
    return pb.StalingradPlay(
        seat=seen.seat,
        card=_card(seen.card),
        targets=seen.targets,
        cancelled=seen.cancelled,
    )


def _read_play(message: pb.StalingradPlay) -> PlayView:
    card = _read_card(message.card)
    return PlayView(message.seat, card, tuple(message.targets), message.cancelled)


def _card(kind: CardKind) -> pb.StalingradCard:
    return pb.StalingradCard(card=kind.card, ff=kind.ff)


def _read_card(message: pb.StalingradCard) -> CardKind:
    return CardKind(message.card, message.ff)


def _pair(values: Iterable[Any]) -> Any:
    first, second = values
    return first, second


# Options: which fields carry the arguments of a verb

FIELDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(FORCE_VERBS, ("force",)),
    **dict.fromkeys(CARD_VERBS, ("card", "ff")),
    "ration": ("force", "rations"),
    "attack": ("location",),
    "to": ("area",),
    "target": ("target",),
}
"""Verbs that are not here have no arguments, but for `participants`."""


def option(offered: Option, label: bool = True) -> games_pb2.Option:
    verb, args = offered
    fields: dict[str, Any]
    if verb == "participants":
        fields = {"forces": args}
    else:
        fields = dict(zip(FIELDS.get(verb, ()), args, strict=True))
    return games_pb2.Option(
        label=str(offered) if label else "",
        stalingrad=pb.StalingradOption(verb=verb, **fields),
    )


def read_option(message: games_pb2.Option) -> Option:
    inner = message.stalingrad
    verb = inner.verb
    if verb == "participants":
        return Option(verb, tuple(inner.forces))
    return Option(verb, tuple(getattr(inner, field) for field in FIELDS.get(verb, ())))


# Events: a record's fields are its message's fields


def event(happened: Any) -> games_pb2.Event:
    form = _FORMS[type(happened)]
    fields = {
        field.name: field.write(value) for field, value in zip(form.fields, happened, strict=True)
    }
    inner = {form.name: form.message(**fields)}
    return games_pb2.Event(stalingrad=pb.StalingradEvent(**inner))


def read_event(message: games_pb2.Event) -> Any:
    told = message.stalingrad
    name = told.WhichOneof("event")
    assert name is not None, "an event of a newer protocol"
    form = _BY_NAME[name]
    inner = getattr(told, name)
    return form.record(*(field.read(getattr(inner, field.name)) for field in form.fields))


class Field(NamedTuple):
    """How one field of a record crosses."""

    name: str
    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


class Form(NamedTuple):
    """How one kind of event crosses."""

    name: str
    record: Callable[..., Any]
    message: Callable[..., Any]
    fields: tuple[Field, ...]


def _plain(value: Any) -> Any:
    return value


def _field(name: str, kind: Any) -> Field:
    if kind is CardKind:
        return Field(name, _card, _read_card)
    if get_origin(kind) is not tuple:
        return Field(name, _plain, _plain)
    if get_args(kind)[0] is CardKind:
        return Field(
            name,
            lambda kinds: map(_card, kinds),
            lambda cards: tuple(map(_read_card, cards)),
        )
    return Field(name, _plain, tuple)


def _form(record: Any) -> Form:
    hints = get_type_hints(record)
    return Form(
        name=re.sub(r"(?<!^)([A-Z])", r"_\1", record.__name__).lower(),
        record=record,
        message=getattr(pb, f"Stalingrad{record.__name__}"),
        fields=tuple(_field(name, hints[name]) for name in record._fields),
    )


def _record(record: Any, message: Any) -> Any:
    """A record from a message with the same fields; repeated ones become tuples."""
    return record(
        *(
            value if isinstance(value, int | str) else tuple(value)
            for value in (getattr(message, name) for name in record._fields)
        )
    )


_FORMS: dict[type, Form] = {record: _form(record) for record in get_args(events.Event)}
_BY_NAME: dict[str, Form] = {form.name: form for form in _FORMS.values()}
