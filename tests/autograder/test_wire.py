"""What crosses, crosses bit by bit; what is malformed is refused whatever it is."""

import collections
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder import frame, wire

Pair = collections.namedtuple("Pair", "left right")


def refuse(value):
    raise TypeError(f"no handle for {value!r}")


def there_and_back(value):
    message = wire.pack(value, refuse)
    text, run = frame.sizes(message[: frame.HEADER.size], 2**30)
    body = message[frame.HEADER.size :]
    assert len(body) == text + run
    return wire.unpack(body[:text], body[text:], refuse)


def same(a, b):
    if isinstance(a, torch.Tensor):
        return (
            type(b) is torch.Tensor
            and (a.dtype, a.shape, a.requires_grad) == (b.dtype, b.shape, b.requires_grad)
            and a.detach().flatten().view(torch.uint8).equal(b.detach().flatten().view(torch.uint8))
        )
    if isinstance(a, np.ndarray):
        return (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())
    return type(a) is type(b) and (a == b or (a != a and b != b))


@pytest.mark.parametrize("dtype", wire._TORCH_DTYPES.values(), ids=str)
@pytest.mark.parametrize("shape", [(), (3,), (2, 0, 3), (2, 3, 4)], ids=str)
def test_tensors(dtype, shape):
    tensor = (torch.randn(shape) * 3).to(dtype)
    assert same(tensor, there_and_back(tensor))


@pytest.mark.parametrize(
    "tensor",
    [
        torch.arange(12.0).view(3, 4).t(),
        torch.ones(2, 3)[:, :1].expand(2, 5),
        torch.tensor([math.nan, math.inf, -0.0]),
        torch.randn(2, requires_grad=True),
        torch.nn.Parameter(torch.ones(1)).data,
        torch.tensor([1 + 2j]).conj().resolve_conj(),
    ],
)
def test_views_special_values_and_flags(tensor):
    assert same(tensor.contiguous(), there_and_back(tensor)) or tensor.requires_grad
    assert there_and_back(tensor).requires_grad == tensor.requires_grad


def test_a_parameter_arrives_as_a_tensor_that_wants_gradients():
    back = there_and_back(torch.nn.Parameter(torch.ones(2)))
    assert type(back) is torch.Tensor and back.requires_grad


@pytest.mark.parametrize(
    "value",
    [
        np.arange(6).reshape(2, 3),
        np.zeros((0, 2), dtype=np.float16),
        np.array(["a", "bc"]),
        np.array(3.0),
        np.array([True]),
        np.arange(4)[::-1],
    ],
    ids=repr,
)
def test_arrays(value):
    assert same(np.ascontiguousarray(value).reshape(value.shape), there_and_back(value))


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(),
    st.text(),
    st.binary(),
    st.complex_numbers(allow_nan=False),
    st.builds(np.float32, st.floats(width=32, allow_nan=False)),
    st.builds(np.int64, st.integers(-9, 9)),
    st.sampled_from([torch.bfloat16, torch.device("cpu"), ..., range(3, 9, 2), slice(1, None)]),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner, inner),
        st.dictionaries(st.one_of(st.text(), st.integers()), inner, max_size=4),
        st.builds(Pair, inner, inner),
        st.builds(torch.Size, st.lists(st.integers(0, 9), max_size=3)),
    ),
    max_leaves=12,
)


def alike(a, b):
    if isinstance(a, Pair):
        return type(b).__name__ == "Pair" and all(map(alike, a, b))
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(alike(a[key], b[key]) for key in a)
    return same(a, b)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(values)
def test_containers(value):
    assert alike(value, there_and_back(value))


def test_sets():
    assert there_and_back({1, "a"}) == {1, "a"}
    assert there_and_back(frozenset({(1, 2)})) == frozenset({(1, 2)})


class Sly(int):
    def __eq__(self, other):
        return True

    __hash__ = int.__hash__


class SlyTensor(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return super().__torch_function__(function, types, args, kwargs or {})


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (Sly(3), int),
        (collections.OrderedDict(a=1), dict),
        (collections.Counter("aa"), dict),
        (type("S", (str,), {})("x"), str),
        (type("L", (list,), {})([1]), list),
        (torch.ones(2).as_subclass(SlyTensor), torch.Tensor),
        (np.ones(2).view(np.matrix), np.ndarray),
    ],
    ids=lambda value: str(type(value).__name__),
)
def test_subclasses_lose_what_they_add(value, plain):
    assert type(there_and_back(value)) is plain


@pytest.mark.parametrize("value", [object(), print, [lambda: 0], {"a": object()}, np.array([{}])])
def test_what_is_no_data_does_not_cross(value):
    with pytest.raises(TypeError, match="no handle"):
        wire.pack(value, refuse)


def test_too_deep_a_value_is_refused():
    deep = []
    for _ in range(wire.MAX_DEPTH + 2):
        deep = [deep]
    with pytest.raises(frame.WireError):
        wire.pack(deep, refuse)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"\xff",
        b'["list"]',
        b'["list", 3]',
        b'["nothing known", 1]',
        b'["tensor", "float32", [2], false, [0, 9]]',
        b'["tensor", "float32", [2], false, [0, 4]]',
        b'["tensor", "float32", [-1], false, [0, 8]]',
        b'["tensor", "float32", [2], false, [-8, 8]]',
        b'["tensor", "object", [2], false, [0, 8]]',
        b'["tensor", "float32", [9999999999999], false, [0, 8]]',
        b'["tensor", "float32", "2", false, [0, 8]]',
        b'["array", "|O", [1], [0, 8]]',
        b'["array", "<V8", [1], [0, 8]]',
        b'["array", "<f8", [1e3], [0, 8]]',
        b'["array", "<U0", [1], [0, 8]]',
        b'["bytes", [0]]',
        b'["bytes", ["0", "1"]]',
        b'["named", "class", ["a"], [1]]',
        b'["named", "P", ["_a"], [1]]',
        b'["named", "P", ["a", "b"], [1]]',
        b'["dict", [[["list", []], 1]]]',
        b'["set", [["list", []]]]',
        b'["dtype", "__class__"]',
        b'["device", "cuda:x"]',
        b'["range", "a"]',
        b'["complex", 1, 2, 3]',
        b"9" * 5_000,
        b"[" * 5_000,
        b'["list", [' * 100 + b"]]" * 100,
        b'["list", [' + b"1," * wire.MAX_ITEMS + b"1]]",
    ],
    ids=lambda text: text[:40].decode(errors="replace"),
)
def test_malformed_messages_are_refused(text):
    with pytest.raises(frame.WireError):
        wire.unpack(text, b"12345678", refuse)


def test_a_message_that_announces_too_much_is_refused_unread():
    with pytest.raises(frame.WireError, match="too large"):
        frame.sizes(frame.HEADER.pack(10, 2**40), limit=2**20)
    with pytest.raises(frame.WireError, match="too large"):
        frame.sizes(frame.HEADER.pack(2**40, 10), limit=2**20)
