"""
Make the manual of the protocol: `python proto/manual.py [--check]`.

From the `.proto` files' comments and from `situations.toml` come the second part of `README.md` and
`warladder/manual.json`, which the ladder's page /protocol shows. `--check` writes nothing and
exits 1 if either is not what would be written.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    ServiceDescriptorProto,
)
from grpc_tools import protoc

HERE = Path(__file__).resolve().parent
PACKAGE = Path("warladder/v1")
FILES = ("referee", "games", "skirmish", "stalingrad", "internal")
"""In the order of reading."""
SITUATIONS = HERE / "situations.toml"
README = HERE / "README.md"
DOCUMENT = HERE / "warladder" / "manual.json"
MARK = "<!-- From here on made by proto/manual.py: change the .proto files or situations.toml. -->"
ANY = "…"
CHAPTER = re.compile(r"-+ (.+?) -+")
MESSAGE, ENUM, SERVICE = 4, 5, 6
"""Numbers of these in a file's descriptor, as paths of its source info have them."""
MEMBER, ONEOF_FIELD = 2, "oneof_index"

# What the files say


def described() -> FileDescriptorSet:
    """The files with their comments, as the compiler reads them."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "set.binpb"
        paths = [str(HERE / PACKAGE / f"{name}.proto") for name in FILES]
        words = ["protoc", f"-I{HERE}", "--include_source_info", f"--descriptor_set_out={out}"]
        if protoc.main([*words, *paths]) != 0:
            raise SystemExit("proto: the compiler refused; its message is above")
        return FileDescriptorSet.FromString(out.read_bytes())


class Comments:
    """The comments of one file, by the path of what they stand above."""

    def __init__(self, file: FileDescriptorProto) -> None:
        self.above: dict[tuple[int, ...], str] = {}
        self.apart: dict[tuple[int, ...], list[str]] = {}
        self.line: dict[tuple[int, ...], int] = {}
        for each in file.source_code_info.location:
            path = tuple(each.path)
            self.line.setdefault(path, each.span[0])
            self.above[path] = text(each.leading_comments)
            self.apart[path] = [text(part) for part in each.leading_detached_comments]


def text(comment: str) -> str:
    """A comment's lines run together; blank ones part paragraphs."""
    paragraphs = re.split(r"\n\s*\n", comment.strip())
    return "\n\n".join(" ".join(part.split()) for part in paragraphs)


def document() -> dict[str, Any]:
    """All of the manual as plain data."""
    files = {Path(each.name).stem: each for each in described().file}
    situations = tomllib.loads(SITUATIONS.read_text("utf-8"))["situation"]
    return {
        "situations": [situation(each) for each in situations],
        "files": [one_file(files[name]) for name in FILES],
    }


def one_file(file: FileDescriptorProto) -> dict[str, Any]:
    comments = Comments(file)
    found: list[tuple[int, dict[str, Any]]] = []
    intro = ""
    kinds: tuple[tuple[int, Any, Any], ...] = (
        (SERVICE, file.service, one_service),
        (MESSAGE, file.message_type, one_message),
        (ENUM, file.enum_type, one_enum),
    )
    for number, members, describe in kinds:
        for index, member in enumerate(members):
            path = (number, index)
            item = {"name": member.name, "text": comments.above[path], "chapter": ""}
            for apart in comments.apart[path]:
                chapter = CHAPTER.fullmatch(apart)
                if chapter:
                    item["chapter"] = chapter[1]
                else:
                    intro = f"{intro}\n\n{apart}".strip()
            item |= describe(member, path, comments)
            found.append((comments.line[path], item))
    items = [item for _, item in sorted(found, key=lambda pair: pair[0])]
    return {"name": file.name, "text": intro, "items": items}


def one_service(
    service: ServiceDescriptorProto, path: tuple[int, ...], comments: Comments
) -> dict[str, Any]:
    def side(name: str, streams: bool) -> str:
        return f"stream {short(name)}" if streams else short(name)

    methods = [
        {
            "name": each.name,
            "asks": side(each.input_type, each.client_streaming),
            "answers": side(each.output_type, each.server_streaming),
            "text": comments.above[*path, MEMBER, index],
        }
        for index, each in enumerate(service.method)
    ]
    return {"kind": "service", "methods": methods}


def one_message(
    message: DescriptorProto, path: tuple[int, ...], comments: Comments
) -> dict[str, Any]:
    maps = {each.name: each for each in message.nested_type if each.options.map_entry}
    fields = []
    for index, field in enumerate(message.field):
        is_choice = field.HasField(ONEOF_FIELD) and not field.proto3_optional
        fields.append(
            {
                "name": field.name,
                "number": field.number,
                "type": type_of(field, maps),
                "choice": message.oneof_decl[field.oneof_index].name if is_choice else "",
                "text": comments.above[*path, MEMBER, index],
            }
        )
    return {"kind": "message", "fields": fields}


def one_enum(
    enum: EnumDescriptorProto, path: tuple[int, ...], comments: Comments
) -> dict[str, Any]:
    values = [
        {"name": each.name, "number": each.number, "text": comments.above[*path, MEMBER, index]}
        for index, each in enumerate(enum.value)
    ]
    return {"kind": "enum", "values": values}


def type_of(field: FieldDescriptorProto, maps: dict[str, DescriptorProto]) -> str:
    name = short(field.type_name)
    if name in maps:
        key, value = (type_of(each, {}) for each in maps[name].field)
        return f"map<{key}, {value}>"
    if not name:
        name = FieldDescriptorProto.Type.Name(field.type).removeprefix("TYPE_").lower()
    if field.label == FieldDescriptorProto.LABEL_REPEATED:
        return f"repeated {name}"
    return f"optional {name}" if field.proto3_optional else name


def short(name: str) -> str:
    return name.rpartition(".")[2]


# Situations


def situation(given: dict[str, Any]) -> dict[str, Any]:
    """What a drawing needs: arrows with their labels, and notes."""
    steps = []
    for step in given["steps"]:
        if "over" in step:
            steps.append({"over": step["over"], "note": step["note"]})
        else:
            arrow = {"from": step["from"], "to": step["to"], "label": label(step)}
            steps.append({**arrow, "text": step.get("text", "")})
    return {
        "name": given["name"],
        "title": given["title"],
        "text": given["text"],
        "parties": given["parties"],
        "steps": steps,
    }


def label(step: dict[str, Any]) -> str:
    """An arrow in a line: `Choose (match m1, decision 1, option 0)`."""
    if "call" in step:
        return f"{step['call']} is called"
    if "status" in step:
        return f"the stream ends: {step['status']}"
    shown = ", ".join(member(name, value) for name, value in step.get("shows", {}).items())
    return f"{step['message']} ({shown})" if shown else str(step["message"])


def member(name: str, value: object) -> str:
    if value == ANY or value is True:
        return name
    return f"{name} {plain(value)}"


def plain(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(member(*each) for each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(plain, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return f"“{value}”" if " " in str(value) else str(value)


# As Markdown


def markdown(manual: dict[str, Any]) -> str:
    return "\n".join([MARK, "", *_situations(manual["situations"]), *_reference(manual["files"])])


def _situations(situations: list[dict[str, Any]]) -> Iterator[str]:
    yield "## Situations"
    yield ""
    yield (
        "Each message below comes in this order and with these values when a test plays the"
        " situation against a real referee. A field without a value is there and not empty; others"
        " are left out. Pings are left out but for their own diagram."
    )
    yield ""
    for each in situations:
        yield f"- [{each['title']}](#{anchor(each['title'])})"
    yield ""
    for each in situations:
        yield from (f"### {each['title']}", "", each["text"], "", *mermaid(each), "")


def mermaid(drawn: dict[str, Any]) -> Iterator[str]:
    ids = {party: f"P{k}" for k, party in enumerate(drawn["parties"])}
    yield "```mermaid"
    yield "sequenceDiagram"
    for party, name in ids.items():
        yield f"    participant {name} as {party}"
    for step in drawn["steps"]:
        if "note" in step:
            over = [ids[party] for party in step["over"]]
            yield f"    Note over {','.join(over)}: {told(step['note'])}"
        else:
            said = told(step["label"]) + (f"<br/>{told(step['text'])}" if step["text"] else "")
            yield f"    {ids[step['from']]}->>{ids[step['to']]}: {said}"
    yield "```"


def told(said: str) -> str:
    """Text as Mermaid takes it: there a semicolon ends a line and a # begins a letter's number."""
    return re.sub("[#;]", lambda found: f"#{ord(found[0])};", said)


def _reference(files: list[dict[str, Any]]) -> Iterator[str]:
    names = {item["name"] for file in files for item in file["items"]}
    for file in files:
        yield from (f"## {file['name']}", "")
        if file["text"]:
            yield from (file["text"], "")
        for item in file["items"]:
            if item["chapter"]:
                yield from (f"*{item['chapter']}*", "")
            yield from (f"### {item['name']}", "", item["text"], "")
            yield from _table(item, names)
            yield ""


def _table(item: dict[str, Any], names: set[str]) -> Iterator[str]:
    if item["kind"] == "service":
        yield from ("| call | asks | answers | |", "|---|---|---|---|")
        for each in item["methods"]:
            sides = (linked(each[side], names) for side in ("asks", "answers"))
            yield f"| `{each['name']}` | {' | '.join(sides)} | {cell(each['text'])} |"
    elif item["kind"] == "enum":
        yield from ("| value | number | |", "|---|---|---|")
        for each in item["values"]:
            yield f"| `{each['name']}` | {each['number']} | {cell(each['text'])} |"
    elif item["fields"]:
        yield from ("| field | number | type | |", "|---|---|---|---|")
        for each in item["fields"]:
            said = f"One of `{each['choice']}`. {each['text']}" if each["choice"] else each["text"]
            kind = linked(each["type"], names)
            yield f"| `{each['name']}` | {each['number']} | {kind} | {cell(said)} |"
    else:
        yield "No fields."


def linked(kind: str, names: set[str]) -> str:
    """A type; with a link if it stands in this manual."""
    first, blank, name = kind.rpartition(" ")
    if name in names:
        return f"{first}{blank}[{name}](#{anchor(name)})"
    return f"`{kind}`"


def anchor(title: str) -> str:
    """As code hosts make them of headings."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def cell(said: str) -> str:
    return " ".join(said.split()).replace("|", "\\|")


# Writing


def written(readme: str) -> dict[Path, str]:
    """What both files should hold; `readme` is the page as it is, its first part by hand."""
    manual = document()
    by_hand, mark, _ = readme.partition(MARK)
    if not mark:
        raise SystemExit(f"proto: {README.name} has no line {MARK}")
    return {
        README: by_hand + markdown(manual).rstrip("\n") + "\n",
        DOCUMENT: json.dumps(manual, ensure_ascii=False, indent=1) + "\n",
    }


def drift() -> list[str]:
    """Names of the files that are not what would be written."""
    return [
        path.name
        for path, wanted in written(README.read_text("utf-8")).items()
        if not path.is_file() or path.read_text("utf-8") != wanted
    ]


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        different = drift()
        for name in different:
            print(f"proto: {name} is not what `make proto` writes", file=sys.stderr)
        return 1 if different else 0
    if arguments:
        print(__doc__, file=sys.stderr)
        return 2
    for path, wanted in written(README.read_text("utf-8")).items():
        path.write_text(wanted, encoding="utf-8")
        print(f"proto: {path.relative_to(HERE)} written")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
