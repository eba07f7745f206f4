"""Referees: what each carries, how late it is, and whether its store keeps up."""

from deploy.grafana.panels import Board, G, L, Panel, Query, Row

RATE = "[$__rate_interval]"

BOARD = Board(
    uid="warladder-referees",
    title="Warladder: referees",
    says="What each referee carries, how late it is, and how the store keeps up.",
    rows=(
        Row(
            title="Load",
            panels=(
                Panel(
                    title="Referees that are present",
                    says="In the store; known are those that Prometheus watches.",
                    kind="stat",
                    width=6,
                    queries=(
                        Query(f"max(warladder_present_referees{{{L}}})", "present"),
                        Query(f'count(up{{job="warladder", {L}, role="referee"}})', "known"),
                    ),
                ),
                Panel(
                    title="Matches under way",
                    says="At each referee; a referee takes 256 unless told otherwise.",
                    width=9,
                    queries=(Query(f"warladder_referee_matches_playing{{{L}}}", "{{process}}"),),
                ),
                Panel(
                    title="Bots' live streams",
                    says="At each referee; a bot may attend all of them.",
                    width=9,
                    queries=(Query(f"warladder_referee_streams{{{L}}}", "{{process}}"),),
                ),
                Panel(
                    title="Decisions a second",
                    says="Questions answered by bots.",
                    unit="ops",
                    width=12,
                    queries=(
                        Query(f"ladder_game:warladder_referee_decisions:rate1m{{{G}}}", "{{game}}"),
                    ),
                ),
                Panel(
                    title="Matches that ended here",
                    says="A second, by ending.",
                    kind="areas",
                    unit="ops",
                    width=12,
                    queries=(
                        Query(
                            f"sum by (ending) (rate(warladder_referee_matches_total{{{G}}}{RATE}))",
                            "{{ending}}",
                        ),
                    ),
                ),
            ),
        ),
        Row(
            title="Time",
            panels=(
                Panel(
                    title="Lateness of the loop, 99 of 100",
                    says="How late a referee does what is due. It is taken off every charge; over"
                    " 100 ms the machine has too much to do.",
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
                Panel(
                    title="Late answers",
                    says="In the last ten minutes. Those of a late loop (50 ms or more) may be its"
                    " doing: there should be none.",
                    width=12,
                    queries=(
                        Query(
                            "sum by (process, loop) (increase("
                            f"warladder_referee_late_answers_total{{{L}}}[10m]))",
                            "{{process}}, loop {{loop}}",
                        ),
                    ),
                ),
                Panel(
                    title="Where a decision's time goes, half",
                    says="referee: from an answer to the match's next question; wire: the line's"
                    " ping; think: what bots are charged.",
                    unit="s",
                    width=12,
                    queries=(
                        Query(
                            f"ladder_part:warladder_referee_decision_seconds:p50_5m{{{L}}}",
                            "{{part}}",
                        ),
                    ),
                ),
                Panel(
                    title="Where a decision's time goes, 99 of 100",
                    says="As beside it, of the slowest.",
                    unit="s",
                    width=12,
                    queries=(
                        Query(
                            f"ladder_part:warladder_referee_decision_seconds:p99_5m{{{L}}}",
                            "{{part}}",
                        ),
                    ),
                ),
            ),
        ),
        Row(
            title="Store",
            panels=(
                Panel(
                    title="Journal entries a second",
                    says="And the round trips to the store that they took: under load entries go"
                    " together.",
                    unit="ops",
                    queries=(
                        Query(
                            f"sum(rate(warladder_referee_journal_entries_total{{{L}}}{RATE}))",
                            "entries",
                        ),
                        Query(
                            f"sum(rate(warladder_referee_journal_round_trips_total{{{L}}}{RATE}))",
                            "round trips",
                        ),
                    ),
                ),
                Panel(
                    title="Time without a store",
                    says="In the last ten minutes, told when it is back. No clock runs meanwhile.",
                    unit="s",
                    queries=(
                        Query(
                            f"increase(warladder_referee_store_away_seconds_total{{{L}}}[10m])",
                            "{{process}}",
                        ),
                    ),
                ),
                Panel(
                    title="Matches that changed hands",
                    says="Taken over from a lost referee, or lost to another, in the last ten"
                    " minutes.",
                    queries=(
                        Query(
                            f"sum(increase(warladder_referee_takeovers_total{{{L}}}[10m]))",
                            "taken over",
                        ),
                        Query(f"sum(increase(warladder_referee_fenced_total{{{L}}}[10m]))", "lost"),
                    ),
                ),
            ),
        ),
        Row(
            title="Recovery",
            panels=(
                Panel(
                    title="Sweeper",
                    says="Matches that each rule concerned in the last ten minutes: unopened and"
                    " unclosed point at workers, ownerless at referees, still at either or a bot.",
                    kind="areas",
                    width=12,
                    queries=(
                        Query(
                            f"sum by (rule) (increase(warladder_swept_matches_total{{{L}}}[10m]))",
                            "{{rule}}",
                        ),
                    ),
                ),
                Panel(
                    title="Looks of the sweeper",
                    says="A second; one, while there is a leader.",
                    unit="ops",
                    width=12,
                    queries=(Query(f"sum(rate(warladder_sweeps_total{{{L}}}{RATE}))", "looks"),),
                ),
            ),
        ),
    ),
)
