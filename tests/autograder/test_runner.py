"""One outcome per part, and a death costs no more than the part it happens in."""

import dataclasses

import pytest
from grading import QUICK, cell, double_notebook, job, one_part

from autograder.outcome import Outcome
from autograder.skeleton import Skeleton

REFERENCE = double_notebook().reference()
SOLUTION, TEST = "def f(x):\n    return x + 1", "assert f(1) == 2, 'one more'"


def outcome_of(grade, answer, test=TEST, **options):
    return grade(one_part(SOLUTION, test, answer, **options))["test"]


def test_the_reference_gets_full_marks(grade):
    parts = grade(job(REFERENCE))
    assert [part.score for part in parts.values()] == [2.0, 3.0]


def test_partial_credit_and_its_words(grade):
    answers = {**REFERENCE, "add": "def add(x, y): return min(x + y, 9)"}
    part = grade(job(answers))["add_tests"]
    assert (part.outcome, part.score) == (Outcome.FAILED, 1.0)
    assert "large: 0 of 2 points" in part.message


@pytest.mark.parametrize(
    ("answer", "outcome", "words"),
    [
        ("def f(x): return x + 1", Outcome.PASSED, ""),
        ("def f(x): return x", Outcome.FAILED, "one more"),
        ("def f(x): raise KeyError('k')", Outcome.ERROR, "KeyError: 'k'"),
        ("def f(x): return undefined", Outcome.ERROR, "NameError"),
        ("def f(x): assert False, 'mine'", Outcome.FAILED, "mine"),
        ("def f(x) return x", Outcome.ERROR, "SyntaxError"),
        ("def f(x): return None + x", Outcome.ERROR, "TypeError"),
        ("def g(x): return x + 1", Outcome.ERROR, "was it renamed?"),
        ("raise ValueError('early')\ndef f(x): return x + 1", Outcome.ERROR, "ValueError: early"),
        ("def f(x): return x + 1\nraise ValueError('late')", Outcome.PASSED, ""),
        ("def f(x): return bytes(2**33)", Outcome.OUT_OF_MEMORY, ""),
        ("def f(x): raise MemoryError", Outcome.OUT_OF_MEMORY, ""),
        ("def f(x): return f(x)", Outcome.ERROR, "RecursionError"),
        ("def f(x): raise NotImplementedError()", Outcome.NOT_RUN, "not been answered"),
        ("def f(x):\n    import os\n    os._exit(0)", Outcome.ERROR, "ended its own process"),
        ("exit()\n", Outcome.ERROR, "SystemExit"),
        ("def f(x): exit()", Outcome.ERROR, "SystemExit"),
        ("def f(x): raise KeyboardInterrupt", Outcome.ERROR, "KeyboardInterrupt"),
        ("def f(x): return input()", Outcome.ERROR, "nobody answers input()"),
        ("def f(x): return 'x' * (9 * 2**20)", Outcome.FAILED, "too large"),
        ("\0", Outcome.ERROR, ""),
        ("", Outcome.NOT_RUN, "not been answered"),
        ("x = (" + "(" * 5_000, Outcome.ERROR, ""),
    ],
)
def test_outcomes(grade, answer, outcome, words):
    part = outcome_of(grade, answer)
    assert part.outcome is outcome, part.message
    assert words in part.message
    assert part.score == (1.0 if outcome is Outcome.PASSED else 0.0)


def test_a_tensor_too_large_for_memory_is_out_of_memory(grade):
    part = outcome_of(grade, "import torch\ndef f(x): return torch.ones(2**38) + x")
    assert part.outcome is Outcome.OUT_OF_MEMORY, part.message


@pytest.mark.parametrize(
    "noise",
    [
        "import sys; print('x', file=sys.stderr)",
        "import warnings; warnings.warn('careful')",
        "import os; os.system('echo hello'); os.write(2, b'raw')",
        "print('x' * 10**6)",
        "import sys; sys.stdout = None",
        "import sys; sys.stdout.close()",
        "from tqdm import tqdm\nfor _ in tqdm(range(3)): pass",
        "%matplotlib inline\n!ls\n?print",
        "%time y = 1",
        "display(3)",
        "import logging; logging.error('oh')",
        "import threading; threading.Thread(target=lambda: 1 / 0).start()",
    ],
)
def test_what_is_printed_changes_nothing(grade, noise):
    assert outcome_of(grade, f"{noise}\n{SOLUTION}").outcome is Outcome.PASSED


def test_output_reaches_the_record(grade):
    part = outcome_of(grade, "def f(x):\n    print('seen by f')\n    return x + 1")
    assert part.output == "seen by f\n"


def test_a_death_costs_its_own_part_and_earlier_cells_are_replayed(grade):
    counting = [cell("locked", "import torch\nbase = 10", "setup")]
    for n in range(4):
        counting += [
            cell("solution", f"def f{n}(): return base + {n}", f"f{n}"),
            cell("test", f"assert f{n}() == {10 + n}\nassert base == 10", f"t{n}", 1.0),
        ]
    counting.append(cell("test", "assert f0() + f3() == 23", "together", 1.0))
    skeleton = Skeleton("nb", tuple(counting))
    answers = skeleton.reference() | {
        "f1": "import os\ndef f1(): os._exit(1)",
        "f2": "import time\ntime.sleep(600)",
    }
    parts = grade(job(answers, skeleton, dataclasses.replace(QUICK, seconds=3)))
    assert [part.outcome for part in parts.values()] == [
        Outcome.PASSED,
        Outcome.ERROR,
        Outcome.TIMEOUT,
        Outcome.PASSED,
        Outcome.PASSED,
    ]
    assert "exit code 1" in parts["t1"].message and "3 s" in parts["t2"].message


def test_later_cells_may_use_names_of_earlier_ones(grade):
    skeleton = Skeleton(
        "nb",
        (
            cell("locked", "def helper(x):\n    return 3 * x", "setup"),
            cell("solution", "def f(x):\n    return helper(x)", "f"),
            cell("solution", "def g(h, x):\n    return h(x) + f(x)", "g"),
            cell("test", "assert g(f, 2) == 12\nassert g(helper, 2) == 12", "t", 1.0),
        ),
    )
    assert grade(job(skeleton.reference(), skeleton))["t"].outcome is Outcome.PASSED


def test_test_cells_do_not_leak_into_each_other(grade):
    skeleton = Skeleton(
        "nb",
        (
            cell("solution", SOLUTION, "f"),
            cell("test", "leak = 1\nf = None", "t0", 1.0),
            cell("test", "assert f(1) == 2\nassert 'leak' not in globals()", "t1", 1.0),
        ),
    )
    assert grade(job(skeleton.reference(), skeleton))["t1"].outcome is Outcome.PASSED


def test_the_seed_reaches_tests_and_never_the_student(grade):
    test = "from course_lib.checks import draw\nassert f(0) == '0'\nfloat(draw('x') > 0)"
    answer = "import os\ndef f(x): return os.environ.get('COURSE_SEED', '0')"
    skeleton = one_part("def f(x): return '0'", test, answer).skeletons[0]
    scores = {
        grade(job({"answer": answer}, skeleton, seed=str(seed)))["test"].score for seed in range(5)
    }
    assert scores == {0.0, 1.0}


@pytest.mark.parametrize(
    ("value", "outcome", "score"),
    [
        ("1.5", Outcome.FAILED, 1.5),
        ("2.0", Outcome.PASSED, 2.0),
        ("0", Outcome.FAILED, 0.0),
        ("None", Outcome.PASSED, 2.0),
        ("float('nan')", Outcome.GRADER_FAULT, None),
        ("-1", Outcome.GRADER_FAULT, None),
        ("3", Outcome.GRADER_FAULT, None),
        ("'2'", Outcome.GRADER_FAULT, None),
        ("True", Outcome.GRADER_FAULT, None),
    ],
)
def test_partial_credit_of_a_test_cell(grade, value, outcome, score):
    part = grade(one_part(SOLUTION, value, SOLUTION, points=2.0))["test"]
    assert (part.outcome, part.score) == (outcome, score)


def test_a_test_that_loops_is_stopped(grade):
    skeleton = one_part(SOLUTION, "while True: pass", SOLUTION).skeletons[0]
    limits = dataclasses.replace(QUICK, seconds=1)
    part = grade(job({"answer": SOLUTION}, skeleton, limits))["test"]
    assert part.outcome is Outcome.TIMEOUT


@pytest.mark.parametrize("crash", ["import os; os._exit(0)", "import os; os.kill(os.getpid(), 9)"])
def test_a_grading_process_that_dies_is_a_fault_and_no_grade(grade, worker, crash):
    part = outcome_of(grade, SOLUTION, test=crash)
    assert (part.outcome, part.score) == (Outcome.GRADER_FAULT, None)
    assert outcome_of(grade, SOLUTION).outcome is Outcome.PASSED  # and the next one is graded


def test_written_answers_wait_for_a_person(grade):
    skeleton = Skeleton("nb", (cell("by hand", "my essay", "w", 4.0, "markdown"),))
    part = grade(job({"w": "An essay."}, skeleton))["w"]
    assert part.by_hand and part.score is None
    part = grade(job({"w": "YOUR ANSWER HERE"}, skeleton))["w"]
    assert not part.by_hand and part.score == 0.0


def test_the_same_job_has_the_same_record(worker):
    one = job({**REFERENCE, "double": "def double(x): return list({'b', 'a'})"})
    first, second = worker.grade(one), worker.grade(one)
    assert first.verdict() == second.verdict()
    assert first.hashes["job"] == one.key


@pytest.mark.parametrize("change", [{"seed": "1"}, {"assignment": "x"}, {"student": "bob"}])
def test_the_key_depends_on_all_that_a_grade_depends_on(change):
    one = job(REFERENCE)
    assert dataclasses.replace(one, **change).key != one.key
    assert job({**REFERENCE, "add": ""}).key != one.key == job(REFERENCE).key


def test_time_in_all_bounds_a_notebook_that_dies_in_every_part(grade):
    cells = []
    for n in range(6):
        cells += [
            cell("solution", f"def f{n}(): return {n}", f"f{n}"),
            cell("test", f"assert f{n}() == {n}", f"t{n}", 1.0),
        ]
    skeleton = Skeleton("nb", tuple(cells))
    answers = {f"f{n}": "while True: pass" for n in range(6)}
    limits = dataclasses.replace(QUICK, seconds=2, seconds_in_all=3)
    parts = grade(job(answers, skeleton, limits))
    assert {part.outcome for part in parts.values()} == {Outcome.TIMEOUT}
    assert "all its time" in parts["t5"].message
