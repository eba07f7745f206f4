"""Logs that are turned over here: bounded, whole lines, nothing lost."""

import os
import random
import threading
from pathlib import Path

from matchmaker.turning import File, Scribe, turn_over
from referee.logs import FILES_KEPT


def files(path: Path) -> list[Path]:
    """A log's files, the oldest first."""
    earlier = [path.with_name(f"{path.name}.{number}") for number in range(FILES_KEPT + 1, 0, -1)]
    return [each for each in (*earlier, path) if each.exists()]


def whole(path: Path) -> bytes:
    return b"".join(each.read_bytes() for each in files(path))


def test_no_byte_is_lost_where_a_file_is_put_aside(tmp_path: Path) -> None:
    chance, path = random.Random(7), tmp_path / "bot.log"
    said = b"".join(b"%d %b\n" % (n, b"x" * chance.randrange(90)) for n in range(70))
    file, at = File(path, 1_000), 0
    while at < len(said):
        size = chance.randrange(1, 400)
        file.write(said[at : at + size])
        at += size
    file.close()
    assert whole(path) == said
    assert len(files(path)) == 4
    assert all(each.stat().st_size <= 1_000 for each in files(path))


def test_lines_are_whole_in_every_file(tmp_path: Path) -> None:
    path = tmp_path / "bot.log"
    file = File(path, 1_000)
    file.write(b"".join(b"line %d\n" % n for n in range(300)))
    file.close()
    for each in files(path):
        assert each.read_bytes().startswith(b"line "), each
        assert each.read_bytes().endswith(b"\n"), each


def test_what_is_kept_is_bounded_and_is_the_last(tmp_path: Path) -> None:
    path = tmp_path / "bot.log"
    file = File(path, 1_000)
    for n in range(5_000):
        file.write(b"line %d\n" % n)
    file.write(b"y" * 10_000)  # without a line's end, and larger than all that is kept
    file.write(b"\nthe last\n")
    file.close()
    assert len(list(tmp_path.iterdir())) == 1 + FILES_KEPT
    assert sum(each.stat().st_size for each in tmp_path.iterdir()) <= 1_000 * (1 + FILES_KEPT)
    assert whole(path).endswith(b"yyy\nthe last\n")


def test_a_log_goes_on_where_the_last_run_left_it(tmp_path: Path) -> None:
    path = tmp_path / "bot.log"
    path.write_bytes(b"z" * 995 + b"\n")
    file = File(path, 1_000)
    file.write(b"a new run\n")
    file.close()
    assert path.read_bytes() == b"a new run\n"
    assert path.with_name("bot.log.1").stat().st_size == 996


def test_a_full_disk_holds_nobody_up_and_is_told_of() -> None:
    file = File(Path("/dev/full"), 1_000)
    file.write(b"lost\n")
    file.write(b"too\n")
    assert file.lost == 9
    file.close()


def test_what_was_lost_is_told_of_when_there_is_room_again(tmp_path: Path) -> None:
    file = File(tmp_path / "bot.log", 1_000)
    file.lost = 9
    file.write(b"again\n")
    file.close()
    assert (tmp_path / "bot.log").read_text() == "… 9 bytes could not be written\nagain\n"


def test_many_children_are_written_at_once(tmp_path: Path) -> None:
    """More than a pipe holds, from several at a time; the ends are closed as they end."""
    with Scribe(100_000) as scribe:

        def child(name: str) -> None:
            its, _ = scribe.take(tmp_path / name)
            with os.fdopen(its, "wb") as out:
                for n in range(4_000):
                    out.write(b"%b %d of many lines\n" % (name.encode(), n))

        threads = [threading.Thread(target=child, args=(f"bot-{n}",)) for n in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    for n in range(4):
        expected = b"".join(b"bot-%d %d of many lines\n" % (n, k) for k in range(4_000))
        assert whole(tmp_path / f"bot-{n}") == expected


def test_the_last_words_of_a_life_are_there_when_it_is_finished(tmp_path: Path) -> None:
    with Scribe() as scribe:
        its, mine = scribe.take(tmp_path / "bot.log")
        os.write(its, b"good-bye\n")  # its end stays open, as with a child left behind
        scribe.finish(mine)
        assert (tmp_path / "bot.log").read_bytes() == b"good-bye\n"
        os.close(its)


def test_a_log_that_is_not_there_is_not_put_aside(tmp_path: Path) -> None:
    turn_over(tmp_path / "none.log")
    assert list(tmp_path.iterdir()) == []
