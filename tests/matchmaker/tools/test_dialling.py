"""Where our own bots dial, and when."""

from pathlib import Path

import pytest

from matchmaker import certificates
from matchmaker.errors import WrongUse
from matchmaker.tools import dialling
from matchmaker.tools.dialling import Referees
from warladder.v1 import referee_pb2 as pb


def goodbye(reason: int, after_ms: int = 0) -> pb.Goodbye:
    return pb.Goodbye(reason=reason, reconnect_after_ms=after_ms)  # type: ignore[arg-type]


def test_only_four_reasons_end_a_bot_and_an_unknown_one_does_not() -> None:
    there = Referees("one")
    codes = {reason: there.parted(goodbye(reason)) for reason in pb.GoodbyeReason.values()}
    assert codes.pop(pb.GOODBYE_REASON_DONE) == 0
    ends = (pb.GOODBYE_REASON_REPLACED, pb.GOODBYE_REASON_FAULT, pb.GOODBYE_REASON_REVOKED)
    assert [codes.pop(reason) for reason in ends] == [1, 1, 1]
    assert set(codes.values()) == {None}
    assert there.parted(goodbye(99)) is None


async def test_it_never_dials_before_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(dialling.asyncio, "sleep", sleep)
    there = Referees("one")
    for _ in range(50):
        there.parted(goodbye(pb.GOODBYE_REASON_BUSY, 1500))
        await there.pause()
    assert 1.5 <= min(slept) < max(slept) <= 2.25


async def test_a_match_that_is_not_here_is_looked_for_elsewhere_and_then_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dialling, "FIRST_WAIT_SECONDS", 0.0)
    monkeypatch.setattr(dialling, "SEARCH_WAIT_SECONDS", 0.0)
    now = 1000.0
    monkeypatch.setattr(dialling.time, "monotonic", lambda: now)
    there = Referees("one")
    assert there.settles(missing=True, resumed=False) == (True, False)  # no other can have it
    there.know(["one", "two"])
    assert there.next() == "one"
    assert there.settles(missing=True, resumed=False) == (False, False)
    await there.pause()
    assert there.next() == "two"
    now += dialling.SEARCH_SECONDS + 1
    assert there.settles(missing=True, resumed=False) == (True, True)
    await there.pause()
    assert there.next() == "two"  # it let us in: after a cut it comes first
    assert there.settles(missing=False, resumed=True) == (True, False)
    there.parted(goodbye(pb.GOODBYE_REASON_DRAINING))
    await there.pause()
    assert there.next() == "one"


def test_a_file_of_tls_that_is_not_there_is_named() -> None:
    assert dialling.credentials({}) is None
    with pytest.raises(WrongUse, match="/not-here"):
        dialling.credentials({"WARLADDER_TLS_CA": "/not-here.pem"})


def test_files_of_tls_are_looked_at_before_anybody_is_dialled(tmp_path: Path) -> None:
    made = certificates.make(tmp_path, [], ["mine", "yours"], days=1)
    rubbish = tmp_path / "rubbish"
    rubbish.write_text("-----BEGIN RUBBISH-----\n")
    ca, mine, yours = (made[name] for name in ("ca", "mine", "yours"))
    right = {
        dialling.CA: str(ca.certificate),
        dialling.CERTIFICATE: str(mine.certificate),
        dialling.KEY: str(mine.key),
    }
    assert dialling.credentials(right) is not None
    for name, file, why in (
        (dialling.CA, rubbish, "no certificate in PEM"),
        (dialling.CERTIFICATE, rubbish, "no certificate in PEM"),
        (dialling.KEY, rubbish, "no private key in PEM without a password"),
        (dialling.KEY, yours.key, "not the key of the certificate"),
        (dialling.KEY, "", "go together: set both"),
    ):
        with pytest.raises(WrongUse, match=rf"{name}.*{why}"):
            dialling.credentials({**right, name: str(file)})
