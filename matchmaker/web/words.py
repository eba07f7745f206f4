"""Closed lists in plain words, for people."""

from __future__ import annotations

ENDING_WORDS = {
    "normal": "played to its end by the rules",
    "timeout": "a bot's time ran out",
    "illegal": "a bot gave answers that were not offered",
    "disconnected": "a bot was away for too long",
    "protocol": "a bot broke the protocol too often",
    "resigned": "a bot resigned",
    "no_show": "a bot did not come",
    "referee_fault": "the server failed",
    "stalled": "the store was away for too long",
    "cancelled": "cancelled; nobody is to blame",
    "won": "won",
    "drawn": "drawn",
    "lost": "lost by the rules or to a better rank",
    "unplayed": "without an outcome",
}
FAULT_WORDS = {
    "timeout": "ran out of time",
    "illegal": "gave answers that were not offered",
    "disconnected": "was away for too long",
    "protocol": "broke the protocol too often",
    "resigned": "resigned",
    "no_show": "did not come",
}
"""What a bot did, after its name."""
WHY_WORDS = {
    "": "",
    "practise": "a practise match counts for nothing",
    "tournament": "its tournament is not rated",
    "no_show": "a bot did not come",
    "referee_fault": "the server failed; it is played anew",
    "stalled": "the store was away for too long; it is played anew",
    "cancelled": "it was cancelled; nobody is to blame",
    "unverified": "its replay did not give its result",
    "operator": "an operator took it out",
}
FORMAT_WORDS = {
    "round_robin": "Round robin",
    "swiss": "Swiss",
    "single_elimination": "Single elimination",
    "double_elimination": "Double elimination",
    "gauntlet": "Gauntlet",
    "sprt": "SPRT duel",
    "season": "Season",
}
SUMMARY_WORDS = {
    "llr": "Log-likelihood ratio",
    "lower": "H0 is taken at",
    "upper": "H1 is taken at",
    "says": "Finding",
    "pentanomial": "Pairings by points (0 to 2)",
}
"""What a format says at the end, where its own word is too short."""
STATE_WORDS = {
    "waiting": "waits for earlier meetings",
    "open": "to be played",
    "over": "over",
    "forfeit": "forfeited",
    "bye": "bye",
    "running": "running",
    "done": "over",
    "capped": "ended at its limit, as it stood",
    "cancelled": "cancelled, as it stood",
    "not_held": "not held",
    "planned": "waits for a referee",
    "playing": "in play",
    "ended": "ended, about to be closed",
}
