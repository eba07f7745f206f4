"""The results log's chain where it lies, as a file, and taken in again: nothing is changed."""

import hashlib
import json
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgpack
import pytest
import redis

from matchmaker import adopting, checking, exports, rater, table, walk
from matchmaker.archive import Archive, Segment
from matchmaker.entries import BotAdded, Keep, Result, Season, Void, decode, encode
from matchmaker.errors import WrongUse
from matchmaker.exports import Format, Part
from matchmaker.keys import Keys
from matchmaker.leader import Deposed, Term
from matchmaker.log import BrokenChain, Log, Logged, Position, chain
from matchmaker.rater import Rater, WentBack, recompute
from tests.helpers.stage import Stage
from tests.matchmaker.test_fold import result, season
from tests.matchmaker.test_rater import append

README = (Path(__file__).parents[2] / "matchmaker" / "README.md").read_text()


class Kept:
    """A ladder that has been played for a while, half of its log in the archive."""

    def __init__(self, connection: redis.Redis, keys: Keys, term: Term, folder: Path) -> None:
        self.redis, self.keys = connection, keys
        self.archive = Archive(folder / "archive")
        self.log = Log(connection, keys)
        self.rater = Rater(connection, keys, term, self.archive, ["toy"], clock=lambda: 0.0)
        self.rater.load()
        self.log.note(BotAdded(bot="b1", author="ann"))
        append(self.log, *season(60))
        self.log.note(Void(match="m44", by="olga", reason="the host was overloaded"))
        self.log.note(Season(game="toy", name="one", number=60, keep=Keep.MU))
        append(self.log, *season(90)[60:])
        append(self.log, result(91, "b1", "b7", game="other"), result(92, "x", "y", game="other"))
        self.rater.take(40)
        self.rater.publish(now=True)
        while self.rater.trim():
            pass
        assert (self.log.base().position, self.log.position()) == (60, 96)

    def entries(self) -> list[Logged]:
        return list(walk.every(self.log, self.archive, self.log.position()))

    def at(self) -> Position:
        return chain(Position(), self.entries())

    def verify(self) -> Position:
        return checking.verify(self.redis, self.keys, self.archive)

    def rewrite(self, change: Callable[[int, dict[bytes, bytes]], dict[bytes, bytes]]) -> None:
        """Write the tail anew with some of its rows changed, as somebody with the store could."""
        rows = self.redis.xrange(self.keys.log)
        self.redis.delete(self.keys.log)
        for name, fields in rows:
            position = int(name.partition(b"-")[0])
            self.redis.xadd(self.keys.log, change(position, fields), id=name)

    def index_file(self, number: int) -> Path:
        return sorted((self.archive.folder / "log").iterdir())[number]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (rater, adopting):
        monkeypatch.setattr(module, "TAIL", 20)
        monkeypatch.setattr(module, "SEGMENT", 30)


@pytest.fixture
def kept(connection: redis.Redis, keys: Keys, term: Term, tmp_path: Path) -> Kept:
    return Kept(connection, keys, term, tmp_path)


def forged(
    at: int, fields: dict[bytes, bytes], old: bytes, new: bytes, position: int
) -> dict[bytes, bytes]:
    """A row whose entry is changed, and its check sum with it."""
    if at != position:
        return fields
    entry = fields[b"entry"].replace(old, new)
    assert entry != fields[b"entry"]
    text = b"%d:%b:%b" % (at, fields[b"at"], entry)
    return {**fields, b"entry": entry, b"sum": hashlib.sha1(text).hexdigest()[:16].encode()}


class TestWhereItLies:
    def test_a_whole_chain_is_right(self, kept: Kept) -> None:
        assert kept.verify() == kept.at()

    def test_so_is_that_of_a_ladder_in_which_nothing_has_happened(
        self, connection: redis.Redis, keys: Keys, tmp_path: Path
    ) -> None:
        assert checking.verify(connection, keys, Archive(tmp_path)) == Position()

    def broken(self, kept: Kept, position: int, words: str) -> None:
        with pytest.raises(BrokenChain, match=words) as found:
            kept.verify()
        assert found.value.position == position
        assert str(found.value).startswith(f"the results log: entry {position}: ")
        assert len(str(found.value).splitlines()) == 1

    @pytest.mark.parametrize("position", [61, 75])
    def test_a_missing_entry(self, kept: Kept, position: int) -> None:
        kept.redis.xdel(kept.keys.log, f"{position}-0")
        self.broken(kept, position, f"missing: the next is entry {position + 1}")

    def test_a_missing_end(self, kept: Kept) -> None:
        kept.redis.xdel(kept.keys.log, "95-0", "96-0")
        self.broken(kept, 95, "missing: 96 were appended")
        kept.redis.set(kept.keys.log_position, 94)
        self.broken(kept, 95, "missing: the table of .* holds for entry 96")

    @pytest.mark.parametrize("position", [63, 64, 80])
    def test_changed_bytes(self, kept: Kept, position: int) -> None:
        """A result, a void and a season: 63 is an entry without a receipt."""

        def change(at: int, fields: dict[bytes, bytes]) -> dict[bytes, bytes]:
            if at != position:
                return fields
            entry = decode(fields[b"entry"])
            if isinstance(entry, Result):
                changed = encode(replace(entry, ranks=(9, 9)))
            elif isinstance(entry, Season):
                changed = encode(replace(entry, number=3))
            else:
                assert isinstance(entry, Void)
                changed = encode(replace(entry, match="m1"))
            return {**fields, b"entry": changed}

        kept.rewrite(change)
        self.broken(kept, position, "its bytes are changed: another check sum")

    def test_a_changed_time(self, kept: Kept) -> None:
        kept.rewrite(lambda at, fields: {**fields, b"at": b"1"} if at == 70 else fields)
        self.broken(kept, 70, "its bytes are changed")

    def test_a_result_that_is_forged_with_its_sum(self, kept: Kept) -> None:
        """Its receipt tells."""
        kept.rewrite(lambda at, fields: forged(at, fields, b"points", b"pounds", 80))
        self.broken(kept, 80, "its bytes are changed, or the receipt of match m76 is")
        kept.redis.hdel(kept.keys.receipts, "m76")
        self.broken(kept, 80, "its bytes are changed, or the receipt of match m76 is")

    def test_a_forged_void_is_found_at_the_next_published_head(self, kept: Kept) -> None:
        kept.rewrite(lambda at, fields: forged(at, fields, b"olga", b"ivan", 63))
        self.broken(kept, 96, "wrong head: the table of other has")

    @pytest.mark.parametrize(
        ("key", "position", "by"),
        [("table", 96, "the table of toy"), ("past", 96, "the table of toy, season preseason,")],
    )
    def test_a_wrong_head_of_a_table(self, kept: Kept, key: str, position: int, by: str) -> None:
        names = {"table": kept.keys.table("toy"), "past": kept.keys.past_table("toy", "preseason")}
        shown = json.loads(kept.redis.get(names[key]) or b"")
        kept.redis.set(names[key], json.dumps({**shown, "head": "ab" * 32}))
        self.broken(kept, position, f"wrong head: {by} has abababababababab…, the chain ")

    def test_a_wrong_head_of_the_archived_part_and_of_the_checkpoint(self, kept: Kept) -> None:
        checkpoint = msgpack.unpackb(kept.redis.get(kept.keys.fold) or b"")
        kept.redis.set(kept.keys.fold, msgpack.packb({**checkpoint, "head": bytes(32)}))
        self.broken(kept, 96, "wrong head: the ratings' checkpoint has 0000")
        kept.redis.hset(kept.keys.log_base, "head", "cd" * 32)
        self.broken(kept, 60, "wrong head: the archived part has cdcd")

    def test_a_damaged_part_of_the_archive(self, kept: Kept) -> None:
        path = kept.archive.path(kept.index_file(1).read_text())
        good = path.read_bytes()
        path.write_bytes(good[:200] + bytes([good[200] ^ 1]) + good[201:])
        self.broken(kept, 31, f"the part 0+31-0+60 .*/{path.name}: damaged: changed in bytes")
        path.unlink()
        self.broken(kept, 31, "the part 0+31-0+60 .* there is no such file")

    @pytest.mark.parametrize(("number", "position"), [(0, 1), (1, 31)])
    def test_a_missing_part_of_the_archive(self, kept: Kept, number: int, position: int) -> None:
        kept.index_file(number).unlink()
        self.broken(kept, position, f"missing: the next is entry {position + 30}")

    def test_a_part_that_was_put_together_anew(self, kept: Kept) -> None:
        name, digest = kept.archive.segment_names()[0]
        segment = kept.archive.segment(digest)
        rows = list(segment.entries)
        rows[10] = (rows[10][0], rows[10][1], rows[11][2])
        kept.archive.put_segment(Segment(tuple(rows), segment.head))
        self.broken(kept, 30, f"wrong head: the part {name} of the archive ends with another")
        del rows[10]
        kept.archive.put_segment(Segment(tuple(rows), segment.head))
        self.broken(kept, 11, "missing: the next is entry 12")

    def test_a_part_that_moves_to_the_archive_meanwhile_is_not_missed(
        self, kept: Kept, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        append(kept.log, *season(140)[92:])
        kept.rater.take(140)
        kept.rater.publish(now=True)
        real = Log.base
        looks: list[Position] = []

        def base(log: Log) -> Position:
            found = real(log)
            looks.append(found)
            if len(looks) == 1:
                assert kept.rater.trim() == 30
            return found

        monkeypatch.setattr(Log, "base", base)
        assert kept.verify().position == 144
        looks.clear()
        append(kept.log, *season(180)[140:])
        kept.rater.take(180)
        kept.rater.publish(now=True)
        assert [each.position for each in kept.entries()] == list(range(1, 185))
        assert real(kept.log).position == 120


@pytest.fixture(params=list(Format))
def form(request: pytest.FixtureRequest) -> Format:
    found: Format = request.param
    return found


def export(kept: Kept, path: Path, form: Format, **filters: str) -> exports.Header:
    entries = kept.entries()
    part = None
    if filters:
        part = Part((e.entry for e in entries), filters["game"], filters.get("season"))
    at = chain(Position(), entries)
    return exports.write(path, entries, at, form, part=part, season=filters.get("season"))


def followed(path: Path) -> list[Logged]:
    header, rows = exports.read(path)
    return list(exports.followed(path, header, rows))


class TestExports:
    def test_hold_every_entry_with_its_place_and_time(
        self, kept: Kept, tmp_path: Path, form: Format
    ) -> None:
        path = tmp_path / "log"
        header = export(kept, path, form)
        assert (header.part, header.entries, header.position) == (False, 96, 96)
        assert header.head == kept.at().head.hex()
        assert followed(path) == kept.entries()
        assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []

    def test_of_both_formats_hold_the_same(self, kept: Kept, tmp_path: Path) -> None:
        paths = [tmp_path / f"log.{form}" for form in Format]
        for path, form in zip(paths, Format):
            export(kept, path, form)
        lines, parquet = ((header, list(rows)) for header, rows in map(exports.read, paths))
        assert lines == parquet

    def test_parquet_has_columns_for_questions(self, kept: Kept, tmp_path: Path) -> None:
        arrow = exports.pyarrow()
        export(kept, tmp_path / "log.parquet", Format.PARQUET)
        rows = arrow.parquet.read_table(tmp_path / "log.parquet").to_pylist()
        [row] = [each for each in rows if each["match"] == "m91"]
        assert (row["kind"], row["game"], row["bots"], row["ranks"]) == (
            "result", "other", ["b1", "b7"], [1, 2],
        )  # fmt: skip
        assert {each["match"] for each in rows if each["kind"] != "result"} == {None}

    def test_of_a_game_or_season_are_parts(self, kept: Kept, tmp_path: Path, form: Format) -> None:
        path = tmp_path / "part"
        header = export(kept, path, form, game="other")
        assert (header.part, header.game, header.season) == (True, "other", None)
        entries = [each.entry for each in followed(path)]
        assert entries[0] == BotAdded(bot="b1", author="ann")
        assert [each.match for each in entries if isinstance(each, Result)] == ["m91", "m92"]
        assert header.entries == len(entries) == 3
        export(kept, path, form, game="toy", season="preseason")
        entries = [each.entry for each in followed(path)]
        numbers = [each.number for each in entries if isinstance(each, Result)]
        assert numbers == list(range(1, 61))
        assert [type(each) for each in entries if isinstance(each, Void | Season)] == [Void, Season]
        export(kept, path, form, game="toy", season="one")
        numbers = [e.entry.number for e in followed(path) if isinstance(e.entry, Result)]
        assert numbers == list(range(61, 91))
        with pytest.raises(WrongUse, match="no season 'two'; there are: preseason, one"):
            export(kept, path, form, game="toy", season="two")

    def test_a_changed_byte_of_a_line_is_found_and_its_entry_named(self, tmp_path: Path) -> None:
        entries = [
            Logged(1, 1_700_000_000_000, encode(BotAdded(bot="a", author="ann"))),
            Logged(2, 1_700_000_000_100, encode(result(1, "a", "b"))),
            Logged(3, 1_700_000_000_200, encode(Void(match="m1", by="olga", reason="ümlaut"))),
        ]
        path = tmp_path / "log"
        exports.write(path, entries, chain(Position(), entries), Format.JSONL)
        good = path.read_bytes()
        ends = [at for at, byte in enumerate(good) if byte == 10]
        for at in range(ends[0] + 1, len(good)):
            path.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
            entry = 1 + sum(end < at for end in ends[1:])
            with pytest.raises(BrokenChain) as found:
                followed(path)
            assert found.value.position == entry, (at, good[at : at + 20])

    def test_every_kind_of_damage_is_named(self, kept: Kept, tmp_path: Path) -> None:
        path = tmp_path / "log"
        export(kept, path, Format.JSONL)
        good = path.read_bytes().splitlines(keepends=True)
        header = json.loads(good[0])

        def line(number: int, **changes: object) -> list[bytes]:
            changed = {**json.loads(good[number]), **changes}
            text = json.dumps(changed, ensure_ascii=False).encode() + b"\n"
            return [*good[:number], text, *good[number + 1 :]]

        def head(**changes: object) -> list[bytes]:
            return [json.dumps({**header, **changes}).encode() + b"\n", *good[1:]]

        for lines, position, words in (
            (good[:7] + good[8:], 7, "missing: the next is entry 8"),
            (good[:50], 50, "missing: the file has 49 entries of 96"),
            ([*good[:-1], good[-1][:-20]], 96, "line 97 cannot be read: cut short or changed"),
            (good[:7] + [good[8], good[7]] + good[9:], 7, "missing: the next is entry 8"),
            (line(12, sha256="00" * 32), 12, "its bytes are changed: another SHA-256"),
            (line(12, at_ms=5), 12, "wrong head: its time or head is changed"),
            (line(12, head="00" * 32), 12, "wrong head"),
            (line(12, fields={"a": {}}), 12, "another SHA-256"),
            (line(12, fields=7), 12, "fields that are no entry.s"),
            (line(12, position="x"), 12, "cannot be read"),
            (line(12, at_ms=-5), 12, "cannot be read"),
            (line(12, at_ms=1 << 64), 12, "cannot be read"),
            (head(head="00" * 32), 96, "wrong head: the file's head"),
            (head(entries=95), 97, "missing: the file has 96 entries of 95"),
        ):
            path.write_bytes(b"".join(lines))
            with pytest.raises(BrokenChain, match=words) as found:
                followed(path)
            assert found.value.position == position
        for lines, words in (
            (head(what="x"), "not an export of a results log"),
            (head(schema=9), "of schema 9; this program knows 1: upgrade it"),
            ([b"\x00\xff"], "not an export"),
            ([b"[]"], "not an export"),
            ([b""], "not an export"),
        ):
            path.write_bytes(b"".join(lines))
            with pytest.raises(WrongUse, match=words):
                exports.read(path)

    def test_a_damaged_parquet_file_never_gives_other_entries(
        self, kept: Kept, tmp_path: Path
    ) -> None:
        """What no reader needs (statistics, padding) may be changed; all else is refused."""
        path = tmp_path / "log.parquet"
        export(kept, path, Format.PARQUET)
        good, chance = path.read_bytes(), random.Random(3)
        entries, refused = kept.entries(), 0
        for at in [chance.randrange(4, len(good)) for _ in range(150)]:
            path.write_bytes(good[:at] + bytes([good[at] ^ 4]) + good[at + 1 :])
            try:
                assert followed(path) == entries
            except (BrokenChain, WrongUse):
                refused += 1
        assert refused > 50
        path.write_bytes(good[:-9])
        with pytest.raises(WrongUse, match="not an export of a results log"):
            exports.read(path)

    def test_a_file_that_cannot_be_read_or_written_is_wrong_use(
        self, kept: Kept, tmp_path: Path, form: Format
    ) -> None:
        with pytest.raises(WrongUse, match="No such file"):
            exports.read(tmp_path / "nothing")
        (tmp_path / "file").touch()
        for path in (tmp_path, tmp_path / "file" / "below"):
            with pytest.raises(WrongUse, match=f"^{path}: "):
                export(kept, path, form)

    def test_without_pyarrow_a_line_says_what_to_do(self, tmp_path: Path) -> None:
        program = (
            "import sys; sys.modules['pyarrow'] = None\n"
            "from matchmaker import exports\n"
            "from matchmaker.errors import WrongUse\n"
            "try: exports.pyarrow()\n"
            "except WrongUse as fault: print(fault)\n"
        )
        ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert ran.stdout == (
            "Parquet needs pyarrow: pip install 'warladder[parquet]', or use --format jsonl\n"
        )


class TestImports:
    @pytest.fixture
    def other(self, keys: Keys) -> Keys:
        return Keys(keys.namespace + "-other")

    @pytest.fixture
    def place(self, tmp_path: Path) -> Archive:
        return Archive(tmp_path / "other")

    def adopt(self, kept: Kept, other: Keys, place: Archive, entries: list[Logged]) -> Position:
        return adopting.adopt(
            kept.redis, other, place, entries, adopting.keys_of(entries),
            command="log import", by="olga", why="moved",
        )  # fmt: skip

    def test_give_the_same_log_and_tables(
        self, kept: Kept, other: Keys, place: Archive, tmp_path: Path, form: Format
    ) -> None:
        export(kept, tmp_path / "log", form)
        assert self.adopt(kept, other, place, followed(tmp_path / "log")) == kept.at()
        log = Log(kept.redis, other)
        assert list(walk.every(log, place, log.position())) == kept.entries()
        assert checking.verify(kept.redis, other, place) == kept.at()
        assert 20 <= kept.redis.xlen(other.log) < 50, "the older part is in the archive"
        found = recompute(kept.redis, place, other.namespace)
        assert (found.ok, found.results, found.games) == (True, 92, ("other", "toy"))
        for name in ("toy", "other"):
            for each in table.read(kept.redis, name, kept.keys.namespace)["seasons"]:
                mine, theirs = (
                    table.read(kept.redis, name, keys.namespace, each)
                    for keys in (kept.keys, other)
                )
                assert mine == theirs
        assert log.receipt("m90") == kept.log.receipt("m90")

    def test_match_numbers_seasons_and_names_go_on(
        self, kept: Kept, other: Keys, place: Archive, term: Term
    ) -> None:
        self.adopt(kept, other, place, kept.entries())
        assert kept.redis.get(other.number) == b"92"
        assert kept.redis.hgetall(other.seasons) == {b"toy one": b"64"}
        assert kept.redis.hgetall(other.voids) == {b"m44": b"63"}
        assert kept.redis.hget(other.bot("b1"), "owner") == b"ann"

    def test_only_into_an_empty_ladder(self, kept: Kept, other: Keys, place: Archive) -> None:
        with pytest.raises(WrongUse, match="is not empty; start `warladder up` with a new"):
            self.adopt(kept, kept.keys, place, kept.entries())
        self.adopt(kept, other, place, kept.entries())
        before = kept.redis.xrange(other.log)
        with pytest.raises(WrongUse, match="is not empty"):
            self.adopt(kept, other, place, kept.entries())
        assert kept.redis.xrange(other.log) == before

    def test_not_beside_parts_of_another_log(self, kept: Kept, other: Keys, place: Archive) -> None:
        place.put_segment(Segment(((1, 5, b"x"), (2, 5, b"x")), bytes(32)))
        with pytest.raises(WrongUse, match="has parts of another log; set WARLADDER_ARCHIVE"):
            self.adopt(kept, other, place, kept.entries())
        assert not kept.redis.exists(other.log)

    def test_what_happens_meanwhile_is_not_lost(
        self, kept: Kept, other: Keys, place: Archive, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        log, real = Log(kept.redis, other), adopting.check_empty

        def late(connection: redis.Redis, keys: Keys) -> int:
            found = real(connection, keys)
            log.note(BotAdded(bot="z", author="zoe"))
            return found

        monkeypatch.setattr(adopting, "check_empty", late)
        with pytest.raises(WrongUse, match="something has happened"):
            self.adopt(kept, other, place, kept.entries())
        assert [each.entry for each in log.tail(0)] == [BotAdded(bot="z", author="zoe")]

    def test_a_running_leader_reads_everything_anew(
        self, kept: Kept, other: Keys, tmp_path: Path
    ) -> None:
        stage = Stage(kept.redis, other, tmp_path / "stage", ())
        stage.settle()
        assert Log(kept.redis, other).position() == 1, "its rating rules"
        self.adopt(kept, other, stage.archive, kept.entries())
        with pytest.raises((WentBack, Deposed)):
            stage.settle()
        stage.matchmaker.lost_redis()
        stage.settle()
        assert stage.matchmaker.rater.fold.games["toy"].rated_in_all == 89
        assert stage.matchmaker.ladder.number == 92
        assert recompute(kept.redis, stage.archive, other.namespace).ok


def test_the_readmes_example_of_the_chain_is_right() -> None:
    """What others compute by MessagePack and SHA-256 alone is what we have."""
    entry = Void(match="m1", by="olga", reason="the host was overloaded")
    data, at_ms = encode(entry), 1_800_000_000_000
    by_hand = msgpack.packb(
        {"schema": 1, "kind": "void", "match": "m1", "by": "olga", "reason": entry.reason}
    )
    assert data == by_hand
    head = hashlib.sha256(bytes(32) + at_ms.to_bytes(8, "big") + data).hexdigest()
    logged = [Logged(1, at_ms, data)]
    assert chain(Position(), logged).head.hex() == head
    for text in (data.hex(), hashlib.sha256(data).hexdigest(), head):
        assert text in README.replace("\n", ""), text
