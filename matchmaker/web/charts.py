"""
Charts as SVG files, drawn by pygal. Pages show them as images, so nothing in them can run.

An image has style of its own: light or dark follows the reader's settings by a media query.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from xml.etree.ElementTree import Element

import pygal

from matchmaker.chronicle import Point

# For its maps, which we do not draw, it looks at every import to come, in a way that newer Pythons
# do not know and older ones warn of.
sys.meta_path[:] = [each for each in sys.meta_path if not isinstance(each, pygal.PluginImportFixer)]


WIDTH, HEIGHT = 760, 280
NARROW = 340, 240
"""On a small screen, where the other's letters would be too small to read."""
STYLE = """
svg { font-family: system-ui, sans-serif; }
text { fill: #444c56; font-size: 12px; stroke: none; }
.axis.y text { text-anchor: end; }
.axis.x text { text-anchor: middle; }
.background { fill: none; }
path, line { fill: none; stroke-width: 1; }
.guide, .axis .line { stroke: #8b949e; stroke-opacity: 0.35; }
.series path, .line { stroke: none; }
.serie-0 path { fill: #1f6feb; fill-opacity: 0.22; stroke: none; }
.serie-1 path { stroke: #0a58ca; stroke-width: 2.5; fill: none; }
.dot { fill: #0a58ca; stroke: none; }
@media (prefers-color-scheme: dark) {
  text { fill: #c9d1d9; }
  .guide, .axis .line { stroke: #8b949e; }
  .serie-0 path { fill: #58a6ff; fill-opacity: 0.25; }
  .serie-1 path { stroke: #79c0ff; }
  .dot { fill: #79c0ff; }
}
"""
DROPPED = ("script", "defs", "title", "desc", "metadata")


def course(points: Sequence[Point], narrow: bool = False) -> bytes:
    """
    Draw how a bot stood: its estimate and the 95 % band around it over positions of the log.

    Points without an estimate show TrueSkill's mu, and no band.
    """
    width, height = NARROW if narrow else (WIDTH, HEIGHT)
    chart = pygal.XY(
        width=width, height=height, explicit_size=True, show_legend=False, js=[],
        css=[], no_prefix=True, pretty_print=False, disable_xml_declaration=False,
        show_x_guides=False, margin=12, dots_size=2.5, print_values=False,
        x_value_formatter=_whole,
        value_formatter=lambda value: f"{value:.1f}",
        x_label_rotation=0, truncate_label=-1,
        no_data_text="no points yet",
        x_title=None, y_title=None,
    )  # fmt: skip
    banded = [each for each in points if each.low is not None and each.high is not None]
    above = [(each.position, each.high) for each in banded]
    below = [(each.position, each.low) for each in reversed(banded)]
    middle = [
        (each.position, each.mu if each.estimate is None else each.estimate) for each in points
    ]
    ring = [*above, *below, *above[:1]]
    chart.add("band", ring, show_dots=False)
    chart.add("estimate", middle, show_dots=len(middle) < 40)
    chart.add_xml_filter(_plain)
    drawn: bytes = chart.render()
    return drawn


def _whole(value: float) -> str:
    """A position of the log; between two there is nothing to be named."""
    return f"{value:.0f}" if abs(value - round(value)) < 1e-6 else ""


def _plain(root: Element) -> Element:
    """Leave out what runs, tells of the tool, or is there for its script alone."""
    for parent in list(root.iter()):
        for child in list(parent):
            name = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else ""
            if not name or name in DROPPED or child.get("class", "") in ("tooltip", "overlay"):
                parent.remove(child)
    style = Element("style")
    style.text = STYLE
    root.insert(0, style)
    for name in ("id", "class"):
        root.attrib.pop(name, None)
    return root
