"""A whole ladder in one file, made while it runs, and brought back with its bots' tokens."""

import dataclasses
import json
import random
import threading
import zipfile
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
import redis

from matchmaker import audit, backups, blame, checking, registry, seasons, table, voiding
from matchmaker.archive import Archive, BadFile
from matchmaker.backups import BadBackup
from matchmaker.connection import Ladder
from matchmaker.entries import Result
from matchmaker.errors import WrongUse
from matchmaker.keys import KEPT, LEFT, Keys
from matchmaker.log import Log
from matchmaker.rater import recompute
from matchmaker.registry import Kind
from referee.store.bots import token_digest
from tests.helpers.redis_server import RedisServer
from tests.helpers.stage import Stage


class Played:
    """A ladder of three bots with a bit of everything, and a match running."""

    def __init__(self, connection: redis.Redis, keys: Keys, folder: Path) -> None:
        self.stage = Stage(connection, keys, folder, ("a", "b", "c"))
        self.redis, self.keys, self.archive = connection, keys, self.stage.archive
        space = keys.namespace
        self.tokens = {bot: registry.rotate(connection, bot, namespace=space) for bot in "abc"}
        self.stage.go(4)
        match = self.results()[0].match
        ladder = Ladder(redis=connection, namespace=space, archive=str(folder / "archive"))
        voiding.void(ladder, match, "why", by="olga")
        seasons.begin(connection, "skirmish", "one", by="olga", why="new", namespace=space)
        self.stage.go(3)
        registry.ban(connection, Kind.BOT, "c", "cheating", by="olga", namespace=space)
        for _ in range(40):  # a pairing with the banned bot is given up first
            self.stage.settle()
            if self.stage.open:
                break
            self.stage.clock.now += 10
        [self.running] = self.stage.open

    def results(self) -> list[Result]:
        entries = [each.entry for each in Log(self.redis, self.keys).whole_tail()]
        return [each for each in entries if isinstance(each, Result)]

    def backup(self, path: Path, *, files: bool = True) -> backups.Header:
        return backups.make(self.redis, self.keys, self.archive, path, files=files)


@pytest.fixture
def played(connection: redis.Redis, keys: Keys, tmp_path: Path) -> Played:
    return Played(connection, keys, tmp_path)


@pytest.fixture
def other(keys: Keys) -> Keys:
    return Keys(keys.namespace + "-restored")


@pytest.fixture
def place(tmp_path: Path) -> Archive:
    return Archive(tmp_path / "restored")


def restore(played: Played, other: Keys, place: Archive, path: Path) -> backups.Header:
    return backups.restore(played.redis, other, place, path, by="ivan", why="moved")


def test_everything_comes_back(played: Played, other: Keys, place: Archive, tmp_path: Path) -> None:
    path = tmp_path / "backup"
    made = played.backup(path)
    assert restore(played, other, place, path) == made
    old, new = played.keys, other
    at = checking.verify(played.redis, new, place)
    assert (at.position, at.head.hex()) == (made.position, made.head)
    found = recompute(played.redis, place, new.namespace)
    assert (found.ok, found.position, found.games) == (True, made.position, ("skirmish",))
    for season in ("preseason", "one"):
        mine, theirs = (
            table.read(played.redis, "skirmish", keys.namespace, season) for keys in (old, new)
        )
        assert [mine["table"], mine["rated"]] == [theirs["table"], theirs["rated"]]
        assert mine["rated"] > 0
    for bot, token in played.tokens.items():
        owner = played.redis.get(new.token(token_digest(token)))
        assert owner == (None if bot == "c" else bot.encode()), "a banned bot's opens nothing"
    bots = [registry.bots(played.redis, namespace=keys.namespace) for keys in (old, new)]
    assert [bot._replace(places=0) for bot in bots[0]] == bots[1], "but for running matches"
    ladders = [
        Ladder(redis=played.redis, namespace=keys.namespace, archive=str(files.folder))
        for keys, files in ((old, played.archive), (new, place))
    ]
    assert blame.of(ladders[0], "a", 50) == blame.of(ladders[1], "a", 50)
    acts = audit.read(played.redis, old, played.archive)
    *restored, last = audit.read(played.redis, new, place)
    assert restored == acts
    assert (last.by, last.what, last.why) == ("ivan", "restore", "moved")
    assert registry.unban(played.redis, Kind.BOT, "c", namespace=new.namespace)
    assert played.redis.get(new.token(token_digest(played.tokens["c"]))) == b"c"
    for each in played.results():
        assert place.replay(each.archive) == played.archive.replay(each.archive)


def test_the_ladder_goes_on_and_plays_anew_what_was_running(
    played: Played, other: Keys, place: Archive, tmp_path: Path
) -> None:
    running = played.running
    numbers = [each.number for each in played.results()]
    played.backup(tmp_path / "backup")
    restore(played, other, place, tmp_path / "backup")
    registry.remove(played.redis, "c", namespace=other.namespace)
    stage = Stage(played.redis, other, tmp_path / "on", ())
    stage.archive.folder.parent.mkdir(exist_ok=True)
    place.folder.rename(stage.archive.folder)
    stage.streams = {bot: (stage.stream(),) for bot in "ab"}
    stage.attend()
    pairing = played.redis.hkeys(played.keys.pairings)
    stage.go(3)
    entries = [each.entry for each in Log(stage.redis, other).whole_tail()]
    new = [each for each in entries if isinstance(each, Result) and each.number not in numbers]
    assert new[0].pairing.encode() in pairing, "the pairing that was running goes on"
    assert running not in [each.match for each in new]
    assert min(each.number for each in new) > max(numbers)
    stage.settle()
    assert recompute(stage.redis, stage.archive, other.namespace).ok


def test_without_replays_the_rest_is_there(
    played: Played, other: Keys, place: Archive, tmp_path: Path
) -> None:
    full, bare = played.backup(tmp_path / "full"), played.backup(tmp_path / "bare", files=False)
    assert full.files == len({each.archive for each in played.results()})
    assert bare == dataclasses.replace(full, files=0, made_ms=bare.made_ms)
    assert (tmp_path / "bare").stat().st_size < (tmp_path / "full").stat().st_size
    restore(played, other, place, tmp_path / "bare")
    assert recompute(played.redis, place, other.namespace).ok
    with pytest.raises(BadFile, match="there is no such file"):
        place.replay(played.results()[0].archive)


def test_any_zip_program_reads_it(played: Played, tmp_path: Path) -> None:
    header = played.backup(tmp_path / "backup")
    with zipfile.ZipFile(tmp_path / "backup") as packed:
        assert packed.testzip() is None
        assert json.loads(packed.read("backup.json")) == dataclasses.asdict(header)
        assert b"wl_" not in packed.read("keys"), "digests of tokens, no tokens"


def test_a_changed_byte_anywhere_is_refused_and_nothing_is_written(
    played: Played, other: Keys, place: Archive, tmp_path: Path
) -> None:
    path = tmp_path / "backup"
    played.backup(path)
    good = path.read_bytes()
    with zipfile.ZipFile(path) as packed:
        ends = {each.filename: each.header_offset for each in packed.infolist()}
    chance = random.Random(2)
    places = sorted({*range(40), *range(len(good) - 90, len(good))})
    for at in [*places, *(chance.randrange(len(good)) for _ in range(200))]:
        path.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
        with pytest.raises(BadBackup, match=f"^{path}: damaged: ") as found:
            restore(played, other, place, path)
        assert len(str(found.value).splitlines()) == 1
    middle = ends["keys"] + 60
    path.write_bytes(good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1 :])
    with pytest.raises(BadBackup, match=f"'keys', at byte {ends['keys']}, is changed"):
        restore(played, other, place, path)
    for length in (100, len(good) // 2, len(good) - 1):
        path.write_bytes(good[:length])
        with pytest.raises(BadBackup, match=r"damaged: (cut short|changed in the heads)"):
            restore(played, other, place, path)
    assert played.redis.keys(other.prefix + "*") == []
    assert not place.folder.exists()
    path.write_bytes(good)
    restore(played, other, place, path)


def test_what_is_no_backup_is_wrong_use(
    played: Played, other: Keys, place: Archive, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    with zipfile.ZipFile(tmp_path / "foreign", "w") as foreign:
        foreign.writestr("something", "else")
    for content in (b"", b"x" * 500, (tmp_path / "foreign").read_bytes()):
        path.write_bytes(content)
        with pytest.raises(WrongUse, match=f"{path}: not a backup of a ladder"):
            restore(played, other, place, path)
    with pytest.raises(WrongUse, match="No such file"):
        restore(played, other, place, tmp_path / "nothing")


def test_only_an_empty_ladder_takes_it(played: Played, place: Archive, tmp_path: Path) -> None:
    played.backup(tmp_path / "backup")
    before = played.redis.dbsize()
    with pytest.raises(WrongUse, match="is not empty"):
        restore(played, played.keys, place, tmp_path / "backup")
    assert played.redis.dbsize() == before


def test_a_lost_replay_is_named_and_no_file_is_left(played: Played, tmp_path: Path) -> None:
    lost = played.archive.path(played.results()[1].archive)
    lost.unlink()
    with pytest.raises(BadFile, match=f"{lost.name}: there is no such file"):
        played.backup(tmp_path / "deep" / "backup")
    assert list((tmp_path / "deep").iterdir()) == []


def test_a_backup_of_a_newer_program_is_refused(
    played: Played, other: Keys, place: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backups.Header, "schema", 2)
    header = backups.Header(
        schema=2, program="9", namespace="x", made_ms=1, position=0, head="", files=0
    )
    monkeypatch.setattr(backups, "Header", lambda **fields: header)
    played.backup(tmp_path / "backup")
    with pytest.raises(WrongUse, match="of schema 2; this program knows 1: upgrade it"):
        restore(played, other, place, tmp_path / "backup")


def test_archived_acts_come_along(
    played: Played, other: Keys, place: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit, "TAIL", 2)
    monkeypatch.setattr(audit, "PART", 3)
    assert audit.trim(played.redis, played.keys, played.stage.matchmaker.term, played.archive)
    acts = audit.read(played.redis, played.keys, played.archive)
    played.backup(tmp_path / "backup")
    restore(played, other, place, tmp_path / "backup")
    assert audit.read(played.redis, other, place)[:-1] == acts


def test_every_key_is_kept_or_left_out_for_a_reason() -> None:
    keys = Keys("ns")
    names = [text for name, text in vars(keys).items() if name not in ("namespace", "prefix")]
    for method in ("match", "journal", "referee", "token", "bot", "table", "recent", "places"):
        names.append(getattr(keys, method)("X"))
    names += [keys.versions("X"), keys.history("X"), keys.past_table("X", "Y")]
    names += [keys.head_to_head("X"), keys.results("X"), keys.chronicle("X", "Y")]
    for name in [text.removeprefix("ns:") for text in names]:
        found = [pattern for pattern in (*KEPT, *LEFT) if fnmatchcase(name, pattern)]
        assert len(found) == 1, f"{name} stands in KEPT or in LEFT of keys.py, once: {found}"


def test_it_is_of_one_moment(played: Played, tmp_path: Path, server: RedisServer) -> None:
    """A bot that is added while it is made is wholly in it, or not at all."""
    stop = threading.Event()

    def add() -> None:
        with redis.Redis.from_url(server.url) as client:
            number = 0
            while not stop.is_set():
                registry.add(client, f"x{number}", "ann", namespace=played.keys.namespace)
                number += 1

    thread = threading.Thread(target=add)
    thread.start()
    try:
        for number in range(5):
            header = played.backup(tmp_path / f"{number}", files=False)
            target = Keys(f"{played.keys.namespace}-{number}")
            restore(played, target, Archive(tmp_path / f"f{number}"), tmp_path / f"{number}")
            bots = {bot.name for bot in registry.bots(played.redis, namespace=target.namespace)}
            entries = [each.entry for each in Log(played.redis, target).whole_tail()]
            assert len(entries) == header.position
            in_log = {each.bot for each in entries if each.kind == "bot"}
            assert bots == in_log
            tokens = played.redis.keys(target.token("*"))
            assert len(tokens) == len(bots) - 1, "all but the banned one's"
    finally:
        stop.set()
        thread.join()
