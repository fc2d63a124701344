"""Metrics against scikit-learn's, absent classes included."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as reference

from course_lib.metrics import accuracy, confusion_matrix, f1_scores, macro_f1

CLASSES = 5
pairs = st.lists(
    st.tuples(st.integers(0, CLASSES - 1), st.integers(0, CLASSES - 1)), min_size=1, max_size=40
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(pairs)
def test_equal_to_scikit_learn(drawn):
    predicted, true = (list(column) for column in zip(*drawn, strict=True))
    everything = list(range(CLASSES))
    matrix = reference.confusion_matrix(true, predicted, labels=everything)
    f1 = reference.f1_score(true, predicted, labels=everything, average=None, zero_division=0)
    assert np.array_equal(confusion_matrix(predicted, true, CLASSES).numpy(), matrix)
    assert np.allclose(f1_scores(predicted, true, CLASSES).numpy(), f1, rtol=0, atol=1e-15)
    assert accuracy(predicted, true) == pytest.approx(reference.accuracy_score(true, predicted))
    assert macro_f1(predicted, true, CLASSES) == pytest.approx(f1.mean(), abs=1e-15)
    assert macro_f1(predicted, true) == pytest.approx(
        reference.f1_score(true, predicted, average="macro"), abs=1e-15
    )


def test_a_class_that_never_occurs_lowers_the_mean_only_when_it_is_named():
    predicted, true = [0, 2, 2, 0], [0, 2, 2, 0]
    assert macro_f1(predicted, true) == 1.0
    assert macro_f1(predicted, true, classes=4) == 0.5


def test_rows_are_true_classes_and_columns_predicted_ones():
    matrix = confusion_matrix(predictions=[1, 1, 0], labels=[0, 1, 0])
    assert matrix.tolist() == [[1, 1], [0, 1]]


def test_predicting_the_majority_looks_good_in_accuracy_and_bad_in_macro_f1():
    true = torch.tensor([0] * 90 + [1] * 10)
    predicted = torch.zeros_like(true)
    assert accuracy(predicted, true) == pytest.approx(0.9)
    assert macro_f1(predicted, true) == pytest.approx(0.9 / 1.9, abs=1e-12)


@pytest.mark.parametrize(
    ("predictions", "labels", "classes", "message"),
    [
        pytest.param([0, 1], [0], None, "one prediction a label", id="lengths differ"),
        pytest.param([], [], None, "nothing to measure", id="empty"),
        pytest.param([0.2, 0.8], [0, 1], None, "class numbers", id="probabilities"),
        pytest.param([0, -100], [0, 1], None, "start at 0", id="ignored label"),
        pytest.param([0, 3], [0, 1], 3, "class 3 occurs", id="out of range"),
    ],
)
def test_bad_input_is_named(predictions, labels, classes, message):
    with pytest.raises(ValueError, match=message):
        macro_f1(predictions, labels, classes)
