"""
The list of a ladder's processes for Prometheus, as its service discovery by files reads it.

Whoever runs a ladder writes it when all have come up and empties it before it stops them, so that
a process that was stopped in order does not count as down. The file stays: a Prometheus that reads
it through a link would go on with what it read last if there were none.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

NAME = "targets.json"


def write(folder: Path, ladder: str, metrics: Mapping[str, str]) -> Path:
    """
    Write the list.

    Args:
        ladder: Tells this ladder from others that the same Prometheus watches.
        metrics: Address of each process's metrics by the process's name (`worker-1`).

    Returns:
        The file.
    """
    groups: list[dict[str, object]] = [
        {
            "targets": [urlsplit(address).netloc],
            "labels": {"ladder": ladder, "process": name, "role": name.partition("-")[0]},
        }
        for name, address in metrics.items()
    ]
    return _put(folder, groups)


def clear(folder: Path) -> None:
    """Empty the list: none of the ladder's processes is to be watched any more."""
    _put(folder, [])


def _put(folder: Path, groups: list[dict[str, object]]) -> Path:
    file, draft = folder / NAME, folder / f"{NAME}.new"
    draft.write_text(json.dumps(groups, indent=1) + "\n")
    draft.replace(file)
    return file
