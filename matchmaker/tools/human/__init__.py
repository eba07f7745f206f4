"""
A person as a bot: the program that `human` starts in `warladder play`, and `warladder human` alone.

To a referee it is a bot like any other: it dials in with a token, gets views, events, options and
a clock, and answers with an option's index. No referee knows that somebody reads.
"""
