"""`python -m referee.server` is one referee process, its settings in the environment."""

import sys

from referee.server.main import run

if __name__ == "__main__":
    sys.exit(run())
