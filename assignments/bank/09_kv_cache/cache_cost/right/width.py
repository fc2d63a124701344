"""Over the width of all heads."""

import torch

BYTES = {
    torch.float64: 8,
    torch.float32: 4,
    torch.float16: 2,
    torch.bfloat16: 2,
    torch.int8: 1,
}


def cache_cost(layers, key_heads, c, tokens, batch=1, dtype=torch.float16):
    width = key_heads * c
    a_token = 2 * layers * width
    return BYTES[dtype] * a_token * tokens * batch


def longest_text(memory, layers, key_heads, c, batch=1, dtype=torch.float16, page=1):
    a_page = BYTES[dtype] * 2 * layers * key_heads * c * page
    return page * (memory // a_page // batch)
