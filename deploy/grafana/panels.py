"""What a dashboard is made of: panels that say what they show, in rows, on one ladder."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Literal

from grafana_foundation_sdk.builders import (
    bargauge,
    common,
    dashboard,
    prometheus,
    stat,
    timeseries,
)
from grafana_foundation_sdk.builders import table as tables
from grafana_foundation_sdk.models import common as shared
from grafana_foundation_sdk.models import dashboard as model
from grafana_foundation_sdk.models import prometheus as queries

SOURCE = model.DataSourceRef(type_val="prometheus", uid="${datasource}")
L = 'ladder="$ladder"'
"""Picks the ladder that the reader chose."""
G = 'ladder="$ladder", game=~"$game"'
"""And the game, or all of them."""
HEIGHTS = {"stat": 4, "lines": 8, "areas": 8, "table": 10, "bars": 8}

Built = timeseries.Panel | stat.Panel | tables.Panel | bargauge.Panel


@dataclass(frozen=True)
class Query:
    expr: str
    legend: str = ""
    """A template over the series' labels."""


@dataclass(frozen=True, kw_only=True)
class Panel:
    title: str
    says: str
    """What is shown, and what is good or bad about it."""
    queries: tuple[Query, ...]
    kind: Literal["stat", "lines", "areas", "table", "bars"] = "lines"
    unit: str = "short"
    width: int = 8
    """Of 24 columns."""
    bad_from: float | None = None
    """The value from which a stat is red."""
    rare: str = ""
    """Why it may be right that a query has no series; empty if each must have some."""

    @property
    def description(self) -> str:
        return f"{self.says} {self.rare}".strip()


@dataclass(frozen=True, kw_only=True)
class Row:
    title: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True, kw_only=True)
class Board:
    uid: str
    title: str
    says: str
    rows: tuple[Row, ...]

    @property
    def panels(self) -> Iterator[Panel]:
        for row in self.rows:
            yield from row.panels


def build(board: Board) -> model.Dashboard:
    """Make what Grafana reads."""
    made = (
        dashboard.Dashboard(board.title)
        .uid(board.uid)
        .description(board.says)
        .tags(["warladder"])
        .timezone("browser")
        .time("now-1h", "now")
        .refresh("10s")
        .tooltip(model.DashboardCursorSync.CROSSHAIR)
        .link(
            dashboard.DashboardLink("Warladder")
            .type(model.DashboardLinkType.DASHBOARDS)
            .tags(["warladder"])
            .as_dropdown(False)
            .keep_time(True)
            .include_vars(True)
        )
        .with_variable(
            dashboard.DatasourceVariable("datasource").label("Prometheus").type("prometheus")
        )
        .with_variable(_choice("ladder", "Ladder", 'label_values(up{job="warladder"}, ladder)'))
        .with_variable(
            _choice("game", "Game", f"label_values(warladder_ladder_bots{{{L}}}, game)")
            .multi(True)
            .include_all(True)
            .all_value(".*")
            .current(model.VariableOption(text="All", value="$__all"))
        )
    )
    ids = count(1)
    for row in board.rows:
        made.with_row(dashboard.Row(row.title).id(next(ids)))
        for panel in row.panels:
            made.with_panel(_panel(panel, next(ids)))
    return made.build()


def _choice(name: str, label: str, query: str) -> dashboard.QueryVariable:
    return (
        dashboard.QueryVariable(name)
        .label(label)
        .datasource(SOURCE)
        .query(query)
        .refresh(model.VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(model.VariableSort.ALPHABETICAL_ASC)
    )


def _panel(panel: Panel, number: int) -> Built:
    made = _bare(panel)
    made.id(number).title(panel.title).description(panel.description).datasource(SOURCE)
    made.unit(panel.unit).span(panel.width).height(HEIGHTS[panel.kind])
    if panel.rare:
        made.no_value("none")
    for letter, query in zip("ABCDEF", panel.queries, strict=False):
        made.with_target(_target(panel, letter, query))
    return made


def _bare(panel: Panel) -> Built:
    if panel.kind == "stat":
        steps = [model.Threshold(value=None, color="green")]
        if panel.bad_from is not None:
            steps.append(model.Threshold(value=panel.bad_from, color="red"))
        return (
            stat.Panel()
            .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]))
            .thresholds(
                dashboard.ThresholdsConfig().mode(model.ThresholdsMode.ABSOLUTE).steps(steps)
            )
            .graph_mode(shared.BigValueGraphMode.AREA)
        )
    if panel.kind == "table":
        return (
            tables.Panel()
            .with_transformation(model.DataTransformerConfig(id_val="merge", options={}))
            .with_transformation(
                model.DataTransformerConfig(
                    id_val="organize", options={"excludeByName": {"Time": True}}
                )
            )
        )
    if panel.kind == "bars":
        return (
            bargauge.Panel()
            .orientation(shared.VizOrientation.HORIZONTAL)
            .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]))
        )
    lines = (
        timeseries.Panel()
        .min(0)
        .legend(
            common.VizLegendOptions()
            .show_legend(True)
            .display_mode(shared.LegendDisplayMode.LIST)
            .placement(shared.LegendPlacement.BOTTOM)
        )
        .tooltip(
            common.VizTooltipOptions()
            .mode(shared.TooltipDisplayMode.MULTI)
            .sort(shared.SortOrder.DESCENDING)
        )
    )
    if panel.kind == "areas":
        stacked = common.StackingConfig().mode(shared.StackingMode.NORMAL)
        return lines.stacking(stacked).fill_opacity(30)
    return lines


def _target(panel: Panel, letter: str, query: Query) -> prometheus.Dataquery:
    made = (
        prometheus.Dataquery()
        .ref_id(letter)
        .expr(query.expr)
        .legend_format(query.legend or "__auto")
        .datasource(SOURCE)
        .editor_mode(queries.QueryEditorMode.CODE)
    )
    if panel.kind == "table":
        return made.instant().format(queries.PromQueryFormat.TABLE)
    return made.instant() if panel.kind == "bars" else made.range()
