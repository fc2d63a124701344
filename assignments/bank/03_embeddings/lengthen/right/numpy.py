"""NumPy's interp, column by column."""

import numpy as np
import torch


def lengthen(table, rows, way, offset=0):
    old = table[offset:].numpy()
    m = rows - offset
    if m < len(old):
        raise ValueError("too few rows")
    if way == "copy":
        new = np.resize(old, (m, old.shape[1]))
    elif way == "stretch":
        place = np.linspace(0, len(old) - 1, m)
        new = np.stack(
            [np.interp(place, np.arange(len(old)), column) for column in old.T], axis=1
        )
    else:
        raise ValueError("no such way")
    return torch.cat([table[:offset], torch.tensor(new, dtype=table.dtype)])
