"""What the arrays of searches are made of. Their shapes, and what the numbers stand for, are said where they occur."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
Uint32s = NDArray[np.uint32]
Uint64s = NDArray[np.uint64]
Floats = NDArray[np.float64]
Objects = NDArray[np.object_]
Numbers = NDArray[np.integer[Any]]
"""Integers of any width."""
AnyArray = NDArray[Any]
"""Where only the memory matters."""
