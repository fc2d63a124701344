"""What an answer replied to a test, boiled down to be compared with what others replied.

Numbers are kept as a few weighted sums, so that what is kept stays short and two programs that make
the same mistake can be compared although they differ in their last digits.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

MAX_REPLIES = 1_000  # of a test; what comes later is not compared
MAX_ITEMS = 200  # of a container
FREQUENCIES = (0.0, 1.0, 2.3)  # of the cosines that weigh a tensor's numbers


def boiled(value: Any, depth: int = 0) -> Any:
    """A value as short data for JSON; objects that only have a handle are all the same."""
    match value:
        case None | bool() | str():
            return value if not isinstance(value, str) else value[:MAX_ITEMS]
        case torch.Tensor():
            kind = str(value.dtype).removeprefix("torch.")
            exact = value.detach().to(torch.complex128 if value.is_complex() else torch.float64)
            return _numbers(kind, exact.numpy())
        case np.ndarray() | np.generic() if value.dtype.kind in "biufc":
            return _numbers(str(value.dtype), np.asarray(value))
        case int() | float() | complex():
            return _numbers("number", np.asarray(value, dtype=complex))
        case Mapping() if depth < 8:
            items = sorted(value.items(), key=lambda item: repr(item[0]))[:MAX_ITEMS]
            return [len(value), *([repr(key), boiled(item, depth + 1)] for key, item in items)]
        case Sequence() if depth < 8:
            return [len(value), *(boiled(item, depth + 1) for item in list(value)[:MAX_ITEMS])]
    return type(value).__name__


def _numbers(kind: str, values: np.ndarray[Any, Any]) -> dict[str, Any]:
    flat = values.reshape(-1)
    if np.iscomplexobj(flat):
        flat = np.concatenate([flat.real, flat.imag])
    flat = flat.astype(np.float64)
    odd = [int(test(flat).sum()) for test in (np.isnan, np.isposinf, np.isneginf)]
    finite = np.where(np.isfinite(flat), flat, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        places = np.arange(flat.size)
        sums = [float(np.nan_to_num((finite * np.cos(f * places)).sum())) for f in FREQUENCIES]
        size = float(np.nan_to_num(np.abs(finite).sum()))
    return {"kind": kind, "shape": list(values.shape), "odd": odd, "size": size, "sums": sums}
