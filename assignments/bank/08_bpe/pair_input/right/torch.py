"""In tensors."""

import torch


def pair_input(first, second, longest):
    if longest - 3 < 0:
        raise ValueError(longest)
    n, m, room = len(first), len(second), longest - 3
    if n + m > room:
        if n >= m and m <= room // 2:
            n = room - m
        elif m >= n and n <= room // 2:
            m = room - n
        else:
            n, m = (-(-room // 2), room // 2) if n > m else (room // 2, -(-room // 2))
    rows = torch.full((3, longest), PAD)
    used = torch.tensor([CLS] + first[:n] + [SEP] + second[:m] + [SEP])
    rows[0, : len(used)] = used
    rows[1, n + 2 : len(used)] = 1
    rows[2, : len(used)] = 1
    names = ["input_ids", "token_type_ids", "attention_mask"]
    return {name: row.tolist() for name, row in zip(names, rows, strict=False)}
