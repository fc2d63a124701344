"""Predictions and held-out losses do not depend on how rows are cut into batches."""

import pytest
import torch
from toy_run import GPT, VOCABULARY, model, toy_rows

from course_lib import losses, metrics
from course_lib.evaluate import losses_on, predict, scores_on
from course_lib.objectives import predict_masked, predict_next
from course_lib.rows import masked, next_tokens


def test_predictions_keep_the_order_of_the_rows():
    net, rows = model().train(), toy_rows()
    whole = predict(net, rows, batch=40)
    assert torch.allclose(whole, predict(net, rows, batch=7), atol=1e-6)
    for row, logits in list(zip(rows, whole, strict=True))[:5]:
        assert torch.allclose(net(torch.tensor([row.ids]))[0].float(), logits, atol=1e-6)
    assert net.training  # as it was before


def test_scores_are_those_of_the_metrics():
    net, rows = model(), toy_rows()
    logits, labels = predict(net, rows), [row.label for row in rows]
    found = scores_on(rows)(net)
    assert found["macro_f1"] == metrics.macro_f1(logits.argmax(-1), labels, 2)
    assert found["accuracy"] == metrics.accuracy(logits.argmax(-1), labels)
    assert found["loss"] == losses.cross_entropy(logits, torch.tensor(labels)).item()


def test_losses_on_held_out_rows_weigh_every_term_alike_and_repeat():
    net, collate = model("mlm"), masked(VOCABULARY)
    whole = losses_on(predict_masked, toy_rows(), collate, batch=40)(net)
    again = losses_on(predict_masked, toy_rows(), collate, batch=40)(net)
    assert whole == again
    assert whole["loss"] == whole["mlm"]
    gpt = model("lm", GPT)
    apart = [losses_on(predict_next, toy_rows(), next_tokens, b)(gpt)["lm"] for b in (40, 7)]
    assert apart[0] == pytest.approx(apart[1], rel=1e-12)
