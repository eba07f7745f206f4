"""
What a running match needs of Redis, and nothing a ladder needs.

`keys` names every key; `records` are the bytes; `lifecycle` takes a match from planned to ended;
`journal` appends under a fence; `presence` says who is there; `bots` reads the registry.
"""
