"""One training loop for every model and every objective of the course.

A step reads a batch of rows, adds up the gradients of several passes when the batch is too large
for one, clips, and moves the weights. Everything random in a step (its rows, its masks, its
dropout) depends on nothing but the seed, the step's number and the process, so a checkpoint has to
remember only weights, optimizer and step to continue bit for bit.

Started by `torchrun`, the same program shares each batch among the processes. What a loss is stays
in `losses.py`, how weights move in `optim.py`. Given `faster(model)` and a `FastAdamW`, both from
`fast/`, the loop trains on texts packed without padding. Left out: sharded weights.
"""

import atexit
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor, autograd, nn
from torch import distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint
from tqdm.auto import tqdm

from course_lib.bricks.block import Block
from course_lib.evaluate import Evaluate
from course_lib.logs import History, replacing, write_log
from course_lib.objectives import Objective
from course_lib.optim import (
    AdamW,
    SpikeGuard,
    clip_gradients_,
    decay_groups,
    warmup_constant,
    warmup_cosine,
    warmup_linear,
)
from course_lib.rows import Batch, Collate, Order, Row, dice, mixed_seed, padded, terms
from course_lib.spec import show


@dataclass(frozen=True)
class Recipe:
    """How long and how a model trains. What it trains on is given apart.

    `batch` counts the rows of one step, over all passes and processes. `warmup` is a share of
    `steps`. A step whose gradient norm is `spike` times the average, or not finite, is skipped.
    Every `every` steps the loop evaluates, writes its log and saves a checkpoint; it stops after
    `patience` evaluations in a row that did not raise `watch`.
    """

    steps: int
    lr: float = 1e-3
    batch: int = 32
    passes: int = 1
    schedule: Literal["linear", "cosine", "constant"] = "linear"
    warmup: float = 0.1
    weight_decay: float = 0.01
    clip: float = 1.0
    spike: float = 10.0
    precision: Literal["float32", "bfloat16", "float16"] = "float32"
    checkpointing: bool = False
    seed: int = 0
    every: int = 100
    patience: int | None = None
    watch: str = "macro_f1"

    def factor(self, step: int) -> float:
        """What multiplies the learning rate in a step, counted from 0."""
        warmup = int(self.warmup * self.steps)
        if self.schedule == "constant":
            return warmup_constant(warmup)(step)
        shape = {"linear": warmup_linear, "cosine": warmup_cosine}[self.schedule]
        return shape(warmup, self.steps)(step)


# --- the loop ---------------------------------------------------------------------------------


def train(
    model: nn.Module,
    objective: Objective,
    rows: Sequence[Row],
    recipe: Recipe,
    *,
    collate: Collate = padded,
    optimizer: torch.optim.Optimizer | None = None,
    evaluate: Evaluate | None = None,
    folder: Path | str | None = None,
    show_progress: bool = True,
) -> History:
    """Train a model in place; return one dictionary of numbers a step.

    The optimizer is AdamW without decay on norms and biases unless one is given. The model ends in
    eval mode, with `evaluate` also with the weights that scored best on `recipe.watch`. With a
    `folder`, the run saves `checkpoint.pt` and `log.csv` there and continues from a checkpoint it
    finds. Raises `FloatingPointError` for a loss that is not finite, and `ValueError` for a
    checkpoint of another model or recipe.
    """
    team = Team.join()
    if recipe.batch % (team.size * recipe.passes):
        raise ValueError(
            f"a batch of {recipe.batch} rows does not split evenly into {team.size} process(es) of "
            f"{recipe.passes} pass(es): choose a multiple of {team.size * recipe.passes}"
        )
    if optimizer is None:
        optimizer = AdamW(decay_groups(model, recipe.weight_decay), lr=recipe.lr)
    run = Run(model, optimizer, recipe)
    if folder is not None and (Path(folder) / "checkpoint.pt").exists():
        run.load(Path(folder) / "checkpoint.pt")
    order = Order(rows, recipe.batch, recipe.seed)
    learner = team.wrap(model)
    quiet = not (show_progress and team.rank == 0)
    with (
        checkpointed(model, recipe.checkpointing),
        tqdm(total=recipe.steps, initial=run.step, disable=quiet, unit="step") as bar,
    ):
        while run.step < recipe.steps and not run.stale:
            started = time.perf_counter()
            indices = order(run.step)
            with seeded(run.device, recipe.seed, run.step, team.rank), located(run.step, indices):
                batch = collate([rows[i] for i in indices], dice(recipe.seed, run.step))
                batch = {name: x.to(run.device) for name, x in batch.items()}
                numbers = take_step(learner, objective, batch, run, team)
            seconds = time.perf_counter() - started
            numbers["tokens_per_second"] = batch["attention_mask"].sum().item() / seconds
            run.history.append(numbers)
            bar.update()
            bar.set_postfix(
                loss=f"{numbers['loss']:.3f}", tokens_per_s=f"{numbers['tokens_per_second']:.0f}"
            )
            if run.step % recipe.every == 0 or run.step == recipe.steps:
                if evaluate is not None:
                    run.score(evaluate(model))
                if folder is not None and team.rank == 0:
                    run.save(Path(folder))
    run.restore_best()
    model.eval()
    return run.history


def take_step(
    learner: nn.Module, objective: Objective, batch: Batch, run: "Run", team: "Team"
) -> dict[str, float]:
    """One step: add up the gradients of all passes, clip, and move the weights.

    Each pass counts by its share of the terms in the whole batch: a plain mean of the passes'
    means would weigh a word in a pass with few words more than the same word elsewhere.
    """
    recipe, optimizer = run.recipe, run.optimizer
    run.set_learning_rate()
    learner.train()
    optimizer.zero_grad(set_to_none=True)
    numbers = {"step": run.step + 1.0, "lr": recipe.lr * recipe.factor(run.step)}
    totals: dict[str, Tensor] = {}
    for i in range(recipe.passes):
        part = {name: x[team.rank :: team.size][i :: recipe.passes] for name, x in batch.items()}
        last = i == recipe.passes - 1
        with team.keep_gradients_apart(learner, until=last):
            with autocast(run.device, recipe.precision):
                found = objective(learner, part)
            share = {name: terms(part[name]) / max(terms(batch[name]), 1) for name in found}
            loss = torch.stack([found[name] * share[name] for name in found]).sum()
            if not loss.isfinite():
                values = ", ".join(f"{name} = {x.item():g}" for name, x in found.items())
                raise FloatingPointError(f"the loss is not finite: {values}")
            autograd.backward(run.scaler.scale(loss * team.size))
        for name in found:
            totals[name] = totals.get(name, torch.zeros(())) + found[name].detach() * share[name]
    numbers |= {name: team.sum(total).item() for name, total in totals.items()}
    numbers["loss"] = sum(numbers[name] for name in totals)
    run.scaler.unscale_(optimizer)
    norm = clip_gradients_([p for p in learner.parameters() if p.requires_grad], recipe.clip)
    if run.guard.accepts(norm):
        run.scaler.step(optimizer)
    run.scaler.update()
    numbers["gradient_norm"] = norm.item()
    numbers["skipped"] = float(run.guard.spikes + run.guard.not_finite)
    run.step += 1
    return numbers


class Run:
    """What changes while a model trains, and how it is saved and found again."""

    def __init__(self, model: nn.Module, optimizer: torch.optim.Optimizer, recipe: Recipe) -> None:
        self.model, self.optimizer, self.recipe = model, optimizer, recipe
        self.device = next(model.parameters()).device
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=recipe.precision == "float16")
        self.guard = SpikeGuard(factor=recipe.spike)
        self.step = 0
        self.history: History = []
        self.best: dict[str, Any] | None = None  # score, step, evaluations since, weights
        for group in optimizer.param_groups:
            group.setdefault("peak", group["lr"])

    def set_learning_rate(self) -> None:
        """Each group's learning rate is its peak times the schedule's factor."""
        for group in self.optimizer.param_groups:
            group["lr"] = group["peak"] * self.recipe.factor(self.step)

    def score(self, numbers: dict[str, float]) -> None:
        """Note an evaluation; keep the weights if it is the best so far."""
        watch = self.recipe.watch
        self.history[-1] |= {f"validation_{name}": value for name, value in numbers.items()}
        if watch not in numbers:
            if self.recipe.patience is None:
                return
            raise ValueError(
                f"early stopping watches {watch!r}, but the evaluation has only "
                f"{', '.join(numbers)}: set Recipe.watch to one of them"
            )
        if self.best is None or numbers[watch] > self.best["score"]:
            weights = {name: x.clone() for name, x in self.model.state_dict().items()}
            self.best = {"score": numbers[watch], "weights": weights, "since": 0}
        else:
            self.best["since"] += 1

    @property
    def stale(self) -> bool:
        """Whether the score has not risen for as long as the recipe's patience."""
        patience = self.recipe.patience
        return patience is not None and self.best is not None and self.best["since"] >= patience

    def restore_best(self) -> None:
        """Go back to the weights of the best evaluation, if there was one."""
        if self.best is not None:
            self.model.load_state_dict(self.best["weights"])

    def save(self, folder: Path) -> None:
        """Write checkpoint and log; whoever reads them finds the old files or the new ones."""
        folder.mkdir(parents=True, exist_ok=True)
        content = {
            "made_for": self.description(),
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "scaler": self.scaler.state_dict(),
            "guard": vars(self.guard),
            "step": self.step,
            "best": self.best,
            "history": self.history,
        }
        with replacing(folder / "checkpoint.pt") as file:
            torch.save(content, file)
        write_log(self.history, folder / "log.csv")

    def load(self, file: Path) -> None:
        """Continue from a checkpoint of the same model, optimizer and recipe."""
        try:
            content = torch.load(file, map_location=self.device, weights_only=True)
        except (RuntimeError, EOFError, UnpicklingError) as error:
            raise ValueError(f"{file} can't be read as a checkpoint: {error}") from error
        ours, theirs = self.description(), content["made_for"]
        differences = [
            f"{name} is {theirs.get(name, 'absent')} there and {ours.get(name, 'absent')} here"
            for name in ours | theirs
            if ours.get(name) != theirs.get(name)
        ]
        if differences:
            raise ValueError(
                f"{file} is from another run: {'; '.join(differences[:5])}. "
                "Use the same settings, or another folder to start anew."
            )
        self.model.load_state_dict(content["model"])
        self.optimizer.load_state_dict(content["optimizer"])
        self.scaler.load_state_dict(content["scaler"])
        self.guard = SpikeGuard(**content["guard"])
        self.step, self.best = content["step"], content["best"]
        self.history = content["history"]

    def description(self) -> dict[str, str]:
        """Everything that has to be equal for a checkpoint to fit."""
        spec = getattr(self.model, "spec", None)
        slots = {} if spec is None else {f.name: show(getattr(spec, f.name)) for f in fields(spec)}
        recipe = {f"recipe.{name}": str(value) for name, value in asdict(self.recipe).items()}
        shapes = {name: str(tuple(x.shape)) for name, x in self.model.state_dict().items()}
        return slots | recipe | {"optimizer": type(self.optimizer).__name__} | shapes


class Team(NamedTuple):
    """The processes that share each batch: this one's number and how many there are."""

    rank: int
    size: int

    @classmethod
    def join(cls) -> "Team":
        """The processes that `torchrun` started, or this one alone."""
        if not dist.is_torchelastic_launched():
            return cls(rank=0, size=1)
        if not dist.is_initialized():
            dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
            atexit.register(dist.destroy_process_group)
        return cls(dist.get_rank(), dist.get_world_size())

    def wrap(self, model: nn.Module) -> nn.Module:
        """The model, averaging its gradients over the processes after each backward."""
        if self.size == 1:
            return model
        # A head may leave the pooler, or an objective a projection, without a gradient.
        return DistributedDataParallel(model, find_unused_parameters=True)

    def keep_gradients_apart(self, learner: nn.Module, until: bool) -> AbstractContextManager[None]:
        """Nothing is averaged before the last pass of a step: once is enough."""
        if until or not isinstance(learner, DistributedDataParallel):
            return nullcontext()
        return learner.no_sync()

    def sum(self, x: Tensor) -> Tensor:
        """The sum over the processes."""
        if self.size > 1:
            dist.all_reduce(x)
        return x


# --- what a step needs ------------------------------------------------------------------------


@contextmanager
def seeded(device: torch.device, *parts: int) -> Iterator[None]:
    """Seed PyTorch's generators (dropout draws from them) and give them back as they were."""
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        torch.manual_seed(mixed_seed(*parts))
        yield


@contextmanager
def located(step: int, indices: list[int]) -> Iterator[None]:
    """Add to an error in which step it came and which rows it had read."""
    try:
        yield
    except (ValueError, FloatingPointError) as error:
        shown = ", ".join(map(str, indices[:8])) + (", …" if len(indices) > 8 else "")
        error.add_note(
            f"This was step {step + 1}, which read rows {shown}. "
            "troubleshoot.stop_at_nonfinite finds the module where NaN begins."
        )
        raise


def autocast(device: torch.device, precision: str) -> torch.autocast:
    """Matrix products in half precision, or everything as it is for "float32"."""
    half = precision != "float32"
    dtype = getattr(torch, precision) if half else None
    return torch.autocast(device.type, dtype=dtype, enabled=half)


@contextmanager
def checkpointed(model: nn.Module, enabled: bool = True) -> Iterator[None]:
    """Keep only each block's input for the backward pass, which runs the block again.

    Memory for activations falls to about one block's; a step costs about a third more
    (Chen et al. 2016). The gradients are the same.
    """
    blocks = [module for module in model.modules() if isinstance(module, Block)]
    if enabled and not blocks:
        raise ValueError("activation checkpointing needs a model that is made of Blocks")
    for block in blocks if enabled else []:
        block.forward = partial(checkpoint, block.forward, use_reentrant=False)
    try:
        yield
    finally:
        for block in blocks if enabled else []:
            del block.forward
