"""Rotary positions: queries and keys turn, so that a score knows the distance of its pair.

Taught in the chapter on rotary positions. Left out: turning only a part of the columns (GPT-J), and
the ways of stretching the angles for texts longer than those of the training.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from course_lib.bricks.attention import MultiHeadAttention, SelfAttention
from course_lib.context import Context

if TYPE_CHECKING:
    from course_lib.spec import Spec


def frequencies(width: int, base: float = 10_000.0) -> Tensor:
    """How far each pair of columns turns a token, in radians: base^(−2i/c), fast to slow.

    Raises `ValueError` where the columns do not make pairs.
    """
    if width % 2:
        raise ValueError(f"{width} columns do not make pairs. Choose an even width per head.")
    return base ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)


def rotate(
    x: Tensor, positions: Tensor, base: float = 10_000.0, interleaved: bool = False
) -> Tensor:
    """Turn each pair of columns by position · frequency (Su et al. 2021, §3.4.2); … t c → … t c.

    `positions` are t numbers. Column i makes a pair with column i + c/2 (Llama), or `interleaved`
    with its neighbour (the paper, GPT-J). The two differ by the order of columns only, and weights
    trained with one are of no use with the other.
    """
    frequency = frequencies(x.size(-1), base).to(positions.device)
    angle = positions[:, None] * frequency
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    if interleaved:
        first, second = x[..., 0::2], x[..., 1::2]
    else:
        first, second = x.chunk(2, dim=-1)
    turned = first * cos - second * sin, first * sin + second * cos
    return torch.stack(turned, dim=-1).flatten(-2) if interleaved else torch.cat(turned, dim=-1)


class RotaryAttention(MultiHeadAttention):
    """Attention that turns queries and keys by their positions before it scores them."""

    def __init__(self, spec: "Spec", choice: "Rotary") -> None:
        super().__init__(spec, choice.pattern)
        self.base, self.interleaved = choice.base, choice.interleaved

    def scores(self, q: Tensor, k: Tensor, context: Context) -> Tensor:
        """Score each query against each key: b h q k."""
        j = torch.arange(k.size(-2), device=k.device)  # k
        i = j[-q.size(-2) :]  # q
        q = rotate(q, i, self.base, self.interleaved)  # b h q c
        k = rotate(k, j, self.base, self.interleaved)  # b h k c
        return super().scores(q, k, context)  # b h q k


@dataclass(frozen=True)
class Rotary(SelfAttention):
    """`RotaryAttention`; goes with `Absent` positions, since the input needs none."""

    base: float = 10_000.0
    interleaved: bool = False

    def build(self, spec: "Spec") -> RotaryAttention:
        """Make the module."""
        return RotaryAttention(spec, self)
