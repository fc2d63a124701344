"""The backbone: what it returns, how it starts, and what it says to bad input."""

import math
from dataclasses import replace

import pytest
import torch

import course_lib
from course_lib import VARIANTS, Transformer, assemble, build
from course_lib.bricks.disentangled import Disentangled
from course_lib.heads import WithHead
from course_lib.model import grow_vocabulary

NAMES = list(VARIANTS)
IDS = torch.randint(4, 40, (2, 9), generator=torch.Generator().manual_seed(0))


def small(name, **changes):
    """A variant, small in everything but its kind."""
    sizes = {"vocabulary": 40, "width": 24, "heads": 2, "layers": 3, "feedforward": 32}
    return replace(VARIANTS[name], **sizes | changes)


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


# --- what it returns ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_one_vector_a_token_and_all_states_where_asked_for(name):
    spec = small(name)
    model = Transformer(spec).eval()
    last = model(IDS)
    again, hidden = model(IDS, hidden_states=True)
    assert last.shape == (2, 9, 24)
    assert torch.equal(last, again) and last.dtype == torch.float32
    assert len(hidden) == spec.layers + 1
    assert torch.equal(hidden[-1], last)
    assert all(state.shape == last.shape for state in hidden)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("head", ["qa", "classification", "pretraining", "mlm", "lm"])
def test_a_head_answers_and_can_hand_out_the_states(name, head):
    causal = name == "gpt2"
    if head in ("mlm", "lm") and causal != (head == "lm"):
        with pytest.raises(ValueError, match=f"{'lm' if causal else 'mlm'}"):
            assemble(small(name), head)
        return
    model = assemble(small(name), head).eval()
    assert isinstance(model, WithHead) and model.spec == small(name)
    spans = {"spans": torch.tensor([[[2, 3]]] * 2)} if head == "pretraining" else {}
    prediction, hidden = model(IDS, hidden_states=True, **spans)
    assert len(hidden) == 4
    logits = prediction if isinstance(prediction, torch.Tensor) else prediction.mlm
    logits = prediction.lm if logits is None else logits
    last = {"qa": 2, "classification": 2}.get(head, 40)
    assert logits.shape == ((2, 2) if head == "classification" else (2, 9, last))


def test_an_omitted_mask_keeps_every_token():
    model = Transformer(small("bert-base")).eval()
    assert torch.equal(model(IDS), model(IDS, torch.ones_like(IDS)))


@pytest.mark.parametrize("dtype", [torch.long, torch.int32, torch.bool, torch.float32])
def test_a_mask_of_any_type(dtype):
    model = Transformer(small("bert-base")).eval()
    mask = torch.ones_like(IDS)
    mask[0, 5:] = 0
    assert torch.equal(model(IDS, mask.to(dtype)), model(IDS, mask))


def test_a_pooler_only_where_asked_for():
    assert Transformer(small("bert-base")).pooler is None
    model = Transformer(small("bert-base"), pooler=True)
    assert model.pooled(model(IDS)).shape == (2, 24)
    assert assemble(small("bert-base"), "mlm").backbone.pooler is None
    assert assemble(small("bert-base"), "classification").backbone.pooler is not None


@pytest.mark.parametrize("name", ["distilbert", "gpt2"])
def test_a_variant_without_pooler_says_so(name):
    with pytest.raises(ValueError, match=f"{name} has no pooler"):
        assemble(small(name), pooler=True)


def test_scores_where_asked_for():
    states = Transformer(small("bert-base")).eval().states(IDS, scores=True)
    assert [x.shape for x in states.scores] == [(2, 2, 9, 9)] * 3


def test_shared_layers_are_one_block_run_many_times():
    model = Transformer(small("albert"))
    assert len(model.layers) == 1
    assert len(model(IDS, hidden_states=True)[1]) == 4


def test_build_makes_the_published_sizes():
    model = build("bert-tiny", "classification", classes=5)
    assert model.spec is VARIANTS["bert-tiny"]
    assert model(torch.tensor([[101, 7_592, 102]])).shape == (1, 5)


# --- how it starts ------------------------------------------------------------------------------


def test_weights_start_as_berts():
    model = Transformer(small("bert-base", width=96, feedforward=200, vocabulary=400))
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):
            assert (parameter == 0).all(), name
        elif "norm" in name:
            assert (parameter == 1).all(), name
        elif parameter.numel() > 2_000:
            assert parameter.std().item() == pytest.approx(0.02, rel=0.1), name
    assert (model.embeddings.token.weight[0] == 0).all()  # padding


def test_what_joins_gpt2s_stream_starts_smaller():
    model = Transformer(small("gpt2", width=96, feedforward=200, layers=8))
    for name, parameter in model.layers.named_parameters():
        if name.endswith("output.weight"):
            assert parameter.std().item() == pytest.approx(0.02 / math.sqrt(16), rel=0.1), name
        elif name.endswith("input.weight"):
            assert parameter.std().item() == pytest.approx(0.02, rel=0.1), name


def test_heads_start_the_same_way():
    head = assemble(small("bert-base", width=96, vocabulary=400), "mlm").head
    assert head.transform.weight.std().item() == pytest.approx(0.02, rel=0.1)
    assert (head.bias == 0).all()


def test_the_seed_decides():
    def weights(seed):
        torch.manual_seed(seed)
        return Transformer(small("bert-base")).state_dict()

    assert all(
        torch.equal(x, y) for x, y in zip(weights(1).values(), weights(1).values(), strict=True)
    )
    assert not torch.equal(
        weights(1)["embeddings.token.weight"], weights(2)["embeddings.token.weight"]
    )


# --- bad input ----------------------------------------------------------------------------------


def refused(call, *words):
    """A call raises a `ValueError` that says each of these words."""
    with pytest.raises(ValueError) as error:
        call()
    for word in words:
        assert word in str(error.value), f"{word!r} not in {error.value}"


@pytest.mark.parametrize(
    ("given", "near"),
    [
        ("brt-base", "bert-base"),
        ("bert_large", "bert-large"),
        ("GPT2", None),
        ("robertta", "roberta"),
        ("", None),
    ],
)
def test_an_unknown_variant_lists_the_known_ones_and_suggests_the_nearest(given, near):
    words = [repr(given), *NAMES]
    refused(lambda: build(given), *words, *([f"Did you mean {near!r}?"] if near else []))


def test_an_unknown_head_lists_the_known_ones():
    refused(lambda: build("bert-tiny", "mml"), "'mml'", "Did you mean 'mlm'?", "classification")


@pytest.mark.parametrize(
    ("name", "longest"),
    [("bert-base", 512), ("roberta", 512), ("longformer", 4_096), ("gpt2", 1_024)],
)
def test_too_many_tokens(name, longest):
    model = Transformer(small(name, layers=1, width=4, heads=1, feedforward=4)).eval()
    ids = torch.full((1, longest + 1), 5)
    assert model(ids[:, 1:]).shape == (1, longest, 4)
    refused(lambda: model(ids), f"{longest + 1} tokens", f"positions for {longest}", name)


def test_debertas_distances_have_no_end():
    model = Transformer(small("deberta", layers=1, width=4, heads=1, feedforward=4)).eval()
    assert model(torch.full((1, 1_100), 5)).shape == (1, 1_100, 4)


@pytest.mark.parametrize("bad", [40, 41, 10**9, -1])
def test_an_id_outside_the_vocabulary(bad):
    model = Transformer(small("bert-base"))
    ids = IDS.clone()
    ids[1, 3] = bad
    refused(lambda: model(ids), "input_ids", str(bad), "0 … 39", "tokenizer")


@pytest.mark.parametrize(
    "ids",
    [
        torch.tensor([1, 2, 3]),
        torch.tensor(5),
        torch.ones(1, 2, 3, dtype=torch.long),
        torch.ones(2, 3),
        torch.ones(2, 0, dtype=torch.long),
        torch.ones(0, 2, dtype=torch.long),
    ],
)
def test_ids_that_are_no_batch_of_tokens(ids):
    model = Transformer(small("bert-base"))
    refused(lambda: model(ids), "(batch, tokens)", str(tuple(ids.shape)))


@pytest.mark.parametrize("shape", [(2, 8), (1, 9), (9,), (2, 9, 9), (2, 1, 1, 9)])
@pytest.mark.parametrize("which", ["attention_mask", "token_type_ids", "global_attention_mask"])
def test_a_mask_of_the_wrong_shape(which, shape):
    model = Transformer(small("longformer" if "global" in which else "bert-base"))
    mask = torch.zeros(shape, dtype=torch.long)
    refused(lambda: model(IDS, **{which: mask}), which, str(shape), "(2, 9)")


@pytest.mark.parametrize(("name", "bad"), [("bert-base", 2), ("roberta", 1), ("distilbert", 1)])
def test_a_segment_that_does_not_exist(name, bad):
    model = Transformer(small(name))
    refused(lambda: model(IDS, None, torch.full_like(IDS, bad)), "token_type_ids", str(bad), name)


def test_global_tokens_only_where_there_are_any():
    model = Transformer(small("roberta"))
    refused(lambda: model(IDS, None, None, torch.zeros_like(IDS)), "roberta has no global tokens")


@pytest.mark.parametrize("head", [None, "mlm", "qa", "classification"])
def test_bad_input_is_refused_through_a_head_as_well(head):
    model = assemble(small("longformer"), head)
    for ids in (IDS[0], IDS[0, 0], IDS[:, :0]):
        refused(lambda ids=ids: model(ids), "(batch, tokens)")
    refused(lambda: model(IDS + 40), "input_ids")


# --- public names -------------------------------------------------------------------------------


def test_public_names_are_sorted_and_there():
    kinds = {name: (not name.isupper(), name.islower(), name) for name in course_lib.__all__}
    assert course_lib.__all__ == sorted(kinds, key=kinds.get)  # constants, classes, functions
    assert all(hasattr(course_lib, name) for name in course_lib.__all__)


def test_the_alphabet_is_one_letter_an_axis():
    assert list(course_lib.ALPHABET) == list("btqkhcdefvrlwgnp")


def test_disentangled_attention_needs_relative_positions():
    with pytest.raises(ValueError, match="Give them Relative"):
        replace(VARIANTS["bert-base"], attention=Disentangled())


@pytest.mark.parametrize(
    ("name", "head"),
    [("bert-tiny", "mlm"), ("spanbert", "pretraining"), ("gpt2", "lm"), ("albert", None)],
)
def test_a_grown_model_predicts_old_tokens_as_before(name, head):
    torch.manual_seed(0)
    small = replace(VARIANTS[name], vocabulary=50, width=24, layers=2, heads=2, feedforward=32)
    model = assemble(small, head=head).eval()
    ids = torch.randint(2, 50, (2, 9))
    inputs = {"spans": torch.tensor([[[2, 4]], [[3, 3]]])} if name == "spanbert" else {}

    def logits():
        found = model(ids, **inputs)
        return [x for x in found if x is not None] if isinstance(found, tuple) else [found]

    before = logits()
    grow_vocabulary(model, 53)
    for old, new in zip(before, logits(), strict=True):
        assert torch.equal(old, new[..., : old.size(-1)])
        assert new.size(-1) == (53 if head else small.width)
    assert model.spec.vocabulary == 53
    model(torch.tensor([[52, 51, 50]]), **({"spans": torch.tensor([[[1, 1]]])} if inputs else {}))
    with pytest.raises(ValueError, match="53"):
        grow_vocabulary(model, 52)
