"""The protocol's manual as a page: whole, drawn without help from elsewhere, readable as text."""

import re
from xml.etree import ElementTree

import pytest

from matchmaker.web import diagrams
from matchmaker.web.manual import coded, linked, manual
from tests.matchmaker.web.site import Site, markup

SVG = re.compile(r"<svg class=\"sequence\".*?</svg>", re.DOTALL)
SITUATIONS = manual()["situations"]


def words(text: str) -> str:
    return " ".join("".join(markup(text).words).split())


async def test_the_page_has_every_situation_message_field_and_value(site: Site) -> None:
    answer = await site.get("/protocol")
    said = words(answer.text)
    found = manual()
    for each in found["situations"]:
        assert each["title"] in said
        for step in each["told"]:
            assert step in said
    ids = re.findall(r' id="([^"]+)"', answer.text)
    assert len(set(ids)) == len(ids), "two parts of one name"
    for file in found["files"]:
        for item in file["items"]:
            assert item["name"] in ids
            for member in item.get("fields") or item.get("values") or item.get("methods") or ():
                assert member["name"] in said
    assert "Happened: the option's index is not in the list." in said
    inside = re.findall(r'href="#([^"]+)"', answer.text)
    assert len(inside) > 100
    assert set(inside) - {"main"} <= set(ids)
    assert "`" not in said


async def test_every_page_leads_there(site: Site) -> None:
    for path in ("/", "/protocol"):
        text = (await site.get(path)).text
        assert '<a href="/protocol"' in text
        assert ('href="/protocol" aria-current="page"' in text) == (path == "/protocol")


async def test_it_is_made_once_and_not_sent_twice(site: Site) -> None:
    answer = await site.get("/protocol")
    assert len(answer.content) < 300_000
    again = await site.get("/protocol", 304, {"If-None-Match": answer.headers["etag"]})
    assert again.content == b""


@pytest.mark.parametrize("situation", SITUATIONS, ids=[each["name"] for each in SITUATIONS])
def test_a_drawing_shows_each_step_in_its_place(situation: dict[str, object]) -> None:
    drawing = ElementTree.fromstring(str(diagrams.draw(situation)))
    title, desc = drawing[0], drawing[1]
    assert (title.tag, title.text) == ("title", situation["title"])
    assert desc.tag == "desc"
    assert drawing.get("aria-labelledby", "").split() == [title.get("id"), desc.get("id")]
    assert drawing.get("role") == "img"
    steps = situation["steps"]
    assert isinstance(steps, list)
    notes = [step for step in steps if "note" in step]
    assert len(drawing.findall("rect[@class='note']")) == len(notes)
    arrows = drawing.findall("line[@class='arrow']")
    assert len(arrows) == len(drawing.findall("polygon")) == len(steps) - len(notes)
    heights = [float(arrow.get("y1", "")) for arrow in arrows]
    assert heights == sorted(set(heights)), "time goes downwards"
    lives = {
        float(line.get("x1", "")): party
        for line, party in zip(
            drawing.findall("line[@class='life']"), situation["parties"], strict=True
        )  # type: ignore[call-overload]
    }
    drawn = [lives[float(arrow.get("x1", ""))] for arrow in arrows]
    assert drawn == [step["from"] for step in steps if "note" not in step]
    text = " ".join(each.text or "" for each in drawing.findall("text"))
    for step in steps:
        assert step.get("note", step.get("label")) in text
    width, height = float(drawing.get("width", "")), float(drawing.get("height", ""))
    for each in drawing.iter():
        for name, most in (("x", width), ("x1", width), ("x2", width), ("y", height)):
            assert 0 <= float(each.get(name, "0")) <= most
    for each in drawing.findall("text"):
        half = len(each.text or "") * diagrams.LETTER / 2
        assert half <= float(each.get("x", "")) <= width - half, each.text


def test_a_drawing_holds_no_colour_and_nothing_from_elsewhere() -> None:
    for each in SITUATIONS:
        text = str(each["drawing"])
        for word in ("style", "fill=", "stroke=", "href", "http", "url(", "<script", "font"):
            assert word not in text


def test_texts_are_texts_whatever_is_in_them() -> None:
    situation = {
        "name": "x", "title": "<b>", "parties": ["a", "b"],
        "steps": [
            {"from": "b", "to": "a", "label": "<script>", "text": '"&'},
            {"over": ["a"], "note": "</svg>"},
        ],
    }  # fmt: skip
    drawing = ElementTree.fromstring(str(diagrams.draw(situation)))
    assert [each.text for each in drawing.findall("text")] == ["a", "b", "<script>", '"&', "</svg>"]
    assert coded("a `<b>` & `c`") == "a <code>&lt;b&gt;</code> &amp; <code>c</code>"
    assert linked("map<string, Clock>", {"Clock"}) == (
        '<code>map&lt;string, <a href="#Clock">Clock</a>&gt;</code>'
    )


def test_lines_are_as_long_as_there_is_room() -> None:
    said = "one two three fourteen-letters five"
    lines = ["one two", "three", "fourteen-letters", "five"]
    assert diagrams.wrapped(said, 9 * diagrams.LETTER) == lines
    assert diagrams.wrapped(said, 1000) == [said]
    assert diagrams.wrapped("", 10) == []
