"""Decoder: one token after another through a causal model, in as few calls as possible.

Queries, keys and values come from one product, both halves of the cache are written at once, and
only the last token reaches the token table. For a small model the number of calls is the time.
"""

import torch
from torch import Tensor
from torch.nn import functional as F

from course_lib.bricks.block import Block
from course_lib.context import Context
from course_lib.fast.attention import FastAttention, split_three
from course_lib.fast.models import faster
from course_lib.heads import States, WithHead


class Decoder:
    """A causal model with room for `longest` tokens in each sequence of a batch.

    Weights are read when it is made: make a new one after training.
    """

    def __init__(self, model: WithHead, batch: int, longest: int) -> None:
        spec = model.spec
        self.model = faster(model)
        self.blocks = [block for block in self.model.backbone.layers if isinstance(block, Block)]
        with torch.no_grad():
            attentions = (block.attention for block in self.blocks)
            self.projections = [a.projection() for a in attentions if isinstance(a, FastAttention)]
        weight = self.projections[0][0]
        self.cache = weight.new_empty(spec.layers, 2, batch, spec.heads, longest, spec.head_width)
        self.length = 0

    @torch.no_grad()
    def __call__(self, input_ids: Tensor, keep: Tensor) -> Tensor:
        """Logits after the last of the new tokens, b v.

        `input_ids`, b t, are the tokens since the last call; `keep`, b k, is 1 at real ones among
        all so far.
        """
        backbone, spec, start = self.model.backbone, self.model.spec, self.length
        tokens, self.length = input_ids.size(1), start + input_ids.size(1)
        allowed = None  # all tokens so far, or for a first call the past
        if not bool(keep.all()) or (tokens > 1 and start):
            place = torch.arange(self.length, device=keep.device)
            allowed = (place <= place[start:, None]) & keep.bool()[:, None, None, :]  # b 1 q k
        causal = allowed is None and tokens > 1
        x = backbone.embeddings(input_ids, None, keep.bool())  # b t d
        for layer, cache in enumerate(self.cache):
            block = self.blocks[layer % len(self.blocks)]
            weight, bias = self.projections[layer % len(self.blocks)]
            y = block.attention_norm(x) if block.final_norm else x  # b t d
            q, k, v = split_three(F.linear(y, weight, bias), spec.heads)  # b h t c
            cache[0, :, :, start : self.length] = k
            cache[1, :, :, start : self.length] = v
            past = cache[:, :, :, : self.length]
            y = F.scaled_dot_product_attention(q, past[0], past[1], allowed, is_causal=causal)
            y = block.attention.output(y.transpose(1, 2).flatten(2))  # b t d
            if block.final_norm:
                x = x + y  # b t d
                x = x + block.feedforward(block.feedforward_norm(x))  # b t d
            else:
                x = block.attention_norm(x + y)  # b t d
                x = block.feedforward_norm(x + block.feedforward(x))  # b t d
        last = backbone.norm(x[:, -1:])  # b 1 d
        context = Context(keep.bool()[:, -1:])
        states = States(last, [last], [], context)
        return self.model.head(states, backbone)[:, 0]  # b v
