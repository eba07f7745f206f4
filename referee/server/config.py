"""
Settings of a referee process, read from the environment at start.

A bad one ends the process with one line that names it, its value and what was expected.
"""

from __future__ import annotations

import secrets
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from referee.engine.errors import WarladderError


class BadSetting(WarladderError):
    """A setting that cannot be used; the text names it, its value and what was expected."""


@dataclass(frozen=True, kw_only=True)
class Config:
    """One referee process."""

    redis_url: str
    namespace: str = "warladder"
    name: str
    """
    Its name in presence records, another in each life: a match whose owner has died must not seem
    to have it back when a new process takes its place.
    """
    listen: str
    """Where bots dial in: `unix:PATH` or `HOST:PORT`."""
    advertise: str = ""
    """The address told to bots, where it differs from `listen` (behind a proxy or a name)."""
    internal_listen: str
    """Where workers hand it matches."""
    internal_secret: str
    ladder_key: bytes
    """Signs receipts; all referees of a ladder share it."""
    metrics_port: int | None = None
    """On loopback; None: no metrics."""
    room: int = 256
    """Most matches at once."""
    drain_seconds: float = 0.0
    """How long running matches may go on here after a SIGTERM; then others take them over."""
    tls: tuple[Path, Path] | None = None
    """Certificate chain and key (PEM) of the bots' door."""
    tls_client_ca: Path | None = None
    """Only bots with a certificate of this authority (PEM) are let in; None: any with a token."""


def read_config(environment: Mapping[str, str], listen: str | None = None) -> Config:
    """
    Read a referee's settings.

    Args:
        listen: The option `--listen`; it goes before the environment.

    Raises:
        BadSetting: One is missing or wrong.
    """
    if listen is None:
        listen = _address(environment, "WARLADDER_REFEREE_LISTEN")
    else:
        listen = _address({"--listen": listen}, "--listen")
    certificate = environment.get("WARLADDER_TLS_CERTIFICATE", "")
    key = environment.get("WARLADDER_TLS_KEY", "")
    if bool(certificate) != bool(key):
        raise BadSetting("WARLADDER_TLS_CERTIFICATE and WARLADDER_TLS_KEY go together; set both")
    authority = environment.get("WARLADDER_TLS_CLIENT_CA", "")
    if authority and not certificate:
        raise BadSetting("WARLADDER_TLS_CLIENT_CA needs WARLADDER_TLS_CERTIFICATE and …_KEY")
    return Config(
        redis_url=_needed(environment, "WARLADDER_REDIS_URL"),
        namespace=environment.get("WARLADDER_NAMESPACE") or "warladder",
        name=f"{environment.get('WARLADDER_REFEREE_NAME') or 'referee'}-{secrets.token_hex(4)}",
        listen=listen,
        advertise=environment.get("WARLADDER_REFEREE_ADVERTISE", ""),
        internal_listen=_address(environment, "WARLADDER_INTERNAL_LISTEN"),
        internal_secret=_needed(environment, "WARLADDER_INTERNAL_SECRET"),
        ladder_key=_needed(environment, "WARLADDER_LADDER_KEY").encode(),
        metrics_port=_number(environment, "WARLADDER_METRICS_PORT", None, 65535),
        room=_number(environment, "WARLADDER_REFEREE_ROOM", 256, 100_000) or 0,
        drain_seconds=float(_number(environment, "WARLADDER_DRAIN_SECONDS", 0, 86_400) or 0),
        tls=_pair(certificate, key) if certificate else None,
        tls_client_ca=_authority(authority) if authority else None,
    )


def _needed(environment: Mapping[str, str], name: str) -> str:
    value = environment.get(name, "").strip()
    if not value:
        raise BadSetting(f"{name} is not set")
    return value


def _address(environment: Mapping[str, str], name: str) -> str:
    value = _needed(environment, name)
    if value.startswith("unix:"):
        if len(value.removeprefix("unix:").encode()) > 100:
            raise BadSetting(f"{name}={value!r}: a socket's path may have 100 bytes")
        return value
    host, _, port = value.rpartition(":")
    if not host or not port.isascii() or not port.isdecimal():
        raise BadSetting(f"{name}={value!r}: unix:PATH or HOST:PORT is expected")
    if int(port) > 65535:
        raise BadSetting(f"{name}={value!r}: a port is 0 to 65535")
    return value


def _number(environment: Mapping[str, str], name: str, usual: int | None, most: int) -> int | None:
    value = environment.get(name, "").strip()
    if not value:
        return usual
    if not value.isdecimal() or int(value) > most:
        raise BadSetting(f"{name}={value!r}: a whole number from 0 to {most} is expected")
    return int(value)


def _file(name: str) -> Path:
    path = Path(name)
    if not path.is_file():
        raise BadSetting(f"TLS file {name} is not there")
    return path


def _pair(certificate: str, key: str) -> tuple[Path, Path]:
    """Read here, because the transport would only say that its address cannot be had."""
    pair = _file(certificate), _file(key)
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(*pair)
    except (OSError, ValueError) as fault:
        raise BadSetting(f"TLS files {certificate} and {key}: {_reason(fault)}") from None
    return pair


def _authority(name: str) -> Path:
    path = _file(name)
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_verify_locations(path)
    except (OSError, ValueError) as fault:
        raise BadSetting(f"TLS file {name}: {_reason(fault)}") from None
    return path


def _reason(fault: Exception) -> str:
    word = getattr(fault, "reason", None) or getattr(fault, "strerror", None) or str(fault)
    return f"not PEM of a certificate with its key, or not to be read ({word})"
