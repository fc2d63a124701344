"""The tests' side of the conversation: student objects as proxies, student values as values.

A proxy can be called, read, indexed and iterated; every result comes back as data or as another
proxy. It deliberately has no arithmetic, no comparison, no truth value and no conversion to an
array: those would ask the student's process for the verdict. A value must have crossed before a
test can compare it.
"""

import builtins
import contextlib
import functools
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

import numpy as np
import torch

from autograder import frame, wire
from autograder.outcome import Outcome, PartEnded
from autograder.replies import MAX_REPLIES, boiled

MAX_BYTES_PER_PART = 512 * 2**20


class StudentRaised(Exception):
    """Student code raised this; `kind` is the name of the class it raised."""

    kind = ""
    trace = ""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class Channel(Protocol):
    """Carries one message there and one back, as `sandbox.Session` does."""

    def exchange(self, message: bytes) -> tuple[bytes, bytes]:
        """Send a message, return JSON and run of the reply."""


class Link:
    """One conversation with one student process."""

    def __init__(self, channel: Channel, seed: str = "0") -> None:
        self.channel = channel
        self.chance = random.Random(f"spoil {seed}")
        self.shared: dict[int, str] = {}  # objects of locked cells, known there by name
        self.received = 0
        self.log: list[Any] | None = None  # what was replied, for `misconceptions`

    def ask(self, do: str, **fields: Any) -> Any:
        """Do one thing over there; what it raises is raised here."""
        if _inside and do == "call":
            _refuse_to_lose(_inside[-1], [*fields["args"], *fields["options"].values()])
        message = wire.pack({"do": do, **fields}, self._keep)
        text, run = self.channel.exchange(message)
        self.received += len(text) + len(run)
        if self.received > MAX_BYTES_PER_PART:
            raise PartEnded(Outcome.FAILED, "your code returned more data than a test can hold")
        try:
            reply = wire.unpack(text, run, self._resolve)
            if not isinstance(reply, dict):
                raise frame.WireError("not a reply")
        except frame.WireError as error:
            raise PartEnded(
                Outcome.ERROR, f"a result of your code could not be read: {error}"
            ) from None
        if self.log is not None and len(self.log) < MAX_REPLIES:
            self.log.append(_for_log(reply))
        if "value" in reply:
            self._spoil(fields, reply.get("changed"))
            return reply["value"]
        if "stop" in reply:
            raise StopIteration
        raise _exception(reply.get("raised"))

    def apply(self, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Call a library function over there, on the student's objects themselves."""
        name = f"{function.__module__}:{function.__name__}"
        return self.ask("apply", function=name, args=args, options=options)

    def _spoil(self, fields: dict[str, Any], changed: Any) -> None:
        """Make a change in place visible to the test, without letting it choose the numbers.

        What the student's code wrote into its arguments is not copied back: a test that computes
        what it expects from the same tensors would then expect what the student likes. Numbers
        nobody can foresee take their place, so a test that compares with a copy sees a change.
        """
        args, options = fields.get("args", ()), fields.get("options", {})
        for key in changed if isinstance(changed, list) else ():
            if type(key) is int and 0 <= key < len(args):
                _spoil(args[key], self.chance)
            elif isinstance(key, str) and key in options:
                _spoil(options[key], self.chance)

    def _keep(self, value: Any) -> dict[str, Any]:
        if isinstance(value, Proxy):
            return {"handle": _handle(value)}
        if id(value) in self.shared:
            return {"name": self.shared[id(value)]}
        raise TypeError(
            f"a test can hand data to student code, not {type(value).__name__}: "
            "define it in a locked cell, which runs on both sides"
        )

    def _resolve(self, node: dict[str, Any]) -> "Proxy":
        handle, kind, label = node["handle"], str(node["kind"])[:60], str(node["label"])[:60]
        if type(handle) is not int:
            raise frame.WireError("a handle is a number")
        return Proxy(self, handle, f"{kind} {label}".strip())


class Proxy:
    """Stands for a function, class, module or other object in the student's process."""

    __slots__ = ("__description", "__handle", "__link")

    def __init__(self, link: Link, handle: int, description: str) -> None:
        self.__link, self.__handle, self.__description = link, handle, description

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Call it over there."""
        return self.__link.ask("call", target=self, args=args, options=options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python's own questions: copying, arrays, pickling
            raise AttributeError(name)
        return self.__link.ask("attribute", target=self, name=name)

    def __getitem__(self, key: Any) -> Any:
        return self.__link.ask("item", target=self, key=key)

    def __len__(self) -> int:
        length = self.__link.ask("length", target=self)
        if type(length) is not int:
            raise PartEnded(Outcome.ERROR, "the length of your object is not a whole number")
        return length

    def __iter__(self) -> Iterator[Any]:
        iterator = self.__link.ask("iterator", target=self)
        while True:
            try:
                item = self.__link.ask("next", target=iterator)
            except StopIteration:
                return
            yield item

    def __next__(self) -> Any:
        return self.__link.ask("next", target=self)

    def __bool__(self) -> bool:
        raise TypeError(f"{self!r} is neither true nor false: a plain value belongs here")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Proxy) and _identity(self) == _identity(other)

    def __hash__(self) -> int:
        return hash(self.__handle)

    def __reduce__(self) -> Any:
        raise TypeError(f"{self!r} cannot be copied")

    def __repr__(self) -> str:
        return f"<student's {self.__description}>"


Proxy.__name__ = "an object"  # what a message says in the place of a number: "got an object"


def _for_log(reply: Mapping[str, Any]) -> list[Any]:
    if "value" in reply:
        return ["value", boiled(reply["value"]), boiled(reply.get("changed"))]
    raised = reply.get("raised")
    names = raised.get("types") if isinstance(raised, dict) else None
    return ["raised", boiled(names[0] if isinstance(names, list) and names else names)]


def _handle(proxy: Proxy) -> int:
    return object.__getattribute__(proxy, "_Proxy__handle")


def _identity(proxy: Proxy) -> tuple[int, int]:
    return id(link_of(proxy)), _handle(proxy)


def link_of(proxy: Proxy) -> Link:
    """The conversation a proxy belongs to."""
    return object.__getattribute__(proxy, "_Proxy__link")


def _spoil(value: Any, chance: random.Random) -> None:
    """Overwrite tensors and arrays, wherever they lie in `value`; lengthen lists and dicts."""
    match value:
        case torch.Tensor():
            with torch.no_grad(), contextlib.suppress(RuntimeError):  # expanded: not ours to write
                numbers = [chance.random() * 100 for _ in range(value.numel())]
                value.copy_(torch.tensor(numbers, dtype=torch.float64).view_as(value))
        case np.ndarray() if value.flags.writeable and value.dtype.kind in "biufc":
            value[...] = np.reshape([chance.random() * 100 for _ in range(value.size)], value.shape)
        case list() | tuple():
            for item in value:
                _spoil(item, chance)
            if isinstance(value, list):
                value.append(chance.random())
        case dict():
            for item in value.values():
                _spoil(item, chance)
            value[f"changed {chance.random()}"] = None


def remote_form(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` for tests: runs on the student's side when its first argument lives there.

    A function of the test stays here. It may not hand the work on to an answer: there neither the
    graph of `gradients` nor the random state of `seeded` would arrive.
    """

    @functools.wraps(function)
    def either(f: Any, *args: Any, **options: Any) -> Any:
        if isinstance(f, Proxy):
            return link_of(f).apply(function, f, *args, **options)
        _inside.append(function.__name__)
        try:
            return function(f, *args, **options)
        finally:
            _inside.pop()

    return either


_inside: list[str] = []  # remote forms that run a function of the test at the moment


def _refuse_to_lose(form: str, arguments: list[Any]) -> None:
    tracked = any(isinstance(x, torch.Tensor) and x.requires_grad for x in arguments)
    if tracked or form != "gradients":
        raise TypeError(
            f"this function of the test calls an answer, and {form} does not reach across: "
            f"hand the answer itself over, as in {form}(answer, …)"
        )


def missing(outcome: Outcome, message: str) -> Any:
    """Stands for a name the student's cell did not define: any use of it ends the part."""

    def end(*_: Any, **__: Any) -> Any:
        raise PartEnded(outcome, message)

    touched = """call getattr getitem len iter next bool eq ne lt le gt ge contains add radd sub
        rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow matmul rmatmul neg abs
        float int index round array str format hash"""
    members: dict[str, Any] = {f"__{name}__": end for name in touched.split()}
    return type("Missing", (), members)()


def _exception(raised: Any) -> StudentRaised:
    """What the student's code raised, as a class that `except ValueError` and the like catch."""
    fields: Mapping[str, Any] = raised if isinstance(raised, dict) else {}
    names = fields.get("types")
    names = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
    base = next((kind for name in names if (kind := _BUILTIN_ERRORS.get(name))), None)
    bases = (StudentRaised, base) if base else (StudentRaised,)
    looks = {"__module__": "builtins"}  # in messages it is called as in the learner's own kernel
    raised_kind: type[StudentRaised] = type((base or StudentRaised).__name__, bases, looks)
    error = raised_kind(str(fields.get("message", ""))[:1_000])
    error.kind = names[0][:60] if names else "an exception"
    error.trace = str(fields.get("trace", ""))[:6_000]
    return error


# built from more than a text, or with a meaning of their own
_NOT_FROM_TEXT = (StopIteration, StopAsyncIteration, UnicodeError, SyntaxError, ExceptionGroup)

_BUILTIN_ERRORS: dict[str, type[Exception]] = {
    name: kind
    for name, kind in vars(builtins).items()
    if isinstance(kind, type)
    and issubclass(kind, Exception)
    and not issubclass(kind, _NOT_FROM_TEXT)
    and kind is not Exception
}
