"""The feed-forward half of a block: each token by itself."""

from typing import TYPE_CHECKING

from torch import Tensor, nn

if TYPE_CHECKING:
    from course_lib.spec import Spec


class FeedForward(nn.Module):
    """Linear d → f, activation, Linear f → d (Vaswani et al. 2017, §3.3, with ReLU)."""

    def __init__(self, spec: "Spec") -> None:
        super().__init__()
        self.input = nn.Linear(spec.width, spec.feedforward)
        self.activation = spec.activation()
        self.output = nn.Linear(spec.feedforward, spec.width)

    def forward(self, x: Tensor) -> Tensor:
        """Transform each token's vector, b t d → b t d."""
        x = self.activation(self.input(x))  # b t f
        return self.output(x)  # b t d
