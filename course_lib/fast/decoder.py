"""Decoder: one token after another through a causal model, in as few calls as possible.

A step has one row for each sequence, so a product reads a whole matrix to use it once. In a large
model that reading is the time: matrices are copied once, to lie in the order a row meets them. In a
small one the number of calls is the time: queries, keys and values come from one product, both
halves of the cache are written at once, and only the last token reaches the token table.
"""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor
from torch.nn import functional as F

from course_lib.bricks.block import Block
from course_lib.fast.attention import FastAttention
from course_lib.fast.models import faster
from course_lib.heads import CausalLM, WithHead

Product = Callable[[Tensor], Tensor]


class Decoder:
    """A causal model with room for `longest` tokens in each sequence of a batch.

    It holds a copy of all matrices, made when it is: make a new one after training. Raises
    `ValueError` for another head than "lm", whose one matrix is the token table.
    """

    def __init__(self, model: WithHead, batch: int, longest: int) -> None:
        spec = model.spec
        if not isinstance(model.head, CausalLM):
            raise ValueError(f"{spec.name} needs the head 'lm' to write: build(…, head='lm').")
        self.backbone = faster(model).backbone
        blocks = [block for block in self.backbone.layers if isinstance(block, Block)]
        table = self.backbone.embeddings.token.weight
        with torch.no_grad():
            self.layers = [DecoderLayer(block) for block in blocks]
            self.table = table.t().contiguous()  # d v
        self.cache = table.new_empty(spec.layers, 2, batch, spec.heads, longest, spec.head_width)
        self.length = 0

    @torch.no_grad()
    def __call__(self, input_ids: Tensor, keep: Tensor) -> Tensor:
        """Logits after the last of the new tokens, b v.

        `input_ids`, b t, are the tokens since the last call; `keep`, b k, is 1 at real ones among
        all so far.
        """
        return self.last(input_ids, keep) @ self.table  # b v

    def last(self, input_ids: Tensor, keep: Tensor) -> Tensor:
        """The state of the last of the new tokens, b d."""
        tokens, start = input_ids.size(1), self.length
        self.length += tokens
        keep = keep.bool()  # b k
        allowed = None  # all tokens so far, or for a first call the past
        if not bool(keep.all()) or (tokens > 1 and start):
            place = torch.arange(self.length, device=keep.device)
            allowed = (place <= place[start:, None]) & keep[:, None, None, :]  # b 1 q k
        x = self.backbone.embeddings(input_ids, None, keep)  # b t d
        x = x.flatten(end_dim=1)  # p d
        for layer, cache in enumerate(self.cache):
            x = self.layers[layer % len(self.layers)](x, cache, start, tokens, allowed)  # p d
        return self.backbone.norm(x[tokens - 1 :: tokens])  # b d


class DecoderLayer:
    """A block on rows of tokens, p d, that keeps its keys and values in a cache."""

    def __init__(self, block: Block) -> None:
        attention, inner = block.attention, block.feedforward
        assert isinstance(attention, FastAttention)
        self.norms_first, self.heads = block.final_norm, attention.heads
        self.attention_norm, self.feedforward_norm = block.attention_norm, block.feedforward_norm
        three = (attention.query, attention.key, attention.value)
        self.projection = product(
            torch.cat([f.weight for f in three]), torch.cat([f.bias for f in three])
        )
        self.output = product(attention.output.weight, attention.output.bias)
        self.widen = product(inner.input.weight, inner.input.bias)
        self.activation = inner.activation
        self.narrow = product(inner.output.weight, inner.output.bias)

    def __call__(
        self, x: Tensor, cache: Tensor, start: int, tokens: int, allowed: Tensor | None
    ) -> Tensor:
        """One layer, p d → p d; `cache` is 2 b h t c, and `start` of its tokens are known."""
        y = self.attention_norm(x) if self.norms_first else x  # p d
        rows = self.projection(y).view(-1, tokens, 3, self.heads, cache.size(-1))
        rows = rows.permute(2, 0, 3, 1, 4)  # queries, keys and values, each b h t c
        end = start + tokens
        cache[:, :, :, start:end] = rows[1:]
        keys, values = cache[:, :, :, :end]  # b h k c
        causal = allowed is None and tokens > 1
        y = F.scaled_dot_product_attention(rows[0], keys, values, allowed, is_causal=causal)
        y = self.output(y.transpose(1, 2).reshape(x.shape))  # p d
        if self.norms_first:
            x = x + y  # p d
            return x + self.feedforward(self.feedforward_norm(x))  # p d
        x = self.attention_norm(x + y)  # p d
        return self.feedforward_norm(x + self.feedforward(x))  # p d

    def feedforward(self, x: Tensor) -> Tensor:
        """Each token by itself, p d → p d."""
        return self.narrow(self.activation(self.widen(x)))  # p d


def product(weight: Tensor, bias: Tensor) -> Product:
    """A Linear with a copy of its weight, out in, turned to in out, as rows meet it."""
    return partial(torch.addmm, bias, mat2=weight.t().contiguous())
