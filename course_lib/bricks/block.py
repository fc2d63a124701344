"""A block: attention, then feed-forward, each added to the stream.

The choice is where the norm stands.
"""

from typing import TYPE_CHECKING, ClassVar

from torch import Tensor, nn

from course_lib.bricks.feedforward import FeedForward
from course_lib.context import Context

if TYPE_CHECKING:
    from course_lib.spec import Spec


class Block(nn.Module):
    """The parts of a block; `PostNorm` and `PreNorm` say in which order they act."""

    final_norm: ClassVar[bool]  # whether the stack ends with a LayerNorm of its own

    def __init__(self, spec: "Spec") -> None:
        super().__init__()
        self.attention = spec.attention.build(spec)
        self.attention_norm = nn.LayerNorm(spec.width, eps=spec.eps)
        self.feedforward = FeedForward(spec)
        self.feedforward_norm = nn.LayerNorm(spec.width, eps=spec.eps)
        self.dropout = nn.Dropout(spec.dropout)


class PostNorm(Block):
    """x ← LayerNorm(x + F(x)): the original Transformer, GPT-1, BERT and all its variants here."""

    final_norm = False

    def forward(self, x: Tensor, context: Context, memory: Tensor | None = None) -> Tensor:
        """One layer, b t d → b t d."""
        mixed = self.attention(x, context, memory)  # b t d
        x = self.attention_norm(x + self.dropout(mixed))  # b t d
        return self.feedforward_norm(x + self.dropout(self.feedforward(x)))  # b t d


class PreNorm(Block):
    """x ← x + F(LayerNorm(x)): GPT-2 and later; the stream itself is normalised only at the end."""

    final_norm = True

    def forward(self, x: Tensor, context: Context, memory: Tensor | None = None) -> Tensor:
        """One layer, b t d → b t d."""
        mixed = self.attention(self.attention_norm(x), context, memory)  # b t d
        x = x + self.dropout(mixed)  # b t d
        return x + self.dropout(self.feedforward(self.feedforward_norm(x)))  # b t d
