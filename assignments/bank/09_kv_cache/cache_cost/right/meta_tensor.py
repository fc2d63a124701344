"""The size of a tensor without memory, for one token."""

import torch


def cache_cost(layers, key_heads, c, tokens, batch=1, dtype=torch.float16):
    one = torch.empty(2, layers, key_heads, c, dtype=dtype, device="meta")
    return one.nbytes * tokens * batch


def longest_text(memory, layers, key_heads, c, batch=1, dtype=torch.float16, page=1):
    tokens = memory // (batch * cache_cost(layers, key_heads, c, 1, 1, dtype))
    return tokens - tokens % page
