"""
One match: clocks, choices, endings, journal, replay. Knows no Redis and no gRPC.

`Session` is handed its journal, its seats' channels and a clock. See README.md.
"""
