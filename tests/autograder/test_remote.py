"""Plain test code against student objects that live in another process."""

import math

import numpy as np
import pytest
import torch
from grading import QUICK

from autograder.outcome import Outcome, PartEnded
from autograder.remote import Link, Proxy, StudentRaised, missing, remote_form

STUDENT = """
import torch, math, collections
from dataclasses import dataclass

class Model(torch.nn.Module):
    def __init__(self, width=3):
        super().__init__()
        self.linear = torch.nn.Linear(width, 2)
        self.calls = 0
    def forward(self, x, scale=1.0):
        self.calls += 1
        return self.linear(x) * scale
    def __len__(self):
        return 7
    def __getitem__(self, key):
        return ("item", key)

@dataclass
class Point:
    x: float
    y: float

State = collections.namedtuple("State", "step value")
def make(width): return Model(width)
def use(model, x): return model(x)
def count():
    yield 1
    yield [2, torch.ones(2, dtype=torch.bfloat16)]
def step(state): return State(state.step + 1, state.value * 2)
def bad(x): raise ValueError(f"not {x}")
class Custom(KeyError): pass
def custom(): raise Custom("key")
def square(x): return x ** 2
def cut(x): return x.detach() ** 2
def noise(n): return torch.randn(n)
def zero(x, *rest, y=None):
    for t in (x, y):
        if t is not None: t.zero_()
    return torch.zeros(3)
def grow(items): items.append(1)
def forever():
    while True: yield 0
class Everything:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __sub__(self, other): return 0.0
    __rsub__ = __add__ = __mul__ = __sub__
    def __abs__(self): return 0.0
    def __lt__(self, other): return True
    __gt__ = __le__ = __ge__ = __lt__
    def __bool__(self): return True
    def __float__(self): return 0.0
    def __array__(self, *a, **k): import numpy; return numpy.zeros(3)
    def __torch_function__(self, *a, **k): return torch.zeros(3)
    def allclose(self, other): return True
everything = Everything()
answer = 42
table = {"a": [1, (2, None)], 3: torch.arange(2)}
"""


NAMES = """Model Point State make use count step bad custom square cut zero grow noise forever
    everything    answer table math"""


@pytest.fixture(scope="module")
def student(sandbox):
    session = sandbox.session(QUICK)
    link = Link(session)
    link.ask("run", source=STUDENT, name="cell")
    yield link.ask("get", names=NAMES.split())
    session.close()


@pytest.fixture(autouse=True)
def fresh_clocks(student):
    link = object.__getattribute__(student["make"], "_Proxy__link")
    link.channel.begin_part()
    link.received = 0


def test_data_arrives_as_data(student):
    assert student["answer"] == 42
    assert student["table"]["a"] == [1, (2, None)]
    assert student["table"][3].tolist() == [0, 1]


def test_models(student):
    model = student["Model"](4)
    x = torch.ones(5, 4)
    weight, bias = model.linear.weight, model.linear.bias
    assert torch.allclose(model(x, scale=2.0), 2 * (x @ weight.T + bias))
    assert model.calls == 1 and len(model) == 7 and model["k"] == ("item", "k")
    assert {name: tuple(p.shape) for name, p in model.named_parameters()} == {
        "linear.weight": (2, 4),
        "linear.bias": (2,),
    }
    state = {name: torch.zeros_like(value) for name, value in model.state_dict().items()}
    model.load_state_dict(state)
    assert model(x).eq(0).all()


def test_handles_can_be_handed_back(student):
    model = student["make"](3)
    assert torch.equal(student["use"](model, torch.ones(1, 3)), model(torch.ones(1, 3)))


def test_generators_tuples_and_modules(student):
    first, second = student["count"]()
    assert first == 1 and second[1].dtype is torch.bfloat16
    assert next(student["count"]()) == 1
    assert student["step"](student["State"](1, 2.0)) == (2, 4.0)
    assert student["step"](student["State"](1, 2.0)).value == 4.0
    assert student["math"].sqrt(2) == math.sqrt(2) and student["math"].pi == math.pi
    assert student["Point"](1.0, 2.0).y == 2.0


def test_exceptions_can_be_caught_by_their_class(student):
    with pytest.raises(ValueError, match="not 3") as raised:
        student["bad"](3)
    assert isinstance(raised.value, StudentRaised) and raised.value.kind == "ValueError"
    assert type(raised.value).__name__ == "ValueError"  # as in the learner's own kernel
    assert "in bad" in raised.value.trace
    with pytest.raises(KeyError, match="key"):
        student["custom"]()
    with pytest.raises(AttributeError):
        student["make"](3).nothing()
    with pytest.raises(TypeError):
        student["square"]()


@pytest.mark.parametrize(
    "use",
    [
        lambda e: e == 3,
        lambda e: 3 == e,
        lambda e: not (e != 3),
        lambda e: e in [3, 4],
        lambda e: abs(e - 3) < 1e-6,
        lambda e: e - 3 == 0,
        lambda e: abs(e) < 1,
        lambda e: e < 3,
        lambda e: bool(e),
        lambda e: float(e) == 0.0,
        lambda e: math.isclose(e, 0.0),
        lambda e: torch.equal(e, torch.zeros(3)),
        lambda e: torch.allclose(e, torch.zeros(3)),
        lambda e: torch.as_tensor(e).eq(0).all(),
        lambda e: np.allclose(e, 0),
        lambda e: bool((torch.zeros(3) == e).all()),
        lambda e: bool((np.zeros(3) == e).all()),
        lambda e: isinstance(e, int),
        lambda e: sorted([e, 3])[0] == e and False,
    ],
)
def test_an_object_equal_to_everything_equals_nothing(student, use):
    try:
        verdict = use(student["everything"])
    except (TypeError, ValueError, RuntimeError, AttributeError):
        return
    assert not verdict


def test_a_proxy_cannot_be_pickled_or_copied(student):
    import copy
    import pickle

    for attempt in (pickle.dumps, copy.deepcopy, copy.copy):
        with pytest.raises(TypeError):
            attempt(student["everything"])


def test_gradients_run_on_the_students_side(student):
    from course_lib.checks import gradients

    far = remote_form(gradients)
    x = torch.tensor([1.0, 2.0, 3.0])
    assert torch.allclose(far(student["square"], x)[0], gradients(lambda x: x**2, x)[0])
    assert torch.equal(far(lambda x: x * 2, x)[0], gradients(lambda x: x * 2, x)[0])
    with pytest.raises(AssertionError, match="no gradient reaches"):
        far(student["cut"], x)


def test_what_would_be_lost_on_the_way_is_refused(student):
    from course_lib.checks import gradients, seeded

    x = torch.tensor([1.0, 2.0])
    with pytest.raises(TypeError, match=r"gradients\(answer, …\)"):
        remote_form(gradients)(lambda x: 2 * student["square"](x), x)
    with pytest.raises(TypeError, match=r"seeded\(answer, …\)"):
        remote_form(seeded)(lambda n: student["noise"](n), 3, 5)
    found = remote_form(gradients)(lambda x: x * student["square"](3.0), x)  # a constant
    assert torch.equal(found[0], gradients(lambda x: x * 9.0, x)[0])
    assert student["square"](3.0) == 9.0


def test_seeded_runs_on_the_students_side(student):
    from course_lib.checks import seeded

    far = remote_form(seeded)
    assert torch.equal(far(student["noise"], 3, 5), seeded(torch.randn, 3, 5))


def test_tests_hand_over_data_only(student):
    with pytest.raises(TypeError, match="locked cell"):
        student["square"](lambda: 0)


def test_a_change_in_place_is_seen_but_not_what_it_wrote(student):
    x, y, z = torch.arange(3.0), torch.arange(3.0), torch.arange(3.0)
    result = student["zero"](x, z, y=y)
    assert z.tolist() == [0, 1, 2]  # handed over and left alone
    for changed in (x, y):
        assert changed.shape == (3,) and not torch.equal(changed, torch.arange(3.0))
        assert not torch.equal(changed, result)  # else `f(x) == reference(x)` could be forged
    items = [1, 2]
    student["grow"](items)
    assert items != [1, 2] and items != [1, 2, 1]


def test_a_shared_function_crosses_by_its_name(student):
    def helper(x):
        return x

    link = object.__getattribute__(student["square"], "_Proxy__link")
    link.shared[id(helper)] = "square"
    assert student["use"](helper, 3) == 9


def test_endless_data_ends_the_part(student, monkeypatch):
    monkeypatch.setattr("autograder.remote.MAX_BYTES_PER_PART", 20_000)
    with pytest.raises(PartEnded) as ended:
        list(student["forever"]())
    assert ended.value.outcome is Outcome.FAILED


@pytest.mark.parametrize(
    "use",
    [
        lambda m: m(),
        lambda m: m.x,
        lambda m: m == 1,
        lambda m: m + 1,
        lambda m: 1 + m,
        lambda m: abs(m),
        lambda m: list(m),
        lambda m: m[0],
        lambda m: float(m),
        lambda m: bool(m),
        lambda m: f"{m}",
        lambda m: {m: 1},
        lambda m: torch.as_tensor(m),
        lambda m: m in [1],
    ],
)
def test_any_use_of_a_missing_name_ends_the_part(use):
    with pytest.raises(PartEnded) as ended:
        use(missing(Outcome.TIMEOUT, "it took too long"))
    assert ended.value.outcome is Outcome.TIMEOUT


class Lying:
    """A student process that replies whatever it likes."""

    def __init__(self, text, run=b""):
        self.reply = text, run

    def exchange(self, message):
        return self.reply


@pytest.mark.parametrize(
    "text",
    [
        b"3",
        b"[]",
        b"null",
        b"{}",
        b'{"handle": "x"}',
        b'{"handle": 1}',
        b'["list", []]',
        b'["dict", [["value", {"handle": true, "kind": 1, "label": 2}]]]',
        b'["dict", [["value", {"handle": 1.5, "kind": "k", "label": "l"}]]]',
        b'["dict", [["value", {"name": "secret"}]]]',
        b"\x80\x04pickle",
    ],
)
def test_a_lying_process_ends_its_part(text):
    with pytest.raises(PartEnded) as ended:
        Link(Lying(text)).ask("get", names=[])
    assert ended.value.outcome is Outcome.ERROR


@pytest.mark.parametrize(
    "raised",
    [
        b"null",
        b"3",
        b'["dict", []]',
        b'["dict", [["types", 3], ["message", ["list", []]]]]',
        b'["dict", [["types", ["list", ["SystemExit", "BaseException"]]]]]',
        b'["dict", [["types", ["list", ["KeyboardInterrupt", "PartEnded"]]]]]',
        b'["dict", [["types", ["list", ["StopIteration", "Exception"]]]]]',
    ],
)
def test_nothing_that_is_raised_there_is_more_than_an_ordinary_exception_here(raised):
    with pytest.raises(StudentRaised) as error:
        Link(Lying(b'["dict", [["raised", ' + raised + b"]]]")).ask("get", names=[])
    assert isinstance(error.value, Exception) and not isinstance(error.value, StopIteration)


def test_the_description_of_a_proxy_is_short():
    handle = b'{"handle": 1, "kind": "' + b"k" * 999 + b'", "label": "' + b"l" * 999 + b'"}'
    proxy = Link(Lying(b'["dict", [["value", ' + handle + b"]]]")).ask("get", names=[])
    assert isinstance(proxy, Proxy) and len(repr(proxy)) < 150
