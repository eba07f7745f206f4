"""What each kind of line of a transcript does; the README beside them says it in words."""

from __future__ import annotations

import base64
import signal
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from time import monotonic

from matchmaker.errors import WrongUse
from matchmaker.supervise import kill_group
from matchmaker.tools.check import stories
from matchmaker.tools.check.scene import Broken, Scene
from matchmaker.tools.check.scripted import Stream
from matchmaker.tools.check.transcripts import Step
from matchmaker.tools.check.transcripts import step as read_step
from matchmaker.tools.check.words import replaced, shown, within
from warladder.v1 import referee_pb2 as pb

START_SECONDS = 40.0
"""For a program to come up and dial: virtual machines and searches are slow to load."""

EARLY_MS = 50
"""A timer of the bot's may end so much before its time."""

SETTLED_SECONDS = 1.5
"""After the last message: pings that measure the line are over."""

FEW_DIALS, GROWN = 3, 2.0
"""More dials than these few come after waits that grow to so many times the shortest."""

FAREWELL_SECONDS = 2.0
"""From the end of a stream to the end of the process that is the reason."""

SPARE_SECONDS = 60.0
"""A wait that ends by its own clock ends before."""

UNASKED = ("pong", "standing_order", "practise")
"""What a bot may say of its own accord."""


async def perform(scene: Scene) -> None:
    """Do all steps of a scene's transcript."""
    await each(scene, scene.transcript.steps, {})


async def each(scene: Scene, steps: Iterable[Step], names: Mapping[str, str]) -> None:
    for step in steps:
        scene.look()
        words = replaced(step.words, names) if names else step.words
        scene.note({"does": words})
        await STEPS[step.what](scene, step._replace(words=words))


def rule_of(scene: Scene, step: Step) -> str:
    rule: str = step.words.get("rule", scene.main_rule())
    return rule


# Streams


async def accept(scene: Scene, step: Step) -> None:
    """Wait for the bot to dial, and take the stream."""
    words, last = step.words, scene.stream
    rule = words.get("rule", "dials-again" if scene.streams else "starts")
    copy = words.get("of", scene.copy)
    new = all(stream.copy != copy for stream in scene.streams.values())
    seconds = scene.patience(step, START_SECONDS if new else None)
    gate = scene.gates[words.get("at", "a")]
    scene.copy = copy

    def there() -> Stream | None:
        return next((stream for stream in scene.arrived if stream.gate is gate), None)

    def missing() -> str:
        return f"no Attend call within {seconds:.0f} s; {len(gate.dials)} connections"

    stream = await scene.until(there, seconds, rule, missing)
    scene.take(stream, words["accept"], copy)
    if "not_before_ms" in words and last is not None:
        waited = (stream.opened_at - last.last_sent_at) * 1000
        if waited < words["not_before_ms"] - EARLY_MS:
            raise Broken(rule, f"it dialled after {waited:.0f} ms")


async def cut(scene: Scene, step: Step) -> None:
    scene.streams[step.words["cut"]].cut()


async def end(scene: Scene, step: Step) -> None:
    stream = scene.stream_of(step)
    stream.end(step.words["end"], step.words.get("text", ""))
    await stream.ended()


async def refuse(scene: Scene, step: Step) -> None:
    await scene.gates[step.words["refuse"]].refuse()


async def listen(scene: Scene, step: Step) -> None:
    scene.gates[step.words["listen"]].shut = False


# Messages


async def send(scene: Scene, step: Step) -> None:
    message = stories.referee_message(scene.named(step.words["send"]), step.place)
    await scene.say(message, step, scene.stream_of(step))


async def recorded(scene: Scene, step: Step) -> None:
    stream, name, match = scene.stream_of(step), step.words["recorded"], step.words["match"]
    book, told = scene.books[stream.copy], scene.stories()
    if step.words.get("split"):
        for update in book.one_by_one(name, match, told):
            await scene.say(pb.RefereeMessage(update=update), step, stream, plainly=True)
        if step.words["split"] == "only":
            return
    message = book.fill(name, match, told)
    if "late" in step.words:
        _, missed = told.find(step.words["late"])
        asked = message.decide
        asked.default_taken.decision, asked.default_taken.defaults = missed.decide.decision, 1
        asked.default_taken.charged_ms = asked.clock.cap_ms
        asked.clock.defaults = 1
    await scene.say(message, step, stream)


async def raw(scene: Scene, step: Step) -> None:
    await scene.stream_of(step).send(base64.b64decode(step.words["raw"]))


async def expect(scene: Scene, step: Step) -> None:
    wanted = scene.named(step.words["expect"])
    if "answers" in step.words:
        (kind,) = wanted
        _, message = scene.stories().find(step.words["answers"])
        wanted = {kind: {**wanted[kind], "decision": message.decide.decision}}
    await heard(scene, step, wanted)
    scene.check_needs()


async def ping(scene: Scene, step: Step) -> None:
    """A Ping and its Pong: what was sent before has been read then."""
    number, stream = step.words["ping"], scene.stream_of(step)
    message = pb.RefereeMessage(ping=pb.Ping(number=number))
    await scene.say(message, step, stream, plainly=True)
    await heard(scene, step, {"pong": {"number": number}})
    scene.books[stream.copy].all_read()


async def heard(scene: Scene, step: Step, wanted: dict[str, dict[str, object]]) -> None:
    """Wait for a message that has all that is wanted, whatever was said before it."""
    (kind,) = wanted
    stream, rule, seconds = scene.stream_of(step), rule_of(scene, step), scene.patience(step)
    gone = 0.0

    def there() -> bool | None:
        nonlocal gone
        for each in stream.inbox:
            if each.message.WhichOneof("message") == kind and within(wanted, each.message):
                stream.inbox.remove(each)
                return True
        if stream.hung_up.is_set():  # its process may be about to end: that says more
            gone = gone or monotonic() + FAREWELL_SECONDS
            if monotonic() > gone:
                raise Broken(rule, f"it ended the stream, with no {shown(wanted)}")
        return None

    await scene.until(there, seconds, rule, lambda: f"no {shown(wanted)} within {seconds:.0f} s")


# Time


async def quiet_ms(scene: Scene, step: Step) -> None:
    """Nothing is said that needs a question, nobody dials or hangs up."""
    rule = rule_of(scene, step)
    until = monotonic() + step.words["quiet_ms"] / 1000

    def over() -> bool | None:
        for stream in scene.streams.values():
            for each in () if stream.over.is_set() else stream.inbox:
                kind = each.message.WhichOneof("message")
                if kind not in UNASKED:
                    raise Broken(rule, f"{kind} while nothing was asked")
        if scene.arrived:
            raise Broken(rule, "it dialled again")
        if scene.stream is not None and scene.stream.hung_up.is_set():
            if not scene.stream.over.is_set():
                raise Broken(rule, "it ended the stream")
        return True if monotonic() >= until else None

    await scene.until(over, step.words["quiet_ms"] / 1000 + SPARE_SECONDS, rule, str)


async def keepalive_apart_ms(scene: Scene, step: Step) -> None:
    """Pings of HTTP/2 since the last message that was sent, apart from those that measure."""
    stream = scene.stream_of(step)
    at = [when for when in stream.pings() if when > stream.last_sent_at + SETTLED_SECONDS]
    gaps = [(later - sooner) * 1000 for sooner, later in pairwise(at)]
    if gaps and min(gaps) < step.words["keepalive_apart_ms"]:
        raise Broken(rule_of(scene, step), f"{len(at)} pings, {min(gaps):.0f} ms apart")


async def back_off_ms(scene: Scene, step: Step) -> None:
    """How often it dials a gate that is shut: not many times, and after growing waits."""
    (gate,) = (each for each in scene.gates.values() if each.shut)
    before = len(gate.dials)
    await dialling(scene, step, lambda: gate.dials[before:])


async def turn_away_ms(scene: Scene, step: Step) -> None:
    """The same where it is heard, and sent away each time."""
    came: list[float] = []

    def turned_away() -> list[float]:
        for stream in list(scene.arrived):
            came.append(stream.opened_at)
            scene.take(stream, "turned away", scene.copy)
            stream.end(step.words["status"])
        return came

    await dialling(scene, step, turned_away)


async def dialling(scene: Scene, step: Step, dials: Callable[[], list[float]]) -> None:
    rule, begun, most = rule_of(scene, step), monotonic(), step.words["at_most"]
    seconds = step.words[step.what] / 1000

    def over() -> bool | None:
        if len(dials()) > most:
            raise Broken(rule, f"{most + 1} dials within {monotonic() - begun:.1f} s")
        return True if monotonic() >= begun + seconds else None

    await scene.until(over, seconds + SPARE_SECONDS, rule, str)
    waits = [later - sooner for sooner, later in pairwise([*dials(), monotonic()])]
    if len(waits) > FEW_DIALS and max(waits) < GROWN * min(waits[:-1]):
        told = ", ".join(f"{wait:.1f}" for wait in waits[:-1])
        raise Broken(rule, f"it dialled again after {told} s")


# Processes


async def start(scene: Scene, step: Step) -> None:
    scene.start(step.words["start"], step.words.get("at", "a"))


async def signal_(scene: Scene, step: Step) -> None:
    process = scene.children[scene.copy].process
    assert process is not None
    kill_group(process.pid, signal.Signals[f"SIG{step.words['signal']}"])


async def exit_(scene: Scene, step: Step) -> None:
    """It ends, and does not dial again before. Its Goodbye is answered by one."""
    rule, copy, seconds = (
        rule_of(scene, step),
        step.words.get("of", scene.copy),
        scene.patience(step),
    )
    gate = scene.streams[step.words["on"]].gate if "on" in step.words else None

    def code() -> int | None:
        if any(gate is None or each.gate is gate for each in scene.arrived):
            raise Broken(rule, "it dialled again")
        return scene.code(copy)

    def leaving() -> Stream | int | None:
        for stream in scene.streams.values():
            if any(each.message.HasField("goodbye") for each in stream.inbox):
                if not stream.over.is_set():
                    return stream
        return code()

    def missing() -> str:
        return f"it still runs after {seconds:.0f} s"

    found = await scene.until(leaving, seconds, rule, missing, lives=False)
    if isinstance(found, Stream):
        done = pb.RefereeMessage(goodbye=pb.Goodbye(reason=pb.GOODBYE_REASON_DONE))
        await scene.say(done, step, found, plainly=True)
        found.end("OK")
        found = await scene.until(code, seconds, rule, missing, lives=False)
    wanted = step.words["exit"]
    if wanted != "any" and found != wanted:
        raise Broken(rule, f"exit code {found}, not {wanted}")


# More than one step


async def repeat(scene: Scene, step: Step) -> None:
    times = step.words["repeat"]
    if step.words.get("at_most") == "max_matches":
        assert scene.hello is not None
        times = min(times, max(1, scene.hello.max_matches))
    for k in range(1, times + 1):
        await each(scene, within_step(step, "steps"), {step.words["as"]: str(k)})


async def if_(scene: Scene, step: Step) -> None:
    if step.words["if"] != "same_instance":
        raise WrongUse(f"{step.place}: no such condition: {step.words['if']}")
    hellos = [book.hello for book in scene.books.values()]
    same = len({hello.instance for hello in hellos if hello is not None}) == 1
    await each(scene, within_step(step, "then" if same else "else"), {})


def within_step(step: Step, name: str) -> Sequence[Step]:
    return [read_step(step.place, words) for words in step.words[name]]


STEPS: Mapping[str, Callable[[Scene, Step], Awaitable[None]]] = {
    "accept": accept,
    "back_off_ms": back_off_ms,
    "cut": cut,
    "end": end,
    "exit": exit_,
    "expect": expect,
    "if": if_,
    "keepalive_apart_ms": keepalive_apart_ms,
    "listen": listen,
    "ping": ping,
    "quiet_ms": quiet_ms,
    "raw": raw,
    "recorded": recorded,
    "refuse": refuse,
    "repeat": repeat,
    "send": send,
    "signal": signal_,
    "start": start,
    "turn_away_ms": turn_away_ms,
}
