"""Generation: the cache changes nothing but the cost; greedy decoding is the reference's."""

import math
from dataclasses import replace

import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers.generation.logits_process import TopKLogitsWarper, TopPLogitsWarper

from course_lib import VARIANTS, assemble, build, hf
from course_lib.bricks.embeddings import Counted, Unnormalised
from course_lib.generate import (
    KVCache,
    cache_bytes,
    distribution,
    generate,
    keep_top_k,
    keep_top_p,
    stream,
)

SMALL = replace(
    VARIANTS["gpt2"],
    vocabulary=61,
    width=24,
    layers=3,
    heads=2,
    feedforward=40,
    embeddings=Unnormalised(Counted(64), segments=0),
)


@pytest.fixture
def model():
    torch.manual_seed(1)
    model = assemble(SMALL, head="lm").double().eval()
    for weight in model.parameters():  # the usual small start predicts the same token for ever
        torch.nn.init.normal_(weight, std=0.4)
    return model


@pytest.fixture
def prompts():
    """Three prompts of different lengths, padded on the left."""
    ids = torch.randint(0, 61, (3, 9), generator=torch.Generator().manual_seed(2))
    mask = torch.ones_like(ids)
    mask[1, :4] = 0
    mask[2, :8] = 0
    return ids, mask


def test_greedy_equals_the_reference(tmp_path, model, prompts):
    hf.save(model, tmp_path)
    reference = transformers.GPT2LMHeadModel.from_pretrained(tmp_path).double().eval()
    ids, mask = prompts
    theirs = reference.generate(
        ids,
        attention_mask=mask,
        max_new_tokens=40,
        do_sample=False,
        eos_token_id=None,
        pad_token_id=0,
    )
    ours = generate(model, ids, mask, new_tokens=40)
    assert torch.equal(ours, theirs)
    assert len(set(ours[0].tolist())) > 10, "a constant continuation would prove nothing"


@pytest.mark.parametrize("options", [{}, {"temperature": 0.8, "top_k": 9, "top_p": 0.9}])
def test_cached_equals_uncached(model, prompts, options):
    ids, mask = prompts
    with_cache, without = (
        generate(
            model,
            ids,
            mask,
            new_tokens=30,
            cached=cached,
            generator=torch.Generator().manual_seed(3),
            **options,
        )
        for cached in (True, False)
    )
    assert torch.equal(with_cache, without)


def test_cached_states_are_the_full_ones_in_pieces_of_any_size(model, prompts):
    ids, mask = prompts
    full = model(ids, mask)
    cache = KVCache(SMALL, 3, 9, torch.float64)
    pieces = []
    for start, end in [(0, 4), (4, 5), (5, 9)]:
        pieces.append(model(ids[:, start:end], mask[:, :end], cache=cache))
    real = mask.bool()
    assert torch.allclose(torch.cat(pieces, 1)[real], full[real], atol=1e-12, rtol=0)


def test_left_padding_changes_no_token(model):
    ids = torch.tensor([[5, 7, 11]])
    padded = torch.tensor([[0, 0, 5, 7, 11]])
    mask = torch.tensor([[0, 0, 1, 1, 1]])
    assert torch.equal(
        generate(model, ids, new_tokens=12)[:, 3:],
        generate(model, padded, mask, new_tokens=12)[:, 5:],
    )


def test_a_reset_cache_starts_at_the_first_position(model, prompts):
    ids, mask = prompts
    cache = KVCache(SMALL, 3, 9, torch.float64)
    first = model(ids, mask, cache=cache)
    assert cache.length == 9
    cache.reset()
    assert torch.equal(model(ids, mask, cache=cache), first)


def test_cache_memory_to_the_byte():
    cache = KVCache(VARIANTS["gpt2"], 2, 100, torch.float16)
    assert cache.bytes == cache_bytes(VARIANTS["gpt2"], 100, batch=2)
    assert cache_bytes(VARIANTS["gpt2"], 1) == 36_864  # B45
    gpt3 = replace(VARIANTS["gpt2"], width=12_288, layers=96, heads=96)
    assert cache_bytes(gpt3, 1) == 4_718_592


def test_stop_tokens_end_each_sequence_on_its_own(model, prompts):
    ids, mask = prompts
    free = generate(model, ids, mask, new_tokens=20)[:, 9:]
    stop = int(free[0, 5])
    stopped = generate(model, ids, mask, new_tokens=20, stop=[stop])[:, 9:]
    for before, after in zip(free.tolist(), stopped.tolist(), strict=True):
        end = before.index(stop) if stop in before else len(before)
        assert after[: end + 1] == before[: len(after)][: end + 1]
        assert set(after[end:]) <= {stop}


def test_the_stream_ends_when_all_have_stopped(model):
    ids = torch.tensor([[3, 4]])
    first = int(next(stream(model, ids)))
    assert len(list(stream(model, ids, new_tokens=50, stop=[first]))) == 1


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.integers(1, 30), st.floats(0.05, 1.0), st.integers(0, 10_000))
def test_top_k_and_top_p_equal_the_reference(k, p, seed):
    logits = torch.randn(3, 20, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    assert torch.equal(keep_top_k(logits, k), TopKLogitsWarper(k)(None, logits))
    kept, theirs = keep_top_p(logits, p), TopPLogitsWarper(p)(None, logits)
    assert torch.equal(kept, theirs)


def test_temperatures():
    logits = torch.tensor([[2.0, 1.0, 0.0, -1.0]], dtype=torch.float64)
    cold = distribution(logits, 0)
    assert cold.tolist() == [[1, 0, 0, 0]]
    assert torch.allclose(distribution(logits, 0.01), cold)
    warm = torch.tensor([[0.644, 0.237, 0.087, 0.032]], dtype=torch.float64)
    assert torch.allclose(distribution(logits, 1.0), warm, atol=1e-3)  # B49
    hot = distribution(logits, 1e6)
    assert math.isclose(-(hot * hot.log()).sum().item(), math.log(4), rel_tol=1e-9)  # B50


@pytest.mark.parametrize("temperature", [1e-30, 1e-10, 1e-3])
def test_large_logits_and_tiny_temperatures_do_not_overflow(temperature):
    logits = torch.tensor([[0.0, 1e10, -torch.inf], [-1e10, -1e10, -2e10]])
    for options in ({}, {"top_k": 2}, {"top_p": 0.9}):
        chances = distribution(logits, temperature, **options)
        assert chances.tolist() == [[0, 1, 0], [0.5, 0.5, 0]]


def test_samples_follow_the_distribution(model):
    ids = torch.tensor([[3, 4]])
    chances = distribution(model(ids)[:, -1], 1.5, top_k=4)[0]
    drawn = generate(
        model,
        ids.expand(4000, -1),
        new_tokens=1,
        temperature=1.5,
        top_k=4,
        generator=torch.Generator().manual_seed(0),
    )[:, -1]
    shares = drawn.bincount(minlength=61) / 4000
    error = (chances * (1 - chances) / 4000).sqrt()
    assert ((shares - chances).abs() <= 5 * error + 1e-12).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperature": -1.0}, "temperature"),
        ({"temperature": 1.0, "top_k": 0}, "top_k"),
        ({"temperature": 1.0, "top_p": 0.0}, "top_p"),
        ({"new_tokens": 0}, "new_tokens"),
        ({"new_tokens": 63}, "64 positions"),
    ],
)
def test_impossible_requests_say_what_is_allowed(model, options, message):
    with pytest.raises(ValueError, match=message):
        generate(model, torch.tensor([[3, 4]]), **options)


def test_right_padding_is_refused(model):
    with pytest.raises(ValueError, match="on the left"):
        generate(model, torch.tensor([[3, 4, 0]]), torch.tensor([[1, 1, 0]]))


def test_an_encoder_neither_generates_nor_caches():
    model = build("bert-tiny", head="mlm")
    with pytest.raises(ValueError, match="cannot generate"):
        generate(model, torch.tensor([[3, 4]]))
    with pytest.raises(ValueError, match="both sides"):
        KVCache(VARIANTS["bert-tiny"], 1, 4)


def test_a_full_cache_says_so(model):
    cache = KVCache(SMALL, 1, 2, torch.float64)
    with pytest.raises(ValueError, match="3 more do not fit"):
        model(torch.tensor([[3, 4, 5]]), cache=cache)
