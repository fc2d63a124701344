"""The tracer: run a model and see, beside each line that makes a tensor, what it made.

    steps = trace(model, input_ids=ids)
    steps.backward(loss(steps.output))
    steps                                   # a table; steps.figure() draws it

A step is a line with a shape comment (`shape_comments.py`), in this library or in a notebook's
cell. The model holds no hooks: Python itself reports each line through `sys.settrace`. A debugger
or a coverage tool uses the same hook; it is paused meanwhile and gets the hook back. How a trace
looks is in `trace_view.py`.
"""

import linecache
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry

from course_lib import trace_view
from course_lib.context import Context
from course_lib.shape_comments import Promise, promises, tensors_in

LIBRARY = Path(__file__).resolve().parent


@dataclass
class Step:
    """One tensor and the line that made it.

    `dead` is the share of rows, vectors along the last axis, whose numbers are all equal. Pairs
    that attention hides do not enter the statistics. `weights`, the shapes of parameters, and
    `flops` are what this line used and no step inside it did, with two operations a multiply-add.
    """

    file: str
    line: int
    code: str
    axes: tuple[str, ...]
    tensor: Tensor = field(repr=False)
    module: str  # the path of the module whose method the line is in
    layer: int | None  # counted from 0; None outside the layers
    weights: tuple[tuple[int, ...], ...]
    flops: int
    shape: tuple[int, ...] = ()
    mean: float | None = None
    std: float | None = None
    dead: float | None = None
    gradient: float | None = None  # the norm of the loss's gradient, after `backward`

    def __post_init__(self) -> None:
        self.shape = tuple(self.tensor.shape)
        self.mean, self.std, self.dead = statistics(self.tensor)

    @property
    def parameters(self) -> int:
        """How many numbers `weights` hold."""
        return sum(map(math.prod, self.weights))


def statistics(x: Tensor) -> tuple[float | None, float | None, float | None]:
    """Mean, standard deviation and share of dead rows; None where they say nothing."""
    if x.is_meta or x.numel() == 0:
        return None, None, None
    if x.dtype == torch.bool:
        return x.float().mean().item(), None, None
    if not x.is_floating_point():
        return None, None, None
    x = x.detach()
    visible = x[x != torch.finfo(x.dtype).min].float()
    if visible.numel() == 0:
        return None, None, 1.0
    dead = (x.amin(-1) == x.amax(-1)).float().mean().item() if x.dim() and x.size(-1) > 1 else None
    return visible.mean().item(), visible.std(correction=0).item(), dead


@dataclass(repr=False)
class Trace:
    """The steps of one run, in the order in which they were done, and what the run returned."""

    steps: list[Step]
    output: Any
    parameters: int  # of all that were used, each counted once
    flops: int  # of all operations, those on lines without a shape comment too

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __getitem__(self, index: int) -> Step:
        return self.steps[index]

    def find(self, code: str, layer: int | None = None) -> list[Step]:
        """The steps whose line contains `code`, in all layers or in one."""
        return [s for s in self.steps if code in s.code and layer in (None, s.layer)]

    def backward(self, loss: Tensor | None = None) -> "Trace":
        """Fill in each step's gradient norm. Without a loss, the output must be one.

        Parameters' `.grad` stays as it was. Raises `ValueError` where there is nothing to go back
        through.
        """
        loss = self.output if loss is None else loss
        if not isinstance(loss, Tensor) or loss.numel() != 1 or not loss.requires_grad:
            raise ValueError(
                "backward needs a loss: one number, computed from the trace's output, outside "
                "no_grad. For example trace.backward(trace.output.square().mean())."
            )
        traced = [step for step in self.steps if step.tensor.requires_grad]
        tensors = [step.tensor for step in traced]
        gradients = torch.autograd.grad(loss, tensors, retain_graph=True, allow_unused=True)
        for step, gradient in zip(traced, gradients, strict=True):
            step.gradient = None if gradient is None else gradient.float().norm().item()
        return self

    def table(self, every_layer: bool = False, width: int | None = None) -> str:
        """A plain table; layers after the first take one line each unless `every_layer`."""
        return trace_view.table(self, every_layer, width)

    def figure(self, layer: int = 0) -> Any:
        """A matplotlib figure: what runs outside the layers, and one layer, line by line."""
        return trace_view.figure(self, layer)

    def depth_figure(self) -> Any:
        """A matplotlib figure: the stream's spread and gradient from layer to layer."""
        return trace_view.depth_figure(self)

    def __repr__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        return trace_view.to_html(self)


def trace(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Trace:
    """Call a model, or any function, and record each line that makes a tensor.

    On the meta device shapes, parameters and operations are exact and cost nothing; there are no
    statistics. Raises `RuntimeError` where another tool takes Python's tracing hook meanwhile.
    """
    modules = [x for x in (call, *args, *kwargs.values()) if isinstance(x, nn.Module)]
    recorder = Recorder({id(m): name for top in modules for name, m in top.named_modules()})
    before = sys.gettrace()
    try:
        with Meter(recorder):
            sys.settrace(recorder.enter)
            output = call(*args, **kwargs)
            taken = sys.gettrace() != recorder.enter
    finally:
        sys.settrace(before)
    if taken:
        raise RuntimeError(
            "Something else, such as a breakpoint in the model, took Python's tracing hook while "
            "the model ran, so steps are missing. Trace again without it."
        )
    parameters = sum(p.numel() for p in recorder.parameters.values())
    return Trace(recorder.steps, output, parameters, recorder.flops)


@cache
def promises_in(filename: str) -> dict[int, Promise]:
    """A file's traceable statements, by each of their lines; none in what others wrote."""
    path = Path(filename)
    ours = path.is_relative_to(LIBRARY)
    if not ours and ("site-packages" in path.parts or path.is_relative_to(sys.base_prefix)):
        return {}
    try:
        found = promises("".join(linecache.getlines(filename)))
    except (SyntaxError, ValueError):  # no Python source, such as a frozen module
        return {}
    kinds = ("assigned", "returned", "yielded")
    return {line: p for p in found if p.kind in kinds for line in p.lines}


@dataclass
class Running:
    """A promise whose statement has begun: what it has used so far, and the layers inside it."""

    promise: Promise
    parameters: dict[int, nn.Parameter] = field(default_factory=dict)
    flops: int = 0
    layers: set[int | None] = field(default_factory=set)


@dataclass
class Activation:
    """One function that is being executed."""

    frame: FrameType
    promises: dict[int, Promise]
    module: str
    layer: int | None
    running: Running | None = None


class Recorder:
    """Listens to Python's events: a call, a line about to run, a return, an exception.

    A line event comes before its line, so a statement is done when the next event lies outside it.
    """

    def __init__(self, names: dict[int, str]) -> None:
        self.names = names
        self.stack: list[Activation] = []
        self.steps: list[Step] = []
        self.parameters: dict[int, nn.Parameter] = {}
        self.flops = 0

    def enter(self, frame: FrameType, event: str, arg: Any) -> Callable[..., Any] | None:
        """A function is called: follow it if its file has shape comments."""
        promised = promises_in(frame.f_code.co_filename)
        expression = frame.f_code.co_name.startswith("<")  # a comprehension or lambda
        if expression or not promised:
            return None
        caller = self.stack[-1] if self.stack else None
        owner, context = frame.f_locals.get("self"), frame.f_locals.get("context")
        module, layer = (caller.module, caller.layer) if caller else ("", None)
        if isinstance(owner, nn.Module):
            module = self.names.get(id(owner)) or type(owner).__name__
        if isinstance(context, Context):
            layer = context.layer
        self.stack.append(Activation(frame, promised, module, layer))
        return self.follow

    def follow(self, frame: FrameType, event: str, arg: Any) -> Callable[..., Any]:
        """Something happens in a function that is followed."""
        activation = self.stack[-1]
        assert activation.frame is frame
        running = activation.running
        if event == "exception":
            activation.running = None
        elif event == "line":
            if running is not None and frame.f_lineno not in running.promise.lines:
                self.done(activation, running)
            if activation.running is None and frame.f_lineno in activation.promises:
                activation.running = Running(activation.promises[frame.f_lineno])
        elif event == "return":
            if running is not None:
                self.done(activation, running, arg)
            self.stack.pop()
        return self.follow

    def done(self, activation: Activation, running: Running, handed_out: Any = None) -> None:
        """A statement with a shape comment is done: record its tensors."""
        activation.running = None
        promise, frame, layer = running.promise, activation.frame, activation.layer
        if layer is None and len(running.layers) == 1:  # the line that ran a layer belongs to it
            layer = running.layers.pop()
        values = [handed_out]
        if promise.kind == "assigned":
            values = [eval(name, frame.f_globals, frame.f_locals) for name in promise.targets]
        weights = tuple(tuple(p.shape) for p in running.parameters.values())
        for tensor in {id(x): x for x in tensors_in(values)}.values():
            step = Step(
                file=short(frame.f_code.co_filename),
                line=promise.line,
                code=promise.code,
                axes=promise.axes,
                tensor=tensor,
                module=activation.module,
                layer=layer,
                weights=weights,
                flops=running.flops,
            )
            self.steps.append(step)
            weights, running.flops = (), 0  # a line with two tensors is charged once
        for outer in self.stack[:-1]:
            if outer.running is not None:
                outer.running.layers.add(layer)

    def charge(self, flops: int, parameters: list[nn.Parameter]) -> None:
        """Put an operation on the bill of the innermost step that is running."""
        self.flops += flops
        self.parameters |= {id(p): p for p in parameters}
        for activation in reversed(self.stack):
            if activation.running is not None:
                activation.running.flops += flops
                activation.running.parameters |= {id(p): p for p in parameters}
                return


class Meter(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Sees each operation that PyTorch carries out, with its parameters and its cost."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.recorder = recorder

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # True would import PyTorch's compiler first, which takes seconds

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        cost = flop_registry.get(func._overloadpacket)
        flops = cost(*args, **kwargs, out_val=out) if cost else 0
        used = [x for x in tree_leaves((args, kwargs)) if isinstance(x, nn.Parameter)]
        self.recorder.charge(flops, used)
        return out


def short(filename: str) -> str:
    """A file as the reader knows it: inside the library, or a cell."""
    path = Path(filename)
    if path.is_relative_to(LIBRARY):
        return path.relative_to(LIBRARY).as_posix()
    return "cell" if "ipykernel" in filename or filename.startswith("<") else path.name
