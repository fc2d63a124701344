"""Losses against transformers, PyTorch's own criteria, and values worked out by hand."""

import math

import pytest
import torch
from torch import nn
from transformers import (
    AlbertConfig,
    AlbertForPreTraining,
    BertConfig,
    BertForMaskedLM,
    BertForPreTraining,
    BertForQuestionAnswering,
    GPT2Config,
    GPT2LMHeadModel,
)

from course_lib import losses
from course_lib.losses import IGNORED

SIZE = {"num_hidden_layers": 1, "num_attention_heads": 2, "vocab_size": 23}
BERT = BertConfig(hidden_size=16, intermediate_size=32, **SIZE)
ALBERT = AlbertConfig(hidden_size=16, intermediate_size=32, embedding_size=8, **SIZE)
GPT2 = GPT2Config(n_embd=16, n_layer=1, n_head=2, vocab_size=23)


@pytest.fixture(autouse=True)
def fixed_seed():
    torch.manual_seed(0)


@pytest.fixture
def ids():
    return torch.randint(5, 23, (3, 7))


@pytest.fixture
def masked(ids):
    labels = torch.full_like(ids, IGNORED)
    labels[:, 2] = ids[:, 2]
    labels[1, 5] = ids[1, 5]
    return labels


def same(ours, theirs):
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-6)


# --- equal to the reference ---------------------------------------------------------------------


def test_A19_mlm_is_the_reference_and_a_mean_over_masked_positions(ids, masked):
    out = BertForMaskedLM(BERT).eval()(ids, labels=masked)
    same(losses.mlm(out.logits, masked), out.loss)
    elsewhere = out.logits.clone()
    elsewhere[masked == IGNORED] += torch.randn(())
    same(losses.mlm(elsewhere, masked), out.loss)


@pytest.mark.parametrize("label", [0, 1])
def test_B29_B31_berts_loss_is_mlm_plus_nsp(label, ids, masked):
    labels = torch.tensor([0, label, 1])
    out = BertForPreTraining(BERT).eval()(ids, labels=masked, next_sentence_label=labels)
    ours = losses.mlm(out.prediction_logits, masked) + losses.nsp(
        out.seq_relationship_logits, labels
    )
    same(ours, out.loss)


def test_alberts_loss_is_mlm_plus_sop(ids, masked):
    labels = torch.tensor([0, 1, 1])
    out = AlbertForPreTraining(ALBERT).eval()(ids, labels=masked, sentence_order_label=labels)
    ours = losses.mlm(out.prediction_logits, masked) + losses.sop(out.sop_logits, labels)
    same(ours, out.loss)


def test_B32_causal_lm_shifts_inside(ids):
    labels = ids.clone()
    labels[0, 4:] = IGNORED  # padding
    out = GPT2LMHeadModel(GPT2).eval()(ids, labels=labels)
    same(losses.causal_lm(out.logits, labels), out.loss)
    unshifted = losses.cross_entropy(out.logits, labels)
    assert (unshifted - out.loss).abs() > 1e-3


def test_question_answering_is_the_mean_of_start_and_end(ids):
    starts, ends = torch.tensor([1, 0, 6]), torch.tensor([3, 0, 6])
    out = BertForQuestionAnswering(BERT).eval()(ids, start_positions=starts, end_positions=ends)
    logits = torch.stack([out.start_logits, out.end_logits], dim=-1)
    same(losses.question_answering(logits, starts, ends), out.loss)


def test_gradients_are_the_references(ids, masked):
    logits = torch.randn(3, 7, 23, requires_grad=True)
    (ours,) = torch.autograd.grad(losses.mlm(logits, masked), logits)
    flat = nn.functional.cross_entropy(logits.flatten(0, 1), masked.flatten())
    (theirs,) = torch.autograd.grad(flat, logits)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-8)
    assert (ours[masked == IGNORED] == 0).all()


def test_half_precision_is_raised_to_float32(ids, masked):
    logits = torch.randn(3, 7, 23).bfloat16()
    loss = losses.mlm(logits, masked)
    assert loss.dtype == torch.float32
    assert loss == losses.mlm(logits.float(), masked)
    assert losses.mlm(logits.double(), masked).dtype == torch.float64


# --- worked out by hand -------------------------------------------------------------------------


def test_uniform_logits_cost_ln_v():
    loss = losses.cross_entropy(torch.zeros(4, 10), torch.tensor([0, 3, IGNORED, 9]))
    assert loss.item() == pytest.approx(math.log(10), abs=1e-6)
    assert loss.item() == pytest.approx(2.3026, abs=1e-4)


def test_two_logits_by_hand():
    # p(0) = 1/(1+e^-2) = .8808 and 1 - .8808 = .1192: −ln are .12693 and 2.12693
    logits = torch.tensor([[2.0, 0.0], [2.0, 0.0]])
    loss = losses.nsp(logits, torch.tensor([0, 1]))
    assert loss.item() == pytest.approx((0.126928 + 2.126928) / 2, abs=1e-6)


def test_sbo_averages_over_its_own_targets():
    logits = torch.zeros(1, 2, 3, 8)
    labels = torch.tensor([[[5, 6, IGNORED], [IGNORED] * 3]])
    logits[0, 0, 0, 5] = math.log(7)  # p = 7/14
    loss = losses.sbo(logits, labels)
    assert loss.item() == pytest.approx((math.log(2) + math.log(8)) / 2, abs=1e-6)


@pytest.mark.parametrize("shape", [(2, 3, 4), (2, 0, 4)], ids=["all ignored", "no span"])
def test_sbo_of_a_batch_without_targets_is_zero_and_differentiable(shape):
    logits = torch.randn(*shape, 8, requires_grad=True)
    loss = losses.sbo(logits, torch.full(shape, IGNORED))
    loss.backward()
    assert loss.item() == 0
    assert (logits.grad == 0).all()


def test_A43_distillation_kl():
    student, teacher = torch.randn(2, 5, 11), torch.randn(2, 5, 11)
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0]])
    real = mask.bool()
    theirs = nn.KLDivLoss(reduction="batchmean")(
        (student[real] / 2).log_softmax(-1), (teacher[real] / 2).softmax(-1)
    )
    same(losses.distillation_kl(student, teacher, mask), theirs * 4)
    assert losses.distillation_kl(teacher, teacher, mask).item() == pytest.approx(0, abs=1e-7)
    # by hand: teacher ½ ½, student .8 .2 at T = 1
    by_hand = 0.5 * math.log(0.5 / 0.8) + 0.5 * math.log(0.5 / 0.2)
    two = losses.distillation_kl(
        torch.tensor([[[math.log(4.0), 0.0]]]), torch.zeros(1, 1, 2), torch.ones(1, 1), 1.0
    )
    assert two.item() == pytest.approx(by_hand, abs=1e-6)


def test_the_factor_t_squared_keeps_the_gradients_size():
    student, teacher = torch.randn(1, 4, 50) * 0.1, torch.randn(1, 4, 50) * 0.1
    student.requires_grad_()
    mask = torch.ones(1, 4)
    norms = [
        torch.autograd.grad(losses.distillation_kl(student, teacher, mask, t), student)[0].norm()
        for t in (1.0, 8.0)
    ]
    assert norms[0] / norms[1] == pytest.approx(1, rel=0.1)


def test_A43_distillation_cosine():
    student, teacher = torch.randn(2, 5, 16), torch.randn(2, 5, 16)
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0]])
    real = mask.bool()
    theirs = nn.CosineEmbeddingLoss()(student[real], teacher[real], torch.ones(7))
    same(losses.distillation_cosine(student, teacher, mask), theirs)
    same(losses.distillation_cosine(3 * teacher, teacher, mask), torch.tensor(0.0))
    same(losses.distillation_cosine(-teacher, teacher, mask), torch.tensor(2.0))


def test_A43_distilbert_weighs_three_losses():
    total = losses.distilbert(torch.tensor(1.0), torch.tensor(10.0), torch.tensor(100.0))
    assert total.item() == 5 * 1 + 2 * 10 + 1 * 100


def test_A42_distilbert_starts_from_about_every_other_layer():
    layers = losses.DISTILBERT_LAYERS
    assert len(layers) == 6
    assert sum(layer % 2 == 0 for layer in layers) == 3


def test_the_layers_tinybert_learns_from():
    assert losses.layer_map(4, 12) == [0, 3, 6, 9, 12]
    assert losses.layer_map(6, 12) == [0, 2, 4, 6, 8, 10, 12]
    with pytest.raises(ValueError, match="evenly"):
        losses.layer_map(5, 12)


def test_A83_tinybert_states():
    student = [torch.randn(2, 3, 8) for _ in range(5)]
    teacher = [torch.randn(2, 3, 8) for _ in range(13)]
    chosen = [teacher[m] for m in losses.layer_map(4, 12)]
    theirs = sum(nn.MSELoss()(s, t) for s, t in zip(student, chosen, strict=True))
    ours = losses.tinybert_embedding(student[0], chosen[0]) + losses.tinybert_hidden(
        student[1:], chosen[1:]
    )
    same(ours, theirs)
    assert losses.tinybert_embedding(torch.ones(1, 1, 2), torch.zeros(1, 1, 2)).item() == 1


def test_A84_tinybert_attention_ignores_masked_pairs():
    scores = torch.randn(2, 4, 3, 3)
    other = scores + 2
    padded = [x.clone() for x in (scores, other)]
    padded[0][..., 2] = -10_000.0
    padded[1][..., 2] = -torch.inf
    same(losses.tinybert_attention([scores], [other]), torch.tensor(4.0))
    same(losses.tinybert_attention(padded[:1], padded[1:]), torch.tensor(4.0 * 2 / 3))
    by_head = torch.stack([(scores - 0)[:, i].square().mean() for i in range(4)]).mean()
    same(losses.tinybert_attention([scores], [torch.zeros_like(scores)]), by_head)
    softened = nn.MSELoss()(scores.softmax(-1), other.softmax(-1))  # a shift that softmax can't see
    assert softened.item() == pytest.approx(0, abs=1e-12)


def test_A84_tinybert_prediction():
    student, teacher = torch.randn(6, 3), torch.randn(6, 3)
    theirs = nn.functional.cross_entropy(student, teacher.softmax(-1))
    same(losses.tinybert_prediction(student, teacher), theirs)
    sharp = torch.tensor([[0.0, 50.0, 0.0]])
    hard = nn.functional.cross_entropy(student[:1], torch.tensor([1]))
    same(losses.tinybert_prediction(student[:1], sharp), hard)


@pytest.mark.parametrize(
    "loss",
    [
        lambda s, t: losses.distillation_kl(s, t, torch.ones(2, 3)),
        lambda s, t: losses.distillation_cosine(s, t, torch.ones(2, 3)),
        losses.tinybert_embedding,
        losses.tinybert_prediction,
        lambda s, t: losses.tinybert_hidden([s], [t]),
        lambda s, t: losses.tinybert_attention([s], [t]),
    ],
    ids=["kl", "cosine", "embedding", "prediction", "hidden", "attention"],
)
def test_only_the_student_learns(loss):
    student, teacher = (torch.randn(2, 3, 4, requires_grad=True) for _ in range(2))
    loss(student, teacher).backward()
    assert student.grad.norm() > 0
    assert teacher.grad is None


# --- bad input ----------------------------------------------------------------------------------

LOGITS = torch.zeros(2, 10)


@pytest.mark.parametrize(
    ("logits", "labels", "message"),
    [
        pytest.param(LOGITS, torch.tensor([0, 10]), "label 10 is out of range", id="C74-label-10"),
        pytest.param(LOGITS, torch.tensor([-1, 0]), "label -1 is out of range", id="C74-label--1"),
        pytest.param(LOGITS, torch.tensor([-100] * 2), "nothing to average", id="C74-none"),
        pytest.param(LOGITS, torch.tensor([0, 1, 2]), "one label a row", id="too many labels"),
        pytest.param(LOGITS, torch.zeros(2, 10), "one label a row", id="labels as logits"),
        pytest.param(LOGITS, torch.tensor([0.0, 1.0]), "whole numbers", id="float labels"),
        pytest.param(LOGITS, torch.tensor([True, False]), "whole numbers", id="bool labels"),
        pytest.param(LOGITS / 0, torch.tensor([0, 1]), "NaN or infinity", id="NaN logits"),
        pytest.param(LOGITS + torch.inf, torch.tensor([0, 1]), "NaN or infinity", id="inf logits"),
        pytest.param(torch.zeros(0, 10), torch.zeros(0).long(), "nothing to average", id="empty"),
    ],
)
def test_bad_labels_and_logits_are_named(logits, labels, message):
    with pytest.raises(ValueError, match=message):
        losses.cross_entropy(logits, labels)


@pytest.mark.parametrize(
    ("labels", "outcome"),
    [
        pytest.param([0, 10], IndexError, id="C74-E3-label-10"),
        pytest.param([-1, 0], IndexError, id="C74-E3-label--1"),
        pytest.param([-100, -100], math.nan, id="C74-E3-all-ignored"),
    ],
)
def test_what_pytorch_does_instead(labels, outcome):
    criterion = nn.CrossEntropyLoss()
    if outcome is IndexError:
        with pytest.raises(IndexError, match="out of bounds"):
            criterion(LOGITS, torch.tensor(labels))
    else:
        assert criterion(LOGITS, torch.tensor(labels)).isnan()


def test_E3_the_reference_returns_nan_where_nothing_is_masked(ids):
    nothing = torch.full_like(ids, IGNORED)
    out = BertForMaskedLM(BERT).eval()(ids, labels=nothing)
    assert out.loss.isnan()
    with pytest.raises(ValueError, match="nothing to average"):
        losses.mlm(out.logits, nothing)


def test_C79_which_targets_pytorchs_criteria_take():
    logits, labels = torch.randn(4, 3), torch.tensor([0, 2, 1, 1])
    one_hot = nn.functional.one_hot(labels, 3)
    with pytest.raises((RuntimeError, ValueError)):
        nn.BCEWithLogitsLoss()(logits, labels)
    with pytest.raises(RuntimeError):
        nn.BCEWithLogitsLoss()(logits, one_hot)
    assert nn.BCEWithLogitsLoss()(logits, one_hot.float()).isfinite()
    by_class = nn.CrossEntropyLoss()(logits, labels)
    same(nn.CrossEntropyLoss()(logits, one_hot.float()), by_class)


def test_nan_in_a_row_that_does_not_count_is_found_too():
    logits = torch.zeros(2, 10)
    logits[1] = math.nan  # its gradient would be NaN although its label is ignored
    with pytest.raises(ValueError, match="NaN or infinity"):
        losses.cross_entropy(logits, torch.tensor([3, IGNORED]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: losses.causal_lm(torch.zeros(1, 1, 5), torch.tensor([[2]])), "two tokens"),
        (lambda: losses.causal_lm(torch.zeros(4, 5), torch.zeros(4).long()), "b t v and b t"),
        (
            lambda: losses.question_answering(torch.zeros(1, 4, 2), *torch.tensor([[4], [2]])),
            "label 4 is out of range",
        ),
        (
            lambda: losses.question_answering(torch.zeros(1, 4, 3), *torch.tensor([[0], [2]])),
            "b t 2",
        ),
        (
            lambda: losses.distillation_kl(
                torch.zeros(1, 2, 5), torch.zeros(1, 2, 6), torch.ones(1, 2)
            ),
            "entry by entry",
        ),
        (
            lambda: losses.distillation_kl(
                torch.zeros(1, 2, 5), torch.zeros(1, 2, 5), torch.zeros(1, 2)
            ),
            "0 everywhere",
        ),
        (
            lambda: losses.distillation_cosine(
                torch.zeros(1, 2, 5), torch.zeros(1, 2, 5), torch.ones(1, 3)
            ),
            "one entry a token",
        ),
        (
            lambda: losses.tinybert_embedding(torch.zeros(1, 2, 312), torch.zeros(1, 2, 768)),
            "teacher's width",
        ),
        (lambda: losses.tinybert_hidden([LOGITS] * 4, [LOGITS] * 12), "layer_map"),
        (
            lambda: losses.tinybert_attention(
                [torch.full((1, 1, 2, 2), math.nan)], [torch.zeros(1, 1, 2, 2)]
            ),
            "student hold NaN",
        ),
    ],
)
def test_shapes_and_masks_that_do_not_fit_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
