"""The longest text by halving."""

import torch


def cache_cost(layers, key_heads, c, tokens, batch=1, dtype=torch.float16):
    keys = layers * batch * key_heads * tokens * c
    values = keys
    return (keys + values) * dtype.itemsize


def longest_text(memory, layers, key_heads, c, batch=1, dtype=torch.float16, page=1):
    low, high = 0, memory + 1  # pages that fit, pages that do not
    while high - low > 1:
        middle = (low + high) // 2
        if cache_cost(layers, key_heads, c, middle * page, batch, dtype) <= memory:
            low = middle
        else:
            high = middle
    return low * page
