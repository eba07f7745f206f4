"""Sequence diagrams as SVG in the page: colours are the page's own, and there is a text instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from markupsafe import Markup

LANE = 330
"""Between two lifelines, in the drawing's units, which are pixels unless it is made smaller."""
MARGIN = 120
"""From the first lifeline to the drawing's edge, from the last too."""
LETTER = 6.7
"""Width of a letter at the size that the style sheet gives the texts, rounded up."""
LINE = 17
"""Height of a line of text."""
HEAD, GAP, PAD = 34, 14, 8
ARROW = 8


def draw(situation: Mapping[str, Any]) -> Markup:
    """
    Draw a situation of the manual.

    Args:
        situation: `name`, `title`, `parties`, and `steps` that are arrows (`from`, `to`, `label`,
            `text`) or notes (`over`, `note`).
    """
    parties = {party: MARGIN + LANE * k for k, party in enumerate(situation["parties"])}
    top = HEAD + GAP + GAP
    shapes: list[str] = []
    for step in situation["steps"]:
        drawn, top = _note(step, parties, top) if "note" in step else _arrow(step, parties, top)
        shapes += drawn
        top += GAP
    width, name = 2 * MARGIN + LANE * (len(parties) - 1), escape(situation["name"])
    lines = [
        f'<svg class="sequence" viewBox="0 0 {width} {top}" width="{width}" height="{top}"'
        f' role="img" aria-labelledby="{name}-title {name}-desc">',
        f'<title id="{name}-title">{escape(situation["title"])}</title>',
        f'<desc id="{name}-desc">{escape(". ".join(told(situation)))}</desc>',
        *_lifelines(parties, top),
        *shapes,
        "</svg>",
    ]
    return Markup("\n".join(lines))


def told(situation: Mapping[str, Any]) -> Iterator[str]:
    """The same in words, a line for each step."""
    for step in situation["steps"]:
        if "note" in step:
            yield f"{' and '.join(step['over'])}: {step['note'].rstrip('.')}"
        else:
            more = f", {step['text']}" if step["text"] else ""
            yield f"{step['from']} to {step['to']}: {step['label']}{more}"


def _lifelines(parties: Mapping[str, int], bottom: int) -> Iterator[str]:
    for party, x in parties.items():
        half = int(len(party) * LETTER / 2) + 3 * PAD
        yield f'<line class="life" x1="{x}" y1="{HEAD}" x2="{x}" y2="{bottom}"/>'
        place = f'x="{x - half}" y="1" width="{2 * half}" height="{HEAD}"'
        yield f'<rect class="party" {place} rx="5"/>'
        yield f'<text class="party" x="{x}" y="{HEAD - 12}">{escape(party)}</text>'


def _arrow(step: Mapping[str, Any], parties: Mapping[str, int], top: int) -> tuple[list[str], int]:
    begin, end = parties[step["from"]], parties[step["to"]]
    middle, room = (begin + end) // 2, abs(end - begin) - 2 * ARROW
    said = [("said", line) for line in wrapped(step["label"], room)]
    said += [("aside", line) for line in wrapped(step["text"], room)]
    shapes = []
    for kind, line in said:
        top += LINE
        shapes.append(f'<text class="{kind}" x="{middle}" y="{top - 4}">{escape(line)}</text>')
    top += 4
    back = -ARROW if end > begin else ARROW
    shapes.append(f'<line class="arrow" x1="{begin}" y1="{top}" x2="{end + back}" y2="{top}"/>')
    points = f"{end},{top} {end + back},{top - 4} {end + back},{top + 4}"
    shapes.append(f'<polygon class="tip" points="{points}"/>')
    return shapes, top


def _note(step: Mapping[str, Any], parties: Mapping[str, int], top: int) -> tuple[list[str], int]:
    over = [parties[party] for party in step["over"]]
    left, right = min(over) - MARGIN + PAD, max(over) + MARGIN - PAD
    lines = wrapped(step["note"], right - left - 2 * PAD)
    height = len(lines) * LINE + PAD
    shapes = [
        f'<rect class="note" x="{left}" y="{top}" width="{right - left}" height="{height}" rx="3"/>'
    ]
    for k, line in enumerate(lines):
        y = top + (k + 1) * LINE
        shapes.append(f'<text class="note" x="{(left + right) // 2}" y="{y}">{escape(line)}</text>')
    return shapes, top + height


def wrapped(said: str, room: float) -> Sequence[str]:
    """Lines that fit into so much room; a word that is longer has one of its own."""
    lines: list[str] = []
    for word in said.split():
        if lines and len(lines[-1]) + 1 + len(word) <= room / LETTER:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines
