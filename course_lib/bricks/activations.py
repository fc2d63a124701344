"""Activations: GELU in its exact form and its two approximations, ReLU and tanh.

Left out: GELU's false forms, such as x·Φ(1.702x). The chapter on GELU puts them on trial.
"""

import math

import torch
from torch import Tensor, nn


class GELU(nn.Module):
    """x·Φ(x), Φ the standard normal distribution function (Hendrycks & Gimpel 2016, §2)."""

    def forward(self, x: Tensor) -> Tensor:
        """Scale each number by the probability that a standard normal draw lies below it."""
        return x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))


class GELUTanh(nn.Module):
    """GELU with Φ(x) ≈ ½(1 + tanh(√(2/π)(x + 0.044715x³))): GPT-2's, ALBERT's, Google's BERT's."""

    def forward(self, x: Tensor) -> Tensor:
        """Scale each number by the tanh approximation of Φ."""
        return x * 0.5 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


class GELUSigmoid(nn.Module):
    """GELU with Φ(x) ≈ σ(1.702x): the coarsest of the three forms."""

    def forward(self, x: Tensor) -> Tensor:
        """Scale each number by the sigmoid approximation of Φ."""
        return x * torch.sigmoid(1.702 * x)


class ReLU(nn.Module):
    """max(0, x): the original Transformer's activation (Vaswani et al. 2017, §3.3)."""

    def forward(self, x: Tensor) -> Tensor:
        """Set what is negative to zero."""
        return x.clamp(min=0)


class Tanh(nn.Module):
    """tanh(x): the activation of BERT's pooler."""

    def forward(self, x: Tensor) -> Tensor:
        """Squash each number into (−1, 1)."""
        return torch.tanh(x)
