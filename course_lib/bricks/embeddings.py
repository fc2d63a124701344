"""Embeddings: token + position + segment, then LayerNorm and dropout.

A position is a choice of its own: a learned row for each index, for each real token, a fixed wave,
or nothing at the input, where the attention itself knows positions: with a table of relative ones
(DeBERTa), or by rotation (rotary.py).
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from course_lib.spec import Spec


class LearnedPositions(nn.Embedding):
    """A learned row for each index: token 0 gets row 0, padding or not (BERT)."""

    def index(self, input_ids: Tensor, keep: Tensor) -> Tensor:
        """The row of each token, t; with a cache, `keep` is longer than the new ids."""
        return torch.arange(keep.size(1), device=keep.device)[-input_ids.size(1) :]  # t

    def forward(self, input_ids: Tensor, keep: Tensor) -> Tensor:  # type: ignore[override]
        """Look the rows up: t e, the same for all sequences, or b t e."""
        return super().forward(self.index(input_ids, keep))


class PositionsAfterPadding(LearnedPositions):
    """The n-th real token gets row pad + n, padding gets row pad.

    RoBERTa's and Longformer's. Which token is padding is read from the ids, not from the mask.
    """

    def index(self, input_ids: Tensor, keep: Tensor) -> Tensor:
        """The row of each token, b t."""
        assert self.padding_idx is not None
        real = (input_ids != self.padding_idx).long()  # b t
        return real.cumsum(dim=1) * real + self.padding_idx  # b t


class CountedPositions(LearnedPositions):
    """Rows counted over real tokens, so that padding on the left moves no token (GPT-2)."""

    def index(self, input_ids: Tensor, keep: Tensor) -> Tensor:
        """The row of each token, b t."""
        rows = (keep.long().cumsum(dim=1) - 1).clamp(min=0)  # b k
        return rows[:, -input_ids.size(1) :]  # b t


class SinusoidalPositions(nn.Module):
    """Sines in even columns, cosines in odd ones, nothing learned (Vaswani et al. 2017, §3.5)."""

    def __init__(self, rows: int, width: int) -> None:
        super().__init__()
        position = torch.arange(rows, dtype=torch.float64)[:, None]
        frequency = 10_000 ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
        angle = position * frequency
        table = torch.zeros(rows, width, dtype=torch.float64)
        table[:, 0::2] = angle.sin()
        table[:, 1::2] = angle[:, : width // 2].cos()
        self.register_buffer("table", table.to(torch.get_default_dtype()), persistent=False)
        self.table: Tensor

    def forward(self, input_ids: Tensor, keep: Tensor) -> Tensor:
        """The waves at each index: t e."""
        return self.table[: keep.size(1)][-input_ids.size(1) :]  # t e


class RelativePositions(nn.Module):
    """DeBERTa's table: a row for each clipped distance i − j; the input gets nothing.

    All layers share it. The attention projects it (He et al. 2021, §3.1).
    """

    def __init__(self, distance: int, width: int) -> None:
        super().__init__()
        self.table = nn.Embedding(2 * distance, width)

    def forward(self, input_ids: Tensor, keep: Tensor) -> Tensor:
        """No position is added at the input: a scalar 0, which changes nothing."""
        return self.table.weight.new_zeros(())


class AbsentPositions(nn.Module):
    """Nothing: the attention turns queries and keys, or positions do not matter."""

    def forward(self, input_ids: Tensor, keep: Tensor) -> Tensor:
        """No position is added at the input: a scalar 0, which changes nothing."""
        return torch.zeros((), device=keep.device)


@dataclass(frozen=True)
class Learned:
    """`LearnedPositions` of so many rows."""

    rows: int = 512

    def limit(self, spec: "Spec") -> int | None:
        """The most tokens a sequence may have."""
        return self.rows

    def build(self, spec: "Spec", width: int) -> nn.Module:
        """Make the module, `width` wide."""
        return LearnedPositions(self.rows, width)


@dataclass(frozen=True)
class AfterPadding(Learned):
    """`PositionsAfterPadding` of so many rows; those up to the padding id hold no token."""

    rows: int = 514

    def limit(self, spec: "Spec") -> int | None:
        """The most tokens a sequence may have."""
        assert spec.pad is not None
        return self.rows - spec.pad - 1

    def build(self, spec: "Spec", width: int) -> nn.Module:
        """Make the module, `width` wide."""
        return PositionsAfterPadding(self.rows, width, padding_idx=spec.pad)


@dataclass(frozen=True)
class Counted(Learned):
    """`CountedPositions` of so many rows."""

    rows: int = 1_024

    def build(self, spec: "Spec", width: int) -> nn.Module:
        """Make the module, `width` wide."""
        return CountedPositions(self.rows, width)


@dataclass(frozen=True)
class Sinusoidal(Learned):
    """`SinusoidalPositions` of so many rows."""

    def build(self, spec: "Spec", width: int) -> nn.Module:
        """Make the module, `width` wide."""
        return SinusoidalPositions(self.rows, width)


@dataclass(frozen=True)
class Relative:
    """`RelativePositions`: distances beyond `distance` share the outermost rows."""

    distance: int = 512

    def limit(self, spec: "Spec") -> int | None:
        """No limit: a distance that is too long is clipped."""
        return None

    def build(self, spec: "Spec", width: int) -> nn.Module:
        """Make the module, as wide as the model: it meets the attention, not the embeddings."""
        return RelativePositions(self.distance, spec.width)


@dataclass(frozen=True)
class Absent:
    """`AbsentPositions`."""

    def limit(self, spec: "Spec") -> int | None:
        """No limit."""
        return None

    def build(self, spec: "Spec", width: int) -> nn.Module:
        """Make the module."""
        return AbsentPositions()


class Embeddings(nn.Module):
    """Token + position + segment, normalised, dropped out (Devlin et al. 2019, Figure 2)."""

    def __init__(self, spec: "Spec", choice: "Summed") -> None:
        super().__init__()
        width = choice.width(spec)
        self.token = nn.Embedding(spec.vocabulary, width, padding_idx=spec.pad)
        self.position = choice.positions.build(spec, width)
        self.segment = nn.Embedding(choice.segments, width) if choice.segments else None
        self.norm: nn.Module = nn.LayerNorm(width, eps=spec.eps)
        self.dropout = nn.Dropout(spec.dropout)

    def forward(self, input_ids: Tensor, token_type_ids: Tensor | None, keep: Tensor) -> Tensor:
        """Embed ids, b t, as vectors, b t d."""
        x = self.token(input_ids)  # b t e
        if self.segment is not None:
            segment_ids = torch.zeros_like(input_ids) if token_type_ids is None else token_type_ids
            x = x + self.segment(segment_ids)  # b t e
        x = x + self.position(input_ids, keep)  # b t e
        return self.dropout(self.norm(x))  # b t e


class FactorizedEmbeddings(Embeddings):
    """ALBERT's: summed and normalised at the small width e, and only then projected to d (§3.1)."""

    def __init__(self, spec: "Spec", choice: "Summed") -> None:
        super().__init__(spec, choice)
        self.projection = nn.Linear(choice.width(spec), spec.width)

    def forward(self, input_ids: Tensor, token_type_ids: Tensor | None, keep: Tensor) -> Tensor:
        """Embed ids, b t, as vectors, b t d."""
        x = super().forward(input_ids, token_type_ids, keep)  # b t e
        return self.projection(x)  # b t d


class SilentPaddingEmbeddings(Embeddings):
    """DeBERTa's: a padding token's vector is exactly zero."""

    def forward(self, input_ids: Tensor, token_type_ids: Tensor | None, keep: Tensor) -> Tensor:
        """Embed ids, b t, as vectors, b t d."""
        x = self.norm(self.token(input_ids) + self.position(input_ids, keep))  # b t d
        return self.dropout(x * keep[:, :, None])  # b t d


@dataclass(frozen=True)
class Summed:
    """`Embeddings`: which positions, and how many segments (0: no table)."""

    positions: Learned | Relative | Absent = field(default_factory=Learned)
    segments: int = 2

    def width(self, spec: "Spec") -> int:
        """The embedding width e."""
        return spec.width

    def build(self, spec: "Spec") -> Embeddings:
        """Make the module."""
        return Embeddings(spec, self)


@dataclass(frozen=True)
class Unnormalised(Summed):
    """`Embeddings` without the LayerNorm: a Pre-LN stack brings its own (GPT-2)."""

    def build(self, spec: "Spec") -> Embeddings:
        """Make the module."""
        embeddings = Embeddings(spec, self)
        embeddings.norm = nn.Identity()
        return embeddings


@dataclass(frozen=True)
class Factorized(Summed):
    """`FactorizedEmbeddings` of width e, here `narrow`."""

    narrow: int = 128

    def width(self, spec: "Spec") -> int:
        """The embedding width e."""
        return self.narrow

    def build(self, spec: "Spec") -> Embeddings:
        """Make the module."""
        return FactorizedEmbeddings(spec, self)


@dataclass(frozen=True)
class SilentPadding(Summed):
    """`SilentPaddingEmbeddings`: tokens alone, no segments, padding zeroed."""

    segments: int = 0

    def build(self, spec: "Spec") -> Embeddings:
        """Make the module."""
        return SilentPaddingEmbeddings(spec, self)
