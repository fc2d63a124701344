"""Rows for new words in a model's embedding table."""

from typing import Literal, get_args

import torch
from torch import nn

Start = Literal["mean", "random"]


@torch.no_grad()
def grow_embeddings(
    embedding: nn.Embedding,
    vocabulary: int,
    init: Start = "mean",
    generator: torch.Generator | None = None,
) -> nn.Embedding:
    """Give an embedding ``vocabulary`` rows; the old rows stay as they are, bit for bit.

    New rows are the mean of the old ones, or drawn with the old ones' mean and spread. The module
    is changed in place and returned, but its weight is a new parameter: tie it again where it is
    shared, and make the optimizer afterwards. Raises ValueError when rows would be lost.
    """
    if init not in get_args(Start):
        raise ValueError(f"init {init!r} is unknown: use one of {get_args(Start)}")
    old = embedding.weight
    extra = vocabulary - len(old)
    if extra < 0:
        raise ValueError(f"the embedding has {len(old)} rows already: {vocabulary} would lose some")
    new = old.mean(dim=0).repeat(extra, 1)
    if init == "random":
        noise = torch.randn(new.shape, generator=generator, dtype=torch.float32)
        new += noise.to(new) * old.std(dim=0)
    embedding.weight = nn.Parameter(torch.cat([old, new]), requires_grad=old.requires_grad)
    embedding.num_embeddings = vocabulary
    return embedding
