"""Plays Battle for Stalingrad like a quartermaster: holds, feeds, buys, and attacks when sure."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))

import attend
import rules

if __name__ == "__main__":
    attend.run(__doc__ or "", ("stalingrad",), lambda started: rules.Cautious(started.seat))
