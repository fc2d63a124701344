"""Models side by side: what each does, step by step, as data for the book's explorer and as tables.

Every number is from a trace on the meta device, with all widths at full size and one layer of the
l that repeat. Left out: Longformer's global tokens, and how the explorer looks
(book/_static/explorer.js).
"""

import ast
import inspect
import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from functools import cache
from html import escape
from typing import Any

import torch
from torch import nn

from course_lib.heads import CausalLM
from course_lib.ledger import ALL_HEADS, ledger, shapes_text
from course_lib.model import assemble
from course_lib.spec import Spec, show
from course_lib.tables import html_table
from course_lib.trace import LIBRARY, Step, Trace, trace
from course_lib.trace_view import size
from course_lib.variants import VARIANTS

LENGTHS = (16, 128, 256, 512, 1_024, 4_096)
BEFORE, LAYER, AFTER = "before the layers", "one layer", "after the layers"
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")  # Okabe and Ito's


@dataclass(frozen=True)
class Row:
    """One line of a model's code and what it makes from a batch of 1, at each length that fits."""

    part: str
    module: str
    file: str
    line: int
    code: str
    axes: tuple[str, ...]
    shapes: list[tuple[int, ...]]
    weights: str
    parameters: int
    flops: list[int]  # they grow with the batch where the tensor does
    uses: str  # what the line calls that has no weights to show: "LayerNorm ε 1e-12, Dropout 0.1"
    function: str  # a key of `functions`


@dataclass(frozen=True)
class Model:
    """A model as the explorer knows it."""

    name: str
    choices: dict[str, str]  # the Spec's slots
    layers: int
    limit: int | None
    parameters: dict[str, int]  # by group, with all pre-training heads
    rows: list[Row]

    @property
    def total(self) -> int:
        """All parameters, with all pre-training heads."""
        return sum(self.parameters.values())

    def flops(self, tokens: int) -> int:
        """The operations of one sequence, all layers and the head."""
        i = LENGTHS.index(tokens)
        return sum(r.flops[i] * (self.layers if r.part == LAYER else 1) for r in self.rows)


@cache
def model(name: str, lengths: tuple[int, ...] = LENGTHS) -> Model:
    """Trace a variant at the lengths it can take."""
    spec = VARIANTS[name]
    small = one_layer(spec)
    fitting = [t for t in lengths if spec.longest is None or t <= spec.longest]
    return Model(
        name=name,
        choices={f.name: show(getattr(spec, f.name)) for f in fields(Spec) if f.name != "name"},
        layers=spec.layers,
        limit=spec.longest,
        parameters=ledger(name, ALL_HEADS).groups,
        rows=rows(small, [traced(small, t) for t in fitting]),
    )


def one_layer(spec: Spec) -> nn.Module:
    """A model at full width with one layer and its language-model head, on the meta device."""
    head = "lm" if CausalLM in spec.pretraining else "mlm"
    with torch.device("meta"):
        return assemble(replace(spec, layers=1), head=head).eval()


def traced(model: nn.Module, tokens: int, batch: int = 1) -> Trace:
    """One run on the meta device."""
    with torch.device("meta"):
        return trace(model, torch.ones(batch, tokens, dtype=torch.long))


def rows(model: nn.Module, traces: list[Trace]) -> list[Row]:
    """The same line of each trace as one row; lines that only hand a tensor on are left out."""
    shortest = list(traces[0])
    inside = [i for i, step in enumerate(shortest) if step.layer is not None]
    found, seen = [], set()
    for i, step in enumerate(shortest):
        handed_on = id(step.tensor) in seen and not step.weights and not step.flops
        seen.add(id(step.tensor))
        if not handed_on:
            part = BEFORE if i < inside[0] else AFTER if i > inside[-1] else LAYER
            found.append(row(part, model.get_submodule(step.module), [each[i] for each in traces]))
    return found


def row(part: str, owner: nn.Module, steps: list[Step]) -> Row:
    """One line of a module's code at several lengths."""
    first = steps[0]
    assert {(step.file, step.line) for step in steps} == {(first.file, first.line)}
    module = first.module.removeprefix("backbone.").removeprefix("layers.0.")
    return Row(
        part=part,
        module="block" if module == "layers.0" else module,
        file=first.file,
        line=first.line,
        code=first.code,
        axes=first.axes,
        shapes=[step.shape for step in steps],
        weights=shapes_text(first.weights),
        parameters=first.parameters,
        flops=[step.flops for step in steps],
        uses=uses(owner, first.code),
        function=f"{first.file}:{function_at(first.file, first.line)[0]}",
    )


def uses(owner: nn.Module, code: str) -> str:
    """The parts that a line calls on its module and that its weights do not tell.

    >>> uses(FeedForward(BERT_BASE), "x = self.activation(self.input(x))")
    'GELU'
    """
    parts = []
    for name in re.findall(r"self\.(\w+)\(", code):
        match getattr(owner, name):
            case nn.Linear():
                continue
            case nn.LayerNorm(eps=eps):
                parts.append(f"LayerNorm ε {eps:g}")
            case nn.Dropout(p=p):
                parts.append(f"Dropout {p:g}")
            case part if is_dataclass(part):
                parts.append(show(part))
            case nn.Module() as part if type(part) is not nn.Embedding:
                parts.append(type(part).__name__)
    return ", ".join(parts)


@cache
def function_at(file: str, line: int) -> tuple[int, str]:
    """The function around a line: where it starts, and its text."""
    text = (LIBRARY / file).read_text(encoding="utf-8")
    around = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    inner = max(around, key=lambda node: node.lineno)
    lines = text.splitlines()[inner.lineno - 1 : inner.end_lineno]
    return inner.lineno, inspect.cleandoc("\n" + "\n".join(lines))


class Explorer:
    """The chosen models for the explorer; without its script, and in a notebook, plain tables."""

    def __init__(self, names: Iterable[str] = VARIANTS) -> None:
        self.models = [model(name) for name in names]

    def data(self) -> dict[str, Any]:
        """Everything the page's script needs."""
        rows = [row for each in self.models for row in each.rows]
        return {
            "lengths": LENGTHS,
            "models": [asdict(each) for each in self.models],
            "functions": {row.function: function_at(row.file, row.line)[1] for row in rows},
        }

    def __repr__(self) -> str:
        return f"{len(self.models)} models: {', '.join(each.name for each in self.models)}"

    def _repr_html_(self) -> str:
        data = json.dumps(self.data(), separators=(",", ":")).replace("<", "\\u003c")
        plain = "".join(map(plain_steps, self.models))
        return (
            f'<div class="explorer"><script type="application/json">{data}</script>'
            f'<div class="explorer-plain">{plain_overview(self.models)}{plain}</div></div>'
        )


def plain_overview(models: list[Model]) -> str:
    """One line a model."""
    headings = ("model", "layers", "width", "heads", "feed-forward", "longest input", "parameters")
    lines = [
        (
            each.name,
            *(each.choices[slot] for slot in ("layers", "width", "heads", "feedforward")),
            "no limit" if each.limit is None else f"{each.limit:,}",
            f"{each.total:,}",
        )
        for each in models
    ]
    return html_table(headings, lines)


def plain_steps(each: Model, tokens: int = 128) -> str:
    """A model's steps as a folded table, for one sequence."""
    at = LENGTHS.index(tokens)
    headings = ("part", "line", "code", "axes", "shape", "weights", "FLOPs")
    lines = [
        (
            r.part,
            f"{r.file}:{r.line}",
            r.code,
            " ".join(r.axes),
            " × ".join(f"{n:,}" for n in r.shapes[at]),
            r.weights,
            size(r.flops[at]),
        )
        for r in each.rows
    ]
    return (
        f"<details><summary>{escape(each.name)}, step by step: one sequence of {tokens} tokens; "
        f"the layer runs {each.layers} times</summary>{html_table(headings, lines)}</details>"
    )


class Chart:
    """Where each model's parameters are: one bar a model, all to one scale, in a notebook."""

    def __init__(self, names: Iterable[str] = VARIANTS) -> None:
        self.groups = {name: ledger(name, ALL_HEADS).groups for name in names}

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {groups}" for name, groups in self.groups.items())

    def _repr_html_(self) -> str:
        names = list(dict.fromkeys(name for groups in self.groups.values() for name in groups))
        colour = dict(zip(names, COLOURS, strict=True))
        largest = max(sum(groups.values()) for groups in self.groups.values())
        legend = "".join(
            f'<span><i style="background:{colour[name]}"></i>{name}</span>' for name in names
        )
        bars = []
        for model_name, groups in self.groups.items():
            pieces = "".join(
                f'<i style="width:{n / largest:.3%};background:{colour[name]}" '
                f'title="{name}: {n:,}"></i>'
                for name, n in groups.items()
            )
            total = f"{sum(groups.values()):,}"
            bars.append(
                f'<tr data-model="{model_name}"><th scope="row">{model_name}</th>'
                f'<td><div class="bar" role="img" aria-label="{spoken(groups)}">{pieces}</div></td>'
                f"<td>{total}</td></tr>"
            )
        return (
            f'{CHART_STYLE}<div class="ledger-chart"><p>{legend}</p>'
            f"<table><tbody>{''.join(bars)}</tbody></table></div>"
        )


CHART_STYLE = (
    "<style>.ledger-chart table{width:100%;border-collapse:collapse;font-size:.85rem}"
    ".ledger-chart th,.ledger-chart td{padding:.15rem .4rem;text-align:right;white-space:nowrap}"
    ".ledger-chart td:nth-child(2){width:100%}.ledger-chart .bar{display:flex;height:1rem}"
    ".ledger-chart p{display:flex;flex-wrap:wrap;gap:.2rem 1rem;font-size:.85rem}"
    ".ledger-chart p i{display:inline-block;width:.8em;height:.8em;margin-right:.35em}</style>"
)


def spoken(groups: dict[str, int]) -> str:
    """A bar in words."""
    return ", ".join(f"{name} {size(n)}" for name, n in groups.items())
