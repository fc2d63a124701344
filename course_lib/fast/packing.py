"""Packing: the real tokens of a batch in one long row, with no padding between them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple, overload

import torch
from torch import Tensor

from course_lib.context import Context


class Group(NamedTuple):
    """Neighbours in the packed row that are equally long."""

    sequences: int
    tokens: int


class Packing:
    """Where the p real tokens of a batch, b t, stand in the packed row.

    Sequences come in the order of their lengths, so that those of one length lie side by side and
    one kernel call takes them all.
    """

    def __init__(self, keep: Tensor) -> None:
        lengths = keep.sum(dim=1)  # b
        order = lengths.argsort(stable=True)  # b
        places = torch.arange(keep.numel(), device=keep.device).view_as(keep)[order]  # b t
        self.keep = keep  # b t
        self.whole = bool(keep.all())
        self.index = places[keep[order]]  # p
        self.groups = [
            Group(len(list(same)), length) for length, same in groupby(lengths[order].tolist())
        ]

    @classmethod
    def of(cls, keep: Tensor) -> "Packing | None":
        """The packing of a mask, b t; None where a text has a hole or no token at all.

        Distances would change if a hole were closed.
        """
        if bool(keep.all()):
            return cls(keep)
        place = torch.arange(keep.size(1), device=keep.device)
        first = torch.where(keep, place, keep.size(1)).amin(dim=1)  # b
        last = torch.where(keep, place, -1).amax(dim=1)  # b
        unbroken = last - first + 1 == keep.sum(dim=1)
        return cls(keep) if bool(unbroken.all()) else None

    def pack(self, x: Tensor) -> Tensor:
        """Take the real tokens, b t … → 1 p …."""
        flat = x.flatten(0, 1)
        return (flat if self.whole else flat[self.index])[None]

    def unpack(self, x: Tensor) -> Tensor:
        """Put them back, 1 p d → b t d, with zeros at padding."""
        if not self.whole:
            x = x.new_zeros(self.keep.numel(), x.size(-1)).index_copy(0, self.index, x[0])
        return x.view(*self.keep.shape, -1)  # b t d

    def cut(self, x: Tensor) -> list[Tensor]:
        """Cut a packed row, 1 p d, into its groups, each b t d."""
        sizes = [group.sequences * group.tokens for group in self.groups]
        return [
            part.view(group.sequences, group.tokens, -1)
            for part, group in zip(torch.split(x[0], sizes), self.groups, strict=True)
        ]

    def join(self, parts: list[Tensor]) -> Tensor:
        """Undo `cut`: groups, each b t d → 1 p d."""
        flat = [part.flatten(0, 1) for part in parts]
        return (flat[0] if len(flat) == 1 else torch.cat(flat))[None]


@dataclass
class PackedContext(Context):
    """What layers need in a pass over one packed row: `keep` and `is_global` are 1 p."""

    packing: Packing | None = None


class Unpacked(Sequence[Tensor]):
    """All layers' states, put back into b t d when somebody looks at them."""

    def __init__(self, packed: list[Tensor], packing: Packing) -> None:
        self.packed, self.packing = packed, packing

    def __len__(self) -> int:
        return len(self.packed)

    @overload
    def __getitem__(self, index: int) -> Tensor: ...

    @overload
    def __getitem__(self, index: slice) -> list[Tensor]: ...

    def __getitem__(self, index: int | slice) -> Tensor | list[Tensor]:
        if isinstance(index, slice):
            return [self.packing.unpack(x) for x in self.packed[index]]
        return self.packing.unpack(self.packed[index])

    def __iter__(self) -> Iterator[Tensor]:
        return map(self.packing.unpack, self.packed)
