"""Objectives: what they leave out changes nothing, and a perfect student has nothing to learn."""

from dataclasses import replace

import pytest
import torch
from toy_run import GPT, STILL, VOCABULARY, model, quiet, toy_rows

from course_lib.model import assemble
from course_lib.objectives import (
    OnlyMasked,
    TinyStudent,
    distil_bert,
    imitate,
    predict_masked,
    predict_only_masked,
    tiny_bert,
)
from course_lib.rows import counting, dice, masked, padded
from course_lib.train import Recipe

LAYERS = ("embedding", "hidden", "attention")
MASKED = counting(masked(VOCABULARY), tokens=("kl", "cosine"))
BY_ROW = counting(padded, rows=(*LAYERS, "prediction"))


def test_leaving_out_rows_of_logits_changes_nothing():
    net = model("mlm")
    batch = masked(VOCABULARY)(toy_rows(8), dice(1))
    whole = predict_masked(net, batch)["mlm"]
    expected = torch.autograd.grad(whole, list(net.parameters()))
    found = predict_only_masked(OnlyMasked(net), batch)["mlm"]
    assert found.item() == pytest.approx(whole.item(), rel=1e-12)
    for a, b in zip(expected, torch.autograd.grad(found, list(net.parameters())), strict=True):
        assert torch.allclose(a, b, rtol=0, atol=1e-14)
    with pytest.raises(ValueError, match='only a model with head="mlm"'):
        OnlyMasked(model("lm", GPT))


def perfect_student(teacher):
    """The teacher itself, with projections that change nothing."""
    student = TinyStudent(teacher, teacher.spec.width).double()
    for fit in student.fit:
        fit.weight.data = torch.eye(teacher.spec.width, dtype=torch.float64)
        fit.bias.data.zero_()
    return student


def test_a_perfect_student_has_only_the_masked_words_to_learn():
    teacher = model("mlm")
    batch = MASKED(toy_rows(8), dice(1))
    found = distil_bert(teacher)(teacher, batch)
    assert found["kl"].item() == pytest.approx(0, abs=1e-12)
    assert found["cosine"].item() == pytest.approx(0, abs=1e-12)
    assert found["mlm"].item() == pytest.approx(2 * predict_masked(teacher, batch)["mlm"].item())


def test_a_perfect_student_has_no_layer_to_learn():
    teacher = model().backbone
    found = tiny_bert(teacher)(perfect_student(teacher), BY_ROW(toy_rows(8), dice(1)))
    assert set(found) == set(LAYERS)
    assert all(loss.item() == pytest.approx(0, abs=1e-12) for loss in found.values())


def test_a_student_is_compared_with_every_second_layer():
    teacher = model(spec=replace(STILL, layers=4)).backbone
    shallow = model(spec=STILL).backbone
    shallow.embeddings.load_state_dict(teacher.embeddings.state_dict())
    hidden = teacher.states(padded(toy_rows(8))["input_ids"]).hidden
    assert len(hidden) == 5
    found = tiny_bert(teacher)(perfect_student(shallow), BY_ROW(toy_rows(8), dice(1)))
    assert found["embedding"].item() == pytest.approx(0, abs=1e-12)
    assert found["hidden"].item() > 0
    assert found["attention"].item() > 0


@pytest.mark.parametrize("kind", ["distilbert", "tinybert", "prediction"])
def test_the_student_learns_and_the_teacher_stays(kind):
    head = "mlm" if kind == "distilbert" else "classification"
    teacher = model(head, replace(STILL, layers=4))
    torch.manual_seed(1)
    narrow = STILL if kind == "distilbert" else replace(STILL, width=8)
    student = assemble(narrow, head).double()
    if kind == "distilbert":
        objective, collate, learner = distil_bert(teacher), MASKED, student
    elif kind == "tinybert":
        learner = TinyStudent(student.backbone, teacher.spec.width).double()
        objective, collate = tiny_bert(teacher.backbone), BY_ROW
    else:
        # A classifier that is never unsure is not to be learned by an average over all texts.
        teacher.head.classifier.weight.data *= 100
        objective, collate, learner = imitate(teacher), BY_ROW, student
    before = [p.clone() for p in teacher.parameters()]
    recipe = Recipe(steps=60, batch=8, lr=5e-3, passes=2)
    history = quiet(learner, objective, toy_rows(), recipe, collate=collate)
    start, end = (sum(row["loss"] for row in part) for part in (history[:5], history[-5:]))
    assert end < 0.95 * start
    assert all(torch.equal(a, b) for a, b in zip(before, teacher.parameters(), strict=True))
    assert all(p.grad is None for p in teacher.parameters())
