"""The fast path against the readable one: values, gradients, heads, generation."""

from copy import deepcopy
from dataclasses import replace

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from test_properties import LENGTH, close, made, specs, text

from course_lib import assemble
from course_lib.bricks.attention import SelfAttention
from course_lib.bricks.embeddings import Absent, AfterPadding, SilentPadding, Unnormalised
from course_lib.bricks.longformer import SlidingWindow
from course_lib.bricks.patterns import Causal
from course_lib.bricks.rotary import Rotary
from course_lib.fast import Decoder, FastAdamW, faster
from course_lib.fast import attention as fast_attention
from course_lib.fast.attention import by_distance
from course_lib.fast.packing import Packing
from course_lib.generate import generate, stream
from course_lib.heads import CausalLM
from course_lib.optim import AdamW, decay_groups
from course_lib.variants import VARIANTS

few = settings(max_examples=60, deadline=None, derandomize=True)


@st.composite
def masks(draw, rows, tokens):
    """Padding on either side, mostly; sometimes a hole, or a text without a real token."""
    mask = torch.zeros(rows, tokens, dtype=torch.long)
    for row in mask:
        start = draw(st.integers(0, tokens - 1))
        row[start : draw(st.integers(start + 1, tokens))] = 1
    if draw(st.integers(0, 4)) == 0:
        mask[0, draw(st.integers(0, tokens - 1))] = 0
    return mask


def inputs(spec, ids, mask):
    found = {"attention_mask": mask}
    if spec.embeddings.segments:
        found["token_type_ids"] = ids % spec.embeddings.segments
    if isinstance(spec.attention, SlidingWindow):
        found["global_attention_mask"] = (ids % 3 == 0) & mask.bool()
    return found


def gradients(model, last, mask):
    real = last[mask.bool()]
    weights = torch.linspace(-1, 1, real.numel(), dtype=real.dtype).cos().view_as(real)
    return torch.autograd.grad((real * weights).sum(), list(model.parameters()), allow_unused=True)


@few
@given(specs(), LENGTH, st.integers(1, 5), st.data())
def test_fast_is_readable(spec, tokens, block, data):
    readable = made(spec)
    fast = faster(readable)
    ids, mask = text(spec, 3, tokens), data.draw(masks(3, tokens))
    arguments = inputs(spec, ids, mask)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast_attention, "BLOCK", block)  # so that a short text has several
        ours, hidden = fast(ids, **arguments, hidden_states=True)
        theirs, expected = readable(ids, **arguments, hidden_states=True)
        real = mask.bool()
        assert len(hidden) == len(expected)
        for state, other in zip(hidden, expected, strict=True):
            close(state[real], other[real])
        pairs = zip(gradients(fast, ours, mask), gradients(readable, theirs, mask), strict=True)
        for gradient, other in pairs:
            assert (gradient is None) == (other is None)
            if gradient is not None:
                close(gradient, other, 1e-9)


@few
@given(specs(), LENGTH)
def test_without_a_mask_every_token_is_real(spec, tokens):
    readable, ids = made(spec), text(spec, 2, tokens)
    close(faster(readable)(ids), readable(ids))


def test_a_window_on_a_long_text_in_float32():
    spec = replace(
        VARIANTS["longformer"], width=32, heads=4, layers=2, feedforward=64, vocabulary=50
    )
    torch.manual_seed(0)
    model = assemble(replace(spec, attention=SlidingWindow(64))).eval()
    ids = torch.randint(2, 50, (1, 1_000))
    marked = torch.zeros_like(ids)
    marked[0, [0, 300, 999]] = 1
    close(
        faster(model)(ids, global_attention_mask=marked),
        model(ids, global_attention_mask=marked),
        1e-5,
    )


HEADS = [
    (name, head)
    for name in VARIANTS
    for head in ("mlm", "qa", "classification", "pretraining", "lm")
    if head in ("qa", "classification") or (head == "lm") == (name == "gpt2")
]


@pytest.mark.parametrize(("name", "head"), HEADS)
def test_heads_read_the_same(name, head):
    small = {"vocabulary": 40, "width": 24, "heads": 2, "layers": 2, "feedforward": 30}
    torch.manual_seed(0)
    readable = assemble(replace(VARIANTS[name], **small), head=head, classes=3).double().eval()
    fast = faster(readable)
    ids = torch.randint(4, 40, (3, 11))
    mask = torch.ones_like(ids)
    mask[1, 7:] = 0
    mask[2, 6:] = 0
    arguments = {}
    if name == "spanbert" and head == "pretraining":
        arguments["spans"] = torch.tensor([[[1, 4]]] * 3)
    ours, theirs = (flat(model(ids, mask, **arguments)) for model in (fast, readable))
    assert len(ours) == len(theirs) > 0
    for x, y in zip(ours, theirs, strict=True):
        if x.shape[:2] == ids.shape:
            x, y = x[mask.bool()], y[mask.bool()]
        close(x, y)


def flat(prediction):
    """The tensors of a head's prediction."""
    parts = [prediction] if isinstance(prediction, torch.Tensor) else list(prediction)
    return [part for part in parts if part is not None]


def test_the_twins_are_one_model():
    torch.manual_seed(0)
    readable = assemble(replace(VARIANTS["bert-tiny"], vocabulary=30), head="mlm")
    fast = faster(readable)
    shared = dict(readable.named_parameters())
    assert all(shared[name] is parameter for name, parameter in fast.named_parameters())
    assert fast.state_dict().keys() == readable.state_dict().keys()
    fast.eval()
    ids = torch.randint(4, 30, (2, 6))
    assert torch.equal(readable(ids), readable(ids))  # no dropout is left on


def test_scores_and_holes_take_the_readable_way():
    torch.manual_seed(0)
    readable = assemble(replace(VARIANTS["bert-tiny"], vocabulary=30)).double().eval()
    fast, ids = faster(readable), torch.randint(4, 30, (2, 6))
    ours, theirs = (m.states(ids, scores=True).scores for m in (fast, readable))
    assert len(ours) == 2
    for x, y in zip(ours, theirs, strict=True):
        close(x, y)
    hole = torch.tensor([[1, 0, 1, 1, 1, 1]] * 2)
    close(fast(ids, hole), readable(ids, hole))


def test_a_twin_of_a_twin_is_one():
    fast = faster(assemble(replace(VARIANTS["bert-tiny"], vocabulary=30)).eval())
    ids = torch.randint(4, 30, (2, 6))
    assert torch.equal(faster(fast)(ids), fast(ids))


def test_dropout_drops():
    spec = replace(VARIANTS["bert-tiny"], vocabulary=30, dropout=0.0, attention_dropout=0.5)
    fast, ids = faster(assemble(spec).train()), torch.randint(4, 30, (2, 6))
    assert not torch.equal(fast(ids), fast(ids))


@given(st.integers(1, 9))
@few
def test_reading_along_diagonals(tokens):
    x = torch.randn(2, tokens, 2 * tokens)
    read = by_distance(x)
    for i in range(tokens):
        for j in range(tokens):
            assert torch.equal(read[:, i, j], x[:, i, j - i + tokens - 1])
    assert read.data_ptr() == x[:, 0, tokens - 1 :].data_ptr()  # nothing was copied


@given(st.data(), st.integers(1, 6), st.integers(1, 9))
@few
def test_unpacking_undoes_packing(data, rows, tokens):
    keep = data.draw(masks(rows, tokens)).bool()
    packing = Packing.of(keep)
    if packing is None:
        assert (keep.long().diff(dim=1) == 1).sum(dim=1).add(keep[:, 0]).ne(1).any()
        return
    x = torch.randn(rows, tokens, 3)
    packed = packing.pack(x)
    assert packed.shape == (1, int(keep.sum()), 3)
    assert torch.equal(packing.unpack(packed), x * keep[:, :, None])
    parts = packing.cut(packed)
    assert [p.shape[:2] for p in parts] == packing.groups
    assert torch.equal(packing.join(parts), packed)
    lengths = [group.tokens for group in packing.groups]
    assert lengths == sorted(set(lengths))


@few
@given(specs(attention=st.just(SelfAttention(Causal()))), st.integers(1, 7), st.data())
def test_the_decoder_continues_like_the_whole_text(spec, tokens, data):
    # These two look at ids or padding in a way that no cache can continue.
    assume(not isinstance(spec.embeddings.positions, AfterPadding))
    assume(not isinstance(spec.embeddings, SilentPadding))
    model = faster(made(spec))
    with_head = assemble(spec, head="classification")
    with_head.backbone, with_head.head = model, CausalLM(spec, 2)  # of any embedding width
    decoder = Decoder(with_head, batch=2, longest=12)
    ids = text(spec, 2, 12)
    end = 0
    while end < 12:
        start, end = end, min(12, end + data.draw(st.integers(1, 5)))
        if spec.longest is not None and end > spec.longest:
            break
        keep = torch.ones(2, end, dtype=torch.long)
        with torch.no_grad():
            close(decoder.last(ids[:, start:end], keep), model(ids[:, :end])[:, -1])


@pytest.fixture(scope="module")
def gpt():
    torch.manual_seed(0)
    spec = replace(VARIANTS["gpt2"], vocabulary=90, width=32, heads=4, layers=3, feedforward=64)
    model = assemble(spec, head="lm").double().eval()
    for weight in model.parameters():  # as it starts, it would repeat one token for ever
        torch.nn.init.normal_(weight, std=0.4)
    return model


def test_the_decoder_writes_the_same_tokens(gpt):
    prompt = torch.randint(0, 90, (3, 8))
    mask = torch.ones_like(prompt)
    mask[0, :5] = 0
    for keep in (None, mask):
        written = generate(gpt, prompt, keep, new_tokens=30)
        assert len(set(written[0].tolist())) > 8
        assert torch.equal(generate(gpt, prompt, keep, new_tokens=30, fast=True), written)


def test_the_decoder_draws_and_stops_alike(gpt):
    prompt = torch.randint(0, 90, (2, 4))

    def write(fast):
        generator = torch.Generator().manual_seed(5)
        options = {"temperature": 0.8, "top_k": 20, "top_p": 0.9, "stop": list(range(30))}
        return torch.stack(
            list(stream(gpt, prompt, new_tokens=25, generator=generator, fast=fast, **options))
        )

    assert torch.equal(write(fast=True), write(fast=False))


def test_the_decoder_refuses_another_head():
    model = assemble(replace(VARIANTS["bert-tiny"], vocabulary=30), head="mlm")
    with pytest.raises(ValueError, match="needs the head 'lm'"):
        Decoder(model, batch=1, longest=4)


def test_the_fast_way_keeps_a_cache(gpt):
    with pytest.raises(ValueError, match="cached=False"):
        generate(gpt, torch.zeros(1, 2, dtype=torch.long), fast=True, cached=False)


def test_an_attention_without_a_fast_path_is_refused():
    """Rotary attention is a `MultiHeadAttention`, and would lose its positions without a word."""
    spec = replace(
        VARIANTS["gpt2"], vocabulary=30, width=12, layers=1, heads=2, feedforward=20,
        attention=Rotary(Causal()), embeddings=Unnormalised(Absent(), segments=0),
    )  # fmt: skip
    with pytest.raises(ValueError, match="RotaryAttention has no fast path"):
        generate(assemble(spec, head="lm"), torch.zeros(1, 2, dtype=torch.long), fast=True)


def test_the_optimizer_takes_the_same_steps():
    torch.manual_seed(0)
    readable = assemble(replace(VARIANTS["bert-tiny"], vocabulary=30)).double()
    fast = deepcopy(readable)
    one = AdamW(decay_groups(readable, 0.1), lr=1e-2)
    other = FastAdamW(decay_groups(fast, 0.1), lr=1e-2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("course_lib.fast.optim.BLOCK", 1_000)  # so that a tensor has several
        for _ in range(5):
            for p, q in zip(readable.parameters(), fast.parameters(), strict=True):
                p.grad = torch.randn_like(p)
                q.grad = p.grad.clone()
            one.step()
            other.step()
    for p, q in zip(readable.parameters(), fast.parameters(), strict=True):
        close(q, p, 1e-12)
    assert one.state_dict()["param_groups"] == other.state_dict()["param_groups"]


def test_the_optimizer_takes_tensors_in_any_layout():
    p, q = (torch.linspace(0, 1, 12, dtype=torch.float64).view(3, 4).T for _ in range(2))
    p.grad, q.grad = (torch.ones(4, 3, dtype=torch.float64) for _ in range(2))
    AdamW([p], lr=0.1).step()
    FastAdamW([q], lr=0.1).step()
    close(q, p, 1e-12)
