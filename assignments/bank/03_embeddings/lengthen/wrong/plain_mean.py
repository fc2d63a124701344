"""Takes half of each neighbour, wherever the place is."""

import torch


def lengthen(table, rows, way, offset=0):
    n, m = len(table) - offset, rows - offset
    if m < n:
        raise ValueError("a table only grows")
    if way not in ("copy", "stretch"):
        raise ValueError(f"unknown way {way}")
    first, old = table[:offset], table[offset:]
    if way == "copy":
        times = -(-m // n)
        return torch.cat([first, old.repeat(times, 1)[:m]])
    place = torch.linspace(0, n - 1, m, dtype=torch.float64)
    low = place.floor().long()
    high = (low + 1).clamp(max=n - 1)
    share = (place - low > 1e-9)[:, None] * 0.5
    mixed = (1 - share) * old[low] + share * old[high]
    return torch.cat([first, mixed.to(table.dtype)])
