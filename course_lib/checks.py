"""What the test cells of an assignment call: random inputs, gradients, comparison, partial credit.

Only data passes between a test and an answer: numbers, strings, lists, dicts, tensors. So a
grader can keep the tests in one process and the answers in another; there it puts remote forms
of `gradients` and `seeded` in the place of these local ones. `draw`, `close`, `same` and `Credit`
never call the answer and stay as they are.

Left out: grading itself, and any defence against forged answers.
"""

import hashlib
import importlib
import json
import os
import random
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from importlib.resources import files
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch import Tensor

__all__ = ["Credit", "block", "close", "draw", "gradients", "same", "seeded"]


def draw(
    name: str,
    *shape: int,
    dtype: torch.dtype = torch.float32,
    low: int = 0,
    high: int = 2,
) -> Tensor:
    """Random tensor that depends on its name, its arguments and COURSE_SEED alone.

    Floats are standard normal, integers uniform in low … high - 1, booleans a fair coin. Floats
    are drawn in float64 and then cast: one name gives the same numbers in every precision.
    COURSE_SEED is an environment variable, any text, "0" when it is not set.
    """
    seed = os.environ.get("COURSE_SEED", "0")
    digest = hashlib.sha256(f"{seed}/{name}".encode()).digest()
    generator = torch.Generator().manual_seed(int.from_bytes(digest[:7], "big"))
    if dtype.is_floating_point:
        return torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype)
    if dtype == torch.bool:
        low, high = 0, 2
    return torch.randint(low, high, shape, generator=generator).to(dtype)


def gradients(
    f: Callable[..., Tensor], *inputs: Any, wrt: Sequence[int] = (0,), **options: Any
) -> list[Tensor]:
    """Gradients of a fixed weighted sum of f's output with respect to the inputs numbered in wrt.

    The weights are cos 0, cos 1, …: a plain sum would hide mistakes, because the rows of a softmax
    always sum to one. An input without a gradient is an `AssertionError` that says what cut it off.
    """
    leaves = [x.detach().clone().requires_grad_() if i in wrt else x for i, x in enumerate(inputs)]
    with torch.enable_grad():
        output = f(*leaves, **options)
        weights = torch.arange(output.numel(), dtype=torch.float64).cos().view_as(output)
        total = (output * weights.to(output.dtype)).sum()
    cut = "no gradient reaches input {}: a .detach(), .item() or torch.tensor() cut it off"
    if not total.requires_grad:
        raise AssertionError(cut.format(wrt[0]))
    found = torch.autograd.grad(total, [leaves[i] for i in wrt], allow_unused=True)
    for i, gradient in zip(wrt, found, strict=True):
        if gradient is None:
            raise AssertionError(cut.format(i))
    return list(found)


def seeded(f: Callable[..., Any], seed: int, *args: Any, **options: Any) -> Any:
    """Result of f(*args) with the random state of torch, NumPy and Python set to seed.

    The states are put back afterwards.
    """
    python_state, numpy_state = random.getstate(), np.random.get_state()
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            np.random.seed(seed)
            random.seed(seed)
            return f(*args, **options)
    finally:
        random.setstate(python_state)
        np.random.set_state(numpy_state)


def close(
    actual: Any,
    expected: Any,
    message: str,
    *,
    within: float = 1e-5,
    mistakes: Mapping[str, Any] | None = None,
) -> None:
    """Raise an `AssertionError` with the message unless actual has expected's shape and values.

    A value may be off by `within`, times the expected value where that is larger than one. Numbers,
    nested lists and tensors of any dtype are compared in float64. `mistakes` maps what went wrong
    to the value it leads to: where actual equals one of them, its text takes the message's place.
    """
    want = _float64(expected)
    try:
        got = _float64(actual)
    except (TypeError, ValueError, RuntimeError):
        missing = " Is a return missing?" if actual is None else ""
        raise AssertionError(
            f"{message}: got {type(actual).__name__} where numbers belong.{missing}"
        ) from None
    if got.shape != want.shape:
        raise AssertionError(
            f"{message}: shape {tuple(got.shape)} where {tuple(want.shape)} belongs."
        )
    wrong = _far(got, want, within)  # same shape as want
    if not wrong.any():
        return
    for mistake, value in (mistakes or {}).items():
        other = _float64(value)
        if other.shape == got.shape and not _far(got, other, within).any():
            raise AssertionError(f"{mistake}.")
    worst = int(torch.where(wrong, (got - want).abs().nan_to_num(torch.inf), -1.0).argmax())
    place = f" at {[int(i) for i in np.unravel_index(worst, want.shape)]}" if want.ndim else ""
    a, b = _told_apart(got.flatten()[worst].item(), want.flatten()[worst].item())
    raise AssertionError(
        f"{message}: got {a} where {b} belongs{place};"
        f" {int(wrong.sum())} of {want.numel()} values are off."
    )


def _told_apart(a: float, b: float) -> tuple[str, str]:
    """Two numbers with as many digits as it takes to see that they differ, six at least."""
    digits = next((n for n in range(6, 18) if f"{a:.{n}g}" != f"{b:.{n}g}"), 6)
    return f"{a:.{digits}g}", f"{b:.{digits}g}"


def _float64(value: Any) -> Tensor:
    return torch.as_tensor(value, dtype=torch.float64, device="cpu").detach()


def _far(got: Tensor, want: Tensor, within: float) -> Tensor:
    near = (got - want).abs() <= within * want.abs().clamp(min=1)  # False for NaN
    return ~(near & want.isfinite() | (got == want))


def same(
    actual: Any, expected: Any, message: str, *, mistakes: Mapping[str, Any] | None = None
) -> None:
    """Raise an `AssertionError` with the message unless actual equals expected exactly.

    For strings, whole numbers, and lists and dicts of them; a tuple or a tensor counts as the list
    of its items. `mistakes` is as in `close`.
    """
    got, want = _plain(actual), _plain(expected)
    if got == want:
        return
    for mistake, value in (mistakes or {}).items():
        if got == _plain(value):
            raise AssertionError(f"{mistake}.")
    missing = " Is a return missing?" if actual is None else ""
    raise AssertionError(f"{message}: got {_short(got)} where {_short(want)} belongs.{missing}")


def _plain(value: Any) -> Any:
    if isinstance(value, Tensor | np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def _short(value: Any, longest: int = 160) -> str:
    text = repr(value)
    return text if len(text) <= longest else f"{text[:longest]} …"


class Credit:
    """Partial credit, added up: each aspect that raises nothing earns its points.

    >>> credit = Credit()
    >>> with credit(1.5, "zero means"):
    ...     assert 1 + 1 == 2
    >>> with credit(0.5, "any means"):
    ...     assert 1 + 1 == 3, "the means add variance too"
    any means: 0 of 0.5 points. the means add variance too
    >>> credit.total
    1.5

    Only an `Exception` costs an aspect its points; a grader that has to stop the whole test,
    because time or the other process is gone, raises a `BaseException`.
    """

    def __init__(self) -> None:
        self.total = 0.0

    @contextmanager
    def __call__(self, points: float, aspect: str) -> Iterator[None]:
        """Earn the points when the block under `with` raises nothing, else print why not."""
        try:
            yield
        except Exception as problem:
            reason = traceback.format_exception_only(problem)[-1].strip()
            reason = reason.removeprefix("AssertionError: ")
            print(f"{aspect}: 0 of {points:g} points. {reason}")
        else:
            self.total += points


def block(assignment: str) -> None:
    """Make what would answer the assignment's parts unusable until the kernel restarts.

    `blocked.json` beside this file lists the modules and functions of every assignment.
    """
    lists = json.loads(files("course_lib").joinpath("blocked.json").read_text("utf-8"))
    modules, functions = lists[assignment]["modules"], lists[assignment]["functions"]
    reason = f"is blocked in assignment {assignment}, because it would answer a part of it"
    for name in [m for m in sys.modules if any(_inside(m, blocked) for blocked in modules)]:
        parent, _, child = name.rpartition(".")
        package = sys.modules.get(parent, ModuleType(parent))
        if vars(package).pop(child, None):
            _say_why(package, child, reason)
        del sys.modules[name]
    sys.meta_path.insert(0, _Blocker(modules, reason))
    for name in functions:
        owner, _, function = name.rpartition(".")
        setattr(importlib.import_module(owner), function, _refuse(name, reason))
    print("Blocked in this notebook:", ", ".join(modules + functions))


def _inside(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


class _Blocker:
    """First stop of every import: refuses the blocked modules and passes on the rest."""

    def __init__(self, modules: list[str], reason: str) -> None:
        self.modules, self.reason = modules, reason

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if any(_inside(name, blocked) for blocked in self.modules):
            # Without name=…: `from package import module` swallows an error that names the module.
            raise ModuleNotFoundError(f"{name} {self.reason}")
        return None


def _say_why(package: ModuleType, child: str, reason: str) -> None:
    """Let `package.child` say more than that there is no such attribute."""
    others = vars(package).get("__getattr__")

    def missing(name: str) -> Any:
        if name == child:
            raise AttributeError(f"{package.__name__}.{child} {reason}")
        if others:
            return others(name)
        raise AttributeError(f"module {package.__name__!r} has no attribute {name!r}")

    vars(package)["__getattr__"] = missing


def _refuse(name: str, reason: str) -> Callable[..., Any]:
    def refuse(*_: Any, **__: Any) -> Any:
        raise RuntimeError(f"{name} {reason}")

    return refuse
