"""What the environment and the flags say; flags go first."""

import argparse
import os
import secrets
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc


@dataclass(frozen=True)
class Settings:
    bot: str
    referee: str
    token: str
    seed: str
    """Of the bot's own chance."""
    max_matches: int
    instance: str

    def dial(self, referee: str, options: Sequence[tuple[str, Any]]) -> grpc.aio.Channel:
        """
        A line to a referee: TLS if `WARLADDER_TLS_CA` names whom to trust.

        `WARLADDER_TLS_CERTIFICATE` and `WARLADDER_TLS_KEY` are for referees that want to see a
        certificate of the bot. All three are PEM files.
        """
        names = ("WARLADDER_TLS_CA", "WARLADDER_TLS_KEY", "WARLADDER_TLS_CERTIFICATE")
        files = [os.environ.get(name) for name in names]
        if not files[0]:
            return grpc.aio.insecure_channel(referee, options)
        try:
            authority, key, certificate = (Path(f).read_bytes() if f else None for f in files)
        except OSError as fault:
            sys.exit(f"WARLADDER_TLS_…: {fault.filename}: {fault.strerror}")
        trust = grpc.ssl_channel_credentials(authority, key, certificate)
        return grpc.aio.secure_channel(referee, trust, options)


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
    given = Settings(**vars(parser.parse_args()))
    if not (given.token.isascii() and given.token.isprintable() and given.token):
        parser.error("no token: set WARLADDER_TOKEN to what `warladder bot add` printed")
    if not 1 <= given.max_matches <= 1000:
        parser.error("--max-matches takes a whole number from 1 to 1000")
    return given
