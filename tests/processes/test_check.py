"""Checks of whole bots: one that is right, and the same one with one thing wrong after another."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from matchmaker.supervise import Supervisor
from matchmaker.tools.check import choose, files, play, stage, transcripts
from matchmaker.tools.check.scene import Cast
from matchmaker.tools.check.verdicts import verdicts
from matchmaker.tools.quiet import quiet
from tests.helpers.processes import warladder

BOT = Path(__file__).parent.parent / "helpers" / "broken_bot.py"
EVERY, ALWAYS = transcripts.every(files.SHIPPED), transcripts.always(files.SHIPPED)
RULES = {*ALWAYS, *(rule for each in EVERY for rule in each.rules)}
AT_ONCE = 8
"""Bots; most of a check is waiting for what does not come."""

PATIENCE_SECONDS = 4.0

BROKEN = (
    ("no-token", "token"),
    ("tells-its-token", "token-stays-out"),
    ("begins-with-a-pong", "hello-first"),
    ("no-version-to-print", "hello-fields"),
    ("changes-its-version", "hello-stays"),
    ("says-nothing-at-all", "readable"),
    ("takes-any-match", "own-matches"),
    ("counts-from-nought", "answers-what-is-asked"),
    ("counts-options-from-one", "option-on-offer"),
    ("says-it-twice", "one-answer"),
    ("is-no-bot", "starts"),
    ("is-never-ready", "ready"),
    ("thinks-for-ever", "answers"),
    ("leaves-pings-unanswered", "ping"),
    ("plays-one-match", "next-match"),
    ("thinks-of-one-match", "interleaved"),
    ("counts-to-thirty", "many-matches"),
    ("hears-every-other-question", "at-once"),
    ("skips-what-leaves-no-choice", "single-option"),
    ("insists", "sealed"),
    ("thanks-for-news", "updates"),
    ("reads-slowly", "burst"),
    ("reads-little", "big-message"),
    ("argues", "stale"),
    ("gives-up-when-late", "late"),
    ("starts-once", "doubled"),
    ("takes-faults-to-heart", "faults"),
    ("stays-away", "dials-again"),
    ("keeps-its-first-receipt", "resume"),
    ("is-ready-once", "ready-again"),
    ("answers-once-and-for-all", "question-again"),
    ("forgets-nothing", "ended-is-forgotten"),
    ("comes-back-after-a-cut-alone", "any-end"),
    ("plays-what-it-began", "resumed-unknown"),
    ("misses-what-is-over", "ended-while-away"),
    ("fights-for-its-place", "replaced"),
    ("fights-for-its-place", "two-copies"),
    ("knows-better", "fatal"),
    ("hopes-for-its-old-token", "revoked"),
    ("takes-fatal-for-final", "slow-reader"),
    ("dials-without-a-token", "unauthenticated"),
    ("cannot-wait", "waits-as-told"),
    ("hammers", "backs-off"),
    ("hammers", "backs-off-from-all"),
    ("stays-where-it-was", "drain"),
    ("reads-welcome-alone", "referees"),
    ("is-in-a-hurry", "waits-for-welcome"),
    ("fears-silence", "silence"),
    ("pings-too-often", "keepalive"),
    ("knows-every-field", "unknown-fields"),
    ("wants-to-know-every-message", "unknown-messages"),
    ("knows-every-fault", "unknown-values"),
    ("knows-every-event", "unknown-kinds"),
    ("fails-when-done", "done"),
    ("hears-no-term", "terminates"),
    ("leaves-its-match", "leaves"),
    ("leaves-without-a-word", "leaves"),
    ("stops-playing-when-it-leaves", "leaves"),
    ("hears-one-int", "interrupts"),
)
"""What is wrong with the bot, and the rule that it breaks."""

SLOW = {"comes-back"}
"""Its bot, `loses-heart`, must stay away for half a minute."""


async def check(wrong: str, rule: str, cast: Cast, room: asyncio.Semaphore) -> dict[str, str]:
    """Verdicts by rule."""
    cast = cast._replace(command=(sys.executable, str(BOT), wrong))
    async with room:
        played = await play(choose(EVERY, ALWAYS, (rule,)), cast, jobs=1)
    return {each.rule: each.verdict for each in verdicts(played, ALWAYS, EVERY)}


async def check_all(supervisor: Supervisor) -> list[dict[str, str]]:
    room = asyncio.Semaphore(AT_ONCE)
    async with stage(supervisor, patience=PATIENCE_SECONDS) as cast:
        return await asyncio.gather(*(check(wrong, rule, cast, room) for wrong, rule in BROKEN))


@pytest.mark.timeout(300)  # a bot that does nothing is waited for three times as long under load
def test_every_rule_is_broken_by_a_bot_that_is_wrong_there_and_by_no_other() -> None:
    assert {rule for _, rule in BROKEN} == RULES - SLOW
    with quiet(), Supervisor() as supervisor:
        found = asyncio.run(check_all(supervisor))
    missed = {}
    for (wrong, rule), verdict_of in zip(BROKEN, found):
        failed = [each for each, verdict in verdict_of.items() if verdict == "fail"]
        if failed != [rule]:
            missed[wrong, rule] = failed
    assert not missed


def test_a_bot_that_is_right_passes_every_rule() -> None:
    run = warladder("bot", "check", "--json", "--", sys.executable, str(BOT), "nothing")
    assert run.returncode == 0, run.stdout + run.stderr
    told = json.loads(run.stdout)
    assert list(told) == ["command", "version", "ok", "rules"]
    assert (told["command"], told["ok"]) == ("bot check", True)
    assert all(list(each) == ["rule", "verdict", "expected", "seen"] for each in told["rules"])
    passed = {each["rule"] for each in told["rules"] if each["verdict"] == "pass"}
    assert passed == RULES
