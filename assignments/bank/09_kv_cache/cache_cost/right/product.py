"""A product over a tuple; divmod."""

import math

import torch


def cache_cost(layers, key_heads, c, tokens, batch=1, dtype=torch.float16):
    return math.prod(
        (2, layers, batch, key_heads, tokens, c, torch.empty(0, dtype=dtype).itemsize)
    )


def longest_text(memory, layers, key_heads, c, batch=1, dtype=torch.float16, page=1):
    pages, _ = divmod(
        memory, batch * cache_cost(layers, key_heads, c, page, dtype=dtype)
    )
    return pages * page
