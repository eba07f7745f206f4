"""The ports of `up`: what is wrong is said with the option that names them, and what to do."""

import socket
from collections.abc import Iterator

import pytest

from matchmaker import ports
from matchmaker.errors import WrongUse


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as other:
        other.bind((ports.LOOPBACK, 0))
        other.listen()
        yield other.getsockname()[1]


@pytest.fixture
def free() -> int:
    with socket.socket() as probe:
        probe.bind((ports.LOOPBACK, 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize(
    ("value", "referees", "line"),
    [
        ("nowhere", 1, "--listen 'nowhere': give it as HOST:PORT"),
        ("127.0.0.1:", 1, "--listen '127.0.0.1:': give it as HOST:PORT"),
        ("127.0.0.1:²", 1, "--listen '127.0.0.1:²': give it as HOST:PORT"),
        ("127.0.0.1:0", 1, "--listen 127.0.0.1:0: a port is 1 to 65535"),
        ("127.0.0.1:99999", 1, "--listen 127.0.0.1:99999: a port is 1 to 65535"),
        ("127.0.0.1:65535", 2, "--listen 127.0.0.1:65535: 2 referees listen on as many ports"),
    ],
)
def test_what_is_no_address_is_refused(value: str, referees: int, line: str) -> None:
    with pytest.raises(WrongUse) as refused:
        ports.listening(value, referees)
    assert str(refused.value).startswith(line)


def test_a_port_of_bots_in_use_names_listen(taken: int, free: int) -> None:
    with pytest.raises(WrongUse) as refused:
        ports.check(ports.listening(f"127.0.0.1:{taken}", 1), ports.measuring(free, 1))
    assert str(refused.value) == (
        f"--listen 127.0.0.1:{taken}: port {taken} is in use by another process;"
        " choose another port with --listen"
    )


def test_a_port_of_metrics_in_use_names_metrics_port_and_how_many(taken: int, free: int) -> None:
    with pytest.raises(WrongUse) as refused:
        ports.check(ports.listening(f"127.0.0.1:{free}", 1), ports.measuring(taken, 3))
    assert str(refused.value) == (
        f"--metrics-port {taken}: port {taken} is in use by another process;"
        " choose another port with --metrics-port, the first of 3 in a row"
    )


def test_the_two_kinds_of_port_are_apart(free: int) -> None:
    with pytest.raises(WrongUse, match=f"port {free} is one of --listen's"):
        ports.check(ports.listening(f"127.0.0.1:{free}", 1), ports.measuring(free, 1))


def test_an_address_of_nobody_is_named() -> None:
    assert ports.obstacle("192.0.2.1", 7700) == "192.0.2.1 is no address of this machine"
    assert "is no address" in ports.obstacle("x" * 80, 7700)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0.0.0.0"])
def test_a_free_port_is_no_obstacle(host: str, free: int) -> None:
    assert ports.obstacle(host, free) == ""


def test_two_options_with_one_port_are_refused_by_name(free: int) -> None:
    web = ports.showing(f"127.0.0.1:{free}")
    with pytest.raises(WrongUse) as refused:
        ports.check(ports.measuring(free, 1), web)
    assert str(refused.value) == (
        f"--web-listen 127.0.0.1:{free}: port {free} is one of --metrics-port's;"
        " choose another port with --web-listen"
    )


@pytest.mark.parametrize("value", ["nowhere", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:99999"])
def test_what_is_no_place_for_pages_is_refused(value: str) -> None:
    with pytest.raises(WrongUse, match=r"--web-listen '.*': give it as HOST:PORT"):
        ports.showing(value)
