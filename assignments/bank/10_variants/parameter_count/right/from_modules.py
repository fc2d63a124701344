"""Builds the modules on the meta device and asks them."""

import torch


def parameter_count(sizes):
    e, d = sizes["narrow"], sizes["width"]
    rows = sizes["vocabulary"] + sizes["positions"] + sizes["segments"]
    with torch.device("meta"):
        start = torch.nn.Sequential(torch.nn.Embedding(rows, e), torch.nn.LayerNorm(e))
        if e != d:
            start.append(torch.nn.Linear(e, d))
        block = torch.nn.TransformerEncoderLayer(
            d, sizes["heads"], sizes["feedforward"]
        )
    return size(start) + sizes["blocks"] * size(block)


def size(module):
    return sum(weight.numel() for weight in module.parameters())


def operation_count(sizes, tokens):
    e, d, f, layers = (sizes[n] for n in ("narrow", "width", "feedforward", "layers"))
    work = layers * (8 * tokens * d**2 + 4 * tokens * d * f + 4 * tokens**2 * d)
    return work + (2 * tokens * e * d) * (e != d)
