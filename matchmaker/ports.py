"""The ports that `up` is told to use, looked at before anything starts."""

import errno
import socket
from dataclasses import dataclass

from matchmaker.errors import WrongUse

LAST = 65535
LOOPBACK = "127.0.0.1"
WEB = f"{LOOPBACK}:7680"
"""Where pages are served unless told otherwise."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """As many ports in a row as there are processes, and the option that names the first."""

    option: str
    value: str
    """As it was given."""
    host: str
    first: int
    count: int

    @property
    def ports(self) -> range:
        return range(self.first, self.first + self.count)

    @property
    def name(self) -> str:
        return f"{self.option} {self.value}"

    @property
    def remedy(self) -> str:
        row = f", the first of {self.count} in a row" if self.count > 1 else ""
        return f"choose another port with {self.option}{row}"


def listening(value: str, referees: int) -> Wanted:
    """
    Read `--listen HOST:PORT`.

    Raises:
        WrongUse: It is none, or a port is out of range.
    """
    host, _, port = value.rpartition(":")
    if not host or not port.isascii() or not port.isdecimal():
        raise WrongUse(f"--listen {value!r}: give it as HOST:PORT")
    wanted = Wanted(option="--listen", value=value, host=host, first=int(port), count=referees)
    if not 1 <= wanted.first <= LAST:
        raise WrongUse(f"{wanted.name}: a port is 1 to {LAST}")
    if wanted.ports[-1] > LAST:
        raise WrongUse(
            f"{wanted.name}: {referees} referees listen on as many ports in a row,"
            f" and the last there is is {LAST}"
        )
    return wanted


def showing(value: str, option: str = "--web-listen") -> Wanted:
    """
    Read `--web-listen HOST:PORT`.

    Raises:
        WrongUse: It is none, or the port is out of range.
    """
    host, _, port = value.rpartition(":")
    if not host or not port.isascii() or not port.isdecimal() or not 1 <= int(port) <= LAST:
        raise WrongUse(f"{option} {value!r}: give it as HOST:PORT, a port being 1 to {LAST}")
    shown = port if option == "--web-port" else value
    return Wanted(option=option, value=shown, host=host, first=int(port), count=1)


def measuring(first: int, processes: int) -> Wanted:
    """`--metrics-port`, one for each process."""
    return Wanted(
        option="--metrics-port", value=str(first), host=LOOPBACK, first=first, count=processes
    )


def check(*wishes: Wanted) -> None:
    """
    See that all of them are free now.

    Raises:
        WrongUse: One is not; the text names the option to change.
    """
    taken: dict[int, Wanted] = {}
    for wanted in wishes:
        for port in wanted.ports:
            if port in taken:
                other = taken[port].option
                raise WrongUse(f"{wanted.name}: port {port} is one of {other}'s; {wanted.remedy}")
            taken[port] = wanted
    for wanted in wishes:
        for port in wanted.ports:
            why = obstacle(wanted.host, port)
            if why:
                raise WrongUse(f"{wanted.name}: {why}; {wanted.remedy}")


def obstacle(host: str, port: int) -> str:
    """Why nobody can listen there now; empty if one can."""
    try:
        (family, kind, protocol, _, address), *_ = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen()
    except (OSError, UnicodeError) as error:
        number = error.errno if isinstance(error, OSError) else None
        if number == errno.EADDRINUSE:
            return f"port {port} is in use by another process"
        if number == errno.EACCES:
            return f"port {port} may not be used by this user"
        return f"{host} is no address of this machine"
    return ""
