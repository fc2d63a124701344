"""The floor under a pass: its matrix products, kept with their operands and run again alone."""

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from benchmarks.race import Row, in_turn, seconds

aten = torch.ops.aten
PRODUCTS = {
    aten.mm,
    aten.addmm,
    aten.bmm,
    aten.baddbmm,
    aten._scaled_dot_product_flash_attention_for_cpu,
    aten._scaled_dot_product_flash_attention_for_cpu_backward,
}
SIDE = 4_096


class Products(TorchDispatchMode):
    """Keeps each matrix product of what runs inside, so that it can be run again."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = []

    def __torch_dispatch__(
        self, op: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if op.overloadpacket in PRODUCTS:
            self.calls.append((op, args, kwargs))
        return op(*args, **kwargs)

    @torch.no_grad()
    def again(self) -> None:
        """Run all that was kept."""
        for op, args, kwargs in self.calls:
            op(*args, **kwargs)


def share_of_products(label: str, whole: Callable[[], Any], repeats: int) -> Row:
    """How much of our time is matrix products, which no arrangement of the rest can save."""
    with Products() as products:
        whole()
    work = f"{label}: its matrix products alone"
    return in_turn(work, "the whole of ours", products.again, whole, None, repeats)


def one_large_product(repeats: int) -> Row:
    """The rate this machine has when nothing else is asked of it."""
    a, b = torch.randn(SIDE, SIDE), torch.randn(SIDE, SIDE)
    work = f"one product of two matrices, {SIDE:,} × {SIDE:,}"
    best = min(seconds(lambda: a @ b) for _ in range(repeats + 1))
    return Row(work, "", best, None, None, None, None)
