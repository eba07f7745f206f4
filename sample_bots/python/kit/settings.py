"""What the environment and the flags say; flags go first."""

import argparse
import os
import secrets
import ssl
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import grpc

CA, CERTIFICATE, KEY = "WARLADDER_TLS_CA", "WARLADDER_TLS_CERTIFICATE", "WARLADDER_TLS_KEY"


@dataclass(frozen=True)
class Settings:
    bot: str
    referee: str
    token: str
    seed: str
    """Of the bot's own chance."""
    max_matches: int
    instance: str
    trust: grpc.ChannelCredentials | None

    def dial(self, referee: str, options: Sequence[tuple[str, Any]]) -> grpc.aio.Channel:
        """A line to a referee."""
        if self.trust is None:
            return grpc.aio.insecure_channel(referee, options)
        return grpc.aio.secure_channel(referee, self.trust, options)


def trusted() -> grpc.ChannelCredentials | None:
    """
    TLS if `WARLADDER_TLS_CA` names whom to trust.

    `WARLADDER_TLS_CERTIFICATE` and `WARLADDER_TLS_KEY` are for referees that want to see a
    certificate of the bot. All three are PEM files, and looked at here: what is wrong with them
    gRPC would find only when it dials, and dial again.
    """
    authority, certificate, key = (os.environ.get(each) or "" for each in (CA, CERTIFICATE, KEY))
    if not authority:
        return None
    if bool(certificate) != bool(key):
        refuse(f"{CERTIFICATE} and {KEY} go together: set both")
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
    """Looks at a file of TLS: what is wrong with it ends the program."""
    try:
        yield
    except ssl.SSLError as fault:
        differ = "MISMATCH" in (fault.reason or "")
        refuse(f"{name}: {file}: {'not the key of the certificate' if differ else wrong}")
    except OSError as fault:
        refuse(f"{name}: {file}: {fault.strerror}")


def refuse(line: str) -> NoReturn:
    print(f"bot: error: {line}", file=sys.stderr)
    sys.exit(2)


def read(bots: Sequence[str]) -> Settings:
    """Ends the program with a line on what is wrong, and exit code 2."""
    env = os.environ
    parser = argparse.ArgumentParser(prog="bot", description="A bot for Battle for Stalingrad.")
    parser.add_argument("bot", choices=bots)
    parser.add_argument("--referee", default=env.get("WARLADDER_REFEREE") or "localhost:7700")
    parser.add_argument("--token", default=env.get("WARLADDER_TOKEN", ""))
    parser.add_argument("--seed", default=env.get("WARLADDER_SEED") or secrets.token_hex(8))
    parser.add_argument("--max-matches", type=int, default=1, help="how many at once")
    parser.add_argument("--instance", default="", help="tells running copies apart")
    given = Settings(**vars(parser.parse_args()), trust=trusted())
    if not (given.token.isascii() and given.token.isprintable() and given.token):
        parser.error("no token: set WARLADDER_TOKEN to what `warladder bot add` printed")
    if not 1 <= given.max_matches <= 1000:
        parser.error("--max-matches takes a whole number from 1 to 1000")
    return given
