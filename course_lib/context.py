"""What every layer needs and none owns."""

from dataclasses import dataclass
from typing import Protocol

from torch import Tensor


class Cache(Protocol):
    """Keys and values of the tokens a causal model has already seen; `generate.KVCache` is one."""

    @property
    def length(self) -> int:
        """How many tokens each layer holds."""

    def append(self, layer: int, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Store a layer's new keys and values, b h t c, and return all of them, b h k c."""


@dataclass
class Context:
    """One forward pass's padding, global tokens, relative table, cache and position in the stack.

    The model makes one for each call. Layers read it; only `layer` and `scores` change.
    """

    keep: Tensor  # b k: True at real tokens, False at padding
    is_global: Tensor | None = None  # b t: True at tokens that see all and are seen by all
    relative: Tensor | None = None  # r d: DeBERTa's table of relative positions
    cache: Cache | None = None
    layer: int = 0
    scores: list[Tensor] | None = None  # where asked for, each layer's masked scores, b h q k
