"""All kinds of misbehaviour, by name."""

from tests.helpers.naughty import done, said
from tests.helpers.naughty.registry import ELEVEN, KINDS, PATIENT, Kind

__all__ = ["ELEVEN", "KINDS", "PATIENT", "Kind", "done", "said"]
