"""Parity bites: each fault that one could make, planted in our code, makes it fail."""

import copy
import math
from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from course_lib import heads, hf, losses, model
from course_lib.bricks import activations, attention, block, disentangled, embeddings, longformer
from course_lib.hf_names import FAMILIES, SIDE_BY_SIDE
from tests.parity.cases import CASES
from tests.parity.compare import differences

FAULTS = {}


def fault(variant, head=None, dtype=torch.float32):
    """Register a fault: a function that plants it, given pytest's monkeypatch."""

    def register(plant):
        FAULTS[f"{plant.__name__}-{variant}"] = (plant, variant, head, dtype)
        return plant

    return register


def change_spec(patch, **changes):
    """Let every checkpoint be read as a Spec with these changes."""
    original = hf.spec_from
    patch.setattr(hf, "spec_from", lambda *a: replace(original(*a), **changes))


def change_loaded(patch, change):
    """Change each model after it was loaded."""
    original = hf.load

    def load(*args, **kwargs):
        loaded = original(*args, **kwargs)
        change(loaded.backbone if isinstance(loaded, heads.WithHead) else loaded)
        return loaded

    patch.setattr(hf, "load", load)


def change_fused_rule(patch, kind, change):
    """Read the one tensor that holds queries, keys and values in another way."""
    family = FAMILIES[kind]
    names = [change(rule) if len(rule.ours) == 3 else rule for rule in family.names]
    patch.setitem(FAMILIES, kind, replace(family, names=names))


# --- activations and norms ----------------------------------------------------------------------


@fault("bert-base")
def tanh_for_exact_gelu(patch):
    patch.setattr(activations.GELU, "forward", activations.GELUTanh.forward)


@fault("bert-base")
def sigmoid_for_exact_gelu(patch):
    patch.setattr(activations.GELU, "forward", activations.GELUSigmoid.forward)


@fault("albert")
@fault("gpt2")
def exact_for_tanh_gelu(patch):
    patch.setattr(activations.GELUTanh, "forward", activations.GELU.forward)


@fault("bert-base", dtype=torch.float32)
@fault("distilbert")
def robertas_epsilon(patch):
    change_spec(patch, eps=1e-5)


@fault("roberta")
@fault("longformer")
@fault("gpt2")
@fault("deberta", dtype=torch.float64)  # 1e-7 against 1e-12 drowns in float32's rounding
def berts_epsilon(patch):
    change_spec(patch, eps=1e-12)


@fault("bert-base")
def norm_before_instead_of_after(patch):
    patch.setattr(block.PostNorm, "forward", block.PreNorm.forward)


@fault("gpt2")
def norm_after_instead_of_before(patch):
    patch.setattr(block.PreNorm, "forward", block.PostNorm.forward)


@fault("gpt2")
def final_norm_dropped(patch):
    change_loaded(patch, lambda m: setattr(m.norm, "forward", lambda x: x))


@fault("bert-base")
def residual_lost(patch):
    def forward(self, x, context, memory=None):
        x = self.attention_norm(self.dropout(self.attention(x, context, memory)))
        return self.feedforward_norm(x + self.dropout(self.feedforward(x)))

    patch.setattr(block.PostNorm, "forward", forward)


# --- embeddings ---------------------------------------------------------------------------------


@fault("roberta")
@fault("longformer")
def positions_from_the_start(patch):
    patch.setattr(embeddings.PositionsAfterPadding, "index", embeddings.LearnedPositions.index)


@fault("roberta")
def positions_one_too_low(patch):
    right = embeddings.PositionsAfterPadding.index
    patch.setattr(
        embeddings.PositionsAfterPadding, "index", lambda *a: (right(*a) - 1).clamp(min=0)
    )


@fault("gpt2")
def positions_count_padding(patch):
    patch.setattr(embeddings.CountedPositions, "index", embeddings.LearnedPositions.index)


@fault("bert-base")
@fault("albert")
def segments_ignored(patch):
    right = embeddings.Embeddings.forward
    patch.setattr(
        embeddings.Embeddings,
        "forward",
        lambda self, ids, segments, keep: right(self, ids, None, keep),
    )


@fault("albert")
def norm_after_the_projection(patch):
    def forward(self, ids, segments, keep):
        norm, self.norm = self.norm, nn.Identity()
        x = self.projection(embeddings.Embeddings.forward(self, ids, segments, keep))
        self.norm = norm
        return F.layer_norm(x, x.shape[-1:], eps=norm.eps)

    patch.setattr(embeddings.FactorizedEmbeddings, "forward", forward)


@fault("deberta")
def padding_embedded(patch):
    patch.setattr(embeddings.SilentPaddingEmbeddings, "forward", embeddings.Embeddings.forward)


# --- attention ----------------------------------------------------------------------------------


@fault("bert-base")
def scale_of_the_whole_width(patch):
    def scores(self, q, k, context):
        return q @ k.transpose(-2, -1) / math.sqrt(q.size(-1) * self.heads)

    patch.setattr(attention.MultiHeadAttention, "scores", scores)


@fault("gpt2")
@fault("bert-base")
@fault("distilbert")
def padding_seen(patch):
    patch.setattr(
        attention.MultiHeadAttention,
        "allowed",
        lambda self, scores, context: self.pattern(
            torch.arange(scores.size(-2))[:, None], torch.arange(scores.size(-1))
        ).expand_as(scores),
    )


@fault("gpt2")
def future_seen(patch):
    change_loaded(patch, lambda m: [setattr(x.attention, "pattern", full) for x in m.layers])


def full(i, j):
    return torch.ones_like(i - j, dtype=torch.bool)


@fault("gpt2")
def next_token_seen(patch):
    one_ahead = lambda i, j: j <= i + 1  # noqa: E731
    change_loaded(patch, lambda m: [setattr(x.attention, "pattern", one_ahead) for x in m.layers])


@fault("bert-base")
@fault("deberta")
def heads_cut_the_other_way(patch):
    for module in (attention, disentangled):
        patch.setattr(module, "split_heads", lambda x, h: x.unflatten(-1, (-1, h)).movedim(-1, 1))


@fault("bert-base")
def heads_cut_by_reshape(patch):
    patch.setattr(attention, "split_heads", lambda x, h: x.reshape(len(x), h, x.size(1), -1))


@fault("bert-base")
def softmax_over_queries(patch):
    right = attention.hide
    patch.setattr(
        attention,
        "hide",
        lambda s, allowed: right(s, allowed).softmax(dim=-2).clamp(min=1e-30).log(),
    )


@fault("bert-base")
@fault("deberta")
@fault("roberta")
def query_bias_dropped(patch):
    change_loaded(patch, lambda m: [x.attention.query.bias.data.zero_() for x in m.layers])


@fault("gpt2")
def queries_and_keys_swapped(patch):
    def swap(rule):
        return replace(rule, ours=(rule.ours[1], rule.ours[0], *rule.ours[2:]))

    change_fused_rule(patch, "gpt2", swap)


# --- DeBERTa ------------------------------------------------------------------------------------


@fault("deberta")
def scale_without_the_three(patch):
    right = disentangled.DisentangledAttention.scores
    patch.setattr(disentangled.DisentangledAttention, "scores", lambda *a: right(*a) * math.sqrt(3))


@fault("deberta")
def delta_of_the_paper(patch):
    """The position–content term indexed by δ(j, i), that is, not transposed."""

    class Untransposed(torch.Tensor):
        T = property(lambda self: self.as_subclass(torch.Tensor))

    right = disentangled.relative_index
    patch.setattr(disentangled, "relative_index", lambda *a: right(*a).as_subclass(Untransposed))


@fault("deberta")
def delta_one_off(patch):
    right = disentangled.relative_index
    patch.setattr(
        disentangled,
        "relative_index",
        lambda q, k, r, d: (right(q, k, r, d) + 1).clamp(max=2 * r - 1),
    )


@fault("deberta")
def far_distances_wrap_around(patch):
    right = disentangled.relative_index
    patch.setattr(
        disentangled,
        "relative_index",
        lambda q, k, r, d: (right(q, k, max(q, k), d) - max(q, k) + r) % (2 * r),
    )


@fault("deberta")
def pair_mask_missing(patch):
    patch.setattr(
        disentangled.DisentangledAttention, "allowed", attention.MultiHeadAttention.allowed
    )


@fault("deberta")
def projection_read_side_by_side(patch):
    change_fused_rule(patch, "deberta", lambda rule: replace(rule, layout=SIDE_BY_SIDE))


# --- Longformer ---------------------------------------------------------------------------------


@fault("longformer")
def window_one_short(patch):
    patch.setattr(longformer.Window, "__call__", lambda self, i, j: (i - j).abs() < self.radius)


@fault("longformer")
def window_to_one_side(patch):
    patch.setattr(
        longformer.Window,
        "__call__",
        lambda self, i, j: ((i - j).abs() <= self.radius) & (j <= i),
    )


@fault("longformer")
def global_projections_ignored(patch):
    def change(m):
        for layer in m.layers:
            for name in ("query", "key", "value"):
                local = getattr(layer.attention, name)
                getattr(layer.attention, f"{name}_global").forward = local.forward

    change_loaded(patch, change)


@fault("longformer")
def global_keys_counted_twice(patch):
    right = longformer.SlidingWindowAttention.local

    def local(self, q, k, v, keep, far):
        if far is not None:
            far.mask = torch.zeros_like(far.mask)
        return right(self, q, k, v, keep, far)

    patch.setattr(longformer.SlidingWindowAttention, "local", local)


@fault("longformer")
def global_tokens_ignored(patch):
    right = model.Transformer.states

    def states(self, ids, mask, segments, global_mask, **others):
        return right(self, ids, mask, segments, None, **others)

    patch.setattr(model.Transformer, "states", states)


@fault("longformer")
def global_rows_not_overwritten(patch):
    patch.setattr(
        longformer.SlidingWindowAttention, "overwrite_global_rows", lambda self, mixed, *a: mixed
    )


@fault("longformer")
def fewer_global_tokens_filled_with_others(patch):
    right = longformer.GlobalTokens.__init__

    def init(self, mask):
        right(self, mask)
        self.real = torch.ones_like(self.real)

    patch.setattr(longformer.GlobalTokens, "__init__", init)


# --- sharing and heads --------------------------------------------------------------------------


@fault("albert")
def layers_not_shared(patch):
    """The same output, but each layer learns for itself."""

    right = block.PostNorm.forward

    def forward(self, x, context, memory=None):
        own = self if context.layer == 0 else copy.deepcopy(self)
        return right(own, x, context, memory)

    patch.setattr(block.PostNorm, "forward", forward)


@fault("bert-base", "mlm")
@fault("albert", "mlm")
def decoder_not_tied(patch):
    """The same logits, but the token table learns nothing from the prediction."""

    def predict(self, hidden, backbone):
        x = self.norm(self.activation(self.transform(hidden)))
        return F.linear(x, backbone.embeddings.token.weight.detach(), self.bias)

    patch.setattr(heads.MaskedLM, "predict", predict)


@fault("bert-base", "mlm")
@fault("roberta", "mlm")
@fault("distilbert", "mlm")
def decoder_bias_dropped(patch):
    def predict(self, hidden, backbone):
        x = self.norm(self.activation(self.transform(hidden)))
        return F.linear(x, backbone.embeddings.token.weight)

    patch.setattr(heads.MaskedLM, "predict", predict)


@fault("deberta", "mlm")
def transform_norm_dropped(patch):
    def predict(self, hidden, backbone):
        x = self.activation(self.transform(hidden))
        return F.linear(x, backbone.embeddings.token.weight, self.bias)

    patch.setattr(heads.MaskedLM, "predict", predict)


@fault("bert-base")
@fault("albert", "classification")
def pooled_from_the_last_token(patch):
    patch.setattr(heads.Pooler, "forward", lambda self, x: self.activation(self.dense(x[:, -1])))


@fault("deberta", "classification")
def tanh_in_debertas_pooler(patch):
    patch.setattr(heads.ContextPooler, "forward", lambda self, x: torch.tanh(self.dense(x[:, 0])))


@fault("distilbert", "classification")
def tanh_in_distilberts_classifier(patch):
    patch.setattr(heads, "ReLU", heads.Tanh)


@fault("gpt2", "classification")
def classified_from_padding(patch):
    patch.setattr(
        heads.LastTokenClassifier, "forward", lambda self, s, b: self.classifier(s.last[:, -1])
    )


@fault("bert-base", "qa")
def start_and_end_swapped(patch):
    right = heads.QuestionAnswering.forward
    patch.setattr(heads.QuestionAnswering, "forward", lambda *a: right(*a).flip(-1))


@fault("gpt2", "lm")
def next_token_not_shifted(patch):
    patch.setattr(losses, "causal_lm", losses.mlm)


@fault("bert-base", "mlm")
def loss_over_all_tokens(patch):
    patch.setattr(losses, "mlm", lambda y, t: losses.cross_entropy(y, t.clamp(min=0)))


@pytest.mark.parametrize("name", FAULTS)
def test_parity_fails(name, monkeypatch):
    plant, variant, head, dtype = FAULTS[name]
    plant(monkeypatch)
    with pytest.raises(AssertionError, match="differ by"):
        differences(CASES[variant], head, dtype).check(dtype)
