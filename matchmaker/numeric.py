"""
The way to numpy for all of this package: on one thread.

Sums that are split over threads are rounded otherwise for another number of them, and a published
table must be the same bytes whoever computes it on a machine. A library of ours that is told so
before it is loaded starts no threads at all, so this module sets the environment and only then
imports it. A setting of the user's does not count here: it would change the tables.
"""

import os
from typing import TypeAlias

for _name in (
    "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS",
):  # fmt: skip
    os.environ[_name] = "1"

import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

__all__ = ["Flags", "Floats", "Integers", "np"]
