"""The student's side of the conversation: runs cells and does what tests ask of their objects.

It runs in the same process as the student's code, so nothing it says is believed: the other side
(`remote`) treats every reply as data from a stranger. It is only a convenience.
"""

import builtins
import importlib
import linecache
import os
import socket
import sys
import traceback
import types
from collections.abc import Iterator
from typing import Any

from autograder import frame, wire

MAX_TRACEBACK = 6_000
MAX_MESSAGE = 1_000


def serve(channel: socket.socket) -> None:
    """Answer requests until the other side hangs up."""
    desk = _Desk()
    while True:
        header = _receive(channel, frame.HEADER.size)
        if header is None:
            return
        text, run = frame.HEADER.unpack(header)
        message = _receive(channel, text + run)
        if message is None:
            return
        reply = desk.answer(message[:text], message[text:])
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:  # the student may have closed or replaced it
                continue
        channel.sendall(reply)


def _receive(channel: socket.socket, length: int) -> bytes | None:
    data = bytearray()
    while len(data) < length:
        piece = channel.recv(min(length - len(data), 2**20))
        if not piece:
            return None
        data += piece
    return bytes(data)


class _Desk:
    """The notebook's namespace and the table of objects that tests hold handles of."""

    def __init__(self) -> None:
        main = types.ModuleType("__main__")
        sys.modules["__main__"] = main
        self.space = vars(main)
        self.space.update(
            __builtins__=builtins, display=print, get_ipython=lambda: _Magics(self.space)
        )
        self.objects: dict[int, Any] = {}

    def answer(self, text: bytes, run: bytes) -> bytes:
        try:
            request = wire.unpack(text, run, self._resolve)
            name = request.pop("do")
            before = self._traces(request)
            value = {"value": getattr(self, f"do_{name}")(**request)}
            after = self._traces(request)
            if changed := [key for key in before if before[key] != after[key]]:
                value["changed"] = changed
        except StopIteration:
            value = {"stop": True}
        except BaseException as error:
            value = {"raised": describe(error)}
        try:
            return wire.pack(value, self._keep)
        except BaseException as error:
            return wire.pack({"raised": describe(error)}, self._keep)

    def _keep(self, value: Any) -> dict[str, Any]:
        number = id(value)  # kept alive by the table, so the number stays its own
        self.objects[number] = value
        label = getattr(value, "__name__", "") if not isinstance(value, type) else value.__name__
        return {"handle": number, "kind": type(value).__name__[:60], "label": str(label)[:60]}

    def _traces(self, request: dict[str, Any]) -> dict[int | str, bytes]:
        """The arguments as bytes: tells whether the student's code changed one in place."""
        positions = enumerate(request.get("args", ()))
        named = {**dict(positions), **request.get("options", {})}
        return {key: wire.pack(value, self._keep) for key, value in named.items()}

    def _resolve(self, node: dict[str, Any]) -> Any:
        return self.space[node["name"]] if "name" in node else self.objects[node["handle"]]

    # --- what can be asked ---

    def do_place(self, files: dict[str, bytes]) -> None:
        """Put the assignment's data where cells look for it."""
        for name, data in files.items():
            os.makedirs(os.path.dirname(os.path.abspath(name)), exist_ok=True)
            with open(name, "wb") as file:
                file.write(data)

    def do_run(self, source: str, name: str) -> None:
        file = f"<{name}>"
        source = _plain_python(source)
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        exec(compile(source, file, "exec", dont_inherit=True), self.space)

    def do_get(self, names: list[str]) -> dict[str, Any]:
        return {name: self.space[name] for name in names if name in self.space}

    def do_call(self, target: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        return target(*args, **options)

    def do_apply(self, function: str, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Call a library function here, so that it can use the student's objects themselves."""
        module, _, attribute = function.partition(":")
        return getattr(importlib.import_module(module), attribute)(*args, **options)

    def do_attribute(self, target: Any, name: str) -> Any:
        return getattr(target, name)

    def do_item(self, target: Any, key: Any) -> Any:
        return target[key]

    def do_length(self, target: Any) -> int:
        return len(target)

    def do_iterator(self, target: Any) -> "_Iteration":
        return _Iteration(iter(target))

    def do_next(self, target: Any) -> Any:
        return next(target.iterator if isinstance(target, _Iteration) else target)


class _Iteration:
    """Keeps an iterator from crossing as anything but a handle."""

    def __init__(self, iterator: Iterator[Any]) -> None:
        self.iterator = iterator


class _Magics:
    """Lets `%` and `!` lines pass: timing magics run their code, the others do nothing."""

    def __init__(self, space: dict[str, Any]) -> None:
        self.space = space

    def run_line_magic(self, name: str, line: str, **_: Any) -> None:
        if name in ("time", "timeit"):
            exec(line, self.space)

    def run_cell_magic(self, name: str, line: str, cell: str) -> None:
        if name in ("time", "timeit", "capture"):
            exec(cell, self.space)

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None


def _plain_python(source: str) -> str:
    """The cell with IPython's magics turned into calls, where it has any."""
    if any(line.lstrip()[:1] in ("%", "!", "?") for line in source.splitlines()):
        from IPython.core.inputtransformer2 import TransformerManager

        return str(TransformerManager().transform_cell(source))  # type: ignore[no-untyped-call]
    return source


def describe(error: BaseException) -> dict[str, Any]:
    """An exception as data: names of its class and ancestors, its text, and where it happened."""
    ancestry = [kind.__name__ for kind in type(error).__mro__][:20]
    try:
        message = str(error)
    except Exception:
        message = ""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename not in (__file__, wire.__file__)
    ]
    trace = "".join(traceback.format_list(frames))
    return {
        "types": ancestry,
        "message": message[:MAX_MESSAGE],
        "trace": trace[-MAX_TRACEBACK:],
    }
