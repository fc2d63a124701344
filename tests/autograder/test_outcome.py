"""What a part is worth, and records that survive being written down."""

import numpy as np
import pytest
import torch

from autograder.outcome import Note, Outcome, Part, Record, partial_credit
from autograder.table import class_table


@pytest.mark.parametrize("outcome", list(Outcome))
def test_only_a_passed_part_earns_its_points(outcome):
    part = Part("nb", "p", 4.0, outcome)
    expected = {Outcome.PASSED: 4.0, Outcome.GRADER_FAULT: None}.get(outcome, 0.0)
    assert part.score == expected


def test_a_part_is_worth_nothing_until_something_is_known():
    assert Part("nb", "p", 4.0).score == 0.0


@pytest.mark.parametrize(
    "outcome", [o for o in Outcome if o not in (Outcome.PASSED, Outcome.GRADER_FAULT)]
)
def test_partial_credit_belongs_to_a_failed_part_only(outcome):
    expected = 1.5 if outcome is Outcome.FAILED else 0.0
    assert Part("nb", "p", 4.0, outcome, earned=1.5).score == expected


def test_a_part_graded_by_hand_has_no_automatic_score():
    assert Part("nb", "p", 4.0, by_hand=True).score is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, 0.0),
        (1.5, 1.5),
        (2, 2.0),
        (np.float64(1.5), 1.5),
        (np.float32(0.5), 0.5),
        (np.int64(1), 1.0),
        (torch.tensor(1.5), 1.5),
        (float("nan"), None),
        (np.float64("nan"), None),
        (float("inf"), None),
        (-1, None),
        (2.0001, None),
        (10**400, None),
        (True, None),
        (np.True_, None),
        ("2", None),
        ([2], None),
        (torch.ones(2), None),
        (object(), None),
        (1 + 0j, None),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_partial_credit_is_a_finite_number_within_range(value, expected):
    assert partial_credit(value, 2.0) == expected


def test_a_record_survives_being_written_down():
    part = Part("nb", "p", 2.0, Outcome.FAILED, earned=1.0, message="ä\ud7ff", output="x" * 9)
    record = Record(
        "hw",
        "ann",
        (part, Part("nb", "q", 1.0)),
        (Note("mended", "nb", "p"),),
        {"nb": {"p": "x = 1"}},
        seed="7",
        timings={"all": 1.25},
    )
    assert Record.from_json(record.to_json()) == record
    assert (record.score, record.points, record.faulty) == (1.0, 3.0, False)


@pytest.mark.parametrize("text", ["{}", "[]", "null", "{", '{"parts": [{"outcome": "won"}]}'])
def test_what_is_no_record_is_refused(text):
    with pytest.raises(ValueError):
        Record.from_json(text)


def test_the_verdict_leaves_out_what_differs_between_two_runs():
    slow = Record("hw", "ann", (), timings={"all": 9.0})
    fast = Record("hw", "ann", (), timings={"all": 1.0})
    assert slow.verdict() == fast.verdict()


def test_the_class_table_says_what_waits_for_a_person():
    done = Part("nb", "essay", 2.0, by_hand=True)
    empty = Part("nb", "essay", 2.0)  # nothing was written, so nobody has to read
    passed = Part("nb", "test", 1.0, Outcome.PASSED)
    records = [Record("hw", "ann", (passed, done)), Record("hw", "bob", (passed, empty))]
    assert class_table(records, {"essay": "Why"}).splitlines() == [
        "part  passed  not run  for a person",
        "test       2        0             0",
        "Why        0        1             1",
    ]
