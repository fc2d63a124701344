"""Patterns: which pairs of a query i and a key j may meet, before padding is considered."""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Full:
    """Every query sees every key: an encoder."""

    def __call__(self, i: Tensor, j: Tensor) -> Tensor:
        """For query positions i, q 1, and key positions j, 1 k: True where they may meet, q k."""
        return torch.ones_like(i - j, dtype=torch.bool)


@dataclass(frozen=True)
class Causal:
    """A query sees itself and what came before it: a language model."""

    def __call__(self, i: Tensor, j: Tensor) -> Tensor:
        """For query positions i, q 1, and key positions j, 1 k: True where they may meet, q k."""
        return j <= i


@dataclass(frozen=True)
class Window:
    """A query sees itself and `radius` neighbours on each side."""

    radius: int

    def __call__(self, i: Tensor, j: Tensor) -> Tensor:
        """For query positions i, q 1, and key positions j, 1 k: True where they may meet, q k."""
        return (i - j).abs() <= self.radius


Pattern = Full | Causal | Window
