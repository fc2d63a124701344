"""Longformer's attention: a sliding window for all, full attention for a few global tokens.

The sequence is cut into blocks half a window long. A block's queries meet three blocks of keys, so
cost grows with t·w, not t². Left out: dilated windows, which the released model does not use.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.bricks.attention import MultiHeadAttention, hide, merge_heads, split_heads
from course_lib.bricks.patterns import Window
from course_lib.context import Context

if TYPE_CHECKING:
    from course_lib.spec import Spec


def blocks(x: Tensor, radius: int) -> Tensor:
    """Cut the token axis (the last but one) into blocks of `radius` tokens: b h t c → b h n q c."""
    return x.reshape(*x.shape[:-2], -1, radius, x.size(-1))


def neighbourhoods(x: Tensor, radius: int) -> Tensor:
    """Each block with its two neighbours, zeros beyond the ends: b h t c → b h n w c."""
    padded = F.pad(x, (0, 0, radius, radius))
    return padded.unfold(-2, 3 * radius, radius).transpose(-2, -1)


class SlidingWindowAttention(MultiHeadAttention):
    """A window of w/2 tokens on each side plus the token itself, and symmetric global attention.

    Global tokens see all and are seen by all. Their own rows use a second set of projections
    (Beltagy et al. 2020, §3.1). A padding token's row mixes nothing.
    """

    def __init__(self, spec: "Spec", window: int) -> None:
        super().__init__(spec, Window(window // 2))
        self.radius = window // 2
        self.query_global = nn.Linear(spec.width, spec.width)
        self.key_global = nn.Linear(spec.width, spec.width)
        self.value_global = nn.Linear(spec.width, spec.width)

    def forward(self, x: Tensor, context: Context, memory: Tensor | None = None) -> Tensor:
        """Mix tokens, b t d → b t d; any length, padded inside to whole blocks."""
        assert memory is None and context.cache is None
        tokens = x.size(1)
        missing = -tokens % self.radius
        x = F.pad(x, (0, 0, 0, missing))  # b t d
        keep = F.pad(context.keep, (0, missing), value=False)  # b t
        far = None
        if context.is_global is not None and context.is_global.any():
            far = GlobalTokens(F.pad(context.is_global, (0, missing), value=False) & keep)

        q = split_heads(self.query(x), self.heads) / math.sqrt(x.size(-1) // self.heads)  # b h t c
        k = split_heads(self.key(x), self.heads)  # b h t c
        v = split_heads(self.value(x), self.heads)  # b h t c
        mixed = self.local(q, k, v, keep, far)  # b h t c
        if far is not None:
            mixed = self.overwrite_global_rows(mixed, x, keep, far)  # b h t c
        return self.output(merge_heads(mixed))[:, :tokens]  # b t d

    def local(
        self, q: Tensor, k: Tensor, v: Tensor, keep: Tensor, far: "GlobalTokens | None"
    ) -> Tensor:
        """Each token's window and, in the same softmax, the global tokens: b h t c."""
        q = blocks(q, self.radius)  # b h n q c
        k_near = neighbourhoods(k, self.radius)  # b h n w c
        v_near = neighbourhoods(v, self.radius)  # b h n w c
        near = keep if far is None else keep & ~far.mask  # b t
        scores = hide(q @ k_near.transpose(-2, -1), self.band(near))  # b h n q w
        columns = scores.size(-1)
        if far is not None:
            k_far = far.rows(k)[:, :, None]  # b h 1 g c
            v_far = far.rows(v)[:, :, None]  # b h 1 g c
            scores_far = q @ k_far.transpose(-2, -1)  # b h n q g
            scores_far = hide(scores_far, far.real[:, None, None, None, :])  # b h n q g
            scores = torch.cat([scores_far, scores], dim=-1)

        weights = self.dropout(scores.softmax(dim=-1))
        weights = weights * blocks(keep[:, None, :, None], self.radius)
        mixed = weights[..., -columns:] @ v_near  # b h n q c
        if far is not None:
            mixed = mixed + weights[..., :-columns] @ v_far  # b h n q c
        return mixed.flatten(2, 3)  # b h t c

    def band(self, near: Tensor) -> Tensor:
        """True where a block's query may see a neighbouring key: b 1 n q w."""
        i = torch.arange(self.radius, device=near.device)[:, None]
        j = torch.arange(3 * self.radius, device=near.device)[None, :] - self.radius
        pairs = self.pattern(i, j)  # q w
        keys = neighbourhoods(near[:, None, :, None].to(torch.uint8), self.radius)  # b 1 n w 1
        return pairs & keys.transpose(-2, -1).bool()  # b 1 n q w

    def overwrite_global_rows(
        self, mixed: Tensor, x: Tensor, keep: Tensor, far: "GlobalTokens"
    ) -> Tensor:
        """Give global tokens full attention with their own projections: b h t c."""
        q = split_heads(self.query_global(x), self.heads) / math.sqrt(mixed.size(-1))  # b h t c
        q = far.rows(q)  # b h g c
        k = split_heads(self.key_global(x), self.heads)  # b h t c
        v = split_heads(self.value_global(x), self.heads)  # b h t c
        scores = hide(q @ k.transpose(-2, -1), keep[:, None, None, :])  # b h g t
        rows = self.dropout(scores.softmax(dim=-1)) @ v  # b h g c
        rows = torch.where(far.real[:, None, :, None], rows, far.rows(mixed))  # b h g c
        return mixed.scatter(2, far.index[:, None, :, None].expand_as(rows), rows)  # b h t c


class GlobalTokens:
    """Where the global tokens are; a sequence with fewer than g fills up with other tokens."""

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask  # b t
        most = int(mask.sum(dim=1).max())
        order = mask.to(torch.uint8).argsort(dim=1, descending=True, stable=True)  # b t
        self.index = order[:, :most]  # b g
        self.real = mask.gather(1, self.index)  # b g

    def rows(self, x: Tensor) -> Tensor:
        """The rows of x, b h t c, at these tokens: b h g c."""
        return x.gather(2, self.index[:, None, :, None].expand(-1, x.size(1), -1, x.size(3)))


@dataclass(frozen=True)
class SlidingWindow:
    """`SlidingWindowAttention` over `window` tokens, both sides together.

    A question-answering head makes the tokens before the first `separator`, the question, global.
    Raises `ValueError` for a window that has no middle.
    """

    window: int = 512
    separator: int = 2

    def __post_init__(self) -> None:
        if self.window < 2 or self.window % 2:
            raise ValueError(
                f"window={self.window} cannot lie half before and half after a token. Choose an "
                "even number from 2 up."
            )

    def build(self, spec: "Spec") -> SlidingWindowAttention:
        """Make the module."""
        return SlidingWindowAttention(spec, self.window)
