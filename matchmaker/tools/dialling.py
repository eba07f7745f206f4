"""How our tools that attend as bots do find a referee, and find one again after a cut."""

from __future__ import annotations

import asyncio
import os
import random
import ssl
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import grpc

from matchmaker.errors import WrongUse
from warladder.v1 import referee_pb2 as pb

FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 0.2, 10.0
"""Before dialling again: doubled each time that nobody answers."""
SEARCH_SECONDS, SEARCH_WAIT_SECONDS = 60.0, 0.5
"""How long matches that this referee does not have are looked for at the others."""

HOPELESS = {
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.UNIMPLEMENTED,
}
"""Dialling again does not mend these."""
ENDS = {
    pb.GOODBYE_REASON_DONE: 0,
    pb.GOODBYE_REASON_REPLACED: 1,
    pb.GOODBYE_REASON_FAULT: 1,
    pb.GOODBYE_REASON_REVOKED: 1,
}
"""Reasons of a Goodbye that end a bot, with its exit code; after any other it dials again."""
REVOKED = "this token opens nothing any more: set WARLADDER_TOKEN to the new one"
CHANNEL = [("grpc.keepalive_time_ms", 20_000), ("grpc.max_receive_message_length", 16 << 20)]


CA, CERTIFICATE, KEY = "WARLADDER_TLS_CA", "WARLADDER_TLS_CERTIFICATE", "WARLADDER_TLS_KEY"


def credentials(environment: Mapping[str, str] = os.environ) -> grpc.ChannelCredentials | None:
    """
    TLS if `WARLADDER_TLS_CA` names whom to trust, as the sample bots have it.

    Raises:
        WrongUse: A file that cannot be read, or holds something else.
    """
    authority, certificate, key = (environment.get(each) or "" for each in (CA, CERTIFICATE, KEY))
    if not authority:
        return None
    if bool(certificate) != bool(key):
        raise WrongUse(f"{CERTIFICATE} and {KEY} go together: set both")
    look = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    with right(CA, authority, "no certificate in PEM"):
        look.load_verify_locations(authority)
    if not key:
        return grpc.ssl_channel_credentials(Path(authority).read_bytes())
    with right(CERTIFICATE, certificate, "no certificate in PEM"):
        look.load_verify_locations(certificate)
    makes = f"`openssl pkcs8 -topk8 -nocrypt -in {key}` makes one"
    with right(KEY, key, f"no private key in PEM without a password; {makes}"):
        look.load_cert_chain(certificate, key, password=lambda: "")  # else OpenSSL asks for it
    files = (authority, key, certificate)
    return grpc.ssl_channel_credentials(*(Path(file).read_bytes() for file in files))


@contextmanager
def right(name: str, file: str, wrong: str) -> Iterator[None]:
    """Looks at a file of TLS: what is wrong with it is wrong use."""
    try:
        yield
    except ssl.SSLError as fault:
        differ = "MISMATCH" in (fault.reason or "")
        raise WrongUse(
            f"{name}: {file}: {'not the key of the certificate' if differ else wrong}"
        ) from None
    except OSError as fault:
        raise WrongUse(f"{name}: {file}: {fault.strerror}") from None


def dial(referee: str, trust: grpc.ChannelCredentials | None) -> grpc.aio.Channel:
    if trust is None:
        return grpc.aio.insecure_channel(referee, CHANNEL)
    return grpc.aio.secure_channel(referee, trust, CHANNEL)


def code_name(code: pb.FaultCode.ValueType) -> str:
    """A code of a later minor version has a number and no name."""
    return pb.FaultCode.Name(code) if code in pb.FaultCode.values() else f"fault {code}"


class Referees:
    """Where to dial next and when, and how long lost matches are looked for."""

    def __init__(self, first: str) -> None:
        self.addresses = [first]
        """The next one first."""
        self.wait = FIRST_WAIT_SECONDS
        """Before the next dial."""
        self._stays = False
        """The last one let us in: after a cut our matches are to be found there first."""
        self._search_until = 0.0
        """Until when missing matches are looked for; 0 while none is missing."""

    def next(self) -> str:
        self._stays = False
        return self.addresses[0]

    def know(self, addresses: Iterable[str]) -> None:
        self.addresses += [each for each in addresses if each not in self.addresses]

    async def pause(self) -> None:
        """Between two streams."""
        if not self._stays:
            self.addresses.append(self.addresses.pop(0))
        await asyncio.sleep(self.wait * random.uniform(1.0, 1.5))
        self.wait = min(self.wait * 2, LONGEST_WAIT_SECONDS)

    def settles(self, missing: bool, resumed: bool) -> tuple[bool, bool]:
        """
        What a Welcome means for our matches.

        Args:
            missing: Some of them are not resumed here.
            resumed: Some are.

        Returns:
            Whether to stay, as they go on here or no other referee can have them; and whether
            those missing are given up, as they ended while we were away.
        """
        now = time.monotonic()
        over = 0 < self._search_until < now
        if not missing or over:
            self._search_until = 0.0
            self._stays = True
        else:
            self._search_until = self._search_until or now + SEARCH_SECONDS
            self._stays = resumed or len(self.addresses) == 1
        self.wait = FIRST_WAIT_SECONDS if self._stays else SEARCH_WAIT_SECONDS
        return self._stays, missing and over

    def parted(self, goodbye: pb.Goodbye) -> int | None:
        """What a Goodbye means: an exit code, or None to dial again after `pause`."""
        if goodbye.reason in ENDS:
            return ENDS[goodbye.reason]
        if goodbye.reason == pb.GOODBYE_REASON_DRAINING:
            self._stays = False
        self.wait = max(goodbye.reconnect_after_ms / 1000, FIRST_WAIT_SECONDS)
        return None
