"""
A matchmaker as any other, told besides which options its ladders' matches have.

Run as `python -m matchmaker.tools.bench.leading NAME=NUMBER…`; the rest is in the environment.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace

from matchmaker import daemon, process
from matchmaker.settings import ProcessConfig, process_config


def config(environment: Mapping[str, str]) -> ProcessConfig:
    """The settings of a matchmaker, with the options that this process was started with."""
    read = process_config(environment)
    pairs = (word.partition("=") for word in sys.argv[1:])
    options = {name: int(number) for name, _, number in pairs}
    return replace(read, ladders=tuple(replace(each, options=options) for each in read.ladders))


if __name__ == "__main__":
    sys.exit(daemon.main("matchmaker", config, process.run))
