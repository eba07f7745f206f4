"""Fairness: what a ladder promises its bots, as figures."""

from deploy.grafana.panels import Board, G, L, Panel, Query, Row

BOARD = Board(
    uid="warladder-fairness",
    title="Warladder: fairness",
    says="What a ladder promises its bots: nothing leaks, nothing is charged that is ours, and"
    " opponents, seats and waits are shared evenly.",
    rows=(
        Row(
            title="Must stay 0",
            panels=(
                Panel(
                    title="Leaks",
                    says="Decisions that showed what their seat cannot know.",
                    kind="stat",
                    width=6,
                    bad_from=1,
                    queries=(Query(f"sum(warladder_leaks_total{{{L}}})", "leaks"),),
                ),
                Panel(
                    title="Unverified matches",
                    says="Replays that did not give the recorded result.",
                    kind="stat",
                    width=6,
                    bad_from=1,
                    queries=(Query(f"sum(warladder_unverified_matches_total{{{L}}})", "matches"),),
                ),
                Panel(
                    title="Refused results",
                    says="Second, different results of a match.",
                    kind="stat",
                    width=6,
                    bad_from=1,
                    queries=(Query(f"ladder:warladder_log_refused_results:max{{{L}}}", "results"),),
                ),
                Panel(
                    title="Void by our fault",
                    says="Matches of the season that ended as referee_fault or stalled.",
                    kind="stat",
                    width=6,
                    bad_from=1,
                    queries=(
                        Query(
                            "sum(ladder_game_ending:warladder_ladder_matches:max"
                            f'{{{G}, ending=~"referee_fault|stalled"}})',
                            "matches",
                        ),
                    ),
                ),
            ),
        ),
        Row(
            title="Hidden information",
            panels=(
                Panel(
                    title="Decisions re-dealt to look for leaks",
                    says="A second, of closed matches.",
                    unit="ops",
                    width=12,
                    queries=(
                        Query(
                            f"sum(rate(warladder_canaries_total{{{L}}}[$__rate_interval]))",
                            "canaries",
                        ),
                    ),
                ),
                Panel(
                    title="Head of the results log",
                    says="The chain's head as a number, and the entry it stands at: whoever wrote"
                    " them down can tell later whether anything before was changed.",
                    kind="table",
                    unit="none",
                    width=12,
                    queries=(
                        Query(f"max by (ladder) (warladder_log_entries{{{L}}})"),
                        Query(f"max by (ladder) (warladder_log_head_number{{{L}}})"),
                    ),
                ),
            ),
        ),
        Row(
            title="Pairing",
            panels=(
                Panel(
                    title="Spread of pairings",
                    says="How unevenly bots had recent pairings (Gini coefficient): 0 is even.",
                    queries=(
                        Query(f"max by (game) (warladder_pairing_spread_ratio{{{G}}})", "{{game}}"),
                    ),
                ),
                Panel(
                    title="Met again at once",
                    says="Share of recent pairings of bots that had just met.",
                    unit="percentunit",
                    queries=(
                        Query(
                            f"max by (game) (warladder_repeated_pairings_ratio{{{G}}})", "{{game}}"
                        ),
                    ),
                ),
                Panel(
                    title="Longest wait",
                    says="Of a bot that has a place free now.",
                    unit="s",
                    queries=(
                        Query(f"max by (game) (warladder_longest_wait_seconds{{{G}}})", "{{game}}"),
                    ),
                ),
            ),
        ),
        Row(
            title="Sides",
            panels=(
                Panel(
                    title="Expected score of each side",
                    says="Between equally strong bots; 0.5 is even in a duel. Both sides of each"
                    " pairing are played, so it hurts nobody.",
                    unit="percentunit",
                    queries=(
                        Query(
                            f"max by (game, side) (warladder_side_share_ratio{{{G}}})",
                            "{{game}}, side {{side}}",
                        ),
                    ),
                ),
                Panel(
                    title="Advantage of each side",
                    says="In points, with its 95 % interval: sides differ for certain where it"
                    " does not hold 0.",
                    kind="table",
                    width=8,
                    queries=(
                        Query(f"max by (game, side, bound) (warladder_side_effect_points{{{G}}})"),
                    ),
                ),
                Panel(
                    title="Imbalance of seats",
                    says="The largest difference between a bot's share of matches in a seat and an"
                    " even one.",
                    unit="percentunit",
                    queries=(
                        Query(f"max by (game) (warladder_seat_imbalance_ratio{{{G}}})", "{{game}}"),
                    ),
                ),
            ),
        ),
        Row(
            title="Blame",
            panels=(
                Panel(
                    title="Matches that end by a bot's fault",
                    says="Share in the last ten minutes. If it jumps for all bots at once, look"
                    " for the reason on our side.",
                    unit="percentunit",
                    width=12,
                    queries=(
                        Query(
                            f"ladder_game:warladder_bot_fault_matches:ratio10m{{{G}}}", "{{game}}"
                        ),
                        Query(
                            f"ladder_game:warladder_cancelled_matches:ratio10m{{{G}}}",
                            "cancelled, {{game}}",
                        ),
                    ),
                ),
                Panel(
                    title="Lateness of referees, 99 of 100",
                    says="Taken off every charge; the less there is the finer clocks measure.",
                    unit="s",
                    width=12,
                    queries=(
                        Query(
                            "ladder_process:warladder_referee_event_loop_lag_seconds:p99_5m"
                            f"{{{L}}}",
                            "{{process}}",
                        ),
                    ),
                ),
            ),
        ),
    ),
)
