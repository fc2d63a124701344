"""What may cross between tests and student code: data and numbered handles, never pickles.

A message is a JSON text and a run of raw bytes. Arrays and tensors put their bytes in the run and
their dtype and shape in the JSON; bfloat16 and every other dtype cross bit by bit. What is neither
a plain value nor a container of them crosses as a handle: a number in the other side's table.

Subclasses of plain types cross as the plain type. So an object that claims to equal everything
arrives either as an honest value or as a handle that equals only itself.
"""

import collections
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from autograder.frame import HEADER, WireError

MAX_DEPTH = 60
MAX_ITEMS = 200_000

_TORCH_DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
        torch.float16, torch.bfloat16, torch.float32, torch.float64,
        torch.complex64, torch.complex128,
    )
}  # fmt: skip
_NUMPY_KINDS = "biufcSU"
_Sequence = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset, "size": torch.Size}

Node = Any
Keep = Callable[[Any], Node]
Resolve = Callable[[Node], Any]


def pack(value: Any, keep: Keep) -> bytes:
    """A message holding `value`; `keep` turns what is not data into a node, or raises."""
    run = bytearray()
    text = json.dumps(_encode(value, run, keep, 0)).encode()
    return HEADER.pack(len(text), len(run)) + text + run


def unpack(text: bytes, run: bytes, resolve: Resolve) -> Any:
    """The value of a message; `resolve` turns the nodes made by `keep` back into objects.

    Anything malformed is a `WireError`, whatever the sender wrote.
    """
    try:
        return _Decoder(run, resolve).decode(json.loads(text), 0)
    except WireError:
        raise
    except (ValueError, TypeError, KeyError, IndexError, RecursionError, RuntimeError) as error:
        raise WireError(f"not a message: {error!r}"[:300]) from error


def _encode(value: Any, run: bytearray, keep: Keep, depth: int) -> Node:
    if depth > MAX_DEPTH:
        raise WireError(f"a value nested more than {MAX_DEPTH} deep cannot be handed over")

    def inner(item: Any) -> Node:
        return _encode(item, run, keep, depth + 1)

    def blob(data: bytes) -> list[int]:
        run.extend(data)
        return [len(run) - len(data), len(data)]

    match value:
        case None | True | False:
            return value
        case np.generic() | np.ndarray() if value.dtype.kind in _NUMPY_KINDS:
            tag = "array" if isinstance(value, np.ndarray) else "scalar"
            data = np.ascontiguousarray(value)
            return [tag, data.dtype.str, list(value.shape), blob(data.tobytes())]
        case int():
            return int(value)
        case float():
            return float(value)
        case str():
            return str(value)
        case complex():
            return ["complex", value.real, value.imag]
        case bytes() | bytearray():
            return ["bytes", blob(bytes(value))]
        case torch.Tensor():
            return _encode_tensor(value, keep, blob)
        case torch.dtype():
            return ["dtype", str(value).removeprefix("torch.")]
        case torch.device():
            return ["device", str(value)]
        case torch.Size():
            return ["size", [inner(item) for item in value]]
        case tuple() if hasattr(value, "_fields"):
            fields = list(value._fields)
            return ["named", type(value).__name__, fields, [inner(item) for item in value]]
        case tuple() | list() | set() | frozenset():
            tag = next(t for t in ("tuple", "list", "set", "frozenset") if _is(value, t))
            return [tag, [inner(item) for item in value]]
        case dict():
            return ["dict", [[inner(key), inner(item)] for key, item in value.items()]]
        case range():
            return ["range", value.start, value.stop, value.step]
        case slice():
            return ["slice", inner(value.start), inner(value.stop), inner(value.step)]
    return ["ellipsis"] if value is ... else keep(value)


def _is(value: Any, tag: str) -> bool:
    return isinstance(value, _Sequence[tag])


def _encode_tensor(value: Any, keep: Keep, blob: Callable[[bytes], list[int]]) -> Node:
    name = str(value.dtype).removeprefix("torch.")
    if name not in _TORCH_DTYPES or value.layout != torch.strided or value.is_meta:
        return keep(value)
    plain = value.detach().cpu().resolve_conj().resolve_neg().contiguous().flatten()
    data = plain.view(torch.uint8).numpy().tobytes() if plain.numel() else b""
    return ["tensor", name, list(value.shape), bool(value.requires_grad), blob(data)]


class _Decoder:
    def __init__(self, run: bytes, resolve: Resolve) -> None:
        self.run, self.resolve, self.items = run, resolve, 0

    def decode(self, node: Node, depth: int) -> Any:
        self.items += 1
        if self.items > MAX_ITEMS or depth > MAX_DEPTH:
            raise WireError(f"a value of more than {MAX_ITEMS:,} pieces is too large to hand over")
        if not isinstance(node, list):
            if isinstance(node, dict):
                return self.resolve(node)
            return node
        tag, *rest = node
        match tag:
            case "list" | "tuple" | "set" | "frozenset" | "size":
                return _Sequence[tag]([self.decode(item, depth + 1) for item in rest[0]])
            case "dict":
                return {
                    self.decode(key, depth + 1): self.decode(item, depth + 1)
                    for key, item in rest[0]
                }
            case "named":
                return self._named(rest, depth)
            case "tensor":
                return self._tensor(*rest)
            case "array" | "scalar":
                array = self._array(*rest)
                return array if tag == "array" else array[()]
            case "bytes":
                return self._blob(rest[0])
            case "complex":
                return complex(*rest)
            case "dtype":
                return _TORCH_DTYPES[rest[0]]
            case "device":
                return torch.device(rest[0])
            case "range":
                return range(*rest)
            case "slice":
                return slice(*(self.decode(item, depth + 1) for item in rest))
            case "ellipsis":
                return ...
        raise WireError(f"unknown kind of value {str(tag)[:40]!r}")

    def _blob(self, place: list[int]) -> bytes:
        start, length = place
        if not 0 <= start <= start + length <= len(self.run):
            raise WireError("a value points outside its message")
        return self.run[start : start + length]

    def _shape(self, shape: list[int]) -> list[int]:
        if len(shape) > 16 or any(type(n) is not int or not 0 <= n < 2**40 for n in shape):
            raise WireError("a shape is a short list of sizes")
        return shape

    def _tensor(
        self, name: str, shape: list[int], requires_grad: bool, place: list[int]
    ) -> torch.Tensor:
        dtype, data = _TORCH_DTYPES[name], bytearray(self._blob(place))
        flat = torch.frombuffer(data, dtype=dtype) if data else torch.empty(0, dtype=dtype)
        tensor = flat.reshape(self._shape(shape))
        wants_gradient = requires_grad is True and (dtype.is_floating_point or dtype.is_complex)
        return tensor.requires_grad_(wants_gradient)

    def _array(self, name: str, shape: list[int], place: list[int]) -> Any:
        dtype = np.dtype(name)
        if dtype.kind not in _NUMPY_KINDS or dtype.itemsize == 0:
            raise WireError(f"arrays of {name[:40]} do not cross")
        return np.frombuffer(bytearray(self._blob(place)), dtype).reshape(self._shape(shape))

    def _named(self, rest: list[Any], depth: int) -> Any:
        name, fields, items = rest
        kind = collections.namedtuple(str(name)[:60], [str(field)[:60] for field in fields[:64]])  # type: ignore[misc]  # noqa: PYI024
        return kind(*(self.decode(item, depth + 1) for item in items))
