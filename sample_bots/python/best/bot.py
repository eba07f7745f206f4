"""The strongest of the samples: the search of `search`, given up to 50 ms a decision."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "search"))
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))

import searcher

STEPS = 600
"""At most about 50 ms of CPU for a decision; most are settled sooner."""

if __name__ == "__main__":
    searcher.attend_with(__doc__ or "", STEPS)
