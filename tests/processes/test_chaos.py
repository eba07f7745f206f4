"""Lines of a chaos run that are cut and delayed. The run itself is the bar `chaos_faults`."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from matchmaker.tools.chaos.proxy import Link, Proxy

Line = tuple[Proxy, Link]


@pytest.fixture
async def line() -> AsyncIterator[Line]:
    """A line to a server that says everything back."""
    with tempfile.TemporaryDirectory() as folder:
        found = Link(Path(folder) / "door", Path(folder) / "target")

        open_lines: list[asyncio.StreamWriter] = []

        async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            open_lines.append(writer)
            with suppress(ConnectionError):
                while data := await reader.read(100):
                    writer.write(data)
            writer.close()

        server = await asyncio.start_unix_server(echo, str(found.target))
        with Proxy([found]) as proxy:
            yield proxy, found
        server.close()
        for writer in open_lines:
            await hang_up(writer)


async def hang_up(writer: asyncio.StreamWriter) -> None:
    """Close a connection and see it closed: what is left over warns in a later test."""
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()


async def say(link: Link, word: bytes) -> bytes:
    """Say a word over a new connection; what comes back, empty if it was cut."""
    reader, writer = await asyncio.open_unix_connection(str(link.door))
    try:
        writer.write(word)
        return await reader.read(100)
    except ConnectionError:
        return b""
    finally:
        await hang_up(writer)


async def test_a_cut_breaks_what_is_open_and_lets_nothing_new_through(line: Line) -> None:
    proxy, link = line
    reader, writer = await asyncio.open_unix_connection(str(link.door))
    writer.write(b"one")
    assert await reader.read(100) == b"one"
    proxy.cut([link], 60.0)
    with suppress(ConnectionError):
        assert await reader.read(100) == b""
    await hang_up(writer)
    assert await say(link, b"two") == b""
    proxy.lift()
    assert await say(link, b"three") == b"three"


async def test_a_delayed_line_holds_words_back_and_loses_none(line: Line) -> None:
    proxy, link = line
    proxy.delay([link], 60.0)
    saying = asyncio.ensure_future(say(link, b"one"))
    done, _ = await asyncio.wait({saying}, timeout=0.5)
    assert not done
    proxy.lift()
    assert await saying == b"one"
