"""Multi-head attention: how a pair is scored × which pairs are allowed.

Every step is spelled out. Left out: fused kernels, which compute the same without ever holding all
scores at once.
"""

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from course_lib.bricks.patterns import Full, Pattern
from course_lib.context import Context

if TYPE_CHECKING:
    from course_lib.spec import Spec


def split_heads(x: Tensor, heads: int) -> Tensor:
    """Cut the last axis into heads, b t d → b h t c; a reshape to that shape would mix tokens."""
    return x.view(*x.shape[:-1], heads, -1).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    """Lay the heads side by side again, b h t c → b t d."""
    return x.transpose(1, 2).flatten(start_dim=2)


def hide(scores: Tensor, allowed: Tensor) -> Tensor:
    """Give forbidden pairs the lowest finite score.

    Not −∞: a row in which nothing is allowed then becomes uniform instead of NaN.
    """
    return scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)


def scaled_dot_product_attention(
    q: Tensor, k: Tensor, v: Tensor, allowed: Tensor | None = None
) -> Tensor:
    """softmax(QKᵀ/√c)·V (Vaswani et al. 2017, eq. 1), for q, … q c, k and v, … k c; gives … q c.

    `allowed`, broadcastable to … q k, is True where a query may see a key.
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if allowed is not None:
        scores = hide(scores, allowed)
    return scores.softmax(dim=-1) @ v


class MultiHeadAttention(nn.Module):
    """h attentions side by side, each c = d/h wide, and a Linear (Vaswani et al. 2017, §3.2.2)."""

    def __init__(self, spec: "Spec", pattern: Pattern, key_bias: bool = True) -> None:
        super().__init__()
        self.heads = spec.heads
        self.pattern = pattern
        self.query = nn.Linear(spec.width, spec.width)
        self.key = nn.Linear(spec.width, spec.width, bias=key_bias)
        self.value = nn.Linear(spec.width, spec.width)
        self.output = nn.Linear(spec.width, spec.width)
        self.dropout = nn.Dropout(spec.attention_dropout)

    def forward(self, x: Tensor, context: Context, memory: Tensor | None = None) -> Tensor:
        """Mix tokens, b q d → b q d; keys and values come from `memory`, b t d, where given."""
        source = x if memory is None else memory  # b t d
        q = split_heads(self.query(x), self.heads)  # b h q c
        k = split_heads(self.key(source), self.heads)  # b h t c
        v = split_heads(self.value(source), self.heads)  # b h t c
        if context.cache is not None:
            k, v = context.cache.append(context.layer, k, v)  # b h k c
        scores = self.scores(q, k, context)  # b h q k
        scores = hide(scores, self.allowed(scores, context))  # b h q k
        if context.scores is not None:
            context.scores.append(scores)
        weights = scores.softmax(dim=-1)  # b h q k
        mixed = self.dropout(weights) @ v  # b h q c
        return self.output(merge_heads(mixed))  # b q d

    def scores(self, q: Tensor, k: Tensor, context: Context) -> Tensor:
        """Score each query against each key: b h q k."""
        return q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # b h q k

    def allowed(self, scores: Tensor, context: Context) -> Tensor:
        """True where the pattern lets a pair meet and the key is a real token: b 1 q k."""
        queries, keys = scores.shape[-2:]
        j = torch.arange(keys, device=scores.device)  # k
        i = torch.arange(keys - queries, keys, device=scores.device)  # q
        pairs = self.pattern(i[:, None], j[None, :])  # q k
        return pairs & context.keep[:, None, None, :]  # b 1 q k


@dataclass(frozen=True)
class SelfAttention:
    """`MultiHeadAttention` with a pattern: everything (BERT) or the past (GPT)."""

    pattern: Pattern = field(default_factory=Full)

    def build(self, spec: "Spec") -> MultiHeadAttention:
        """Make the module."""
        return MultiHeadAttention(spec, self.pattern)
