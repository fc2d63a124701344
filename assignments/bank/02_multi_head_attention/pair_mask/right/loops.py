"""Every pair by itself."""

import torch


def pair_mask(keep, queries, causal=False):
    rows = []
    for sequence in keep.tolist():
        first = len(sequence) - queries
        rows.append(
            [
                [
                    real and (j <= first + i or not causal)
                    for j, real in enumerate(sequence)
                ]
                for i in range(queries)
            ]
        )
    return torch.tensor(rows)[:, None]
