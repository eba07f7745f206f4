"""
Crosstables of IA Mario Held's *Exercises in Tie-Breaking* (FIDE, C.07 of 2023), as data.

A round is opponent, seat and score: `=` a draw, `+` and `-` a forfeit, `H` half a point asked for,
`U` a bye, `Z` not there.
"""

from matchmaker.formats.breaks import Kind, Turn

SWISS_5 = """
1 9w1 13b= 2w= 15b1 4w=
2 10b1 7w1 1b= 16w1 3b=
3 11w= 6b1 8w1 4b= 2w=
4 12b1 H 13w1 3w= 1b=
5 13w0 15b0 11w1 7b= 10w1
6 14b0 3w0 U 10w1 8b1
7 15w1 2b0 16b0 5w= 11b0
8 16b= 14w1 3b0 13w1 6w0
9 1b0 10w0 H 11b- U
10 2w0 9b1 15w0 6b0 5b0
11 3b= 16w0 5b0 9w+ 7w1
12 4w0 U 14w+ Z Z
13 5b1 1w= 4b0 8b0 14w0
14 6w1 8b0 12b- Z 13b1
15 7b0 5w1 10b1 1w0 16b0
16 8w= 11b1 7w1 2b0 15w1
"""
SWISS_9 = """
1 9w1 13b= 2w= 15b1 4w= 6b= 3b= 16w= 8b1
2 10b1 7w1 1b= 16w1 3b1 4w= 6w0 15b= 5w=
3 11w= 6b1 8w1 4b= 2w0 16b1 1w= 14w1 10b1
4 12b1 H 13w1 3w= 1b= 2b= 16w= 6b= 15w1
5 13w0 15b0 11w1 7b= 10w1 14b0 9b1 8w0 2b=
6 14b0 3w0 U 10w1 8b1 1w= 2b1 4w= 16b1
7 15w1 2b0 16b0 5w= 11b0 10b0 13w1 9w1 14b1
8 16b= 14w1 3b0 13w1 6w0 11b= 15w= 5b1 1w0
9 1b0 10w0 H 11b- U 13b1 5w0 7b0 12w=
10 2w0 9b1 15w0 6b0 5b0 7w1 12b1 11w1 3w0
11 3b= 16w0 5b0 9w+ 7w1 8w= 14b0 10b0 13w=
12 4w0 U 14w+ Z Z 15b0 10w0 13b= 9b=
13 5b1 1w= 4b0 8b0 14w0 9w0 7b0 12w= 11b=
14 6w1 8b0 12b- Z 13b1 5w1 11w1 3b0 7w0
15 7b0 5w1 10b1 1w0 16b0 12w1 8b= 2w= 4b0
16 8w= 11b1 7w1 2b0 15w1 3w0 4b= 1b= 6w0
"""
ROUND_ROBIN = """
1 5w= 2w1 3b1 4w0 6b1
2 6w1 1b0 5w1 3w= 4b1
3 4w1 6b1 1w0 2b= 5w1
4 3b0 5b0 6w= 1b1 2w0
5 1b= 4w1 2b0 6w- 3b0
6 2b0 3w0 4b= 5b+ 1w0
"""
# Exercises 1–8 and 11–15; 28 (games won, forfeits left out).
BUCHHOLZ = [12.5, 13, 15.5, 15, 8.5, 12, 14.5, 13.5, 9, 13, 13.5, 11.5, 14, 11, 12, 12.5]
CUT_1 = [11, 12, 13, 11.5, 7.5, 11, 12.5, 12, 7.5, 11.5, 12, 9.5, 12, 9, 11, 11]
SONNEBORN = [8, 9.5, 10.5, 9.75, 4.25, 6.5, 3.25, 5.25, 2.25, 1.5, 5.75, 4, 4.25, 4.5, 3.5, 7.25]
WON = [2, 3, 2, 2, 2, 2, 1, 2, 0, 1, 1, 0, 1, 2, 2, 3]
# Exercises 25 and 26: places by points and direct encounter.
DIRECT_9 = [3, 5, 1, 3, 9, 2, 6, 6, 14, 9, 13, 14, 16, 9, 9, 6]
SONNEBORN_ROUND_ROBIN = [9.25, 6.25, 6.25, 4.25, 3.25, 2.25]
DIRECT_ROUND_ROBIN = [1, 2, 2, 6, 5, 4]

HALF_POINTS = {"1": 2, "=": 1, "0": 0, "+": 2, "-": 0, "H": 1, "U": 2, "Z": 0}
KINDS = {"+": Kind.GIVEN, "-": Kind.MISSED, "H": Kind.MISSED, "U": Kind.GIVEN, "Z": Kind.MISSED}


def turns(table: str, *, forfeits_met: bool = False) -> dict[str, list[Turn]]:
    """Read a crosstable; in a round robin a forfeit is a meeting as any other."""
    found = {}
    for line in table.split("\n"):
        if line:
            bot, *rounds = line.split()
            found[bot] = [_turn(each, forfeits_met) for each in rounds]
    return found


def _turn(text: str, forfeits_met: bool) -> Turn:
    points, kind = HALF_POINTS[text[-1]], KINDS.get(text[-1], Kind.PLAYED)
    if len(text) > 1 and (kind is Kind.PLAYED or forfeits_met):
        return Turn(Kind.PLAYED, points, ((text[:-2], points),))
    return Turn(kind, points)


def taken(turns: dict[str, list[Turn]]) -> dict[tuple[str, str], float]:
    return {
        (bot, other): part
        for bot, mine in turns.items()
        for turn in mine
        for other, part in turn.met
    }
