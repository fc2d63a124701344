"""Heads the reference lacks, written out again from the papers; the others: tests/parity."""

import math
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F

from course_lib import VARIANTS, assemble
from course_lib.heads import best_spans
from tests.parity.compare import TOLERANCE

SMALL = {"width": 24, "heads": 2, "layers": 3, "feedforward": 32, "vocabulary": 50}


def tiny(name, head, dtype=torch.float32, **changes):
    """A small variant with weights large enough to matter, biases and norms included."""
    torch.manual_seed(0)
    model = assemble(replace(VARIANTS[name], **SMALL | changes), head)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    return model.eval().to(dtype)


def gelu(x):
    return x * (1 + torch.erf(x / math.sqrt(2))) / 2


def norm(x, module):
    """LayerNorm, written out."""
    x = x - x.mean(-1, keepdim=True)
    x = x / torch.sqrt(x.square().mean(-1, keepdim=True) + module.eps)
    return x * module.weight + module.bias


def linear(x, module):
    return x @ module.weight.T + module.bias


def close(ours, expected):
    torch.testing.assert_close(ours, expected, rtol=0, atol=TOLERANCE[ours.dtype])


dtypes = pytest.mark.parametrize("dtype", TOLERANCE, ids=str)


@pytest.fixture
def ids():
    return torch.randint(4, 50, (3, 11), generator=torch.Generator().manual_seed(1))


@pytest.fixture
def mask(ids):
    mask = torch.ones_like(ids)
    mask[1, 8:] = 0
    mask[2, :3] = 0
    return mask


# --- SpanBERT -----------------------------------------------------------------------------------


@dtypes
def test_span_boundary_is_the_papers_formula(dtype, ids):
    """Joshi et al. 2020, §3.2: h = LN(GELU(W₁[x_{s−1}; x_{e+1}; p_i])), y = LN(GELU(W₂h))."""
    model = tiny("spanbert", "pretraining", dtype)
    spans = torch.tensor([[[1, 3], [6, 6]], [[2, 9], [4, 5]], [[1, 9], [5, 8]]])
    predictions, hidden = model(ids, spans=spans, hidden_states=True)
    sbo, table = model.head.objectives["sbo"], model.backbone.embeddings.token.weight
    expected = torch.empty(3, 2, 15, 50, dtype=dtype)
    for b in range(3):
        for n in range(2):
            start, end = spans[b, n].tolist()
            for i in range(15):
                left, right = hidden[-1][b, start - 1], hidden[-1][b, end + 1]
                x = torch.cat([left, right, sbo.position.weight[i]])
                h = norm(gelu(linear(x, sbo.first)), sbo.first_norm)
                y = norm(gelu(linear(h, sbo.second)), sbo.second_norm)
                expected[b, n, i] = table @ y + sbo.bias
    close(predictions.sbo, expected)


def test_span_boundary_never_looks_inside_the_span():
    model = tiny("spanbert", "pretraining", layers=0)
    ids = torch.randint(4, 50, (1, 9))
    other = ids.clone()
    other[0, 3:6] = (ids[0, 3:6] + 1) % 50
    spans = torch.tensor([[[3, 5]]])
    assert torch.equal(model(ids, spans=spans).sbo, model(other, spans=spans).sbo)


def test_span_boundary_has_the_papers_sizes():
    sbo = assemble(replace(VARIANTS["spanbert"], layers=1), "pretraining").head.objectives["sbo"]
    assert sbo.position.weight.shape == (15, 200)
    assert sbo.first.weight.shape == (768, 1_736)
    assert sbo.second.weight.shape == (768, 768)


@pytest.mark.parametrize("span", [[0, 2], [5, 10]])
def test_a_span_at_the_edge_has_no_boundary(span, ids):
    model = tiny("spanbert", "pretraining")
    with pytest.raises(ValueError, match="touches the edge"):
        model(ids, spans=torch.tensor([[span]] * 3))


def test_span_boundary_needs_spans_and_may_get_none(ids):
    model = tiny("spanbert", "pretraining")
    with pytest.raises(ValueError, match=r"spans=…"):
        model(ids)
    assert model(ids, spans=torch.empty(3, 0, 2, dtype=torch.long)).sbo.shape == (3, 0, 15, 50)


# --- DeBERTa ------------------------------------------------------------------------------------


@dtypes
def test_the_enhanced_mask_decoder_is_the_papers(dtype, ids, mask):
    """He et al. 2021, §3.2: I₀ = H + P; twice I ← layer(queries from I, keys and values from H)."""
    model = tiny("deberta", "pretraining", dtype)
    predictions, hidden = model(ids, mask, hidden_states=True)
    mlm, backbone = model.head.objectives["mlm"], model.backbone
    layer, attention = backbone.layers[-1], backbone.layers[-1].attention
    memory = hidden[-2]
    b, t, _ = memory.shape
    c = backbone.spec.head_width
    distances = torch.arange(t)[:, None] - torch.arange(t)
    delta = distances + 512  # eleven tokens never reach the ends of the table

    def heads(x):
        return x.reshape(len(x), -1, 2, c).transpose(1, 2)

    x = memory + mlm.position.weight[:t]
    for _ in range(2):
        q, k, v = (
            heads(linear(x, attention.query)),
            heads(memory @ attention.key.weight.T),
            heads(linear(memory, attention.value)),
        )
        table = backbone.embeddings.position.table.weight[None]
        k_r = heads(table @ attention.position_key.weight.T)[0]
        q_r = heads(linear(table, attention.position_query))[0]
        c2p = torch.einsum("bhqc,hqkc->bhqk", q, k_r[:, delta])
        p2c = torch.einsum("bhkc,hqkc->bhqk", k, q_r[:, delta])
        scores = (q @ k.mT + c2p + p2c) / math.sqrt(3 * c)
        pairs = mask[:, None, :, None] * mask[:, None, None, :]
        weights = scores.masked_fill(pairs == 0, -1e30).softmax(-1)
        mixed = linear((weights @ v).transpose(1, 2).reshape(b, t, -1), attention.output)
        x = norm(x + mixed, layer.attention_norm)
        inner = linear(gelu(linear(x, layer.feedforward.input)), layer.feedforward.output)
        x = norm(x + inner, layer.feedforward_norm)
    y = norm(gelu(linear(x, mlm.transform)), mlm.norm)
    expected = y @ backbone.embeddings.token.weight.T + mlm.bias
    close(predictions.mlm[mask == 1], expected[mask == 1])


def test_absolute_positions_matter_only_in_the_decoder():
    model = tiny("deberta", "pretraining")
    ids = torch.randint(4, 50, (1, 6))
    before, hidden = model(ids, hidden_states=True)
    model.head.objectives["mlm"].position.weight.data.mul_(-1)
    after, same = model(ids, hidden_states=True)
    assert torch.equal(hidden[-1], same[-1])
    assert not torch.allclose(before.mlm, after.mlm)


def test_the_decoder_has_512_positions():
    model = tiny("deberta", "pretraining", layers=1)
    assert model(torch.full((1, 512), 5)).mlm.shape == (1, 512, 50)
    with pytest.raises(ValueError, match=r"513 tokens.*512.*head='mlm'"):
        model(torch.full((1, 513), 5))


# --- TinyBERT -----------------------------------------------------------------------------------


@dtypes
def test_fit_dense_is_one_linear_for_each_state(dtype, ids, mask):
    model = tiny("tinybert-4l", "distillation", dtype)
    fitted, hidden = model(ids, mask, hidden_states=True)
    assert len(fitted) == len(hidden) == 4
    for state, fit, wide in zip(hidden, model.head.fit_dense, fitted, strict=True):
        assert wide.shape == (3, 11, 768)
        close(wide, linear(state, fit))


@dtypes
def test_tinyberts_classifier_cuts_the_pooled_vector_at_zero(dtype, ids, mask):
    model = tiny("tinybert-4l", "classification", dtype)
    logits, hidden = model(ids, mask, hidden_states=True)
    pooled = torch.tanh(linear(hidden[-1][:, 0], model.backbone.pooler.dense))
    assert (pooled < 0).any()
    close(logits, linear(torch.relu(pooled), model.head.classifier))


# --- Longformer chooses its global tokens -------------------------------------------------------


def test_longformers_classifier_makes_the_first_token_global(ids, mask):
    model = tiny("longformer", "classification")
    first = torch.zeros_like(ids)
    first[:, 0] = 1
    assert torch.equal(model(ids, mask), model(ids, mask, global_attention_mask=first))
    assert not torch.allclose(model(ids, mask), model(ids, mask, None, torch.zeros_like(ids)))


def test_longformers_question_is_global():
    model = tiny("longformer", "qa")
    ids = torch.tensor([[0, 7, 8, 2, 2, 9, 10, 2], [0, 7, 2, 2, 8, 9, 10, 2]])
    question = torch.tensor([[1, 1, 1, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0, 0]])
    assert torch.equal(model(ids), model(ids, global_attention_mask=question))
    assert not torch.allclose(model(ids), model(ids, None, None, torch.zeros_like(ids)))


@pytest.mark.parametrize("head", ["mlm", "qa", "classification"])
def test_other_models_choose_no_global_tokens(head, ids):
    model = tiny("roberta", head)
    assert model.head.default_global(model.backbone, ids) is None


# --- the best answer ----------------------------------------------------------------------------


def best_by_hand(start, end, allowed, longest):
    """Try every pair."""
    best = (-math.inf, -1, -1)
    for i in range(len(start)):
        for j in range(i, min(i + longest, len(end))):
            if allowed[i] and allowed[j]:
                best = max(best, (start[i] + end[j], -i, -j))
    return best


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data())
def test_best_spans_by_brute_force(data):
    tokens = data.draw(st.integers(1, 9))
    longest = data.draw(st.integers(1, 10))
    numbers = st.lists(st.integers(-9, 9), min_size=tokens, max_size=tokens)
    start, end = data.draw(numbers), data.draw(numbers)
    allowed = data.draw(st.lists(st.booleans(), min_size=tokens, max_size=tokens).filter(any))
    logits = torch.tensor([start, end], dtype=torch.float64).T[None]
    spans, score = best_spans(logits, torch.tensor([allowed]), longest)
    expected, i, j = best_by_hand(start, end, allowed, longest)
    assert (score.item(), *spans[0].tolist()) == (expected, -i, -j)


def test_best_spans_takes_each_row_for_itself():
    logits = torch.tensor([[[1.0, 0], [0, 1]], [[0, 1.0], [1, 0]]])
    spans, score = best_spans(logits, torch.ones(2, 2, dtype=torch.bool))
    assert spans.tolist() == [[0, 1], [0, 0]]  # in the second row end stands before start
    assert score.tolist() == [2, 1]


def test_best_spans_needs_an_allowed_token():
    allowed = torch.tensor([[True, True], [False, False]])
    with pytest.raises(ValueError, match="Sequence 1 allows no token"):
        best_spans(torch.zeros(2, 2, 2), allowed)


# --- the rest -----------------------------------------------------------------------------------


def test_a_pretraining_head_answers_with_what_the_variant_has(ids):
    spans = {"spans": torch.tensor([[[2, 3]]] * 3)}
    for name, objectives in {
        "bert-base": {"mlm", "nsp"},
        "roberta": {"mlm"},
        "albert": {"mlm", "sop"},
        "spanbert": {"mlm", "sbo"},
        "deberta": {"mlm"},
        "gpt2": {"lm"},
    }.items():
        model = tiny(name, "pretraining")
        predictions = model(ids, **spans if name == "spanbert" else {})
        assert {k for k, v in predictions._asdict().items() if v is not None} == objectives


def test_alberts_prediction_goes_through_the_narrow_table(ids):
    model = tiny("albert", "mlm")
    assert model.head.transform.weight.shape == (128, 24)
    assert model(ids).shape == (3, 11, 50)


def test_a_language_model_head_has_no_weights_of_its_own():
    model = tiny("gpt2", "lm")
    assert not list(model.head.parameters())
    ids = torch.tensor([[5, 6]])
    logits, hidden = model(ids, hidden_states=True)
    close(logits, F.linear(hidden[-1], model.backbone.embeddings.token.weight))


def test_gpt2_classifies_from_the_last_real_token():
    model = tiny("gpt2", "classification")
    ids = torch.tensor([[5, 6, 7]])
    right = model(torch.tensor([[5, 6, 7, 9]]), torch.tensor([[1, 1, 1, 0]]))
    left = model(torch.tensor([[9, 5, 6, 7]]), torch.tensor([[0, 1, 1, 1]]))
    close(right, model(ids))
    close(left, model(ids))


@pytest.mark.parametrize("name", ["bert-base", "roberta", "distilbert", "tinybert-4l", "deberta"])
def test_any_number_of_classes(name, ids):
    model = assemble(replace(VARIANTS[name], **SMALL), "classification", classes=7)
    assert model(ids).shape == (3, 7)
