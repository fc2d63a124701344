"""When training breaks: out of memory, NaN, wrong labels, leaks, all predictions the same.

Each helper measures; none changes a model, its data or its training for good. Chapter: when
training breaks.
"""

import copy
import math
import weakref
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import combinations
from random import Random
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from course_lib.data import digest, fingerprint
from course_lib.evaluate import predict
from course_lib.logs import History
from course_lib.objectives import Objective
from course_lib.optim import AdamW, decay_groups
from course_lib.rows import Batch, Row, padded
from course_lib.train import Recipe, Run, Team, checkpointed, take_step

# --- memory -----------------------------------------------------------------------------------


class LiveMemory(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts the bytes of all tensors alive while it is active, and the most there ever were.

    It sees every tensor that an operation returns, on any device, and on "meta" too, where
    tensors have shapes but take no memory. What a kernel needs only inside is not seen.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.now = 0
        self.peak = 0
        self.known: dict[int, Any] = {}

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        for leaf in tree_leaves(result):
            if isinstance(leaf, Tensor):
                self.count(leaf)
        return result

    def count(self, x: Tensor) -> None:
        """Count a tensor's storage until it is freed; views of one storage count once."""
        storage = x.untyped_storage()
        key, size = storage._cdata, storage.nbytes()
        if key in self.known:
            return

        def freed(_: Any) -> None:
            self.now -= size
            del self.known[key]

        self.known[key] = weakref.ref(storage, freed)
        self.now += size
        self.peak = max(self.peak, self.now)


@dataclass(frozen=True)
class Memory:
    """Bytes of one training step by what holds them, and the most that live at one moment.

    `activations` is what the forward pass keeps for the backward pass. The peak differs from the
    sum of the parts: activations are freed while gradients come into being, and both the backward
    pass and the optimizer need room for what they are just computing.
    """

    parameters: int
    gradients: int
    optimizer: int
    activations: int
    peak: int

    def __str__(self) -> str:
        return "\n".join(f"{name:<12} {size / 2**20:>10,.1f} MiB" for name, size in self.rows)

    @property
    def rows(self) -> list[tuple[str, int]]:
        """(part, bytes) in the order of a table."""
        return list(vars(self).items())


def estimate_memory(
    model: nn.Module,
    batch: int,
    tokens: int,
    *,
    terms: int | None = None,
    optimizer: Callable[[list[dict[str, Any]]], torch.optim.Optimizer] = AdamW,
    checkpointing: bool = False,
) -> Memory:
    """What a training step of `batch` rows of `tokens` ids will need, found without needing it.

    The step runs on the "meta" device, so a model too large for this machine can be asked about:
    build it inside `with torch.device("meta")`. `terms` is the number of rows of logits that the
    loss reads (about 15 % of all tokens in a masked language model); None means all. The ids, the
    mask and the batch itself are left out, and autocast cannot be estimated this way.
    """
    ghost = copy.deepcopy(model).to("meta").train()
    update = optimizer(decay_groups(ghost))
    trainable = [p for p in ghost.parameters() if p.requires_grad]
    for p in trainable:
        p.grad = torch.zeros_like(p)
    update.step()  # now the optimizer has its state, as in every step but the first
    update.zero_grad(set_to_none=True)
    ids = torch.zeros(batch, tokens, dtype=torch.long, device="meta")
    states = [x for state in update.state.values() for x in state.values() if torch.is_tensor(x)]
    live = LiveMemory()
    for x in [*ghost.parameters(), *states]:
        live.count(x)
    before = live.now
    with checkpointed(ghost, checkpointing), live:
        logits = ghost(ids, torch.ones_like(ids))
        rows = logits.flatten(end_dim=-2)[:terms]
        loss = rows.log_softmax(-1).mean()
        held = live.now - before
        del logits, rows
        torch.autograd.backward(loss)
        del loss
        update.step()
    return Memory(
        parameters=size_of(ghost.parameters()),
        gradients=size_of(trainable),
        optimizer=size_of(states),
        activations=held,
        peak=live.peak,
    )


def size_of(tensors: Any) -> int:
    """The bytes of some tensors."""
    return sum(x.numel() * x.element_size() for x in tensors)


def measure_memory(
    model: nn.Module, objective: Objective, batch: Batch, recipe: Recipe | None = None
) -> int:
    """The most bytes of tensors alive at once in a real training step, weights included.

    A copy of the model takes two steps, and the second is measured: only then has the optimizer
    its state. On a GPU compare with `torch.cuda.max_memory_allocated`.
    """
    trained = copy.deepcopy(model)
    recipe = recipe or Recipe(steps=2)
    run = Run(trained, AdamW(decay_groups(trained), lr=1e-6), recipe)
    alone = Team(rank=0, size=1)
    with checkpointed(trained, recipe.checkpointing):
        take_step(trained, objective, batch, run, alone)
        run.optimizer.zero_grad(set_to_none=True)
        live = LiveMemory()
        states = run.optimizer.state.values()
        for x in [*trained.parameters(), *(x for state in states for x in state.values())]:
            if torch.is_tensor(x):
                live.count(x)
        with live:
            take_step(trained, objective, batch, run, alone)
    return live.peak


def remedies(
    model: nn.Module,
    smaller: nn.Module,
    objective: Objective,
    rows: Sequence[Row],
    collate: Callable[[list[Row]], Batch] = padded,
) -> dict[str, int]:
    """The peak bytes of one step as it is, and with each remedy alone.

    `rows` are one batch; `smaller` is the smaller model to compare with. "shorter texts" cuts
    every row to half of the longest, as bucketing does for most batches: the batch of the longest
    texts needs what it needs.
    """
    rows = list(rows)
    plain = Recipe(steps=2, batch=len(rows))
    half = max(len(row.ids) for row in rows) // 2
    frozen = copy.deepcopy(model)
    for name, p in frozen.named_parameters():
        p.requires_grad_(not name.startswith(("backbone.embeddings", "backbone.layers.0.")))
    batch = collate(rows)
    return {
        "as it is": measure_memory(model, objective, batch, plain),
        "four passes": measure_memory(model, objective, batch, replace(plain, passes=4)),
        "bfloat16 autocast": measure_memory(
            model, objective, batch, replace(plain, precision="bfloat16")
        ),
        "activation checkpointing": measure_memory(
            model, objective, batch, replace(plain, checkpointing=True)
        ),
        "shorter texts": measure_memory(
            model, objective, collate([row._replace(ids=row.ids[:half]) for row in rows]), plain
        ),
        "frozen below": measure_memory(frozen, objective, batch, plain),
        "smaller model": measure_memory(smaller, objective, batch, plain),
    }


# --- NaN and infinity -------------------------------------------------------------------------


@contextmanager
def stop_at_nonfinite(model: nn.Module) -> Iterator[None]:
    """Raise `FloatingPointError` at the first module whose result is not finite, by its name.

    Forward and backward are watched. Around `train`, the error also says which step it was. It
    slows a step down, so it is for finding, not for training.
    """
    reached: list[str] = []  # the modules that a finite gradient has reached, in order
    handles = [
        module.register_forward_hook(watch(f"{name} ({type(module).__name__})", reached))
        for name, module in model.named_modules()
        if not list(module.children())
    ]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def watch(label: str, reached: list[str]) -> Callable[..., None]:
    """A hook that checks a module's output, and later the gradient that comes back to it."""

    def check_output(module: nn.Module, inputs: Any, output: Any) -> None:
        reached.clear()
        if not finite(output):
            broken = [name for name, p in module.named_parameters() if not finite(p)]
            if broken:
                cause = f"an earlier step broke its {' and '.join(broken)}"
            else:
                cause = f"its input was {'finite' if finite(inputs) else 'broken'}"
            raise FloatingPointError(f"forward: the output of {label} is not finite; {cause}")
        if torch.is_tensor(output) and output.requires_grad:
            output.register_hook(check_gradient)  # type: ignore[no-untyped-call]

    def check_gradient(gradient: Tensor) -> None:
        if not finite(gradient):
            above = reached[-1] if reached else "no module: it broke between model and loss"
            raise FloatingPointError(
                f"backward: the gradient that comes to {label} is not finite; it was still finite "
                f"at {above}"
            )
        reached.append(label)

    return check_output


def finite(values: Any) -> bool:
    """Whether every floating-point tensor in a nest of values is finite throughout."""
    tensors = [x for x in tree_leaves(values) if torch.is_tensor(x) and x.is_floating_point()]
    return all(bool(x.isfinite().all()) for x in tensors)


# --- wrong labels -----------------------------------------------------------------------------

Fit = Callable[[list[str], list[int]], Callable[[list[str]], Tensor]]


class Suspect(NamedTuple):
    """A text whose label a model that never saw it finds unlikely."""

    row: int
    confidence: float  # the probability of the label it has
    guess: int  # the label the model would give


def suspicious_labels(
    texts: Sequence[str], labels: Sequence[int], fit: Fit, folds: int = 5, seed: int = 0
) -> list[Suspect]:
    """All texts, the least believable label first.

    Cross-fitting: `fit(texts, labels)` trains on all folds but one and returns a function from
    texts to logits, which judges the fold left out. A model asked about its own training texts
    would have learned the wrong labels too. Remove duplicates first: a copy in another fold
    betrays the label (Northcutt et al. 2021, confident learning, without its thresholds).
    """
    if len(texts) != len(labels):
        raise ValueError(f"{len(texts)} texts but {len(labels)} labels")
    if not 2 <= folds <= len(texts):
        raise ValueError(f"{len(texts)} texts can't be cut into {folds} folds; use 2 or more")
    order = list(range(len(texts)))
    Random(seed).shuffle(order)
    suspects = []
    for fold in range(folds):
        judged = order[fold::folds]
        known = [i for other in range(folds) if other != fold for i in order[other::folds]]
        model = fit([texts[i] for i in known], [labels[i] for i in known])
        for i, p in zip(judged, model([texts[i] for i in judged]).softmax(-1), strict=True):
            # A class that the other folds lack has no column: nothing speaks for it.
            confidence = p[labels[i]].item() if labels[i] < len(p) else 0.0
            suspects.append(Suspect(i, confidence, int(p.argmax())))
    return sorted(suspects, key=lambda suspect: (suspect.confidence, suspect.row))


def flip_labels(
    labels: Sequence[int], share: float, seed: int = 0
) -> tuple[list[int], frozenset[int]]:
    """Labels of which a share is changed at random to another class, and which those are."""
    classes = sorted(set(labels))
    if len(classes) < 2:
        raise ValueError("flipping needs labels of at least two classes")
    draw = Random(seed)
    flipped = frozenset(draw.sample(range(len(labels)), round(share * len(labels))))
    changed = [
        draw.choice([c for c in classes if c != label]) if i in flipped else label
        for i, label in enumerate(labels)
    ]
    return changed, flipped


def precision_at(suspects: Sequence[Suspect], flipped: frozenset[int], n: int) -> float:
    """The share of the first `n` suspects whose label was really flipped."""
    if not 1 <= n <= len(suspects):
        raise ValueError(f"n has to be from 1 to the {len(suspects)} suspects, not {n}")
    return sum(suspect.row in flipped for suspect in suspects[:n]) / n


# --- leaks between splits ---------------------------------------------------------------------


class Leak(NamedTuple):
    """Two texts in different parts that are too alike: `similarity` 1 means a copy."""

    similarity: float
    first: tuple[str, int]  # part, index
    second: tuple[str, int]


def leaks(
    parts: Mapping[str, Sequence[str]], threshold: float = 0.8, length: int = 5, sketch: int = 16
) -> list[Leak]:
    """Pairs of texts from different parts that share most of their character 5-grams.

    Similarity is |A ∩ B| / |A ∪ B| of the sets of n-grams of their fingerprints. Only pairs with
    a common n-gram among the `sketch` smallest hashes of each are compared (Broder 1997): that
    keeps it fast, finds every exact copy, and misses a pair at the threshold about once in 10⁵.
    """
    grams: dict[tuple[str, int], set[str]] = {}
    meet: defaultdict[int, list[tuple[str, int]]] = defaultdict(list)
    for part, texts in parts.items():
        for i, text in enumerate(texts):
            letters = fingerprint(text)
            found = {letters[j : j + length] for j in range(max(len(letters) - length + 1, 1))}
            grams[part, i] = found
            for number in sorted(map(digest, found))[:sketch]:
                meet[number].append((part, i))
    pairs = {(a, b) for group in meet.values() for a, b in combinations(group, 2) if a[0] != b[0]}
    compared = (Leak(jaccard(grams[a], grams[b]), a, b) for a, b in pairs)
    return sorted((leak for leak in compared if leak.similarity >= threshold), reverse=True)


def jaccard(a: set[str], b: set[str]) -> float:
    """|A ∩ B| / |A ∪ B|."""
    return len(a & b) / len(a | b)


# --- all predictions the same -----------------------------------------------------------------


class Finding(NamedTuple):
    """One reason why predictions are all the same: where it lies, what was seen, what helps."""

    where: str  # labels, inputs, frozen, learning rate, loss or collapse
    seen: str
    advice: str

    def __str__(self) -> str:
        return f"{self.where}: {self.seen}. {self.advice}."


def why_all_the_same(
    model: nn.Module,
    rows: Sequence[Row],
    optimizer: torch.optim.Optimizer | None = None,
    history: History | None = None,
) -> list[Finding]:
    """Why a classifier gives every text the same class; empty if it does not.

    Looks at labels, inputs, what the optimizer can move, the losses in `history`, and the vectors
    that the last Linear sees. A cause comes before what follows from it.
    """
    vectors: list[Tensor] = []
    last = [module for module in model.modules() if isinstance(module, nn.Linear)][-1]
    handle = last.register_forward_hook(lambda _, inputs, __: vectors.append(inputs[0]))
    logits = predict(model, rows)
    handle.remove()
    if len(set(logits.argmax(-1).tolist())) > 1:
        return []
    return [
        *look_at_labels(rows),
        *look_at_inputs(rows),
        *look_at_parameters(model, last, optimizer),
        *look_at_losses(history or [], classes=logits.shape[-1]),
        *look_at_vectors(torch.cat(vectors)),
    ]


def look_at_labels(rows: Sequence[Row]) -> Iterator[Finding]:
    """Labels that leave little to learn."""
    counts = Counter(row.label for row in rows)
    label, most = counts.most_common(1)[0]
    if len(counts) == 1:
        yield Finding("labels", f"every row has label {label}", "Check how labels were read")
    elif most > 0.8 * len(rows):
        yield Finding(
            "labels",
            f"{most / len(rows):.0%} have label {label}, so always guessing it looks good",
            "Watch macro F1, and draw the classes equally often",
        )


def look_at_inputs(rows: Sequence[Row]) -> Iterator[Finding]:
    """Texts that no model can tell apart."""
    distinct = len({tuple(row.ids) for row in rows})
    if distinct <= len(rows) / 2:
        yield Finding(
            "inputs",
            f"{len(rows)} rows hold only {distinct} different sequences of ids",
            "Decode some: are they all unknown tokens, or cut to nothing",
        )


def look_at_parameters(
    model: nn.Module, last: nn.Linear, optimizer: torch.optim.Optimizer | None
) -> Iterator[Finding]:
    """Parameters that cannot move, and steps too large or too small to train a Transformer."""
    movable = {id(p) for p in model.parameters() if p.requires_grad}
    if optimizer is not None:
        given = {id(p) for group in optimizer.param_groups for p in group["params"]}
        movable &= given
    head = {id(p) for p in last.parameters()}
    if not head & movable:
        yield Finding(
            "frozen", "the last layer never moves", "Give its parameters to the optimizer"
        )
    if not movable - head:
        yield Finding(
            "frozen",
            "nothing below the last layer moves: this is linear probing, not fine-tuning",
            "Give the optimizer model.parameters(), with requires_grad=True",
        )
    for group in optimizer.param_groups if optimizer is not None else []:
        rate = group.get("peak", group["lr"])
        if not 1e-6 <= rate <= 1e-3 and "betas" in group:
            size = "large" if rate > 1e-3 else "small"
            yield Finding(
                "learning rate",
                f"{rate:g} is very {size} for Adam on a whole Transformer",
                "Fine-tuning a trained model takes 1e-5 to 1e-4, a small new one up to 1e-3",
            )
            break


def look_at_losses(history: History, classes: int) -> Iterator[Finding]:
    """A loss that has not left the level of guessing, or has left it upwards."""
    if len(history) < 10:
        return
    tenth = max(len(history) // 10, 5)
    first = sum(row["loss"] for row in history[:tenth]) / tenth
    end = sum(row["loss"] for row in history[-tenth:]) / tenth
    chance = math.log(classes)
    if end > 1.2 * max(first, chance):
        yield Finding(
            "loss", f"it rose from {first:.2f} to {end:.2f}", "Lower the learning rate, warm up"
        )
    elif end > 0.95 * chance:
        yield Finding(
            "loss",
            f"it stays at {end:.2f}, and guessing has ln {classes} = {chance:.2f}",
            "Try to learn 20 rows by heart: if that fails too, the fault is not in the data",
        )


def look_at_vectors(vectors: Tensor) -> Iterator[Finding]:
    """Texts that have become the same vector before the last layer."""
    spread = (vectors - vectors.mean(0)).norm(dim=-1).mean() / vectors.norm(dim=-1).mean()
    if spread < 0.01:
        yield Finding(
            "collapse",
            f"the vectors of different texts differ by {spread:.1e} of their length",
            "Too large a step often does this for good: start anew with a lower learning rate",
        )
