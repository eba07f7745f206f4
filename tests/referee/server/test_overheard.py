"""What is written down of a stream."""

import json
from pathlib import Path

from referee.server.overheard import Transcripts, read
from warladder.v1 import referee_pb2 as pb


def test_messages_are_told_by_kind_with_all_their_fields() -> None:
    said = pb.BotMessage(choose=pb.Choose(match="m", decision=1))
    assert read(True, said.SerializeToString()) == {
        "choose": {"match": "m", "decision": 1, "option": 0, "note": ""}
    }
    heard = pb.RefereeMessage(ping=pb.Ping(number=3))
    assert read(False, heard.SerializeToString()) == {"ping": {"number": 3}}
    assert read(True, b"\xff") == {"unreadable": "ff"}


def test_each_bot_has_a_file_of_its_own_in_the_order_of_the_stream(tmp_path: Path) -> None:
    transcripts = Transcripts(tmp_path / "deep" / "log")
    hello = pb.BotMessage(hello=pb.Hello(version="1"))
    ping = pb.RefereeMessage(ping=pb.Ping(number=1))
    transcripts.hear("go/greedy", True, hello.SerializeToString())
    transcripts.hear("other", False, ping.SerializeToString())
    transcripts.hear("go-greedy", False, ping.SerializeToString())
    transcripts.hear("go/greedy", False, ping.SerializeToString())
    transcripts.close()
    lines = (tmp_path / "deep" / "log" / "go+greedy.jsonl").read_text().splitlines()
    assert [list(json.loads(line)) for line in lines] == [["said"], ["heard"]]
    assert json.loads(lines[0])["said"]["hello"]["version"] == "1"
    assert transcripts.path("other").is_file()
    assert transcripts.path("go-greedy").read_text().count("\n") == 1
