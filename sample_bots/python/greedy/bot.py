"""Looks one step ahead: values every option by what it brings at once, and takes the best."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))

import attend
import skirmish
import stalingrad

from warladder.v1.referee_pb2 import MatchStarted

PLAYERS = {"skirmish": skirmish.Greedy, "stalingrad": stalingrad.Greedy}


def player(started: MatchStarted) -> attend.Player:
    return PLAYERS[started.game](started.seat, list(started.sides))


if __name__ == "__main__":
    attend.run(__doc__ or "", tuple(PLAYERS), player)
