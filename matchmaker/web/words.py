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
