"""Bots: who stands where, how sure that is, and who fails."""

from deploy.grafana.panels import Board, G, L, Panel, Query, Row

FAULTLESS = "Empty while all matches go to their natural end."

BOARD = Board(
    uid="warladder-bots",
    title="Warladder: bots",
    says="Who stands where, how sure that is, who plays how much, and who fails.",
    rows=(
        Row(
            title="Table",
            panels=(
                Panel(
                    title="Places",
                    says="Place in the table, by the estimate.",
                    kind="table",
                    width=8,
                    queries=(Query(f"sort(max by (game, bot) (warladder_rank_places{{{G}}}))"),),
                ),
                Panel(
                    title="Estimated strength",
                    says="The fit of all rated results at once.",
                    kind="bars",
                    width=8,
                    queries=(
                        Query(
                            "sort_desc(max by (game, bot) (warladder_estimate_points"
                            f'{{{G}, bound="fitted"}}))',
                            "{{bot}} ({{game}})",
                        ),
                    ),
                ),
                Panel(
                    title="Width of the 95 % interval",
                    says="How unsure the estimate is; it shrinks with each match.",
                    kind="bars",
                    width=8,
                    queries=(
                        Query(
                            "sort_desc(max by (game, bot) (warladder_estimate_points"
                            f'{{{G}, bound="high"}}) - max by (game, bot) ('
                            f'warladder_estimate_points{{{G}, bound="low"}}))',
                            "{{bot}} ({{game}})",
                        ),
                    ),
                ),
            ),
        ),
        Row(
            title="Ratings",
            panels=(
                Panel(
                    title="Estimated strength over time",
                    says="What the table is ordered by.",
                    width=12,
                    queries=(
                        Query(
                            "max by (game, bot) (warladder_estimate_points"
                            f'{{{G}, bound="fitted"}})',
                            "{{bot}} ({{game}})",
                        ),
                    ),
                ),
                Panel(
                    title="TrueSkill over time",
                    says="mu: moves with each match.",
                    width=12,
                    queries=(
                        Query(
                            f"max by (game, bot) (warladder_rating_mu_points{{{G}}})",
                            "{{bot}} ({{game}})",
                        ),
                    ),
                ),
                Panel(
                    title="TrueSkill's uncertainty",
                    says="sigma: falls with each match, rises with a new version. No interval.",
                    width=12,
                    queries=(
                        Query(
                            f"max by (game, bot) (warladder_rating_sigma_points{{{G}}})",
                            "{{bot}} ({{game}})",
                        ),
                    ),
                ),
                Panel(
                    title="Score",
                    says="Share of points of a bot's rated matches; a draw is half a win.",
                    unit="percentunit",
                    width=12,
                    queries=(
                        Query(
                            "(max by (game, bot) (warladder_bot_matches"
                            f'{{{G}, outcome="wins"}}) + 0.5 * max by (game, bot) ('
                            f'warladder_bot_matches{{{G}, outcome="draws"}}))'
                            f" / (sum by (game, bot) (max by (game, bot, outcome) ("
                            f"warladder_bot_matches{{{G}}})) > 0)",
                            "{{bot}} ({{game}})",
                        ),
                    ),
                ),
            ),
        ),
        Row(
            title="Play",
            panels=(
                Panel(
                    title="Rated matches of each bot",
                    says="Of its version that plays now.",
                    kind="bars",
                    queries=(
                        Query(
                            "sort_desc(sum by (game, bot) (max by (game, bot, outcome) ("
                            f"warladder_bot_matches{{{G}}})))",
                            "{{bot}} ({{game}})",
                        ),
                    ),
                ),
                Panel(
                    title="Bots that attend",
                    says="That can be paired, and that are paused.",
                    queries=(
                        Query(f"ladder_game:warladder_ladder_bots:max{{{G}}}", "{{game}}"),
                        Query(f"max(warladder_paused_bots{{{L}}})", "paused"),
                    ),
                ),
                Panel(
                    title="Practise wishes without a partner",
                    says="In the last ten minutes.",
                    queries=(
                        Query(
                            f"sum(increase(warladder_dropped_wishes_total{{{L}}}[10m]))",
                            "dropped",
                        ),
                    ),
                ),
            ),
        ),
        Row(
            title="Faults",
            panels=(
                Panel(
                    title="Matches in which a bot ended its part",
                    says="By a fault or by resigning, since the workers started.",
                    kind="table",
                    width=12,
                    rare=FAULTLESS,
                    queries=(
                        Query(
                            "sort_desc(sum by (game, bot, fault) ("
                            f"warladder_bot_faults_total{{{G}}}))"
                        ),
                    ),
                ),
                Panel(
                    title="Faults told to bots",
                    says="In the last ten minutes, by code: what was refused, without ending a"
                    " match.",
                    kind="areas",
                    width=12,
                    rare="Empty while no bot was told of one.",
                    queries=(
                        Query(
                            f"sum by (code) (increase(warladder_referee_faults_total{{{L}}}[10m]))",
                            "{{code}}",
                        ),
                    ),
                ),
            ),
        ),
    ),
)
