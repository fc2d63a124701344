"""Rows and batches: what one training step reads, in an order that only the seed decides.

A row is a text as ids; a collate function makes a batch of tensors from some rows. What is masked
is chosen in `corruption.py`, padding itself is in `tokenizers/batch.py`.
"""

import hashlib
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

import torch
from torch import Tensor

from course_lib.corruption import Masked, Vocabulary, mask_bert
from course_lib.losses import IGNORED
from course_lib.tokenizers.batch import buckets, pad


class Row(NamedTuple):
    """One text as a model reads it: ids with their special tokens, a class, segment numbers."""

    ids: Sequence[int]
    label: int = IGNORED
    segments: Sequence[int] | None = None


Mask = Callable[[Sequence[int], Vocabulary, Random], Masked]
Batch = dict[str, Tensor]  # every tensor has one entry a row along its first axis
Collate = Callable[[list[Row], Random], Batch]


def padded(rows: list[Row], rng: Random | None = None) -> Batch:
    """Rows as they are: `input_ids` and `attention_mask`, b t, `label`, b, and segments if any.

    Padding gets id 0 in every vocabulary: where the mask is 0, no real token looks at it.
    """
    batch = {
        "input_ids": pad([row.ids for row in rows], 0),
        "attention_mask": pad([[1] * len(row.ids) for row in rows], 0),
        "label": torch.tensor([row.label for row in rows]),
    }
    if rows[0].segments is not None:
        batch["token_type_ids"] = pad([row.segments or [] for row in rows], 0)
    return batch


def masked(vocabulary: Vocabulary, mask: Mask = mask_bert) -> Collate:
    """Rows for a masked language model, masked anew each time: labels, b t, under "mlm"."""

    def collate(rows: list[Row], rng: Random) -> Batch:
        corrupted = [mask(row.ids, vocabulary, rng) for row in rows]
        pairs = zip(rows, corrupted, strict=True)
        batch = padded([row._replace(ids=found.input_ids) for row, found in pairs])
        batch["mlm"] = pad([found.labels for found in corrupted], IGNORED)
        return batch

    return collate


def next_tokens(rows: list[Row], rng: Random | None = None) -> Batch:
    """Rows for a causal language model: the labels are the ids, and padding asks for nothing.

    The first label is −100 too, since no position predicts it.
    """
    batch = padded(rows)
    batch["lm"] = batch["input_ids"].masked_fill(batch["attention_mask"] == 0, IGNORED)
    batch["lm"][:, 0] = IGNORED
    return batch


def counting(collate: Collate, tokens: Sequence[str] = (), rows: Sequence[str] = ()) -> Collate:
    """A collate function whose batches also hold labels for losses that ask for none.

    Losses named in `tokens` are means over all real tokens, those in `rows` over rows: their labels
    only say how many terms they have.
    """

    def counted(chosen: list[Row], rng: Random) -> Batch:
        batch = collate(chosen, rng)
        padding = batch["attention_mask"] == 0
        batch |= {name: batch["input_ids"].masked_fill(padding, IGNORED) for name in tokens}
        return batch | {name: torch.zeros(len(chosen), dtype=torch.long) for name in rows}

    return counted


class Order:
    """Which rows each step reads: every epoch new batches of texts of like length.

    All batches have the same size; what is left over, other rows every epoch, waits for the next.
    """

    def __init__(self, rows: Sequence[Row], batch: int, seed: int) -> None:
        if not 1 <= batch <= len(rows):
            raise ValueError(f"a batch of {batch} rows can't be drawn from {len(rows)} rows")
        self.lengths = [len(row.ids) for row in rows]
        self.batch, self.seed = batch, seed
        self.epoch = -1
        self.batches: list[list[int]] = []

    def __call__(self, step: int) -> list[int]:
        """The indices of a step's rows."""
        epoch, place = divmod(step, len(self.lengths) // self.batch)
        if epoch != self.epoch:
            self.epoch, self.batches = epoch, self.draw(mixed_seed(self.seed, "order", epoch))
        return self.batches[place]

    def draw(self, seed: int) -> list[list[int]]:
        """One epoch's batches."""
        generator = torch.Generator().manual_seed(seed)
        full = len(self.lengths) // self.batch * self.batch
        chosen = torch.randperm(len(self.lengths), generator=generator)[:full].tolist()
        groups = buckets([self.lengths[i] for i in chosen], self.batch, generator)
        return [[chosen[i] for i in group] for group in groups]


def terms(labels: Tensor) -> int:
    """How many terms a loss averages over: the labels that are not −100."""
    return int((labels != IGNORED).sum())


def mixed_seed(*parts: int | str) -> int:
    """One seed from several numbers; unlike a sum, no two lists of parts share it."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:7], "big")


def dice(*parts: int | str) -> Random:
    """A source of random numbers that depends on nothing but the parts."""
    return Random(mixed_seed(*parts))
