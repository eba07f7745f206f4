"""Ladder: does everything run, and where do matches stand?"""

from deploy.grafana.panels import Board, G, L, Panel, Query, Row

BOARD = Board(
    uid="warladder-ladder",
    title="Warladder: ladder",
    says="Whether everything runs, how fast matches are played, and where they wait.",
    rows=(
        Row(
            title="Now",
            panels=(
                Panel(
                    title="Alerts that fire",
                    says="Their names, meaning and remedy stand in Prometheus, under Alerts.",
                    kind="stat",
                    width=4,
                    bad_from=1,
                    queries=(
                        Query(f'count(ALERTS{{{L}, alertstate="firing"}}) or vector(0)', "alerts"),
                    ),
                ),
                Panel(
                    title="Processes that answer",
                    says="Of all that Prometheus knows of this ladder.",
                    kind="stat",
                    width=4,
                    queries=(
                        Query(f'sum(up{{job="warladder", {L}}})', "answer"),
                        Query(f'count(up{{job="warladder", {L}}})', "known"),
                    ),
                ),
                Panel(
                    title="Leading matchmakers",
                    says="Must be one.",
                    kind="stat",
                    width=4,
                    bad_from=2,
                    queries=(Query(f"ladder:warladder_leading_processes:sum{{{L}}}", "leaders"),),
                ),
                Panel(
                    title="Bots that can be paired",
                    says="They attend, are not paused and play the game.",
                    kind="stat",
                    width=4,
                    queries=(Query(f"ladder_game:warladder_ladder_bots:max{{{G}}}", "{{game}}"),),
                ),
                Panel(
                    title="Rated matches",
                    says="In the running season.",
                    kind="stat",
                    width=4,
                    queries=(
                        Query(
                            "ladder_game_standing:warladder_ladder_results:max"
                            f'{{{G}, standing="rated"}}',
                            "{{game}}",
                        ),
                    ),
                ),
                Panel(
                    title="Entries of the results log",
                    says="The log only grows.",
                    kind="stat",
                    width=4,
                    queries=(Query(f"ladder:warladder_log_entries:max{{{L}}}", "entries"),),
                ),
            ),
        ),
        Row(
            title="Play",
            panels=(
                Panel(
                    title="Rated matches a second",
                    says="Over the last five minutes.",
                    unit="ops",
                    queries=(
                        Query(
                            f"ladder_game:warladder_rated_matches:per_second5m{{{G}}}",
                            "{{game}}",
                        ),
                    ),
                ),
                Panel(
                    title="Endings",
                    says="Closed matches in the last ten minutes by ending; normal is left out.",
                    kind="areas",
                    queries=(
                        Query(
                            "sum by (ending) (clamp_min(delta("
                            "ladder_game_ending:warladder_ladder_matches:max"
                            f'{{{G}, ending!="normal"}}[10m]), 0))',
                            "{{ending}}",
                        ),
                    ),
                ),
                Panel(
                    title="Results by standing",
                    says="All closed matches of the running season.",
                    kind="areas",
                    queries=(
                        Query(
                            "sum by (standing) (ladder_game_standing:warladder_ladder_results:max"
                            f"{{{G}}})",
                            "{{standing}}",
                        ),
                    ),
                ),
                Panel(
                    title="Open matches",
                    says="planned waits for a referee, playing is played, ended waits for a worker."
                    " Planned and ended ones are gone within a second or so.",
                    kind="areas",
                    queries=(
                        Query(f"max by (status) (warladder_open_matches{{{L}}})", "{{status}}"),
                    ),
                ),
                Panel(
                    title="Longest wait for a match",
                    says="Of a bot that has a place free now.",
                    unit="s",
                    queries=(
                        Query(f"max by (game) (warladder_longest_wait_seconds{{{G}}})", "{{game}}"),
                    ),
                ),
                Panel(
                    title="Pairings and meetings to play",
                    says="Pairings that have begun, and meetings that tournaments want.",
                    queries=(
                        Query(
                            f"max by (game) (warladder_open_pairings{{{G}}})",
                            "pairings {{game}}",
                        ),
                        Query(f"max(warladder_wanted_meetings{{{L}}})", "meetings"),
                        Query(f"max(warladder_running_tournaments{{{L}}})", "tournaments running"),
                        Query(f"max(warladder_announced_tournaments{{{L}}})", "announced"),
                    ),
                ),
            ),
        ),
        Row(
            title="Queues and jobs",
            panels=(
                Panel(
                    title="Jobs that wait",
                    says="Should come back to 0 within seconds.",
                    queries=(
                        Query(f"ladder_queue:warladder_queue_jobs:max{{{L}}}", "{{queue}}"),
                        Query(f"max(warladder_outbox_matches{{{L}}})", "outbox"),
                    ),
                ),
                Panel(
                    title="Time of a job, 99 of 100",
                    says="open hands a match to a referee, close replays and files it.",
                    unit="s",
                    queries=(
                        Query(f"ladder_kind:warladder_job_seconds:p99_5m{{{L}}}", "{{kind}}"),
                    ),
                ),
                Panel(
                    title="Jobs that failed",
                    says="In the last ten minutes; each is done again.",
                    queries=(
                        Query(f"ladder_kind:warladder_failed_jobs:increase10m{{{L}}}", "{{kind}}"),
                    ),
                ),
                Panel(
                    title="Answers to openings",
                    says="What referees say when they are handed a match.",
                    kind="areas",
                    unit="ops",
                    queries=(
                        Query(
                            "sum by (answer) (rate("
                            f"warladder_openings_total{{{L}}}[$__rate_interval]))",
                            "{{answer}}",
                        ),
                    ),
                ),
                Panel(
                    title="Leader's round, 99 of 100",
                    says="Fold, plan, send and sweep, once after each closed match.",
                    unit="s",
                    queries=(Query(f"ladder:warladder_round_seconds:p99_5m{{{L}}}", "round"),),
                ),
                Panel(
                    title="Matches planned and closed",
                    says="The two go together; again are closes of what had been closed before.",
                    unit="ops",
                    queries=(
                        Query(
                            f"sum(rate(warladder_planned_matches_total{{{L}}}[$__rate_interval]))",
                            "planned",
                        ),
                        Query(
                            f"sum(rate(warladder_closed_matches_total{{{L}}}[$__rate_interval]))",
                            "closed",
                        ),
                        Query(
                            f"sum(rate(warladder_repeated_closes_total{{{L}}}[$__rate_interval]))",
                            "again",
                        ),
                    ),
                ),
            ),
        ),
        Row(
            title="Machine",
            panels=(
                Panel(
                    title="CPU of each process",
                    says="1 is a whole core; no process of ours can use much more than one.",
                    queries=(
                        Query(
                            "sum by (process) (rate(process_cpu_seconds_total"
                            f'{{job="warladder", {L}}}[$__rate_interval]))',
                            "{{process}}",
                        ),
                    ),
                ),
                Panel(
                    title="Memory of each process",
                    says="Should not grow with time.",
                    unit="bytes",
                    queries=(
                        Query(
                            f'process_resident_memory_bytes{{job="warladder", {L}}}', "{{process}}"
                        ),
                        Query(f"max(warladder_redis_memory_bytes{{{L}}})", "Redis's data"),
                        Query(f"max(warladder_redis_memory_limit_bytes{{{L}}})", "Redis's limit"),
                    ),
                ),
                Panel(
                    title="Free space of the archive",
                    says="A closed match takes a few KiB.",
                    unit="bytes",
                    queries=(
                        Query(f"min(warladder_archive_free_bytes{{{L}}})", "free"),
                        Query(f"min(warladder_archive_capacity_bytes{{{L}}})", "all"),
                    ),
                ),
                Panel(
                    title="Restarts",
                    says="Times that a process was started again in the last ten minutes.",
                    queries=(
                        Query(
                            f'changes(process_start_time_seconds{{job="warladder", {L}}}[10m])',
                            "{{process}}",
                        ),
                    ),
                ),
                Panel(
                    title="Redis away",
                    says="Tries that Redis did not answer, in the last two minutes.",
                    queries=(
                        Query(
                            f"sum(increase(warladder_redis_away_total{{{L}}}[2m]))", "matchmaker"
                        ),
                        Query(f"sum(increase(warladder_web_redis_away_total{{{L}}}[2m]))", "web"),
                    ),
                ),
                Panel(
                    title="Term of the leader",
                    says="A step is a new leader.",
                    queries=(Query(f"max(warladder_leader_term_number{{{L}}})", "term"),),
                ),
            ),
        ),
        Row(
            title="Pages",
            panels=(
                Panel(
                    title="Requests a second",
                    says="By class of status; those of 5xx are ours.",
                    kind="areas",
                    unit="reqps",
                    rare="Empty until someone asks for a page.",
                    queries=(
                        Query(
                            "sum by (status) (rate("
                            f"warladder_web_requests_total{{{L}}}[$__rate_interval]))",
                            "{{status}}",
                        ),
                    ),
                ),
                Panel(
                    title="Time of an answer, 99 of 100",
                    says="Over all routes; streams are left out.",
                    unit="s",
                    rare="Empty until someone asks for a page.",
                    queries=(
                        Query(
                            "histogram_quantile(0.99, sum by (le) (rate("
                            f"warladder_web_request_seconds_bucket{{{L}}}[5m])))",
                            "answer",
                        ),
                    ),
                ),
                Panel(
                    title="Live streams and fresh pages",
                    says="Streams that are open, streams that were refused and requests that failed"
                    " by our fault since the start, and answers a second that were made anew.",
                    queries=(
                        Query(f"sum(warladder_web_open_streams{{{L}}})", "streams"),
                        Query(f"sum(warladder_web_refused_streams_total{{{L}}})", "refused"),
                        Query(f"sum(warladder_web_failed_requests_total{{{L}}})", "failed"),
                        Query(
                            f"sum(rate(warladder_web_renders_total{{{L}}}[$__rate_interval]))",
                            "made anew",
                        ),
                    ),
                ),
            ),
        ),
    ),
)
