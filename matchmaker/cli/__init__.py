"""
The one `warladder` command: one module for each group of commands.

Standard output is the result, standard error the rest. Exit codes: 0 done, 1 fell short, 2 wrong
use, 130 interrupted. A failure is one line that says what, where and what to do.
"""

import os
import sys
from typing import NoReturn

from matchmaker.interrupts import INTERRUPTED, end_at_once


def main() -> NoReturn:
    """Run the command line; nothing heavy is imported before a Ctrl-C is looked after."""
    end_at_once()
    try:
        from matchmaker.cli.app import run

        code = run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    if code == INTERRUPTED:
        # CPython remembers a Ctrl-C caught while text is executed (dataclasses, named tuples) as
        # unhandled: an ordinary exit would then end by the signal instead of with our code.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
