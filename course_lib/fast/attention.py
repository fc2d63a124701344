"""Attention on packed tokens: the three kinds of `bricks`, with the same parameters.

Each class is its readable parent with another `forward`; whatever is not packed goes the parent's
way. Inside, a group of equally long sequences has no padding, so no mask is needed for it.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.functional import scaled_dot_product_attention as fused

from course_lib.bricks.attention import MultiHeadAttention, merge_heads, split_heads
from course_lib.bricks.disentangled import DisentangledAttention
from course_lib.bricks.longformer import SlidingWindowAttention
from course_lib.bricks.patterns import Causal, Full
from course_lib.context import Context
from course_lib.fast.packing import PackedContext

BLOCK = 128  # queries that share one stretch of keys in a sliding window


def dropped(dropout: nn.Dropout) -> float:
    """The share of weights that a dropout drops at this moment."""
    return dropout.p if dropout.training else 0.0


class FastAttention(MultiHeadAttention):
    """`MultiHeadAttention` by a kernel that never holds all scores (Dao et al. 2022)."""

    def forward(self, x: Tensor, context: Context, memory: Tensor | None = None) -> Tensor:
        """Mix packed tokens, 1 p d → 1 p d; anything else as the readable path does."""
        if not isinstance(context, PackedContext):
            return super().forward(x, context, memory)
        assert context.packing is not None and memory is None
        packing = context.packing
        rows = (packing.cut(f(x)) for f in (self.query, self.key, self.value))
        mixed = []
        for parts in zip(*rows, strict=True):  # each b t d
            q, k, v = (split_heads(part, self.heads) for part in parts)  # b h t c
            mixed.append(merge_heads(self.mix(q, k, v)))
        return self.output(packing.join(mixed))  # 1 p d

    def mix(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Attention among sequences without padding, b h t c → b h t c."""
        causal = self.pattern == Causal()
        pairs = None
        if not causal and self.pattern != Full():
            i = torch.arange(q.size(2), device=q.device)
            pairs = self.pattern(i[:, None], i[None, :])  # q k
        return fused(q, k, v, pairs, dropout_p=dropped(self.dropout), is_causal=causal)  # b h t c


def by_distance(x: Tensor) -> Tensor:
    """Read row i from column t − 1 − i on: … t 2t → … t t, where column u meant u = j − i + t − 1.

    In memory the rows then start 2t − 1 numbers apart, not 2t, so this is a view: nothing moves.
    """
    tokens = x.size(-2)
    flat = x.flatten(-2)[..., tokens - 1 : tokens - 1 + tokens * (2 * tokens - 1)]
    return flat.view(*x.shape[:-2], tokens, 2 * tokens - 1)[..., :tokens]


class FastDisentangled(DisentangledAttention):
    """`DisentangledAttention` whose position scores are read along diagonals, not gathered."""

    def forward(self, x: Tensor, context: Context, memory: Tensor | None = None) -> Tensor:
        """Mix packed tokens, 1 p d → 1 p d; anything else as the readable path does."""
        if not isinstance(context, PackedContext):
            return super().forward(x, context, memory)
        assert context.packing is not None and context.relative is not None and memory is None
        packing = context.packing
        middle = context.relative.size(0) // 2
        reach = min(packing.groups[-1].tokens, middle)  # the last group is the longest
        table = self.position_dropout(context.relative[middle - reach : middle + reach])  # r d
        k_r = self.position_key(table).view(2 * reach, self.heads, -1).transpose(0, 1)  # h r c
        q_r = self.position_query(table).view(2 * reach, self.heads, -1).transpose(0, 1)  # h r c
        scale = math.sqrt(3 * q_r.size(-1))
        projected = zip(
            packing.cut(self.query(x) / scale),
            packing.cut(self.key(x)),
            packing.cut(self.value(x)),
            strict=True,
        )
        mixed = []
        for q, k, v in projected:  # each b t d
            distance = torch.arange(1 - q.size(1), q.size(1) + 1, device=q.device)
            down, up = ((s * distance + reach).clamp(0, 2 * reach - 1) for s in (-1, 1))
            c2p = self.along_diagonals(q, k_r[:, down])  # b h q k
            p2c = self.along_diagonals(k, q_r[:, up] / scale)  # b h k q
            bias = c2p + p2c.transpose(-2, -1)  # b h q k
            q, k, v = (split_heads(part, self.heads) for part in (q, k, v))  # b h t c
            mix = fused(q, k, v, bias, dropout_p=dropped(self.dropout), scale=1.0)  # b h t c
            mixed.append(merge_heads(mix))
        return self.output(packing.join(mixed))  # 1 p d

    def along_diagonals(self, x: Tensor, table: Tensor) -> Tensor:
        """Score tokens, b t d, against the table's rows, h 2t c, one for each distance: b h t t.

        Heads come first, so that one product takes the tokens of all sequences.
        """
        tokens = x.view(-1, self.heads, table.size(-1)).transpose(0, 1)  # h p c
        scores = torch.bmm(tokens, table.transpose(-2, -1))  # every token × every distance
        scores = scores.view(self.heads, *x.shape[:2], -1)
        return by_distance(scores).transpose(0, 1)


class FastSlidingWindow(SlidingWindowAttention):
    """`SlidingWindowAttention` in blocks of `BLOCK` queries, keys taken as overlapping views."""

    def forward(self, x: Tensor, context: Context, memory: Tensor | None = None) -> Tensor:
        """Mix packed tokens, 1 p d → 1 p d; anything else as the readable path does."""
        if not isinstance(context, PackedContext):
            return super().forward(x, context, memory)
        assert context.packing is not None and memory is None
        lengths = [g.tokens for g in context.packing.groups for _ in range(g.sequences)]
        rows = [torch.split(f(x)[0], lengths) for f in (self.query, self.key, self.value)]
        texts = torch.split(x[0], lengths)  # each t d
        marks: list[Tensor | None] = [None] * len(lengths)
        if context.is_global is not None:
            parts = torch.split(context.is_global[0], lengths)
            marks = [part.nonzero()[:, 0] for part in parts]
        mixed = []
        for text, far, *row in zip(texts, marks, *rows, strict=True):
            q, k, v = (split_heads(part[None], self.heads) for part in row)  # 1 h t c
            near = self.near(q, k, v, far)  # 1 h t c
            if far is not None and len(far):
                near = near.index_copy(2, far, self.from_everywhere(text, far))  # 1 h t c
            mixed.append(merge_heads(near)[0])
        return self.output(torch.cat(mixed)[None])  # 1 p d

    def near(self, q: Tensor, k: Tensor, v: Tensor, far: Tensor | None) -> Tensor:
        """Each token's window and the global tokens, in one softmax: 1 h t c."""
        tokens = q.size(2)
        if tokens <= self.radius + 1:  # the window holds everything
            return fused(q, k, v, dropout_p=dropped(self.dropout))
        local = torch.ones(tokens, dtype=torch.bool, device=q.device)  # t
        if far is not None and len(far):
            local[far] = False
            k_far, v_far = k[:, :, far], v[:, :, far]  # 1 h g c
        size = min(BLOCK, tokens)
        count = -(-tokens // size)  # blocks
        over = count * size - tokens
        reach = (0, 0, self.radius, self.radius + over)
        stretch = size + 2 * self.radius
        k, v = (  # n h w c, views into one padded copy
            F.pad(part, reach)[0].unfold(1, stretch, size).permute(1, 0, 3, 2) for part in (k, v)
        )
        q = F.pad(q, (0, 0, 0, over))[0].unfold(1, size, size).permute(1, 0, 3, 2)
        i = torch.arange(size, device=q.device)[:, None] + self.radius
        band = (i - torch.arange(stretch, device=q.device)).abs() <= self.radius  # q w
        seen = F.pad(local, reach[2:]).unfold(0, stretch, size)  # n w
        allowed = band & seen[:, None, None, :]  # n 1 q w
        if far is not None and len(far):
            k = torch.cat([k_far.expand(count, -1, -1, -1), k], dim=2)
            v = torch.cat([v_far.expand(count, -1, -1, -1), v], dim=2)
            allowed = F.pad(allowed, (len(far), 0), value=True)
        mixed = fused(q, k, v, allowed, dropout_p=dropped(self.dropout))  # n h q c
        return mixed.transpose(0, 1).flatten(1, 2)[None, :, :tokens]  # 1 h t c

    def from_everywhere(self, text: Tensor, far: Tensor) -> Tensor:
        """Global tokens' rows, by their own projections: 1 h g c."""
        q = split_heads(self.query_global(text[far])[None], self.heads)  # 1 h g c
        k = split_heads(self.key_global(text)[None], self.heads)  # 1 h t c
        v = split_heads(self.value_global(text)[None], self.heads)  # 1 h t c
        return fused(q, k, v, dropout_p=dropped(self.dropout))  # 1 h g c
