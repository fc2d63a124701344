"""Every shape comment in the library is run and true, with all axes of different size.

A run calls something and says how large each axis is there. A comment counts as checked when a run
that vouches for its module and knows all its letters has met it. To cover a new module, add a run.
"""

import doctest
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import torch

import course_lib
from course_lib import ALPHABET, VARIANTS, assemble, shape_comments
from course_lib.bricks.attention import SelfAttention
from course_lib.bricks.block import PostNorm
from course_lib.bricks.disentangled import Disentangled
from course_lib.bricks.embeddings import Relative, Sinusoidal, Summed
from course_lib.bricks.longformer import SlidingWindow
from course_lib.bricks.patterns import Window
from course_lib.bricks.rotary import Rotary
from course_lib.context import Context
from course_lib.fast import Decoder, faster
from course_lib.generate import KVCache, generate
from course_lib.heads import best_spans
from course_lib.objectives import OnlyMasked, predict_only_masked
from course_lib.shape_comments import axes_of, promises, trailing_comments
from course_lib.tokenizers.batch import pad
from course_lib.trace import trace

LIBRARY = Path(course_lib.__file__).parent
SOURCES = {p.relative_to(LIBRARY).as_posix(): p.read_text() for p in LIBRARY.rglob("*.py")}
PROMISES = [(module, p) for module, source in SOURCES.items() for p in promises(source)]

B, H, C, D, E, F, V, T, N, R, LAYERS = 3, 4, 5, 20, 7, 23, 37, 11, 6, 18, 2
MODEL = {"b": B, "d": D, "f": F, "v": V, "t": T}


def small(name: str, **changes: Any) -> Any:
    """A variant with few and different sizes."""
    spec = VARIANTS[name]
    spec = replace(spec, vocabulary=V, width=D, heads=H, layers=LAYERS, feedforward=F)
    if name == "albert":
        spec = replace(spec, embeddings=replace(spec.embeddings, narrow=E))
    if name == "deberta":
        spec = replace(spec, embeddings=replace(spec.embeddings, positions=Relative(R // 2)))
    if name == "longformer":
        spec = replace(spec, attention=SlidingWindow(12))
    return replace(spec, **changes)


def ids(tokens: int = T) -> torch.Tensor:
    return torch.randint(3, V, (B, tokens))


def spans() -> torch.Tensor:
    return torch.tensor([[[i + 1, i + 2] for i in range(N)]] * B)


def run_model(spec: Any, head: str | None = "pretraining", tokens: int = T, **inputs: Any) -> Any:
    """A model's prediction, and the states behind it."""
    model = assemble(spec, head=head).eval()
    if head is None:
        return model.states(ids(tokens)), spec
    return model(ids(tokens), **inputs), model.backbone.states(ids(tokens)), spec


def run_longformer(head: str) -> Any:
    """Eight blocks of six tokens, seven of them global."""
    far = torch.zeros(B, 48, dtype=torch.long)
    far[:, [0, 5, 6, 20, 30, 31, 47]] = 1
    model = assemble(small("longformer"), head=head).eval()
    states = model.backbone.states(ids(48), global_attention_mask=far)
    return model(ids(48), global_attention_mask=far), states


def run_default_global(head: str) -> Any:
    """The head chooses the global tokens: the question before the separator, or the first token."""
    model = assemble(small("longformer"), head=head).eval()
    return model(ids(48).index_fill(1, torch.tensor([7]), 2))


def run_cached() -> Any:
    """Four tokens are in the cache, nine are new."""
    model = assemble(small("gpt2"), head="lm").eval()
    cache = KVCache(model.spec, B, 13)
    model(ids(4), cache=cache)
    return trace(model.backbone.states, ids(9), torch.ones(B, 13), cache=cache)


def run_across() -> Any:
    """Eleven queries look at thirteen keys elsewhere."""
    module = SelfAttention().build(small("bert-base"))
    context = Context(torch.ones(B, 13, dtype=torch.bool))
    return module(torch.randn(B, T, D), context, torch.randn(B, 13, D)), context


def run_disentangled() -> Any:
    """The scores alone, since a whole layer of DeBERTa has as many keys as queries."""
    module = Disentangled().build(small("deberta"))
    context = Context(torch.ones(B, 13, dtype=torch.bool), relative=torch.randn(R, D))
    return module.scores(torch.randn(B, H, T, C), torch.randn(B, H, 13, C), context), context


def run_rotary() -> Any:
    """Eleven queries at the end of thirteen keys; the width of a head is even."""
    module = Rotary().build(small("bert-base", width=2 * D))
    context = Context(torch.ones(B, 13, dtype=torch.bool))
    return module.scores(torch.randn(B, H, T, 2 * C), torch.randn(B, H, 13, 2 * C), context)


def run_generation(temperature: float) -> Any:
    """The first of two new tokens after ten; the second finds all sequences at their end."""
    model = assemble(small("gpt2"), head="lm").eval()
    return generate(model, ids(T - 1), new_tokens=1, temperature=temperature)


def run_fast(name: str, mask: torch.Tensor | None = None, **changes: Any) -> Any:
    """The packed row, on the way in, inside, and on the way out."""
    return faster(assemble(small(name, **changes)).eval())(ids(), mask)


def run_fast_window() -> Any:
    """One text in six blocks of nine queries, each block with 9 + 2·6 = 21 keys around it."""
    far = torch.zeros(1, 48, dtype=torch.long)
    far[:, [0, 5, 6, 20, 30, 31, 47]] = 1
    model = faster(assemble(small("longformer")).eval())
    with mock.patch("course_lib.fast.attention.BLOCK", 9):
        return model(ids(48)[:1], global_attention_mask=far)


def run_decoder() -> Any:
    """Four tokens are in the cache, nine are new; one of the first is padding."""
    decoder = Decoder(assemble(small("gpt2"), head="lm").eval(), B, 13)
    keep = torch.ones(B, 13, dtype=torch.long)
    keep[0, 0] = 0
    decoder(ids(4), keep[:, :4])
    return trace(decoder, ids(9), keep)


def run_decoder_after() -> Any:
    decoder = Decoder(assemble(small("gpt2", block=PostNorm), head="lm").eval(), B, 9)
    return decoder(ids(9), torch.ones(B, 9, dtype=torch.long))


def run_spans() -> Any:
    return best_spans(torch.randn(B, T, 2), torch.ones(B, T, dtype=torch.bool))


def run_only_masked() -> Any:
    model = OnlyMasked(assemble(small("bert-base"), head="mlm"))
    labels = torch.full((B, T), -100).index_fill(1, torch.tensor([1, 4]), 5)
    return predict_only_masked(model, {"input_ids": ids(), "mlm": labels})


@dataclass
class Run:
    """A call, the modules whose comments it checks, and the size of each axis there.

    The letters in `alike` are one number there by nature, as d and e in all models but ALBERT.
    """

    call: Callable[[], Any]
    modules: str
    sizes: dict[str, int]
    alike: str = ""


BACKBONE = "model.py bricks/embeddings.py bricks/block.py bricks/feedforward.py heads.py"
WIDE = MODEL | {"e": D}
WHOLE = partial(Run, modules=BACKBONE, sizes=WIDE, alike="de")
LONG = {"b": B, "h": H, "c": C, "d": D, "f": F, "v": V, "t": 48, "n": 8, "q": 6, "w": 18, "g": 7}
PAIRS = {"b": B, "h": H, "c": C, "d": D, "q": T, "k": 13}
FAST = "fast/attention.py fast/models.py fast/packing.py"
DECODED = MODEL | {"h": H, "c": C, "t": 9, "p": B * 9}
PACKED = MODEL | {"h": H, "c": C, "p": B * T}
CLASSIFIERS = ("bert-base", "roberta", "distilbert", "deberta", "tinybert-4l", "gpt2")

RUNS = {
    "bert": WHOLE(partial(run_model, small("bert-base"))),
    "roberta": WHOLE(partial(run_model, small("roberta"))),
    "albert": Run(partial(run_model, small("albert")), BACKBONE, MODEL | {"e": E}),
    "distilbert": WHOLE(partial(run_model, small("distilbert"))),
    "spanbert": WHOLE(partial(run_model, small("spanbert"), spans=spans()), sizes=WIDE | {"n": N}),
    "deberta": Run(partial(run_model, small("deberta")), BACKBONE, MODEL | {"r": R}),
    "gpt2": WHOLE(partial(run_model, small("gpt2"))),
    "waves": WHOLE(partial(run_model, small("bert-base", embeddings=Summed(Sinusoidal(30))), None)),
    "sizes": Run(
        partial(run_model, small("bert-base")),
        "spec.py",
        {"v": V, "d": D, "l": LAYERS, "h": H, "f": F},
    ),
    **{
        f"classify {name}": Run(
            partial(run_model, small(name), "classification"), "heads.py", MODEL
        )
        for name in CLASSIFIERS
    },
    "answer": Run(partial(run_model, small("bert-base"), "qa"), "heads.py", MODEL),
    "spans": Run(run_spans, "heads.py", MODEL),
    "longformer": Run(partial(run_longformer, "mlm"), "bricks/longformer.py context.py", LONG),
    "longformer answers": Run(partial(run_default_global, "qa"), "heads.py", MODEL | {"t": 48}),
    "longformer classifies": Run(
        partial(run_default_global, "classification"), "heads.py", MODEL | {"t": 48}
    ),
    "cached": WHOLE(run_cached, modules=f"{BACKBONE} context.py", sizes=WIDE | {"t": 9, "k": 13}),
    "cached attention": Run(
        run_cached,
        "bricks/attention.py",
        {"b": B, "h": H, "c": C, "d": D, "q": 9, "t": 9, "k": 13},
    ),
    "across": Run(run_across, "bricks/attention.py", PAIRS | {"t": 13}),
    "rotary": Run(run_rotary, "bricks/rotary.py", PAIRS | {"c": 2 * C}),
    "disentangled": Run(run_disentangled, "bricks/disentangled.py context.py", PAIRS | {"r": R}),
    "disentangled mask": Run(
        partial(run_model, small("deberta")),
        "bricks/disentangled.py",
        PAIRS | {"k": T},
        alike="qk",
    ),
    "packed": Run(partial(run_fast, "bert-base"), FAST, PACKED),
    "packed window": Run(
        partial(run_fast, "bert-base", attention=SelfAttention(Window(2))),
        "fast/attention.py",
        {"q": T, "k": T},
        alike="qk",
    ),
    "packed, padded": Run(
        partial(run_fast, "bert-base", torch.tensor([[1] * T, [1] * 5 + [0] * 6, [1] + [0] * 10])),
        "fast/packing.py fast/models.py",
        MODEL | {"p": T + 5 + 1},
    ),
    "packed distances": Run(
        partial(run_fast, "deberta"),
        "fast/attention.py",
        PACKED | {"q": T, "k": T, "r": R},
        alike="tqk",
    ),
    "packed blocks": Run(
        run_fast_window,
        "fast/attention.py",
        {"h": H, "c": C, "t": 48, "g": 7, "n": 6, "q": 9, "w": 21},
    ),
    "packed windows": Run(
        partial(run_fast, "longformer"), "fast/attention.py", MODEL | {"p": B * T}
    ),
    "decoder": Run(run_decoder, "fast/decoder.py", DECODED),
    "decoder mask": Run(run_decoder, "fast/decoder.py", {"b": B, "q": 9, "k": 13}),
    "decoder cache": Run(run_decoder, "fast/decoder.py", {"b": B, "h": H, "k": 13, "c": C}),
    "decoder after": Run(run_decoder_after, "fast/decoder.py", DECODED),
    "greedy": Run(partial(run_generation, 0.0), "generate.py", MODEL),
    "drawn": Run(partial(run_generation, 1.0), "generate.py", MODEL),
    "padded rows": Run(lambda: pad([[1] * T, [1], [1] * 3], 0), "tokenizers/batch.py", MODEL),
    "only masked": Run(run_only_masked, "objectives.py", MODEL),
}


@dataclass(frozen=True)
class Sighting:
    """A shape that a run has met at a comment."""

    run: str
    shape: tuple[int, ...]

    def agrees(self, axes: tuple[str, ...]) -> bool | None:
        """Whether the axes are right here; None where the run does not know a letter."""
        sizes = RUNS[self.run].sizes
        known = [int(a) if a.isdigit() else sizes.get(a) for a in axes]
        return None if None in known else tuple(known) == self.shape


def declared(value: Any) -> list[tuple[str, str, Any]]:
    """Fields of our named tuples and dataclasses, wherever they lie in a result."""
    found = []
    named = is_dataclass(value) or hasattr(value, "_fields")
    if named and type(value).__module__.startswith("course_lib."):
        module = type(value).__module__.removeprefix("course_lib.").replace(".", "/") + ".py"
        names = [f.name for f in fields(value)] if is_dataclass(value) else value._fields
        parts = [getattr(value, name) for name in names]
        found = [(module, name, part) for name, part in zip(names, parts, strict=True)]
    else:
        parts = list(value) if isinstance(value, tuple | list) else []
    return found + [entry for part in parts for entry in declared(part)]


@pytest.fixture(scope="module")
def sightings() -> dict[tuple[str, int], list[Sighting]]:
    """What all runs meet: (module, line) → shapes."""
    torch.manual_seed(0)
    place = {(m, p.targets[0]): p.line for m, p in PROMISES if p.kind == "field"}
    met = defaultdict(list)
    for name, run in RUNS.items():
        result = trace(run.call)
        inner = result.output if hasattr(result.output, "steps") else result
        shapes = [(step.file, step.line, step.shape) for step in inner]
        for module, field, value in declared(inner.output):
            if (module, field) in place and value is not None:
                shape = (value,) if isinstance(value, int) else tuple(value.shape)
                shapes.append((module, place[module, field], shape))
        for module, line, shape in shapes:
            if module in run.modules.split():
                met[module, line].append(Sighting(name, shape))
    return met


def text_of(module: str, promise: Any) -> str:
    return f"{module}:{promise.line}: {promise.code}  # {' '.join(promise.axes)}"


def test_letters_are_those_of_the_alphabet():
    unknown = [
        text_of(module, promise)
        for module, promise in PROMISES
        if not all(axis.isdigit() or axis in ALPHABET for axis in promise.axes)
    ]
    assert not unknown, "letters outside the alphabet:\n" + "\n".join(unknown)


def test_no_comment_is_almost_a_shape():
    """`# b t 2d` or `# b, t, d` looks like a promise, yet nothing would check it."""
    odd = []
    for module, source in SOURCES.items():
        for line, (_, text) in trailing_comments(source).items():
            words = text.lstrip("# ").partition(":")[0].replace(",", " ").split()
            letters = [word for word in words if word in ALPHABET]
            if len(letters) >= 2 and all(len(w) <= 3 for w in words) and not axes_of(text):
                odd.append(f"{module}:{line}: {text}")
    assert not odd, "write letters and whole numbers, or words:\n" + "\n".join(odd)


def test_every_comment_is_run_and_true(sightings):
    false, unseen = [], []
    for module, promise in PROMISES:
        met = sightings.get((module, promise.line), [])
        verdicts = [(s, s.agrees(promise.axes)) for s in met]
        false += [
            f"{text_of(module, promise)}  is {s.shape} in {s.run!r}"
            for s, v in verdicts
            if v is False
        ]
        if not any(verdict is not None for _, verdict in verdicts):
            unseen.append(text_of(module, promise))
    assert not false, "false shape comments:\n" + "\n".join(false)
    assert not unseen, "no run checks these; add one to RUNS:\n" + "\n".join(unseen)


def test_no_other_letter_would_do(sightings):
    """Sizes differ enough: with any letter replaced by another, each comment would be false."""
    weak = []
    for module, promise in PROMISES:
        met = sightings.get((module, promise.line), [])
        known = {letter for s in met for letter in RUNS[s.run].sizes}
        for i, axis in enumerate(promise.axes):
            alike = [set(RUNS[s.run].alike) if axis in RUNS[s.run].alike else set() for s in met]
            same = set.intersection(*alike) if alike else set()
            for other in known - same - {axis}:
                changed = (*promise.axes[:i], other, *promise.axes[i + 1 :])
                verdicts = {s.agrees(changed) for s in met}
                if False not in verdicts and True in verdicts:
                    weak.append(f"{text_of(module, promise)}  could be {' '.join(changed)}")
    assert not weak, "\n".join(weak)


def test_runs_vouch_for_modules_that_exist():
    named = {module for run in RUNS.values() for module in run.modules.split()}
    assert named <= set(SOURCES)
    assert {axis for run in RUNS.values() for axis in run.sizes} == set(ALPHABET)


@pytest.mark.parametrize(
    ("comment", "axes"),
    [
        ("# b h q k", ("b", "h", "q", "k")),
        ("#b 1 t", ("b", "1", "t")),
        ("# b k: True at real tokens", ("b", "k")),
        ("# 1 r d", ("1", "r", "d")),
        ("# 30 % of it", None),
        ("# 12", None),
        ("# a token", None),
        ("# b t, for now", None),
        ("# b x-y", None),
    ],
)
def test_which_comments_promise_a_shape(comment, axes):
    assert axes_of(comment) == axes


def test_docstring_example():
    assert doctest.testmod(shape_comments).failed == 0


def test_the_head_of_a_loop_cannot_hold_a_promise():
    source = "for x in y:  # b t\n    z = x  # b t\n"
    assert [p.kind for p in promises(source)] == ["nowhere", "assigned"]


def test_a_lie_is_found(tmp_path, monkeypatch):
    """The same machinery on a file with one true and one false comment."""
    file = tmp_path / "lie.py"
    file.write_text(
        "def f(x):\n    y = x.transpose(0, 1)  # t b\n    return y @ x  # b t\n", "utf-8"
    )
    space: dict[str, Any] = {}
    exec(compile(file.read_text(), str(file), "exec"), space)
    result = trace(space["f"], torch.randn(B, T))
    monkeypatch.setitem(RUNS, "lie", Run(lambda: None, "lie.py", {"b": B, "t": T}))
    assert [Sighting("lie", s.shape).agrees(s.axes) for s in result] == [True, False]
