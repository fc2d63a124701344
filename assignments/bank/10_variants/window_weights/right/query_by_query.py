"""Goes through the queries in loops."""

import torch


def window_weights(q, k, radius, far, keep=None):
    b, h, t, c = q.shape
    out = []
    for s in range(b):
        rows = []
        for i in range(t):
            columns = [*far, *range(i - radius, i + radius + 1)]
            open_ = [
                n
                for n, j in enumerate(columns)
                if 0 <= j < t
                and not (n >= len(far) and j in far)
                and (keep is None or bool(keep[s, j] and keep[s, i]))
            ]
            row = q.new_zeros(h, len(columns))
            if open_:
                keys = k[s][:, [columns[n] for n in open_]]  # h g c
                weights = torch.softmax(
                    (keys @ q[s, :, i, :, None])[..., 0] / c**0.5, -1
                )
                row = row.index_copy(1, torch.tensor(open_), weights)
            rows.append(row)
        out.append(torch.stack(rows, dim=1))
    return torch.stack(out)
