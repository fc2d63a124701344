"""The baseline equals scikit-learn's TF-IDF and logistic regression."""

import doctest

import numpy as np
import pytest
import torch
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression as Reference

from course_lib import baseline, data

TEXTS = [example.text for example in data.reviews().validation[:200]]
LABELS = [example.label for example in data.reviews().validation[:200]]


def reference_features():
    return TfidfVectorizer(
        analyzer="char", ngram_range=(1, 2), min_df=2, sublinear_tf=True, lowercase=False
    )


def test_examples_in_docstrings():
    assert doctest.testmod(baseline).failed == 0


def test_features_equal_scikit_learn():
    reference = reference_features()
    expected = reference.fit_transform(TEXTS[:150]).toarray()
    ours = baseline.TfIdf(TEXTS[:150])
    assert list(ours.column) == list(reference.get_feature_names_out())
    assert np.abs(ours(TEXTS[:150]).to_dense().numpy() - expected).max() < 1e-6
    unseen = reference.transform(TEXTS[150:]).toarray()
    assert np.abs(ours(TEXTS[150:]).to_dense().numpy() - unseen).max() < 1e-6


def test_predictions_equal_scikit_learn():
    reference = reference_features()
    features = reference.fit_transform(TEXTS[:150])
    ours = baseline.LogisticRegression(TEXTS[:150], LABELS[:150], strength=3.0)
    found = ours(TEXTS[150:]).softmax(-1).numpy()
    # With two classes scikit-learn has one weight vector where we have two that share the work,
    # so at the same strength our penalty is half of its.
    expected = Reference(C=6.0, tol=1e-8, max_iter=1000).fit(features, LABELS[:150])
    difference = found - expected.predict_proba(reference.transform(TEXTS[150:]))
    assert np.abs(difference).max() < 2e-3


def test_a_text_without_known_ngrams_gets_the_bias():
    ours = baseline.LogisticRegression(TEXTS, LABELS)
    assert torch.equal(ours(["ΩΩΩ", ""]), ours.bias.detach().expand(2, -1))


def test_texts_that_share_nothing():
    with pytest.raises(ValueError, match="no n-gram occurs in 2 of the 2 texts"):
        baseline.TfIdf(["ab", "cd"])
