import random
import subprocess
import sys

import numpy as np
import pytest
import torch

from course_lib.checks import Credit, close, draw, gradients, same, seeded


def test_draw_depends_on_name_and_seed_alone(monkeypatch):
    first = draw("q", 3, 4)
    torch.manual_seed(7)
    assert torch.equal(draw("q", 3, 4), first)
    assert not torch.equal(draw("k", 3, 4), first)
    monkeypatch.setenv("COURSE_SEED", "another course")
    assert not torch.equal(draw("q", 3, 4), first)


def test_draw_gives_the_same_numbers_in_every_precision():
    double = draw("q", 5, dtype=torch.float64)
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        assert torch.equal(draw("q", 5, dtype=dtype), double.to(dtype))


def test_draw_of_integers_and_booleans_covers_its_range():
    ids = draw("ids", 1000, dtype=torch.long, low=3, high=6)
    assert ids.unique().tolist() == [3, 4, 5]
    coins = draw("coins", 1000, dtype=torch.bool)
    assert coins.dtype == torch.bool and 400 < coins.sum() < 600
    assert draw("one", dtype=torch.long, high=9).ndim == 0


def test_gradients_match_the_chain_rule():
    x, y = draw("x", 4, dtype=torch.float64), draw("y", 4, dtype=torch.float64)
    weights = torch.arange(4, dtype=torch.float64).cos()
    by_x, by_y = gradients(lambda x, y: x * y, x, y, wrt=(0, 1))
    assert torch.allclose(by_x, weights * y) and torch.allclose(by_y, weights * x)
    assert x.grad is None and not x.requires_grad


def test_gradients_see_what_a_plain_sum_would_hide():
    (found,) = gradients(lambda x: x.softmax(-1), draw("x", 3, 5))
    assert found.abs().max() > 1e-3


@pytest.mark.parametrize(
    ("f", "number"), [(lambda x, y: (x + y).detach(), 0), (lambda x, y: x + 0 * y.detach(), 1)]
)
def test_gradients_name_the_input_that_was_cut_off(f, number):
    with pytest.raises(AssertionError, match=f"reaches input {number}"):
        gradients(f, torch.ones(2), torch.ones(2), wrt=(0, 1))


def test_seeded_repeats_and_puts_the_random_states_back():
    def roll():
        return torch.rand(1).item(), float(np.random.rand()), random.random()

    states = torch.get_rng_state(), np.random.get_state()[1].copy(), random.getstate()
    assert seeded(roll, 3) == seeded(roll, 3) != seeded(roll, 4)
    assert torch.equal(torch.get_rng_state(), states[0])
    assert np.array_equal(np.random.get_state()[1], states[1])
    assert random.getstate() == states[2]


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (1.0000001, 1),
        (1000.001, 1000.0),
        ([1, 2], torch.tensor([1.0, 2.0], dtype=torch.bfloat16)),
        (float("inf"), float("inf")),
        (np.float64(0.5), 0.5),
        (torch.ones(2, requires_grad=True), [1, 1]),
    ],
)
def test_close_accepts(actual, expected):
    close(actual, expected, "equal")


@pytest.mark.parametrize(
    ("actual", "expected", "says"),
    [
        (None, 1.0, "NoneType where numbers belong. Is a return missing"),
        ("one", 1.0, "str where numbers belong"),
        ([1.0], 1.0, r"shape \(1,\) where \(\) belongs"),
        ([1.0, 2.0, 5.0], [1.0, 2.0, 3.0], r"got 5 where 3 belongs at \[2\]; 1 of 3"),
        ([[0.0, float("nan")]], [[0.0, 1.0]], r"got nan where 1 belongs at \[0, 1\]"),
        (float("inf"), 1.0, "got inf where 1 belongs"),
        (float("nan"), float("nan"), "got nan"),
        (float("inf"), float("-inf"), "got inf"),
        (1.001, 1.0, "got 1.001"),
    ],
)
def test_close_says_what_is_off(actual, expected, says):
    with pytest.raises(AssertionError, match=f"scores: .*{says}"):
        close(actual, expected, "scores")


def test_close_compares_plain_floats_in_float64():
    close(0.1, 0.1 + 1e-14, "same", within=1e-12)
    with pytest.raises(AssertionError, match=r"got 0\.1 where 0\.1000000001 belongs"):
        close(0.1, 0.1 + 1e-10, "differs", within=1e-12)


def test_close_names_the_mistake_that_leads_to_the_value():
    mistakes = {"shape differs": [8.0], "that is the standard deviation": 8.0, "doubled": 128}
    with pytest.raises(AssertionError, match="^that is the standard deviation.$"):
        close(8.1, 64.0, "variance", within=0.05, mistakes=mistakes)
    with pytest.raises(AssertionError, match="^variance: got 9"):
        close(9.0, 64.0, "variance", within=0.05, mistakes=mistakes)


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (("un", "##do"), ["un", "##do"]),
        ({("a", "b"): np.int64(2)}, {("a", "b"): 2}),
        (torch.tensor([[1, 0], [2, 3]]), [[1, 0], (2, 3)]),
        (None, None),
    ],
)
def test_same_accepts(actual, expected):
    same(actual, expected, "equal")


@pytest.mark.parametrize(
    ("actual", "expected", "says"),
    [
        (["un"], ["un", "##do"], r"tokens: got \['un'\] where \['un', '##do'\] belongs\.$"),
        (["##do", "un"], ["un", "##do"], "got"),
        ("12", 12, "got '12' where 12 belongs"),
        ({"a": 1, "b": 0}, {"a": 1}, "got"),
        (None, ["un"], "Is a return missing"),
        (list(range(100)), [], r"40, 41, 4 … where \[\] belongs"),
    ],
)
def test_same_says_what_is_there_and_what_belongs(actual, expected, says):
    with pytest.raises(AssertionError, match=says):
        same(actual, expected, "tokens")


def test_same_names_the_mistake_that_leads_to_the_value():
    with pytest.raises(AssertionError, match="^Join from the left\\.$"):
        same(("a", "aa"), ["aa", "a"], "three", mistakes={"Join from the left": ["a", "aa"]})


def test_credit_adds_up_and_says_what_was_missed(capsys):
    credit = Credit()
    with credit(1.5, "shapes"):
        pass
    with credit(0.5, "masks"):
        raise ValueError("row 3 is not zero")
    with credit(1.0, "gradients"):
        raise NotImplementedError
    assert credit.total == 1.5 and type(credit.total) is float
    assert capsys.readouterr().out.splitlines() == [
        "masks: 0 of 0.5 points. ValueError: row 3 is not zero",
        "gradients: 0 of 1 points. NotImplementedError",
    ]


def test_credit_lets_a_grader_stop_the_whole_test():
    with pytest.raises(KeyboardInterrupt), Credit()(1.0, "anything"):
        raise KeyboardInterrupt


LEARNER = """
import course_lib.bricks.attention
import torch
from course_lib.checks import block
block("01_attention_variance")
for line in [
    "from course_lib.bricks.attention import MultiHeadAttention",
    "import course_lib.bricks",
    "from course_lib import bricks",
    "torch.nn.functional.scaled_dot_product_attention(*[torch.ones(1, 1, 1)] * 3)",
    "course_lib.bricks",
    "course_lib.no_such_name",
    "import course_lib.data",
]:
    try:
        exec(line)
        print("works")
    except Exception as refusal:
        print(refusal)
"""


def test_block_refuses_what_would_answer_and_nothing_else():
    run = subprocess.run([sys.executable, "-c", LEARNER], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    shown, *refusals, other_module = run.stdout.splitlines()
    assert "course_lib.bricks" in shown and "scaled_dot_product_attention" in shown
    blocked = "is blocked in assignment 01_attention_variance"
    assert [blocked in refusal for refusal in refusals] == [True, True, True, True, True, False]
    assert refusals[-1] == "module 'course_lib' has no attribute 'no_such_name'"
    assert other_module == "works"
