"""DeBERTa's disentangled attention: content and distance score a pair separately.

This is version 1. Left out: the log-bucketed distances and shared projections of versions 2 and 3.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from course_lib.bricks.attention import MultiHeadAttention, split_heads
from course_lib.bricks.patterns import Full
from course_lib.context import Context

if TYPE_CHECKING:
    from course_lib.spec import Spec


def relative_index(queries: int, keys: int, distance: int, device: torch.device) -> Tensor:
    """Each pair's table row, q k: δ(i, j) = i − j + distance, clipped to 0 … 2·distance − 1."""
    i = torch.arange(queries, device=device)[:, None]
    j = torch.arange(keys, device=device)[None, :]
    return (i - j + distance).clamp(0, 2 * distance - 1)  # q k


class DisentangledAttention(MultiHeadAttention):
    """Content·content + content·position + position·content for a pair (He et al. 2021, eq. 4).

    Both position terms use δ(i, j), as the released code does; the paper indexes the third by
    δ(j, i). Keys have no bias.
    """

    def __init__(self, spec: "Spec") -> None:
        super().__init__(spec, Full(), key_bias=False)
        self.position_key = nn.Linear(spec.width, spec.width, bias=False)
        self.position_query = nn.Linear(spec.width, spec.width)
        self.position_dropout = nn.Dropout(spec.dropout)

    def scores(self, q: Tensor, k: Tensor, context: Context) -> Tensor:
        """Score each query against each key: b h q k."""
        assert context.relative is not None
        reach = min(max(q.size(-2), k.size(-2)), context.relative.size(0) // 2)
        middle = context.relative.size(0) // 2
        table = context.relative[None, middle - reach : middle + reach]  # 1 r d
        table = self.position_dropout(table)  # 1 r d
        k_r = split_heads(self.position_key(table), self.heads)  # 1 h r c
        q_r = split_heads(self.position_query(table), self.heads)  # 1 h r c
        delta = relative_index(q.size(-2), k.size(-2), reach, q.device)  # q k

        c2c = q @ k.transpose(-2, -1)  # b h q k
        c2p = q @ k_r.transpose(-2, -1)  # b h q r
        c2p = c2p.gather(-1, delta.expand_as(c2c))  # b h q k
        p2c = k @ q_r.transpose(-2, -1)  # b h k r
        p2c = p2c.gather(-1, delta.T.expand_as(c2c.transpose(-2, -1)))  # b h k q
        return (c2c + c2p + p2c.transpose(-2, -1)) / math.sqrt(3 * q.size(-1))  # b h q k

    def allowed(self, scores: Tensor, context: Context) -> Tensor:
        """True where both tokens of a pair are real: b 1 q k."""
        return context.keep[:, None, :, None] & context.keep[:, None, None, :]  # b 1 q k


@dataclass(frozen=True)
class Disentangled:
    """`DisentangledAttention`; needs `Relative` positions."""

    def build(self, spec: "Spec") -> DisentangledAttention:
        """Make the module."""
        return DisentangledAttention(spec)
