"""Searches: looks at what each option leads to in many positions that its view allows."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))

import searcher

STEPS = 200
"""4 ms of CPU a decision on average, under 15 for nineteen of twenty, some 45 for the hardest."""

if __name__ == "__main__":
    searcher.attend_with(__doc__ or "", STEPS)
