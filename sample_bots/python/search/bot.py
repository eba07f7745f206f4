"""Searches: looks at what each option leads to in many positions that its view allows."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))

import searcher

STEPS = 200
"""At most about 20 ms of CPU for a decision; most are settled sooner."""

if __name__ == "__main__":
    searcher.attend_with(__doc__ or "", STEPS)
