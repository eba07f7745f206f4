"""
Make the Python of the protocol: `python proto/generate.py [--check | --baseline]`.

Without an option, writes the generated modules beside the `.proto` files. `--check` writes nothing
and exits 1 if a file differs from what would be written. `--baseline` notes the protocol as it is
now as the one that later versions must not break (at a release).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from grpc_tools import __file__ as grpc_tools_file
from grpc_tools import protoc

HERE = Path(__file__).resolve().parent
PACKAGE = Path("warladder/v1")
BASELINE = HERE / "baseline.binpb"
WITH_SERVICE = ("referee.proto", "internal.proto")
SUFFIXES = ("_pb2.py", "_pb2.pyi", "_pb2_grpc.py", "_pb2_grpc.pyi")


def generate(out: Path) -> dict[str, str]:
    """Run the compiler; returns what it wrote, by file name."""
    sources = sorted(each.name for each in (HERE / PACKAGE).glob("*.proto"))
    well_known = Path(grpc_tools_file).parent / "_proto"
    bin_folder = Path(sys.executable).parent
    plugins = [
        f"--plugin=protoc-gen-{name}={bin_folder / f'protoc-gen-{name}'}"
        for name in ("mypy", "mypy_grpc")
    ]
    common = ["protoc", f"-I{HERE}", f"-I{well_known}", *plugins]
    runs = [
        ([f"--python_out={out}", f"--mypy_out=quiet:{out}"], sources),
        ([f"--grpc_python_out={out}", f"--mypy_grpc_out=quiet:{out}"], list(WITH_SERVICE)),
    ]
    for outputs, names in runs:
        paths = [str(HERE / PACKAGE / name) for name in names]
        if protoc.main([*common, *outputs, *paths]) != 0:
            raise SystemExit("proto: the compiler refused; its message is above")
    return {
        each.name: each.read_text(encoding="utf-8")
        for each in sorted((out / PACKAGE).iterdir())
        if each.name.endswith(SUFFIXES)
    }


def drift() -> list[str]:
    """Names of generated files that are missing, left over or different."""
    with tempfile.TemporaryDirectory() as folder:
        wanted = generate(Path(folder))
    there = {
        each.name: each.read_text(encoding="utf-8")
        for each in (HERE / PACKAGE).iterdir()
        if each.name.endswith(SUFFIXES)
    }
    return sorted(
        name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name)
    )


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        different = drift()
        for name in different:
            print(f"proto: {PACKAGE / name} is not what `make proto` writes", file=sys.stderr)
        return 1 if different else 0
    if arguments == ["--baseline"]:
        buf = Path(sys.executable).parent / "buf"
        command = [str(buf), "build", "--exclude-source-info", "-o", str(BASELINE)]
        return subprocess.run(command, cwd=HERE, check=False).returncode
    if arguments:
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        written = generate(Path(folder))
    for old in (HERE / PACKAGE).iterdir():
        if old.name.endswith(SUFFIXES) and old.name not in written:
            old.unlink()
    for name, text in written.items():
        (HERE / PACKAGE / name).write_text(text, encoding="utf-8")
    print(f"proto: {len(written)} files written to {HERE / PACKAGE}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
