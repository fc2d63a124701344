"""Rounds up."""

import math

import torch


def cache_cost(layers, key_heads, c, tokens, batch=1, dtype=torch.float16):
    return 2 * layers * key_heads * c * tokens * batch * dtype.itemsize


def longest_text(memory, layers, key_heads, c, batch=1, dtype=torch.float16, page=1):
    return (
        math.ceil(memory / cache_cost(layers, key_heads, c, page, batch, dtype)) * page
    )
