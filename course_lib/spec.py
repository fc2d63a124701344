"""Spec: which brick fills each slot of a model. The defaults are BERT-base.

A choice with numbers of its own is a small frozen dataclass beside its module; one without is the
module's class itself.
"""

from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from torch import nn

from course_lib.bricks.activations import GELU
from course_lib.bricks.attention import SelfAttention
from course_lib.bricks.block import Block, PostNorm
from course_lib.bricks.disentangled import Disentangled
from course_lib.bricks.embeddings import Relative, Summed
from course_lib.bricks.longformer import SlidingWindow
from course_lib.heads import Head, MaskedLM, NextSentence, PooledClassifier, Pooler


@dataclass(frozen=True)
class Spec:
    """Everything that tells one model from another.

    A variant is `Spec(...)` or `dataclasses.replace(other, ...)` with only what it changes.
    Raises `ValueError` where the width does not split into the heads, or two choices do not fit.
    """

    name: str = "bert-base"
    vocabulary: int = 30_522  # v
    width: int = 768  # d
    layers: int = 12  # l
    heads: int = 12  # h
    feedforward: int = 3_072  # f
    embeddings: Summed = field(default_factory=Summed)
    attention: SelfAttention | Disentangled | SlidingWindow = field(default_factory=SelfAttention)
    block: type[Block] = PostNorm
    activation: type[nn.Module] = GELU
    share_layers: bool = False  # ALBERT: one block, applied l times
    eps: float = 1e-12
    dropout: float = 0.1
    attention_dropout: float = 0.1
    pad: int | None = 0  # the id of padding
    pooler: type[Pooler] | None = Pooler
    pretraining: tuple[type[Head], ...] = (MaskedLM, NextSentence)
    classifier: type[Head] = PooledClassifier

    def __post_init__(self) -> None:
        if self.width % self.heads:
            raise ValueError(
                f"width={self.width} does not split into heads={self.heads} of equal width: "
                f"{self.width} / {self.heads} = {self.width / self.heads:.2f}. Choose a number of "
                "heads that divides the width (and check that heads and layers are not swapped)."
            )
        positions = self.embeddings.positions
        if isinstance(self.attention, Disentangled) and not isinstance(positions, Relative):
            raise ValueError(
                "Disentangled attention scores relative positions, but the embeddings have "
                f"{show(positions)}. Give them Relative(...)."
            )

    @property
    def head_width(self) -> int:
        """The width of one head, c = d/h."""
        return self.width // self.heads

    @property
    def embedding_width(self) -> int:
        """The width of the embedding tables, e."""
        return self.embeddings.width(self)

    @property
    def longest(self) -> int | None:
        """The most tokens a sequence may have; None where there is no limit."""
        return self.embeddings.positions.limit(self)


def show(choice: Any) -> str:
    """A choice as a reader would write it."""
    if isinstance(choice, type):
        return choice.__name__
    if isinstance(choice, tuple):
        return " + ".join(show(part) for part in choice) or "none"
    if is_dataclass(choice):
        parts = {f.name: show(getattr(choice, f.name)) for f in fields(choice)}
        inner = parts.values() if len(parts) == 1 else (f"{n}={v}" for n, v in parts.items())
        return f"{type(choice).__name__}({', '.join(inner)})"
    if isinstance(choice, int) and not isinstance(choice, bool):
        return f"{choice:,}"
    return "none" if choice is None else str(choice)


@dataclass(frozen=True)
class Diff:
    """The slots in which two Specs differ; prints as a table, in a terminal and in a notebook."""

    a: Spec
    b: Spec

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        """(slot, what a has, what b has) for each slot that differs."""
        pairs = ((f.name, getattr(self.a, f.name), getattr(self.b, f.name)) for f in fields(Spec))
        return [(n, show(x), show(y)) for n, x, y in pairs if n != "name" and x != y]

    def __str__(self) -> str:
        table = [("", self.a.name, self.b.name), *self.rows]
        first, second = (max(len(row[i]) for row in table) for i in (0, 1))
        return "\n".join(f"{n:{first}}  {x:{second}}  {y}".rstrip() for n, x, y in table)

    def _repr_html_(self) -> str:
        head = f"<tr><th></th><th>{self.a.name}</th><th>{self.b.name}</th></tr>"
        body = "".join(f"<tr><th>{n}</th><td>{x}</td><td>{y}</td></tr>" for n, x, y in self.rows)
        return f"<table>{head}{body}</table>"


def diff(a: Spec, b: Spec) -> Diff:
    """What b changes against a, slot by slot."""
    return Diff(a, b)
