"""The tracer: what it sees, what it counts, and that it leaves everything as it was."""

import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch
from matplotlib import pyplot as plt
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from course_lib import VARIANTS, assemble, build
from course_lib.bricks.attention import hide
from course_lib.generate import generate
from course_lib.heads import CausalLM
from course_lib.losses import causal_lm
from course_lib.trace import promises_in, statistics, trace


def head_of(name):
    return "lm" if CausalLM in VARIANTS[name].pretraining else "mlm"


def small_gpt2():
    torch.manual_seed(0)
    spec = replace(VARIANTS["gpt2"], vocabulary=30_000, width=24, layers=2, heads=2)
    return assemble(spec, head="lm").eval()


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return build("bert-tiny", head="mlm").eval()


@pytest.fixture(scope="module")
def ids():
    return torch.randint(5, 30_000, (2, 9), generator=torch.Generator().manual_seed(0))


@pytest.fixture(scope="module")
def traced(model, ids):
    result = trace(model, input_ids=ids)
    return result.backward(nn.functional.cross_entropy(result.output.mT, ids))


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_at_full_size(name):
    """On the meta device: true shapes, all parameters, the counter's operations, no work."""
    with torch.device("meta"):
        model = build(name, head=head_of(name)).eval()
        batch = torch.ones(2, 7, dtype=torch.long)
        with FlopCounterMode(display=False) as counter:
            model(batch)
        result = trace(model, batch)
    unused = sum(p.numel() for n, p in model.named_parameters() if "_global" in n)
    assert result.parameters == sum(p.numel() for p in model.parameters()) - unused
    assert result.flops == counter.get_total_flops() == sum(step.flops for step in result)
    layers = sorted({step.layer for step in result} - {None})
    assert layers == list(range(VARIANTS[name].layers))
    spec = VARIANTS[name]
    sizes = {"b": 2, "d": spec.width, "h": spec.heads, "f": spec.feedforward}
    sizes |= {"v": spec.vocabulary, "e": spec.embedding_width, "c": spec.head_width}
    for step in result:
        known = [(sizes.get(a), n) for a, n in zip(step.axes, step.shape, strict=True)]
        assert all(expected in (None, n) for expected, n in known), step
        assert (step.mean, step.std, step.dead) == (None, None, None)


def test_a_step_is_the_line_the_reader_sees(traced, root):
    for step in traced:
        line = (root / "course_lib" / step.file).read_text("utf-8").splitlines()[step.line - 1]
        assert line.strip() == f"{step.code}  # {' '.join(step.axes)}"


def test_statistics_and_values(traced):
    (weights,) = traced.find("weights = ", layer=1)
    assert weights.module == "backbone.layers.1.attention"
    assert weights.tensor.sum(-1).sub(1).abs().max() < 1e-6
    assert weights.mean == pytest.approx(1 / 9)
    assert weights.std == pytest.approx(weights.tensor.std(correction=0).item(), rel=1e-6)
    assert traced[-1].shape == (2, 9, 30_522)
    assert len(traced) == len(list(traced)) == len(traced.steps)


def test_gradients_are_those_of_autograd(model, ids, traced):
    kept = {}

    def keep(module, inputs, output):
        output.retain_grad()
        kept[module] = output

    layers = model.backbone.layers
    handles = [layer.register_forward_hook(keep) for layer in layers]
    nn.functional.cross_entropy(model(ids).mT, ids).backward()
    for handle in handles:
        handle.remove()
    for number, layer in enumerate(layers):
        step = traced.find("x = block(x, context)", layer=number)[0]
        assert step.gradient == pytest.approx(kept[layer].grad.norm().item(), rel=1e-5)
    model.zero_grad()


def test_backward_leaves_parameters_alone_and_may_run_again(model, ids):
    model.zero_grad()
    result = trace(model, ids)
    first = result.backward(result.output.square().mean())[0].gradient
    again = result.backward(2 * result.output.square().mean())[0].gradient
    assert again == pytest.approx(2 * first)
    assert all(p.grad is None for p in model.parameters())


def test_backward_needs_a_loss(model, ids):
    result = trace(model, ids)
    with pytest.raises(ValueError, match="backward needs a loss"):
        result.backward()
    with torch.no_grad():
        silent = trace(model, ids)
    with pytest.raises(ValueError, match="outside no_grad"):
        silent.backward(silent.output.sum())


def test_the_loss_itself_may_be_traced(ids):
    model = small_gpt2().requires_grad_(False)
    model.backbone.layers[0].requires_grad_()
    result = trace(lambda: causal_lm(model(ids), ids)).backward()
    assert result.output.ndim == 0
    assert result.find("x = block", layer=1)[0].gradient > 0
    assert result.find("x = self.token(input_ids)")[0].gradient is None


def test_tracing_changes_no_number(model, ids):
    assert torch.equal(trace(model, ids).output, model(ids))
    torch.manual_seed(3)
    dropped = trace(model.train(), ids).output
    torch.manual_seed(3)
    assert torch.equal(dropped, model(ids))
    model.eval()


def test_shared_layers_are_counted_and_located():
    with torch.device("meta"):
        result = trace(build("albert"), torch.ones(1, 3, dtype=torch.long))
    outputs = result.find("x = block(x, context)")
    assert [step.layer for step in outputs] == list(range(12))
    queries = result.find("q = split_heads")
    assert {step.module for step in queries} == {"layers.0.attention"}
    assert [step.parameters for step in queries] == [590_592] * 12
    assert result.parameters == 11_092_992


def test_generation_is_traced_through_its_generator():
    model = small_gpt2()
    result = trace(generate, model, torch.tensor([[5, 6, 7]]), new_tokens=2)
    tokens = result.find("token = greedy(logits)")
    assert [step.tensor.item() for step in tokens] == result.output[0, 3:].tolist()
    assert [s.shape[1] for s in result.find("x = self.embeddings(")] == [3, 1]
    assert {step.module for step in result.find("x = block")} == {"backbone"}
    assert [step.layer for step in result.find("logits = predict(")] == [None, None]


# --- statements of every form ------------------------------------------------------------------


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Trace a function from its source text, as from a reader's own file."""
    files = iter(range(100))

    def call(source, *args):
        file = tmp_path / f"model_{next(files)}.py"
        file.write_text(source, "utf-8")
        space = {}
        exec(compile(source, str(file), "exec"), space)
        return trace(space["f"], *args)

    return call


def test_a_statement_over_several_lines(run):
    source = """
def g(x):
    return x + 1

def f(x):
    y = g(
        x.mT,  # t b
    ) * g(x.mT)
    return y
"""
    result = run(source, torch.ones(2, 3))
    assert [(s.line, s.shape, s.code) for s in result] == [(7, (3, 2), "y = g( x.mT, ) * g(x.mT)")]


def test_loops_branches_comprehensions_and_nested_calls(run):
    source = """
def half(x):
    return x[:, :1]  # b 1

def f(x):
    for _ in range(2):
        x = x + sum(half(x)[i] for i in range(2))  # b t
    if x.dim() == 3:
        x = x[0]  # b t
    rows = [row * 2 for row in x]  # t
    return rows
"""
    result = run(source, torch.ones(2, 3))
    assert [s.line for s in result][:-2] == [3, 3, 7, 3, 3, 7]
    assert [s.shape for s in result][-2:] == [(3,), (3,)]


def test_targets_of_every_form(run):
    source = """
class Box: pass

def f(x):
    box, rows = Box(), {}
    a, (b, *_) = x, (x.mT, 1)  # b t
    box.value = rows["x"] = x  # b t
    x += 1  # b t
    z: object = x.sum(0)  # t
    n = None  # b
    return 3  # b
"""
    result = run(source, torch.ones(2, 3))
    assert [(s.line, s.shape) for s in result] == [
        (6, (2, 3)),
        (6, (3, 2)),
        (7, (2, 3)),
        (8, (2, 3)),
        (9, (3,)),
    ]


def test_a_generator_yields_its_values(run):
    source = """
def rows(x):
    for row in x:
        yield row  # t

def f(x):
    return sum(rows(x))  # t
"""
    assert [s.line for s in run(source, torch.ones(2, 3))] == [4, 4, 7]


def test_a_statement_that_fails_makes_no_step(run):
    source = """
def f(x):
    y = x  # b t
    try:
        y = x @ x  # b b
    except RuntimeError:
        pass
    return y
"""
    assert [s.line for s in run(source, torch.ones(2, 3))] == [3]


def test_only_files_of_the_library_and_of_the_reader_are_followed():
    assert promises_in(nn.__file__) == {}
    assert promises_in("<frozen importlib._bootstrap>") == {}
    assert promises_in(hide.__code__.co_filename) != {}


# --- the hook ----------------------------------------------------------------------------------


def test_another_tool_gets_its_hook_back(model, ids):
    def other(frame, event, arg):
        return other

    before = sys.gettrace()
    sys.settrace(other)
    try:
        result = trace(model, ids)
        assert sys.gettrace() is other
        with pytest.raises(ValueError, match="input_ids must be whole numbers"):
            trace(model, ids.float())
        assert sys.gettrace() is other
    finally:
        sys.settrace(before)
    assert len(result) == len(trace(model, ids))


def test_a_hook_taken_on_the_way_is_an_error(model, ids):
    before = sys.gettrace()

    def breakpoint_in_model():
        model(ids)
        sys.settrace(lambda frame, event, arg: None)

    with pytest.raises(RuntimeError, match="took Python's tracing hook"):
        trace(breakpoint_in_model)
    assert sys.gettrace() is before


def test_a_trace_inside_a_trace(model, ids):
    result = trace(lambda: trace(model, ids))
    assert len(result) == 0
    assert len(result.output) == len(trace(model, ids))


# --- statistics --------------------------------------------------------------------------------


def test_dead_rows_and_hidden_pairs():
    x = torch.tensor([[0.0, 0.0], [3.0, 3.0], [1.0, 2.0], [float("nan"), 0.0]])
    assert statistics(x)[2] == 0.5
    scores = torch.tensor([[1.0, 3.0], [5.0, 7.0]])
    allowed = torch.tensor([[True, False], [True, True]])
    assert statistics(hide(scores, allowed))[0] == pytest.approx(13 / 3)
    assert statistics(hide(scores, torch.zeros(2, 2, dtype=torch.bool))) == (None, None, 1.0)
    assert statistics(allowed) == (0.75, None, None)
    assert statistics(torch.ones(2, dtype=torch.long)) == (None, None, None)
    assert statistics(torch.empty(0, 3)) == (None, None, None)
    assert statistics(torch.tensor(2.0)) == (2.0, 0.0, None)
    mean, std, _ = statistics(torch.full((4, 100), 300.0, dtype=torch.bfloat16))
    assert (mean, std) == (300.0, 0.0)


# --- views -------------------------------------------------------------------------------------


def test_the_plain_table_has_every_line_once(traced):
    text, full = str(traced), traced.table(every_layer=True)
    assert text.splitlines()[0].split() == (
        "line code axes shape mean std dead gradient weights FLOPs".split()
    )
    assert full.count("weights = scores.softmax(dim=-1)") == 2
    assert text.count("weights = scores.softmax(dim=-1)") == 1
    assert "layer 1            … x = block(x, context)" in text
    assert f"{len(traced)} steps · 4,416,698 parameters used" in text
    assert "nan" not in text
    narrow = traced.table(width=100)
    assert max(map(len, narrow.splitlines()[1:-1])) <= max(100, len(narrow.splitlines()[0]))
    assert "…" in narrow


def test_rounding_noise_is_printed_as_zero(traced):
    (row,) = [r for r in str(traced).splitlines() if "return self.dropout(self.norm(x))" in r]
    assert row.split("128")[1].split()[:2] == ["0", "1"]


def test_the_notebook_view_folds_later_layers_and_escapes_code(traced, run):
    page = traced._repr_html_()
    assert page.count("<details open>") == 3
    assert page.count("<details>") == 1
    assert page.count("<tr>") == len(traced) + 4
    result = run("def f(x):\n    y = x if x.dim() < 3 else x  # b t\n", torch.ones(2, 3))
    assert "x.dim() &lt; 3" in result._repr_html_()


def texts(figure) -> Iterator[str]:
    for axes in figure.axes:
        yield from (text.get_text() for text in axes.texts)


def test_the_figure_shows_one_layer_with_its_shapes(traced):
    figure = traced.figure(layer=1)
    shown = list(texts(figure))
    assert "layer 1" in shown
    assert "layer 0" not in shown
    assert "b 2  h 2  q 9  k 9" in shown
    assert "b 2  1  q 9  k 9" in shown
    plotted = [len(axes.lines[0].get_xdata()) for axes in figure.axes[1:]]
    assert plotted[0] == sum(1 for s in traced if s.layer in (None, 1) and s.std)
    assert figure.get_facecolor() == (1, 1, 1, 1)
    with pytest.raises(ValueError, match="layer=2, but this trace has layers 0 … 1"):
        traced.figure(layer=2)
    plt.close("all")


def test_the_depth_figure_follows_the_stream(traced):
    figure = traced.depth_figure()
    stream = [
        traced.find("x = self.embeddings")[0],
        *(traced.find("x = block", layer=i)[0] for i in (0, 1)),
    ]
    spread, slope = (axes.lines[0].get_ydata().tolist() for axes in figure.axes)
    assert spread == [step.std for step in stream]
    assert slope == [step.gradient for step in stream]
    plt.close("all")


def test_views_do_without_numbers_and_without_layers(ids, run):
    with torch.device("meta"):
        shapes = trace(build("bert-tiny"), torch.ones(1, 4, dtype=torch.long))
    assert "–" in str(shapes)
    assert "not measured" in list(texts(shapes.figure()))
    assert shapes.depth_figure().axes[0].get_yscale() == "linear"
    alone = run("def f(x):\n    return x  # b t\n", torch.ones(2, 3))
    assert "── steps ──" in str(alone)
    assert "steps" in list(texts(alone.figure()))
    empty = trace(lambda: 1)
    assert "0 steps" in str(empty)
    assert "0 steps" in empty._repr_html_()
    plt.close("all")
