"""Goes through the pairs in loops."""

import torch


def table_rows(queries, keys, distance):
    rows = [[i - j + distance for j in range(keys)] for i in range(queries)]
    return torch.tensor(
        [[min(max(r, 0), 2 * distance - 1) for r in line] for line in rows]
    )


def disentangled_scores(q, k, q_r, k_r):
    rows = table_rows(q.shape[2], k.shape[2], q_r.shape[1] // 2).tolist()
    lines = []
    for i, line in enumerate(rows):
        scores = []
        for j, row in enumerate(line):
            content = (q[:, :, i] * k[:, :, j]).sum(-1)
            to_position = (q[:, :, i] * k_r[:, row]).sum(-1)
            from_position = (k[:, :, j] * q_r[:, row]).sum(-1)
            scores.append(content + to_position + from_position)
        lines.append(torch.stack(scores, dim=-1))
    return torch.stack(lines, dim=-2) / (3 * q.shape[-1]) ** 0.5
