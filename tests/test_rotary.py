"""Rotary positions: equal to both reference forms, and blind to everything but distance."""

from dataclasses import replace

import pytest
import torch
from transformers import GPTJConfig, LlamaConfig
from transformers.models.gptj import modeling_gptj
from transformers.models.llama import modeling_llama

from course_lib import VARIANTS, assemble
from course_lib.bricks.embeddings import Absent, Summed, Unnormalised
from course_lib.bricks.patterns import Causal
from course_lib.bricks.rotary import Rotary, frequencies, rotate
from course_lib.generate import generate

SMALL = replace(
    VARIANTS["gpt2"],
    vocabulary=40,
    width=24,
    layers=2,
    heads=2,
    feedforward=30,
    embeddings=Unnormalised(Absent(), segments=0),
    attention=Rotary(Causal()),
    dropout=0.0,
    attention_dropout=0.0,
)


def model_of(spec):
    """A causal model in float64 with weights large enough for positions to matter."""
    torch.manual_seed(0)
    model = assemble(spec, head="lm").double().eval()
    for weight in model.parameters():
        if weight.dim() > 1:
            torch.nn.init.normal_(weight, std=0.4)
    return model


@pytest.mark.parametrize("base", [10_000.0, 500_000.0])
def test_halves_are_llamas(base):
    q, k = torch.randn(2, 3, 50, 16), torch.randn(2, 3, 50, 16)
    config = LlamaConfig(
        hidden_size=48,
        num_attention_heads=3,
        rope_parameters={"rope_type": "default", "rope_theta": base},
    )
    place = torch.arange(50)
    cos, sin = modeling_llama.LlamaRotaryEmbedding(config)(q, place[None])
    theirs = modeling_llama.apply_rotary_pos_emb(q, k, cos, sin)
    ours = rotate(q, place, base), rotate(k, place, base)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-5)


def test_neighbours_are_gpt_js():
    x = torch.randn(2, 50, 3, 16)  # its heads stand behind its tokens
    config = GPTJConfig(n_embd=48, n_head=3, rotary_dim=16, n_positions=64)
    sin, cos = modeling_gptj.GPTJRotaryEmbedding(config)(x, torch.arange(50)[None])
    theirs = modeling_gptj.apply_rotary_pos_emb(x, sin, cos).transpose(1, 2)
    ours = rotate(x.transpose(1, 2), torch.arange(50), interleaved=True)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-5)


def test_the_two_forms_differ_by_the_order_of_columns():
    x = torch.randn(2, 7, 10, dtype=torch.float64)
    order = torch.arange(10).view(5, 2).T.flatten()  # 0 2 4 … 1 3 5 …
    place = torch.arange(7)
    torch.testing.assert_close(
        rotate(x[..., order], place), rotate(x, place, interleaved=True)[..., order]
    )
    assert (rotate(x, place) - rotate(x, place, interleaved=True)).abs().max() > 0.1


@pytest.mark.parametrize("interleaved", [False, True])
def test_turning_is_multiplying_by_a_complex_number(interleaved):
    x = torch.randn(7, 10, dtype=torch.float64)
    pairs = x.view(7, 5, 2) if interleaved else x.view(7, 2, 5).mT
    turn = torch.polar(torch.ones(7, 5).double(), torch.arange(7)[:, None] * frequencies(10))
    turned = torch.view_as_complex(pairs.contiguous()) * turn
    parts = torch.view_as_real(turned)
    expected = parts.flatten(1) if interleaved else parts.mT.flatten(1)
    ours = rotate(x, torch.arange(7), interleaved=interleaved)
    torch.testing.assert_close(ours, expected, rtol=0, atol=1e-12)


def test_an_odd_width_is_refused():
    with pytest.raises(ValueError, match="do not make pairs"):
        rotate(torch.ones(3, 5), torch.arange(3))


@pytest.mark.parametrize("interleaved", [False, True])
def test_a_text_may_start_anywhere(interleaved):
    """Padding on the left moves every token, and changes none of the real ones."""
    model = model_of(replace(SMALL, attention=Rotary(Causal(), interleaved=interleaved)))
    ids = torch.randint(1, 40, (2, 9))
    padded = torch.nn.functional.pad(ids, (5, 0))
    mask = (torch.arange(14) >= 5).expand(2, -1)
    torch.testing.assert_close(model(padded, mask)[:, 5:], model(ids), rtol=0, atol=1e-10)


def test_order_matters_only_by_rotation():
    """Without it, an encoder without positions would treat a text as a bag of words."""
    plain = replace(VARIANTS["bert-tiny"], embeddings=Summed(Absent(), segments=0))
    ids, order = torch.randint(1, 40, (1, 9)), torch.randperm(9)
    for attention, blind in ((plain.attention, True), (Rotary(), False)):
        torch.manual_seed(0)
        spec = replace(plain, vocabulary=40, attention=attention)
        model = assemble(spec).double().eval()
        for weight in model.parameters():
            torch.nn.init.normal_(weight, std=0.3)
        gap = (model(ids)[:, order] - model(ids[:, order])).abs().max().item()
        assert (gap < 1e-10) is blind


def test_generation_with_the_cache_is_generation_without():
    model = model_of(SMALL)
    prompts, mask = torch.randint(1, 40, (3, 6)), torch.ones(3, 6, dtype=torch.long)
    mask[1, :3] = 0
    kept = generate(model, prompts, mask, new_tokens=12)
    assert torch.equal(kept, generate(model, prompts, mask, new_tokens=12, cached=False))
    assert len(set(kept[0].tolist())) > 5


def test_no_length_is_too_long():
    assert SMALL.longest is None
    assert model_of(SMALL)(torch.ones(1, 2_000, dtype=torch.long)).shape == (1, 2_000, 40)
