"""What holds for every model that the bricks can make, tried on random Specs."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib import Spec, Transformer
from course_lib.bricks.activations import GELU, GELUSigmoid, GELUTanh, ReLU
from course_lib.bricks.attention import SelfAttention
from course_lib.bricks.block import PostNorm, PreNorm
from course_lib.bricks.disentangled import Disentangled
from course_lib.bricks.embeddings import (
    AfterPadding,
    Counted,
    Factorized,
    Learned,
    Relative,
    SilentPadding,
    Sinusoidal,
    Summed,
    Unnormalised,
)
from course_lib.bricks.longformer import SlidingWindow
from course_lib.bricks.patterns import Causal, Full, Window

few = settings(max_examples=25, deadline=None, derandomize=True)

ATTENTION = st.one_of(
    st.builds(
        SelfAttention,
        st.one_of(st.builds(Full), st.builds(Causal), st.builds(Window, st.integers(1, 3))),
    ),
    st.builds(SlidingWindow, st.sampled_from([2, 4, 6])),
    st.builds(Disentangled),
)
COUNTING_REAL_TOKENS = st.sampled_from([AfterPadding(24), Counted(20)])
POSITIONS = st.one_of(st.sampled_from([Learned(20), Sinusoidal(20)]), COUNTING_REAL_TOKENS)


@st.composite
def specs(draw, attention=ATTENTION, positions=POSITIONS):
    """A small Spec of any kind; DeBERTa's attention comes with its own positions."""
    attention, positions = draw(attention), draw(positions)
    if isinstance(attention, Disentangled):
        positions = Relative(draw(st.integers(2, 9)))
    segments = draw(st.integers(0, 2))
    embeddings = draw(
        st.sampled_from(
            [
                Summed(positions, segments),
                Unnormalised(positions, segments),
                Factorized(positions, segments, narrow=draw(st.integers(4, 7))),
                SilentPadding(positions),
            ]
        )
    )
    heads = draw(st.integers(1, 3))
    return Spec(
        name="drawn",
        vocabulary=draw(st.integers(8, 20)),
        width=heads * draw(st.integers(4, 6)),
        layers=draw(st.integers(1, 3)),
        heads=heads,
        feedforward=draw(st.integers(6, 12)),
        embeddings=embeddings,
        attention=attention,
        block=draw(st.sampled_from([PostNorm, PreNorm])),
        activation=draw(st.sampled_from([GELU, GELUTanh, GELUSigmoid, ReLU])),
        share_layers=draw(st.booleans()),
        eps=1e-6,
        pad=draw(st.integers(0, 1)),
    )


def made(spec):
    """A model in float64 whose weights are large enough for every path to matter."""
    torch.manual_seed(0)
    model = Transformer(spec).double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return model


def text(spec, batch, tokens, seed=0):
    """Random ids, none of them padding."""
    draw = torch.Generator().manual_seed(seed)
    return torch.randint(2, spec.vocabulary, (batch, tokens), generator=draw)


def close(ours, expected, tolerance=1e-10):
    torch.testing.assert_close(ours, expected, rtol=0, atol=tolerance)


LENGTH = st.integers(1, 14)


@few
@given(specs(), LENGTH)
def test_any_spec_makes_a_model_of_the_right_shape(spec, tokens):
    last, hidden = made(spec)(ids := text(spec, 3, tokens), hidden_states=True)
    assert last.shape == (3, tokens, spec.width) and last.isfinite().all()
    assert len(hidden) == spec.layers + 1
    assert torch.equal(last, made(spec)(ids))


@few
@given(specs())
def test_every_parameter_learns(spec):
    model = made(spec).train()
    ids = text(spec, 4, 9)
    inputs = {}
    if spec.embeddings.segments:
        inputs["token_type_ids"] = ids % spec.embeddings.segments
    if isinstance(spec.attention, SlidingWindow):
        inputs["global_attention_mask"] = torch.arange(9).expand(4, 9) % 4 == 1
    last = model(ids, **inputs)
    (last * torch.randn_like(last)).sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        # One number added to all of a query's scores changes no softmax: key biases are idle.
        idle = name.endswith(("key.bias", "key_global.bias"))
        assert idle or (parameter.grad != 0).any(), name


@few
@given(specs(), LENGTH, st.integers(1, 6))
def test_padding_on_the_right_changes_no_real_token(spec, tokens, padding):
    model, ids = made(spec), text(spec, 2, tokens)
    reads_ids = isinstance(spec.embeddings.positions, AfterPadding)
    tail = torch.full((2, padding), spec.pad) if reads_ids else text(spec, 2, padding, seed=1)
    mask = torch.arange(tokens + padding).expand(2, -1) < tokens
    padded, hidden = model(torch.cat([ids, tail], dim=1), mask, hidden_states=True)
    close(padded[:, :tokens], model(ids))
    assert all(state.isfinite().all() for state in hidden)


@few
@given(specs(positions=COUNTING_REAL_TOKENS), LENGTH, st.integers(1, 6))
def test_padding_on_the_left_changes_no_real_token(spec, tokens, padding):
    model, ids = made(spec), text(spec, 2, tokens)
    head = torch.full((2, padding), spec.pad)
    mask = torch.arange(tokens + padding).expand(2, -1) >= padding
    padded = model(torch.cat([head, ids], dim=1), mask)
    close(padded[:, padding:], model(ids))


@few
@given(specs(attention=st.just(SelfAttention(Causal()))), st.integers(2, 14), st.data())
def test_a_causal_model_never_sees_the_future(spec, tokens, data):
    model, ids = made(spec), text(spec, 2, tokens)
    now = data.draw(st.integers(1, tokens - 1))
    other = torch.cat([ids[:, :now], text(spec, 2, tokens - now, seed=1)], dim=1)
    close(model(ids)[:, :now], model(other)[:, :now])


@few
@given(specs(attention=st.just(SelfAttention())), st.integers(2, 14))
def test_a_bidirectional_model_does(spec, tokens):
    model, ids = made(spec), text(spec, 2, tokens)
    other = ids.clone()
    other[:, -1] = (ids[:, -1] - 1) % (spec.vocabulary - 2) + 2
    assert (model(ids)[:, 0] - model(other)[:, 0]).abs().max() > 1e-9


@few
@given(
    specs(attention=st.just(SelfAttention()), positions=st.just(Relative(4))),
    st.permutations(range(7)),
)
def test_without_positions_order_means_nothing(spec, order):
    """Full attention with no position at the input: permuted tokens give permuted vectors."""
    model, ids = made(spec), text(spec, 2, 7)
    close(model(ids[:, order]), model(ids)[:, order])


@few
@given(specs(attention=st.just(SelfAttention())))
def test_with_positions_it_does(spec):
    model, ids = made(spec), text(spec, 2, 7)
    assert (model(ids.flip(1)) - model(ids).flip(1)).abs().max() > 1e-6


@few
@given(specs(), LENGTH)
def test_norms_before_and_after_are_interchangeable(spec, tokens):
    ids = text(spec, 2, tokens)
    after, before = (made(replace(spec, block=block)) for block in (PostNorm, PreNorm))
    only_before = {name for name, _ in before.named_parameters()}
    only_before -= {name for name, _ in after.named_parameters()}
    assert only_before == {"norm.weight", "norm.bias"}
    assert after(ids).shape == before(ids).shape
    assert (after(ids) - before(ids)).abs().max() > 1e-9


@few
@given(specs(), LENGTH)
def test_sharing_layers_is_copying_one(spec, tokens):
    shared = made(replace(spec, share_layers=True))
    own = made(replace(spec, share_layers=False))
    for layer in own.layers:
        layer.load_state_dict(shared.layers[0].state_dict())
    rest = {k: v for k, v in shared.state_dict().items() if not k.startswith("layers.")}
    own.load_state_dict(rest, strict=False)
    ids = text(spec, 2, tokens)
    assert torch.equal(shared(ids), own(ids))


@few
@given(specs(), LENGTH)
def test_a_sequence_does_not_depend_on_its_batch(spec, tokens):
    model, ids = made(spec), text(spec, 3, tokens)
    mask = torch.arange(tokens) < torch.tensor([[tokens], [max(1, tokens // 2)], [1]])
    ids = ids.where(mask, torch.tensor(spec.pad))
    together = model(ids, mask)
    for row in range(3):
        close(together[row : row + 1], model(ids[row : row + 1], mask[row : row + 1]))


@few
@given(specs(attention=st.just(SlidingWindow(4))), LENGTH, st.sampled_from([2, 4, 6]))
def test_a_sliding_window_is_attention_in_a_window(spec, tokens, window):
    ids = text(spec, 2, tokens)
    local = made(replace(spec, attention=SlidingWindow(window)))
    plain = made(replace(spec, attention=SelfAttention(Window(window // 2))))
    plain.load_state_dict({k: v for k, v in local.state_dict().items() if "_global" not in k})
    close(local(ids), plain(ids))


@few
@given(specs(attention=st.just(SlidingWindow(4))), LENGTH)
def test_when_all_tokens_are_global_it_is_full_attention(spec, tokens):
    ids = text(spec, 2, tokens)
    local = made(spec)
    plain = made(replace(spec, attention=SelfAttention()))
    state = local.state_dict()
    near = {k: v for k, v in state.items() if "_global" not in k}
    plain.load_state_dict(
        near | {k.replace("_global", ""): v for k, v in state.items() if "_global" in k}
    )
    close(local(ids, global_attention_mask=torch.ones_like(ids)), plain(ids))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@few
@given(specs(), LENGTH)
def test_other_precisions(dtype, spec, tokens):
    ids = text(spec, 2, tokens)
    exact = made(spec)(ids).detach()
    rough = made(spec).to(dtype)(ids)
    assert rough.dtype == dtype and rough.isfinite().all()
    error = (rough.detach().double() - exact).norm() / exact.norm()
    assert error < (1e-5 if dtype == torch.float32 else 0.1)
    rough.sum().backward()


@settings(few, max_examples=10)
@given(specs())
def test_tensors_are_made_where_the_model_is(spec):
    """Any device will do: here one where numbers of another device would not mix in."""
    last = made(spec).to("meta")(text(spec, 2, 5).to("meta"))
    assert last.is_meta and last.shape == (2, 5, spec.width)
