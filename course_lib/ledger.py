"""Where a variant's parameters are, and how the count compares with the published one.

Everything is counted from the model itself, built on the meta device, which holds no numbers. Tied
weights count once. What a variant computes is in `flops.py`.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import groupby

import torch
from torch import nn

from course_lib.model import build
from course_lib.tables import aligned, html_table
from course_lib.variants import VARIANTS

# What can be counted, and how it is built.
COUNTED: dict[str, tuple[str | None, bool]] = {
    "backbone": (None, False),
    "backbone and pooler": (None, True),
    "masked language model": ("mlm", False),
    "causal language model": ("lm", False),
    "with all pre-training heads": ("pretraining", False),
}


@dataclass(frozen=True)
class Item:
    """One module's parameters: `each` of them, `times` over (once for each layer that has one)."""

    group: str
    part: str
    shapes: tuple[tuple[int, ...], ...]
    times: int

    @property
    def each(self) -> int:
        """The parameters of one."""
        return sum(map(math.prod, self.shapes))

    @property
    def total(self) -> int:
        """The parameters of all."""
        return self.times * self.each


@dataclass(frozen=True, repr=False)
class Ledger:
    """All parameters of a model by module; prints as a table."""

    name: str
    items: tuple[Item, ...]

    @property
    def total(self) -> int:
        """All parameters."""
        return sum(item.total for item in self.items)

    @property
    def groups(self) -> dict[str, int]:
        """The parameters of each group: embeddings, layers, pooler, …"""
        totals: dict[str, int] = {}
        for item in self.items:
            totals[item.group] = totals.get(item.group, 0) + item.total
        return totals

    @property
    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """(group, part, its shapes, how many times, parameters) for each item."""
        return [
            (i.group, i.part, shapes_text(i.shapes), f"{i.times}", f"{i.total:,}")
            for i in self.items
        ]

    def __repr__(self) -> str:
        lines: list[str | tuple[str, ...]] = []
        for group, rows in groupby(self.rows, key=lambda row: row[0]):
            lines += [row[1:] for row in rows]
            lines.append((f"= {group}", "", "", f"{self.groups[group]:,}"))
        lines.append((f"= {self.name}", "", "", f"{self.total:,}"))
        return aligned(("part", "shapes", "times", "parameters"), lines, left=2)

    def _repr_html_(self) -> str:
        total = ("", f"all of {self.name}", "", "", f"{self.total:,}")
        return html_table(("group", "part", "shapes", "times", "parameters"), [*self.rows, total])


@cache
def ledger(name: str, counted: str = "with all pre-training heads") -> Ledger:
    """The parameters of a variant by module. `counted` is a key of `COUNTED`."""
    if counted not in COUNTED:
        raise ValueError(f"Nothing is counted as {counted!r}. Choose from: {', '.join(COUNTED)}.")
    head, pooler = COUNTED[counted]
    with torch.device("meta"):
        model = build(name, head=head, pooler=pooler)
    return Ledger(name, tuple(items(model)))


def items(model: nn.Module) -> list[Item]:
    """A model's parameters by module, group by group; the same part of all layers is one item."""
    shapes: dict[tuple[str, str], tuple[tuple[int, ...], ...]] = {}
    times: dict[tuple[str, str], int] = {}
    for path, module in model.named_modules():
        own = {name: tuple(p.shape) for name, p in module.named_parameters(recurse=False)}
        whole = {path: tuple(own.values())} if own else {}  # a Linear with its bias
        loose = {f"{path}.{name}": (shape,) for name, shape in own.items()}
        for name, found in (loose if any(module.children()) else whole).items():
            shapes[place(name)] = found
            times[place(name)] = times.get(place(name), 0) + 1
    groups = list(dict.fromkeys(group for group, _ in shapes))
    ordered = sorted(shapes, key=lambda at: groups.index(at[0]))
    return [Item(*at, shapes[at], times[at]) for at in ordered]


def place(path: str) -> tuple[str, str]:
    """The group and the part that a module's path in the model tells.

    >>> place("backbone.layers.3.attention.query"), place("head.objectives.mlm.norm")
    (('layers', 'attention.query'), ('heads', 'mlm.norm'))
    """
    top, _, rest = path.removeprefix("backbone.").partition(".")
    if top == "head":
        return "heads", rest.removeprefix("objectives.")
    if top == "layers":
        return "layers", rest.partition(".")[2]
    if rest == "position.table":
        return "relative positions", "table"
    return ("final norm", "norm") if top == "norm" else (top, rest)


# ---------------------------------------------------------------------------------------------
# Published against computed


@dataclass(frozen=True)
class Published:
    """A published number of parameters, with the count of ours it comes nearest to in meaning.

    `citation` is a key of the book's bibliography. `reason` says what else than rounding makes the
    difference.
    """

    figure: str  # as printed, in millions
    counted: str
    citation: str
    where: str
    reason: str = ""

    @property
    def millions(self) -> float:
        """The figure as a number."""
        return float(self.figure.removesuffix("M"))

    def rounds_to(self, count: int) -> bool:
        """Whether an exact count rounds to the printed figure."""
        digits = len(self.figure.removesuffix("M").partition(".")[2])
        return round(count / 1e6, digits) == self.millions


ALL_HEADS = "with all pre-training heads"
NO_TABLE = "backbone without the token table"

PUBLISHED: dict[str, tuple[Published, ...]] = {
    "bert-base": (Published("110M", ALL_HEADS, "devlin2019bert", "§3"),),
    "bert-large": (
        Published(
            "340M",
            ALL_HEADS,
            "devlin2019bert",
            "§3",
            "Rounded up to tens: no set of BERT-large's tensors has more than 336.2M.",
        ),
    ),
    "roberta": (
        Published("125M", "masked language model", "liu2019roberta", "the released models' list"),
    ),
    "albert": (Published("12M", ALL_HEADS, "lan2020albert", "Table 1"),),
    "distilbert": (Published("66M", "backbone", "sanh2019distilbert", "Table 3"),),
    "spanbert": (Published("110M", ALL_HEADS, "joshi2020spanbert", "the released models' list"),),
    "deberta": (
        Published("100M", NO_TABLE, "he2021deberta", "the released models' list"),
        Published(
            "134M",
            "backbone",
            "he2021deberta",
            "Table 13",
            "The paper does not say what it counts. The released checkpoint's backbone is larger.",
        ),
    ),
    "longformer": (
        Published(
            "149M",
            "masked language model",
            "beltagy2020longformer",
            "quoted for the released checkpoint; the paper prints no count",
        ),
    ),
    "tinybert-4l": (Published("14.5M", ALL_HEADS, "jiao2020tinybert", "Table 1"),),
    "bert-tiny": (Published("4.4M", "backbone and pooler", "turc2019well", "Table 1"),),
    "gpt2": (
        Published(
            "117M",
            "causal language model",
            "radford2019language",
            "Table 2",
            "A miscount: the authors' page for the released model corrects it to 124M.",
        ),
    ),
}

# What a reader who counts with another tool will stumble over.
NOTES = {
    "roberta": "The reference library adds a pooler of 590,592 that nobody trained, and a segment "
    "table whose 768 numbers are all zero.",
    "albert": "One block serves all twelve layers, so it counts once.",
    "distilbert": "Its masked-language-model head would make it 67.0M.",
    "spanbert": "The vocabulary is the cased one, 28,996. The boundary objective has 15 positions.",
    "deberta": "The absolute positions, 393,216, belong to the pre-training decoder alone.",
    "longformer": "Its second set of projections, for global tokens, makes up 21,261,312.",
    "tinybert-4l": "Distillation trains five more Linears of 240,384, which are thrown away.",
    "gpt2": "The output layer is the token table, so the head adds nothing.",
}


@dataclass(frozen=True)
class Comparison:
    """One published figure beside the exact count."""

    name: str
    published: Published
    computed: int

    @property
    def difference(self) -> int:
        """Published minus computed."""
        return round(self.published.millions * 1e6) - self.computed

    @property
    def reason(self) -> str:
        """Why they differ, and what to know when counting oneself."""
        reason = self.published.reason or "Rounding."
        note = NOTES.get(self.name, "")
        return f"{reason} {note}".rstrip()

    @property
    def row(self) -> tuple[str, str, str, str, str, str]:
        """(variant, published, what is counted, computed, difference, reason)."""
        p = self.published
        difference = f"{self.difference:+,}".replace("-", "−")
        return self.name, p.figure, p.counted, f"{self.computed:,}", difference, self.reason


@dataclass(frozen=True, repr=False)
class Comparisons:
    """Published against computed, for some variants; prints as a table."""

    all: list[Comparison]

    headings = ("variant", "published", "counted", "computed", "difference", "reason")

    def __repr__(self) -> str:
        rows = [c.row for c in self.all]
        order = (0, 2, 1, 3, 4, 5)  # texts left, numbers right, the reason last
        shown = [[row[i] for i in order[:-1]] for row in (self.headings, *rows)]
        lines = aligned(shown[0], shown[1:], left=2).splitlines()
        reasons = [row[-1] for row in (self.headings, *rows)]
        return "\n".join(f"{line}  {reason}" for line, reason in zip(lines, reasons, strict=True))

    def _repr_html_(self) -> str:
        return html_table(self.headings, [c.row for c in self.all])


def compare(names: Iterable[str] = VARIANTS) -> Comparisons:
    """Each variant's published figures beside what the model here has."""
    return Comparisons([Comparison(n, p, count(n, p.counted)) for n in names for p in PUBLISHED[n]])


def count(name: str, counted: str) -> int:
    """A variant's exact number of parameters, counted in one of the ways of `COUNTED`."""
    if counted == NO_TABLE:
        backbone = ledger(name, "backbone")
        return sum(i.total for i in backbone.items if (i.group, i.part) != ("embeddings", "token"))
    return ledger(name, counted).total


def shapes_text(shapes: Iterable[tuple[int, ...]]) -> str:
    """Shapes as a reader would write them: 768 × 3,072 + 3,072."""
    return " + ".join(" × ".join(f"{n:,}" for n in shape) for shape in shapes)
