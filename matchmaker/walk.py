"""The whole results log, read from its first entry on: from the archive, then from Redis."""

from __future__ import annotations

from collections.abc import Iterator

from matchmaker.archive import Archive
from matchmaker.log import AT_ONCE, Log, Logged


def every(log: Log, archive: Archive, last: int, after: int = 0) -> Iterator[Logged]:
    """
    Read the log up to a position, also while its older part moves to the archive.

    An entry that is nowhere is left out, which the caller finds by the positions.

    Args:
        after: Begin behind this position.

    Raises:
        BadFile: A part of the archive is missing or broken.
    """
    while after < last:
        base = log.base().position
        if after < base:
            for segment in archive.segments(after):
                for row in segment.entries:
                    # Parts may overlap: one that was written and never made the base.
                    if after < row[0] <= min(base, last):
                        yield Logged(*row)
                        after = row[0]
            after = max(after, base)
        some = log.tail(after, min(AT_ONCE, last - after))
        if log.base().position > after:
            continue  # it moved while we read: what we have not got is in the archive now
        for logged in some:
            if logged.position <= last:
                yield logged
        if len(some) < AT_ONCE:
            return
        after = some[-1].position
