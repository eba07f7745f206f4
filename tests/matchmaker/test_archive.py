"""Files of closed matches: named by their content, refused when that is not so."""

import re
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from matchmaker import archive, seal
from tests.helpers import tools


def test_a_changed_file_is_found(tmp_path: Path) -> None:
    kept = archive.Archive(tmp_path)
    digest = kept.put_replay("m", [b"one", b"two"])
    other = kept.put_replay("m", [b"one", b"three"])
    kept.path(digest).write_bytes(kept.path(other).read_bytes())
    with pytest.raises(archive.BadFile, match="not what the name says"):
        kept.replay(digest)


@pytest.mark.parametrize("content", [b"", b"rubbish", b"\x28\xb5\x2f\xfd"])
def test_a_file_that_is_none_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / ("0" * 64 + ".zst")
    file.write_bytes(content)
    with pytest.raises(archive.BadFile):
        archive.read_replay(file)


def test_a_file_cut_short_is_said_to_be_so(tmp_path: Path) -> None:
    kept = archive.Archive(tmp_path)
    path = kept.path(kept.put_replay("m", [b"one"]))
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(archive.BadFile, match="damaged: cut short"):
            archive.read_replay(path)


def test_a_changed_byte_anywhere_is_found_and_its_place_is_named(tmp_path: Path) -> None:
    kept = archive.Archive(tmp_path)
    path = kept.path(kept.put_replay("m", [sha256(bytes([k])).digest() for k in range(20)]))
    whole = path.read_bytes()
    assert len(whole) > 3 * seal.BLOCK
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        with pytest.raises(archive.BadFile, match="damaged") as refusal:
            archive.read_replay(path)
        text = str(refusal.value)
        if place := re.search(r"bytes (\d+) to (\d+)", text):
            first, last = map(int, place.groups())
            assert first <= at <= last < first + max(seal.BLOCK, 64), text
        else:
            assert "last 8 bytes" in text
            assert at >= len(whole) - 8


def test_any_zstd_program_unpacks_a_sealed_file(tmp_path: Path) -> None:
    kept = archive.Archive(tmp_path)
    path = kept.path(kept.put_replay("m", [b"one"]))
    program = tools.require("zstd")
    unpacked = subprocess.run([program, "-dc", path], capture_output=True, check=True).stdout
    assert sha256(unpacked).hexdigest() == path.stem


def test_a_copy_may_have_any_name_but_not_another_digest(tmp_path: Path) -> None:
    kept = archive.Archive(tmp_path)
    path = kept.path(kept.put_replay("m", [b"one"]))
    mine = path.rename(tmp_path / "mine.zst")
    assert archive.read_replay(mine).match == "m"
    with pytest.raises(archive.BadFile, match=f"renamed from {path.stem}"):
        archive.read_replay(mine.rename(tmp_path / f"{'0' * 64}.zst"))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(archive.BadFile, match="there is no such file"):
        archive.read_replay(tmp_path / "nothing.zst")


def test_equal_content_has_one_name(tmp_path: Path) -> None:
    kept = archive.Archive(tmp_path)
    assert kept.put_replay("m", [b"x"]) == kept.put_replay("m", [b"x"])
    assert kept.put_replay("m", [b"x"]) != kept.put_replay("n", [b"x"])
    assert not list(tmp_path.rglob(".draft-*"))


@pytest.mark.parametrize("name", ["", "../../../x", "A" * 64, "0" * 63, "0" * 64 + "\n"])
def test_what_is_no_digest_names_no_file_of_it(tmp_path: Path, name: str) -> None:
    kept = archive.Archive(tmp_path / "deep" / "archive")
    for use in (kept.path, kept.raw, lambda name: kept.put_raw(name, b"x")):
        with pytest.raises(archive.BadFile, match="is no digest of a file in it"):
            use(name)
    assert not list(tmp_path.rglob("*.zst"))
