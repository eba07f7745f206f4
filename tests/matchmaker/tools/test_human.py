"""A person at a referee: what he is shown, what he may type, what is sent."""

import asyncio
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
from rich.console import Console

from matchmaker import output
from matchmaker.errors import FellShort, WrongUse
from matchmaker.tools.human import command
from matchmaker.tools.human.keyboard import Keyboard
from matchmaker.tools.human.line import Line
from matchmaker.tools.human.offers import Offers
from matchmaker.tools.human.sitting import HELP, Sitting
from matchmaker.tools.play import CLOCKS_OF_A_PERSON, HUMAN, Entry, line_up, plan
from matchmaker.viewing import titles
from matchmaker.viewing.closed import components
from matchmaker.viewing.table import Said
from referee import games
from referee.games.skirmish.events import Drew
from referee.server.local import LocalReferee
from referee.server.partings import Parting
from tests.helpers.matches import record
from warladder.v1 import referee_pb2 as pb

ENTER = ""


class Hand:
    """Types what it is told to, then Enter or a number; None ends the input."""

    def __init__(self, *lines: str | None, is_terminal: bool = True) -> None:
        self.typed = list(lines)
        self.is_terminal = is_terminal
        self.console = output.console(file=StringIO(), width=80)
        self.forgotten = 0

    @property
    def seen(self) -> str:
        text = self.console.file
        assert isinstance(text, StringIO)
        return text.getvalue()

    def forget(self) -> None:
        self.forgotten += 1

    async def line(self) -> str | None:
        await asyncio.sleep(0)
        if self.typed:
            return self.typed.pop(0)
        return ENTER if self.seen.endswith("Enter = 1, ? helps] > ") else "1"


class Duel:
    """A match that a person plays as one seat; the other answers at random."""

    def __init__(self, game: str, hand: Hand, seat: int = 0, **options: Any) -> None:
        self.state = games.get(game).start(seats=2, seed="1", options=options)
        self.wire = games.get(game).wire
        self.kinds = {name for name, kind in games.get(game).facts.kinds.items()
                      if kind.standing_order}  # fmt: skip
        self.game, self.seat, self.hand = game, seat, hand
        self.heard = self.decision = 0
        self.sent: list[dict[str, Any]] = []
        self.broke = False
        self.rng = Random(1)
        started = pb.MatchStarted(match="m", game=game, seat=seat, seats=2)
        self.sitting = Sitting(
            started, components(game), self.kinds, hand.console, hand, self.take, self.break_off
        )

    def break_off(self) -> None:
        self.broke = True

    async def take(self, **message: Any) -> None:
        self.sent.append(message)

    def news(self) -> list[Any]:
        events = self.state.events(self.seat, self.heard)
        self.heard += len(events)
        return [self.wire.event(each) for each in events]

    def question(self, **clock: int) -> pb.Decide:
        """Let the others answer until this seat is asked."""
        while self.seat not in self.state.asked():
            [other] = self.state.asked()
            self.state.choose(other, self.rng.randrange(len(self.state.options(other))))
        self.decision += 1
        times = {"bank_ms": CLOCKS_OF_A_PERSON.bank_ms, "cap_ms": CLOCKS_OF_A_PERSON.cap_ms}
        return pb.Decide(
            match="m", decision=self.decision, kind=self.state.kind(self.seat),
            events=self.news(), view=self.wire.view(self.state.view(self.seat)),
            options=[self.wire.option(each) for each in self.state.options(self.seat)],
            clock=pb.Clock(**{**times, **clock}), last_event=self.heard, receipt=b"r",
        )  # fmt: skip

    async def ask(self, **clock: int) -> dict[str, Any]:
        """Put the next question, and give what is sent as an answer."""
        await self.sitting.decide(self.question(**clock))
        assert self.sitting.asking is not None
        await self.sitting.asking
        return self.sent[-1]

    def answer(self, message: dict[str, Any]) -> None:
        assert message["choose"].decision == self.decision
        self.state.choose(self.seat, message["choose"].option)

    async def to_the_end(self) -> None:
        while self.state.asked():
            while self.state.asked() and self.seat not in self.state.asked():
                other = self.state.asked()[0]
                self.state.choose(other, self.rng.randrange(len(self.state.options(other))))
            if self.state.asked():
                self.answer(await self.ask())
        outcome = self.state.outcome()
        assert outcome is not None
        await self.sitting.end(
            pb.MatchEnded(
                match="m", ending=pb.ENDING_NORMAL, events=self.news(),
                outcome=pb.Outcome(ranks=outcome.ranks, reason=outcome.reason),
                opponents=[pb.Opponent(seat=0, bot="me"), pb.Opponent(seat=1, bot="it")],
            )
        )  # fmt: skip


@pytest.mark.parametrize(("game", "options"), [("skirmish", {}), ("stalingrad", {"max_rounds": 2})])
@pytest.mark.parametrize("seat", [0, 1])
async def test_a_whole_match_by_enter_and_the_first_option(
    game: str, options: dict[str, Any], seat: int
) -> None:
    hand = Hand()
    duel = Duel(game, hand, seat, **options)
    await duel.to_the_end()
    assert duel.sent
    assert f"your seat: {duel.sitting.table.seat(seat)}" in hand.seen
    assert "(you)" in hand.seen
    assert "The match is over: played to its end by the rules" in hand.seen
    outcome = duel.state.outcome()
    assert outcome is not None
    decided = titles.reason(game, outcome.reason)
    assert decided[1:] in " ".join(hand.seen.split())
    won = "win" if outcome.ranks == ((1, 2), (2, 1))[seat] else "lose"
    assert f"You {won}.\n" in hand.seen or outcome.ranks == (1, 1)
    assert f"  {outcome.ranks[1]}. it, " in hand.seen
    assert max(map(len, hand.seen.splitlines())) <= 82 + len("[1-99, Enter = 1, ? helps] > ")
    assert not duel.broke


async def test_what_has_happened_is_told_once_and_again_when_asked_for() -> None:
    hand = Hand("l", "2")
    duel = Duel("skirmish", hand)
    await duel.ask()
    assert hand.seen.count("· The hills lie in the order") == 2
    assert duel.sitting.last_event == duel.heard
    await duel.sitting.update(pb.Update(match="m", events=duel.news(), last_event=9, receipt=b"s"))
    assert (duel.sitting.last_event, duel.sitting.receipt) == (9, b"s")
    assert hand.forgotten == 1, "what was typed before the question is no answer"


async def test_words_beside_numbers() -> None:
    hand = Hand("?", "b", "c", "x", "77", "nothing like it", "name", ENTER, "3")
    duel = Duel("skirmish", hand)
    sent = await duel.ask()
    assert sent["choose"].option == 2
    seen = hand.seen
    assert all(line in seen for line in HELP.splitlines())
    assert seen.count("══ Round 1 of 5") == 2
    assert "· Your hand: " in seen
    assert "There are no orders." in seen
    assert "There is no option 77; there are 1 to 5." in seen
    assert "No option has 'nothing like it' in it" in seen
    assert "Enter takes nothing here: type a number." in seen


async def test_a_word_that_leaves_one_option_makes_enter_take_it() -> None:
    duel = Duel("stalingrad", Hand("13th gu", ENTER))
    duel.answer(await duel.ask())
    assert "pick R13G" in str(duel.state.view(0).begun) or "R13G" in str(duel.state.view(0))
    assert "Enter = 7" in duel.hand.seen


async def test_resigning_is_asked_twice() -> None:
    hand = Hand("r", "no", "r", "yes")
    sent = await Duel("skirmish", hand).ask()
    assert sent["resign"].match == "m"
    assert hand.seen.count("Give the match up?") == 2


async def test_ctrl_d_asks_on_a_terminal_and_the_end_of_a_file_resigns() -> None:
    asked = Hand(None, "no", "1")
    assert "choose" in await Duel("skirmish", asked).ask()
    assert "Give the match up?" in asked.seen
    ended = Hand(None, is_terminal=False)
    assert "resign" in await Duel("skirmish", ended).ask()
    assert "The input has ended: you resign." in ended.seen


async def test_a_question_without_a_choice_is_answered_by_itself() -> None:
    hand = Hand("r", "yes")
    duel = Duel("skirmish", hand)
    asked = duel.question()
    del asked.options[1:]
    await duel.sitting.decide(asked)
    assert duel.sitting.asking is not None
    await duel.sitting.asking
    assert duel.sent[-1]["choose"].option == 0
    assert "(no choice: name 2)" in hand.seen


async def test_standing_orders_pass_for_the_person() -> None:
    hand = Hand("1")
    duel = Duel("skirmish", hand)
    duel.answer(await duel.ask())
    hand.typed += ["o"]
    await duel.ask()
    assert duel.state.kind(0) == "support"
    order, choice = duel.sent[-2:]
    assert (order["standing_order"].window, order["standing_order"].on) == ("support", True)
    assert choice["choose"].option == 0
    hand.typed += ["x", "1"]
    await duel.ask()
    assert duel.sent[-2]["standing_order"].on is False
    assert "You are asked again." in hand.seen


async def test_no_order_where_the_game_takes_none() -> None:
    hand = Hand("o", "1")
    assert "choose" in await Duel("skirmish", hand).ask()
    assert "takes no standing order" in hand.seen


async def test_a_clock_is_shown_if_there_is_one_to_speak_of() -> None:
    hand = Hand()
    duel = Duel("skirmish", hand)
    duel.answer(await duel.ask())
    assert "s to answer" not in hand.seen
    await duel.ask(cap_ms=10_000, bank_ms=65_000)
    assert "10 s to answer, 65 s in all] > " in hand.seen


async def test_who_is_late_is_told_what_was_taken_and_asked_no_longer() -> None:
    hand = Hand()
    duel = Duel("skirmish", hand)

    async def never() -> str | None:
        await asyncio.sleep(3600)
        return None

    hand.line = never  # type: ignore[method-assign]
    await duel.sitting.decide(duel.question())
    asking = duel.sitting.asking
    assert asking is not None
    await asyncio.sleep(0)
    late = pb.DefaultTaken(decision=1, option=0, defaults=1, charged_ms=10)
    await duel.sitting.update(pb.Update(match="m", default_taken=late))
    assert asking.cancelled()
    assert "You were late, so the default was taken: name 2 (1 so far)" in hand.seen
    assert duel.sent == []


async def test_what_happens_meanwhile_stands_above_the_prompt() -> None:
    hand = Hand()
    duel = Duel("skirmish", hand)
    waiting = asyncio.Event()

    async def later() -> str | None:
        await waiting.wait()
        return "1"

    hand.line = later  # type: ignore[method-assign]
    await duel.sitting.decide(duel.question())
    await asyncio.sleep(0)
    event = games.get("skirmish").wire.event(Drew(seat=1, card=0))
    await duel.sitting.update(pb.Update(match="m", events=[event], last_event=7))
    assert hand.seen.endswith("? helps] > \n· seat 1 draws a card\n[1-5, ? helps] > ")
    waiting.set()
    assert duel.sitting.asking is not None
    await duel.sitting.asking
    await duel.sitting.update(pb.Update(match="m", events=[event], last_event=8))
    assert hand.seen.endswith("· seat 1 draws a card\n"), "no prompt, as nothing is asked"


@pytest.mark.parametrize(
    ("ranks", "sides", "how"),
    [((1, 2), (), "win"), ((1, 1), (), "draw"), ((2, 1), (), "lose"),
     ((1, 2, 1, 2), (0, 1, 0, 1), "win")],
)  # fmt: skip
async def test_who_wins_with_his_side_wins(
    ranks: tuple[int, ...], sides: tuple[int, ...], how: str
) -> None:
    hand = Hand()
    started = pb.MatchStarted(match="m", game="skirmish", seat=0, seats=len(ranks), sides=sides)
    sitting = Sitting(started, b"{}", (), hand.console, hand, Duel("skirmish", hand).take, list)
    await sitting.end(pb.MatchEnded(match="m", ending=99, outcome=pb.Outcome(ranks=ranks)))  # type: ignore[arg-type]
    assert f"You {how}." in hand.seen
    assert "The match is over: ending 99" in hand.seen, "one that this program does not know"


async def test_an_answer_on_its_way_is_not_stopped_by_the_next_message() -> None:
    """To stop it would end the whole stream."""
    duel = Duel("skirmish", Hand())
    written = asyncio.Event()

    async def slow(**message: Any) -> None:
        await asyncio.sleep(0.01)
        duel.sent.append(message)
        written.set()

    duel.sitting.say = slow
    await duel.sitting.decide(duel.question())
    while duel.sitting.asking is not None:
        await asyncio.sleep(0)
    await duel.sitting.drop_question()
    await asyncio.wait_for(written.wait(), 5)
    assert "choose" in duel.sent[0]


async def test_a_fault_of_ours_is_not_silence() -> None:
    duel = Duel("skirmish", Hand())

    async def broken(**message: Any) -> None:
        raise ValueError("a fault")

    duel.sitting.say = broken
    await duel.sitting.decide(duel.question())
    assert duel.sitting.asking is not None
    with pytest.raises(ValueError, match="a fault"):
        await duel.sitting.asking
    await asyncio.sleep(0)
    assert duel.broke
    assert isinstance(duel.sitting.broken[0], ValueError)


# Options


def test_a_long_list_is_cut_and_grouped() -> None:
    offers = Offers([Said("", "end"), *(Said("Move", f"force {n}") for n in range(60))], False)
    lines = list(offers.lines())
    assert lines[:3] == ["   1  end", "  Move", "   2  force 0"]
    assert lines[-1].startswith("  … 21 more: type a word")
    assert len(list(offers.lines(most=99))) == 62
    assert offers.find("MOVE force 59") == [60]
    assert offers.enter() == 60
    assert list(offers.lines([60])) == ["  Move", "  61  force 59  (Enter)"]
    assert offers.find("force 58") == [59]
    assert offers.enter() == 59
    assert len(offers.find("force 5")) > 1
    assert offers.enter() is None


@pytest.mark.parametrize("text", ["0", "3", "-1", "1.0", "²", "9" * 30, "one"])
def test_what_is_no_number_of_an_option(text: str) -> None:
    assert Offers([Said("", "a"), Said("", "b")], False).number(text) is None


# The line


def console() -> Console:
    return output.console(file=StringIO(), width=80)


async def test_two_persons_at_a_referee_and_one_comes_back_after_a_cut(tmp_path: Path) -> None:
    hands = [Hand(is_terminal=False), Hand(is_terminal=False)]
    async with LocalReferee(f"unix:{tmp_path}/r.sock", {}) as referee:
        lines = [
            Line(referee.address, referee.token(bot), (), hand.console, hand)
            for bot, hand in zip("ab", hands, strict=True)
        ]
        attending = [asyncio.create_task(line.attend()) for line in lines]
        assert await referee.attended(["a", "b"], 20) == []
        playing = referee.begin(record(options={"rounds": 2}, clocks=CLOCKS_OF_A_PERSON))
        while lines[0].sitting is None or lines[0].sitting.last_event == 0:
            await asyncio.sleep(0)
        referee.hall.streams["a", ""].close(Parting.SILENT, "cut by the test")
        try:
            played = await asyncio.wait_for(playing, 20)
        except TimeoutError:
            raise AssertionError("\n".join(hand.seen for hand in hands)) from None
        assert played.ending == "normal"
        while any(line.sitting for line in lines):
            await asyncio.sleep(0.01)
        for task in attending:
            task.cancel()
        await asyncio.gather(*attending, return_exceptions=True)
    for hand in hands:
        assert "The match is over" in hand.seen
        assert hand.seen.count("· The hills lie in the order") == 1, "each event once"


async def test_a_wrong_token_and_an_unknown_game_are_said(tmp_path: Path) -> None:
    async with LocalReferee(f"unix:{tmp_path}/r.sock", {}) as referee:
        hand = Hand()
        with pytest.raises(FellShort, match="UNAUTHENTICATED"):
            await Line(referee.address, "wl_wrong", (), hand.console, hand).attend()
        with pytest.raises(WrongUse, match="chess: not played at unix:"):
            await Line(referee.address, "wl_x", ("chess",), hand.console, hand).attend()


async def test_a_keyboard_gives_lines_and_the_end(tmp_path: Path) -> None:
    file = tmp_path / "typed"
    file.write_bytes(b"one\n two \nlast")
    with file.open("rb") as opened:
        keyboard = Keyboard(opened.fileno())
        keyboard.start()
        keyboard.forget()
        assert [await keyboard.line() for _ in range(5)] == ["one", "two", "last", None, None]


# The commands


def test_human_is_a_bots_name_and_one_person_sits_at_a_terminal() -> None:
    entries = line_up(["greedy", HUMAN])
    assert [each.is_person for each in entries] == [False, True]
    assert entries[1] == Entry(HUMAN, command.COMMAND, is_person=True)
    with pytest.raises(WrongUse, match="one terminal seats one person"):
        line_up([HUMAN, "greedy", HUMAN])
    [first, *_] = plan("skirmish", entries, "1", 1, {})
    assert first.clocks == CLOCKS_OF_A_PERSON
    assert [seat.bot for seat in first.seats] == ["greedy", HUMAN]
    [first, *_] = plan("skirmish", entries[:1] * 2, "1", 1, {})
    assert first.clocks.cap_ms < 1000 * 3600


@pytest.mark.parametrize("token", ["", "wl_ä", "wl\n"])
def test_without_a_token_it_says_so(monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    monkeypatch.setenv("WARLADDER_TOKEN", token)
    with pytest.raises(WrongUse, match="WARLADDER_TOKEN is not set"):
        command.run(())


def test_every_bot_has_a_name_of_its_own(tmp_path: Path) -> None:
    """A program may be called what the second one of another name would be."""
    for name in ("x.py", "x#2.py"):
        (tmp_path / name).write_text("")
    bots = [f"python '{tmp_path / name}'" for name in ("x.py", "x#2.py", "x.py", "x#2.py")]
    assert [each.name for each in line_up(bots)] == ["x", "x#2", "x#3", "x#2#2"]
