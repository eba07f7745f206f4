"""
Bots that misbehave, by kind, phase and seat, against one referee process.

| file | holds |
|---|---|
| `phases.py` | what a match is doing when the bot misbehaves, and how to bring it there |
| `registry.py`, `kinds.py` | what a kind of misbehaviour is, and the table of all of them |
| `said.py`, `done.py` | the misbehaviours: by words; by leaving, time and dialling |
| `verdicts.py` | what must come of each kind in each phase: a table |
| `moment.py` | a bot, its match and its question at that moment: what kinds act on |
| `relay.py` | a line that can be cut, slowed down or held up |
| `honest.py` | the process of the honest bots, with a report of all they went through |
| `process.py` | a naughty bot as a process of its own, to be stopped or killed |
| `judge.py` | what was found against the verdict, one line for each thing that is wrong |
| `matrix.py` | all cells against one referee, and what was found in each |
"""
