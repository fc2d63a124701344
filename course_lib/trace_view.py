"""How a trace looks: a plain table for a terminal, HTML for a notebook, and two figures.

A deep model repeats itself, so the views show its first layer line by line and each later one in
brief; all of it is in the trace.
"""

import html
import math
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from course_lib.tables import aligned, cut

if TYPE_CHECKING:
    from course_lib.trace import Step, Trace

HEADINGS = ("line", "code", "axes", "shape", "mean", "std", "dead", "gradient", "weights", "FLOPs")
ABSENT = "–"
BLUE, ORANGE, INK, FAINT = "#0072b2", "#d55e00", "#222222", "#666666"  # Okabe and Ito's


@dataclass(frozen=True)
class Part:
    """Consecutive steps of one layer, or of what lies between layers."""

    title: str
    layer: int | None
    steps: list["Step"]


def parts(trace: "Trace") -> list[Part]:
    """A trace cut where the layer changes."""
    runs = [(layer, list(steps)) for layer, steps in groupby(trace.steps, key=lambda s: s.layer)]
    last = len(runs) - 1
    outside = {0: "before the layers", last: "after the layers"} if last else {0: "steps"}
    return [
        Part(outside.get(i, "between layers") if layer is None else f"layer {layer}", layer, steps)
        for i, (layer, steps) in enumerate(runs)
    ]


def number(x: float | None) -> str:
    """Three digits of a number, or a dash."""
    return ABSENT if x is None else f"{x:.3g}" if abs(x) >= 5e-4 or x == 0 else f"{x:.1e}"


def mean_of(step: "Step") -> str:
    """A step's mean; what is only rounding beside its spread is 0."""
    noise = step.mean is not None and step.std and abs(step.mean) < 1e-5 * step.std
    return number(0.0 if noise else step.mean)


def share(x: float | None) -> str:
    """A share in per cent, or a dash."""
    return ABSENT if x is None else f"{x:.0%}"


def size(x: int) -> str:
    """A count in thousands, millions or billions."""
    for unit, name in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if x >= unit:
            return f"{x / unit:.3g} {name}"
    return str(x) if x else ABSENT


def lettered(step: "Step") -> list[tuple[str, int]]:
    """Each axis as its letter and its size; an axis written as a number has no letter."""
    pairs = zip(step.axes, step.shape, strict=False)
    return [("" if axis.isdigit() else axis, n) for axis, n in pairs]


def cells(step: "Step") -> tuple[str, ...]:
    """One step as a row of text."""
    return (
        f"{step.file.rpartition('/')[2]}:{step.line}",
        step.code,
        " ".join(step.axes),
        " ".join(map(str, step.shape)),
        mean_of(step),
        number(step.std),
        share(step.dead),
        number(step.gradient),
        size(step.parameters),
        size(step.flops),
    )


# ---------------------------------------------------------------------------------------------
# Plain text


def table(trace: "Trace", every_layer: bool = False, width: int | None = None) -> str:
    """A plain table. `width` limits its lines; the code gives way first."""
    rows: list[str | tuple[str, ...]] = []
    seen = False
    for part in parts(trace):
        brief = seen and part.layer is not None and not every_layer
        if brief:  # the last step of a layer is what it hands on
            rows.append((part.title, f"… {part.steps[-1].code}", *cells(part.steps[-1])[2:]))
            continue
        rows += [f"── {part.title} ──", *map(cells, part.steps)]
        seen = seen or part.layer is not None
    rows.append(totals(trace))
    return aligned(HEADINGS, rows, left=3, shrink=1, width=width)


def totals(trace: "Trace") -> str:
    """The run as a whole in one line."""
    return (
        f"{len(trace)} steps · {trace.parameters:,} parameters used · {trace.flops:,} FLOPs "
        "(2 a multiply-add)"
    )


# ---------------------------------------------------------------------------------------------
# A notebook

STYLE = (
    "<style>.trace{overflow-x:auto;font-size:.8rem}.trace table{font-size:inherit}"
    ".trace td,.trace th{text-align:right;padding:.15em .35em;white-space:nowrap}"
    ".trace td:nth-child(-n+2),.trace th:nth-child(-n+2){text-align:left}"
    ".trace td code{display:block;max-width:28ch;overflow:hidden;text-overflow:ellipsis}"
    ".trace summary{cursor:pointer;padding:.2em 0}.trace small{font-size:.9em;opacity:.8}</style>"
)


def to_html(trace: "Trace") -> str:
    """All steps; layers after the first are folded. Colours are the page's own, light or dark."""
    blocks, seen = [], False
    for part in parts(trace):
        open_ = "" if seen and part.layer is not None else " open"
        seen = seen or part.layer is not None
        last = part.steps[-1]
        brief = f"std {number(last.std)}, gradient {number(last.gradient)} at its end"
        blocks.append(
            f"<details{open_}><summary>{part.title} <small>{brief}</small></summary>"
            f"{html_table(part.steps)}</details>"
        )
    return f'{STYLE}<div class="trace">{"".join(blocks)}<p>{totals(trace)}</p></div>'


def html_table(steps: list["Step"]) -> str:
    """Some steps as a table; each axis carries its letter."""
    headings = [h for h in HEADINGS if h != "axes"]
    head = "".join(f'<th scope="col">{h}</th>' for h in headings)
    body = []
    for step in steps:
        row = list(cells(step))
        shape = " ".join(f"<small>{a}</small>&nbsp;{n}" for a, n in lettered(step))
        text = html.escape(step.code)
        code = f'<code title="{text}">{text}</code>'
        values = [html.escape(row[0]), code, shape, *row[4:]]
        body.append(f"<tr>{''.join(f'<td>{v}</td>' for v in values)}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


# ---------------------------------------------------------------------------------------------
# Figures: opaque and light, so that they read the same on a dark page


def figure(trace: "Trace", layer: int = 0) -> Any:
    """Each line with the shape it made, and beside it spread and gradient on a logarithmic scale.

    Shows what runs outside the layers and one layer of them. Raises `ValueError` for a layer that
    the trace does not have.
    """
    from matplotlib import pyplot as plt

    layers = sorted({step.layer for step in trace if step.layer is not None})
    if layers and layer not in layers:
        raise ValueError(f"layer={layer}, but this trace has layers {layers[0]} … {layers[-1]}.")
    shown = [p for p in parts(trace) if p.layer in (None, layer)]
    height = 0.2 * sum(len(p.steps) + 1 for p in shown) + 0.9
    fig, (text, spread, slope) = plt.subplots(
        1,
        3,
        sharey=True,
        figsize=(8, height),
        facecolor="white",
        gridspec_kw={"width_ratios": [4.6, 1, 1], "wspace": 0.04},
        layout="constrained",
    )
    y = 0
    points: list[tuple[int, Step]] = []
    for i, part in enumerate(shown):
        if i % 2:
            for ax in (text, spread, slope):
                ax.axhspan(y - 0.5, y + len(part.steps) + 0.5, color="#f1f4f7", zorder=0)
        text.text(0, y, part.title, color=FAINT, va="center", fontweight="bold", fontsize=8)
        for step in part.steps:
            y += 1
            points.append((y, step))
            shape = "  ".join(f"{a} {n}".strip() for a, n in lettered(step))
            mono = {"family": "monospace", "va": "center", "fontsize": 7}
            text.text(0.01, y, cut(step.code, 60), color=INK, parse_math=False, **mono)
            text.text(1, y, shape, color=BLUE, ha="right", **mono)
        y += 1
    text.set(xlim=(0, 1), ylim=(y - 0.5, -0.7), xticks=[], yticks=[])
    text.set_title("the line, and the shape it made", fontsize=9, loc="left")
    for ax, name, marker, colour in ((spread, "std", "o", BLUE), (slope, "gradient", "D", ORANGE)):
        measured = [(v, at) for at, step in points if (v := getattr(step, name))]
        ax.plot([v for v, _ in measured], [at for _, at in measured], marker, color=colour, ms=4)
        ax.set_title({"std": "std", "gradient": "gradient norm"}[name], fontsize=9, loc="left")
        ax.tick_params(labelsize=7)
        if measured:
            ax.set_xscale("log")
        else:
            ax.set_xticks([])
            ax.text(0.5, y / 2, "not measured", color=FAINT, ha="center", rotation=90)
    for ax in (text, spread, slope):
        ax.grid(visible=False)
        ax.tick_params(left=False, which="both")
        ax.spines[["left", "right", "top"]].set_visible(False)
    for ax in (spread, slope):
        ax.grid(axis="x", color="#dddddd", linewidth=0.6)
    text.spines["bottom"].set_visible(False)
    return fig


def depth_figure(trace: "Trace") -> Any:
    """The stream from the embeddings to the last layer: its spread, and the gradient's norm."""
    from matplotlib import pyplot as plt

    stream = [p.steps[-1] for p in parts(trace) if p.layer is not None or p.title.startswith("bef")]
    names = ["in" if step.layer is None else str(step.layer) for step in stream]
    fig, axes = plt.subplots(1, 2, figsize=(8, 2.8), facecolor="white", layout="constrained")
    for ax, name, marker, colour in zip(
        axes, ("std", "gradient"), "oD", (BLUE, ORANGE), strict=True
    ):
        values = [v if (v := getattr(step, name)) is not None else math.nan for step in stream]
        ax.plot(range(len(stream)), values, marker=marker, color=colour, ms=5)
        ax.set_xticks(range(len(stream)), names)
        ax.set_xlabel("layer")
        ax.set_title(
            {"std": "std of the stream", "gradient": "norm of its gradient"}[name],
            fontsize=10,
            loc="left",
        )
        ax.grid(visible=True, color="#dddddd", linewidth=0.6)
        ax.spines[["right", "top"]].set_visible(False)
        if any(v > 0 for v in values):
            ax.set_yscale("log")
    return fig
