"""An answer that calls one that is wrong fails with it: the learner is sent to the earlier one."""

import pytest
from grading import double_notebook

from autograder.feedback import page
from autograder.mend_first import mend_first
from autograder.outcome import Outcome, Part, Record
from autograder.table import parts_table

SKELETONS = {"nb": double_notebook()}
CALLS = "def add(x, y): return double(x) + y - x"


def record(double, add, answer=CALLS):
    parts = (Part("nb", "double_tests", 2.0, double), Part("nb", "add_tests", 3.0, add))
    return Record("hw", "ann", parts, answers={"nb": {"double": "double = len", "add": answer}})


@pytest.mark.parametrize(
    ("double", "add", "answer"),
    [
        (Outcome.PASSED, Outcome.FAILED, CALLS),
        (Outcome.FAILED, Outcome.PASSED, CALLS),
        (Outcome.GRADER_FAULT, Outcome.FAILED, CALLS),
        (Outcome.FAILED, Outcome.GRADER_FAULT, CALLS),
        (Outcome.FAILED, Outcome.FAILED, "def add(x, y): return x.double"),
        (Outcome.FAILED, Outcome.FAILED, "def add(x, y): return double("),
    ],
)
def test_nobody_is_sent_back_without_a_reason(double, add, answer):
    assert mend_first(record(double, add, answer), SKELETONS) == {}


@pytest.mark.parametrize("double", [Outcome.FAILED, Outcome.ERROR, Outcome.NOT_RUN])
def test_a_failed_part_points_to_the_failed_one_that_it_calls(double):
    failed = record(double, Outcome.ERROR)
    assert mend_first(failed, SKELETONS) == {"add_tests": "double_tests"}
    *_, last, words, _ = parts_table(failed, SKELETONS, {}).splitlines()
    assert last.split() == ["add", "0", "3"]
    assert words == "    First mend what it calls: double"
    assert (
        page(failed, "nb", skeletons=SKELETONS).count("First mend what it calls:</strong> double")
        == 1
    )
