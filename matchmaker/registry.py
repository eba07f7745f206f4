"""
Who may play: authors, their bots, the bots' versions. Tokens are random; only hashes are kept.

A removed bot's name stays its author's, so that nobody inherits another's rating.
"""

from __future__ import annotations

import json
import re
import secrets
from enum import StrEnum
from typing import Any, NamedTuple

import redis

from matchmaker import registry_scripts as scripts
from matchmaker.entries import BotAdded, encode
from matchmaker.errors import WrongUse
from matchmaker.keys import Keys
from referee.logs import harmless
from referee.store.bots import token_digest
from referee.store.plainly import as_bytes

NAMES = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,31}")
HERE = "warladder"
"""The namespace unless told otherwise."""
OPERATOR = "operator"


class Bot(NamedTuple):
    """A bot as the registry shows it."""

    name: str
    author: str
    paused: str
    """Why it gets no matches; empty if it does."""
    paused_until_ms: int
    """When it goes on by itself, by Redis's clock; 0 if somebody must resume it."""
    house: bool
    """It is the ladder's own, for practise."""
    added_ms: int
    versions: tuple[str, ...]
    """Oldest first."""
    places: int
    """Matches it plays or waits for."""


def add(
    connection: redis.Redis,
    name: str,
    author: str,
    *,
    house: bool = False,
    by: str = OPERATOR,
    why: str = "",
    namespace: str = HERE,
) -> str:
    """
    Register a bot.

    Returns:
        Its token, which nobody can show again.

    Raises:
        WrongUse: The name is taken, or name or author cannot be one.
    """
    token = _admit(connection, name, author, house, by, why, namespace, known=False)
    if token is None:
        raise WrongUse(f"bot {name!r} is registered already; `rotate` gives it a new token")
    return token


def admit(
    connection: redis.Redis,
    name: str,
    author: str,
    *,
    house: bool = False,
    by: str = OPERATOR,
    why: str = "",
    namespace: str = HERE,
) -> str:
    """
    Register a bot, or give a known one of the same author a new token.

    Raises:
        WrongUse: The name is another author's, or name or author cannot be one.
    """
    token = _admit(connection, name, author, house, by, why, namespace, known=True)
    assert token is not None
    return token


def rotate(
    connection: redis.Redis,
    name: str,
    *,
    by: str = OPERATOR,
    why: str = "",
    namespace: str = HERE,
) -> str:
    """
    Give a bot a new token; the old one opens nothing from now on, and its streams end.

    Raises:
        WrongUse: There is no such bot.
    """
    bot = find(connection, name, namespace=namespace)
    return admit(connection, name, bot.author, house=bot.house, by=by, why=why, namespace=namespace)


def pause(
    connection: redis.Redis,
    name: str,
    reason: str,
    *,
    seconds: int = 0,
    by: str = OPERATOR,
    namespace: str = HERE,
) -> None:
    """
    Give a bot no new matches; running ones are played to their end.

    Args:
        seconds: After which it goes on by itself; 0 means until it is resumed.

    Raises:
        WrongUse: There is no such bot, or no reason is given.
    """
    reason = harmless(" ".join(reason.split()))
    if not reason:
        raise WrongUse("a pause needs a reason; the bot's author sees it")
    now_ms, until = _now_ms(connection), 0
    if seconds:
        until = now_ms + seconds * 1000
    _change(connection, name, "paused", reason, until, by, namespace)


def resume(
    connection: redis.Redis, name: str, *, by: str = OPERATOR, namespace: str = HERE
) -> bool:
    """
    Let a paused bot play again.

    Returns:
        Whether it was paused.

    Raises:
        WrongUse: There is no such bot.
    """
    return _change(connection, name, "resumed", "", 0, by, namespace) == 1


def remove(
    connection: redis.Redis,
    name: str,
    reason: str = "",
    *,
    by: str = OPERATOR,
    namespace: str = HERE,
) -> None:
    """
    Take a bot out: its token opens nothing, and its streams end with it, so that it loses the
    matches it is in.

    Raises:
        WrongUse: There is no such bot.
    """
    _change(connection, name, "removed", harmless(" ".join(reason.split())), 0, by, namespace)


class Kind(StrEnum):
    """Whom a ban is for."""

    BOT = "bot"
    AUTHOR = "author"


def ban(
    connection: redis.Redis,
    kind: Kind,
    name: str,
    why: str,
    *,
    by: str = OPERATOR,
    namespace: str = HERE,
) -> list[str] | None:
    """
    Ban a bot, or an author with all bots, until it is lifted: their tokens open nothing, they are
    paired no more, and their streams end within seconds.

    Returns:
        The matches they are in, which are to be cancelled; None if the ban holds already.

    Raises:
        WrongUse: There is no such bot or author.
    """
    arguments = (Keys(namespace).prefix, kind.value, name, why, by)
    answer = as_bytes(connection.eval(scripts.BAN, 0, *arguments))
    if answer[0] == 0:
        raise WrongUse(f"there is no {kind} {name!r}; `warladder bot list` names all that are")
    return None if answer[0] == 2 else sorted({match.decode() for match in answer[1:]})


def unban(
    connection: redis.Redis,
    kind: Kind,
    name: str,
    why: str = "",
    *,
    by: str = OPERATOR,
    namespace: str = HERE,
) -> bool:
    """
    Lift a ban; the old tokens are good again.

    Returns:
        Whether there was one.
    """
    arguments = (Keys(namespace).prefix, kind.value, name, why, by)
    return bool(connection.eval(scripts.UNBAN, 0, *arguments))


def find(connection: redis.Redis, name: str, *, namespace: str = HERE) -> Bot:
    """
    Show one bot.

    Raises:
        WrongUse: There is no such bot.
    """
    found = _read(connection, Keys(namespace), [name])
    if not found:
        raise WrongUse(f"there is no bot {name!r}; `warladder bot list` names them")
    return found[0]


def bots(connection: redis.Redis, *, namespace: str = HERE) -> list[Bot]:
    """Show all bots, by name."""
    keys = Keys(namespace)
    names = sorted(name.decode() for name in as_bytes(connection.smembers(keys.bots)))
    return _read(connection, keys, names)


def of_token(connection: redis.Redis, token: str, *, namespace: str = HERE) -> str | None:
    """Name the bot that a token belongs to; None if it is nobody's, or its bot is banned."""
    name = as_bytes(connection.get(Keys(namespace).token(token_digest(token))))
    return None if name is None else name.decode()


def history(connection: redis.Redis, name: str, *, namespace: str = HERE) -> list[dict[str, Any]]:
    """Show what happened to a bot's entry, newest first: `at_ms, what, text, by`."""
    lines = as_bytes(connection.lrange(Keys(namespace).history(name), 0, -1))
    return [json.loads(line) for line in lines]


def remember(
    connection: redis.Redis, keys: Keys, bot: str, what: str, text: str, by: str = "ladder"
) -> None:
    """Write something into a bot's history, for its author to read."""
    connection.eval(scripts.REMEMBER, 0, keys.prefix, bot, what, text, by)


def note_version(connection: redis.Redis, keys: Keys, bot: str, version: str) -> bool:
    """
    Keep that a bot has come with a version.

    Returns:
        Whether it is new.
    """
    return bool(connection.eval(scripts.VERSION, 0, keys.prefix, bot, version))


def _admit(
    connection: redis.Redis,
    name: str,
    author: str,
    house: bool,
    by: str,
    why: str,
    namespace: str,
    *,
    known: bool,
) -> str | None:
    for what, word in (("bot", name), ("author", author)):
        if not NAMES.fullmatch(word):
            raise WrongUse(
                f"{what} {word!r}: a name has 1 to 32 letters, digits, '.', '_' or '-'"
                " and begins with a letter or digit"
            )
    token = f"wl_{secrets.token_urlsafe(32)}"
    answer = int(
        connection.eval(
            scripts.ADMIT,
            0,
            Keys(namespace).prefix,
            name,
            author,
            token_digest(token),
            "1" if known else "0",
            "1" if house else "0",
            by,
            encode(BotAdded(bot=name, author=author)),
            why,
        )
    )
    if answer == -2:
        raise WrongUse(f"bot {name!r} or its author {author!r} is banned; lift that with `unban`")
    if answer < 0:
        raise WrongUse(f"the name {name!r} belongs to another author")
    return token if answer else None


def _change(
    connection: redis.Redis,
    name: str,
    what: str,
    text: str,
    until_ms: int,
    by: str,
    namespace: str,
) -> int:
    answer = int(
        connection.eval(scripts.CHANGE, 0, Keys(namespace).prefix, name, what, text, until_ms, by)
    )
    if answer == 0:
        raise WrongUse(f"there is no bot {name!r}; `warladder bot list` names them")
    if answer < 0:
        raise WrongUse(f"bot {name!r} or its author is banned; lift that with `unban`")
    return answer


def _read(connection: redis.Redis, keys: Keys, names: list[str]) -> list[Bot]:
    with connection.pipeline(transaction=False) as pipe:
        for name in names:
            pipe.hgetall(keys.bot(name))
            pipe.hgetall(keys.versions(name))
            pipe.scard(keys.places(name))
        answers = pipe.execute()
    found = []
    for index, name in enumerate(names):
        fields, versions, places = answers[3 * index : 3 * index + 3]
        if b"author" not in fields:
            continue
        found.append(
            Bot(
                name=name,
                author=fields[b"author"].decode(),
                paused=fields.get(b"paused", b"").decode(),
                paused_until_ms=int(fields.get(b"paused_until", 0)),
                house=fields.get(b"house") == b"1",
                added_ms=int(fields.get(b"added_ms", 0)),
                versions=tuple(
                    version.decode()
                    for version in sorted(versions, key=lambda v: (int(versions[v]), v))
                ),
                places=int(places),
            )
        )
    return found


def _now_ms(connection: redis.Redis) -> int:
    seconds, micros = as_bytes(connection.time())
    return int(seconds) * 1000 + int(micros) // 1000
