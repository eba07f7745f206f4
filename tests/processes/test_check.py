"""Checks of whole bots: one that is right, and the same one with one thing wrong after another."""

import asyncio
import json
import sys
from pathlib import Path

from matchmaker.supervise import Supervisor
from matchmaker.tools.check import choose, files, play, stage, transcripts
from matchmaker.tools.check.scene import Cast
from matchmaker.tools.check.verdicts import verdicts
from matchmaker.tools.quiet import quiet
from tests.helpers.processes import warladder

BOT = Path(__file__).parent.parent / "helpers" / "broken_bot.py"
EVERY, ALWAYS = transcripts.every(files.SHIPPED), transcripts.always(files.SHIPPED)
AT_ONCE = 6
"""Bots; most of a check is waiting for what does not come."""

PATIENCE_SECONDS = 4.0

BROKEN = {
    "no-token": "token",
    "tells-its-token": "token-stays-out",
    "begins-with-a-pong": "hello-first",
    "no-version-to-print": "hello-fields",
    "is-never-ready": "ready",
    "leaves-pings-unanswered": "ping",
    "plays-one-match": "next-match",
    "counts-from-nought": "answers-what-is-asked",
    "counts-options-from-one": "option-on-offer",
    "says-it-twice": "one-answer",
    "thinks-of-one-match": "interleaved",
    "skips-what-leaves-no-choice": "single-option",
    "argues": "stale",
    "stays-away": "dials-again",
    "keeps-its-first-receipt": "resume",
    "forgets-nothing": "ended-is-forgotten",
    "answers-once-and-for-all": "question-again",
    "fights-for-its-place": "replaced",
    "dials-without-a-token": "unauthenticated",
    "cannot-wait": "waits-as-told",
    "hammers": "backs-off",
    "stays-where-it-was": "drain",
    "wants-to-know-every-message": "unknown-messages",
    "knows-every-fault": "unknown-values",
    "knows-every-event": "unknown-kinds",
    "fails-when-done": "done",
    "hears-no-signal": "terminates",
}
"""What is wrong with the bot, and the rule that it breaks."""

ALSO = "revoked"
"""A rule that each of them keeps, looked at beside."""


async def check(wrong: str, cast: Cast, room: asyncio.Semaphore) -> dict[str, str]:
    """Verdicts by rule."""
    rules = (BROKEN[wrong], ALSO)
    cast = cast._replace(command=(sys.executable, str(BOT), wrong))
    async with room:
        played = await play(choose(EVERY, ALWAYS, rules), cast, jobs=1)
    return {each.rule: each.verdict for each in verdicts(played, ALWAYS, EVERY, rules)}


async def check_all(supervisor: Supervisor) -> dict[str, dict[str, str]]:
    room = asyncio.Semaphore(AT_ONCE)
    async with stage(supervisor, patience=PATIENCE_SECONDS) as cast:
        found = await asyncio.gather(*(check(wrong, cast, room) for wrong in BROKEN))
    return dict(zip(BROKEN, found))


def test_each_way_to_be_wrong_is_found_and_named() -> None:
    with quiet(), Supervisor() as supervisor:
        found = asyncio.run(check_all(supervisor))
    for wrong, verdict_of in found.items():
        failed = [rule for rule, verdict in verdict_of.items() if verdict == "fail"]
        assert failed == [BROKEN[wrong]], (wrong, verdict_of)


def test_a_bot_that_is_right_passes_every_rule() -> None:
    run = warladder("bot", "check", "--json", "--", sys.executable, str(BOT), "nothing")
    assert run.returncode == 0, run.stdout + run.stderr
    told = json.loads(run.stdout)
    assert list(told) == ["command", "version", "ok", "rules"]
    assert (told["command"], told["ok"]) == ("bot check", True)
    assert all(list(each) == ["rule", "verdict", "expected", "seen"] for each in told["rules"])
    passed = {each["rule"] for each in told["rules"] if each["verdict"] == "pass"}
    assert passed == {*ALWAYS, *(rule for each in EVERY for rule in each.rules)}
