"""Bricks one by one, against PyTorch's own or a loop that cannot be misread."""

import math
from dataclasses import replace

import pytest
import torch
from torch.nn import functional as F

from course_lib import Spec
from course_lib.bricks import activations, disentangled, embeddings
from course_lib.bricks.attention import (
    MultiHeadAttention,
    hide,
    merge_heads,
    scaled_dot_product_attention,
    split_heads,
)
from course_lib.bricks.block import PostNorm, PreNorm
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
from course_lib.bricks.feedforward import FeedForward
from course_lib.bricks.longformer import (
    GlobalTokens,
    SlidingWindow,
    SlidingWindowAttention,
    blocks,
    neighbourhoods,
)
from course_lib.bricks.patterns import Causal, Full, Window
from course_lib.context import Context

SMALL = Spec(vocabulary=30, width=12, heads=3, feedforward=20, layers=1, dropout=0.0)


def close(ours, expected, tolerance=1e-6):
    torch.testing.assert_close(ours, expected, rtol=0, atol=tolerance)


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


# --- activations --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ours", "expected"),
    [
        (activations.GELU, F.gelu),
        (activations.GELUTanh, lambda x: F.gelu(x, approximate="tanh")),
        (activations.GELUSigmoid, lambda x: x * torch.sigmoid(1.702 * x)),
        (activations.ReLU, F.relu),
        (activations.Tanh, torch.tanh),
    ],
)
def test_activations_are_pytorchs(ours, expected):
    x = torch.linspace(-12, 12, 999, dtype=torch.float64)
    close(ours()(x), expected(x), 1e-14)


def test_the_forms_of_gelu_are_near_and_not_equal():
    x = torch.linspace(-6, 6, 9_999, dtype=torch.float64)
    exact = activations.GELU()(x)
    for form, low, high in (
        (activations.GELUTanh, 4e-4, 5e-4),
        (activations.GELUSigmoid, 0.02, 0.021),
    ):
        assert low < (form()(x) - exact).abs().max() < high


# --- attention ----------------------------------------------------------------------------------


def test_heads_are_cut_from_the_last_axis_and_laid_side_by_side_again():
    x = torch.arange(24.0).view(1, 2, 12)
    heads = split_heads(x, 3)
    assert heads.shape == (1, 3, 2, 4)
    assert heads[0, 1, 0].tolist() == [4, 5, 6, 7]  # the second head of the first token
    assert torch.equal(merge_heads(heads), x)


@pytest.mark.parametrize("shape", [(4, 5), (2, 4, 5), (2, 3, 4, 5)])
def test_scaled_dot_product_is_pytorchs(shape):
    q, k, v = torch.randn(3, *shape, dtype=torch.float64)
    allowed = torch.rand(*shape[:-1], shape[-2]) < 0.6
    allowed[..., 0] = True
    close(scaled_dot_product_attention(q, k, v), F.scaled_dot_product_attention(q, k, v), 1e-14)
    close(
        scaled_dot_product_attention(q, k, v, allowed),
        F.scaled_dot_product_attention(q, k, v, attn_mask=allowed),
        1e-14,
    )


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_a_row_that_may_see_nothing_becomes_uniform(dtype):
    scores = torch.randn(2, 4).to(dtype)
    allowed = torch.tensor([[False] * 4, [True, False, True, False]])
    weights = hide(scores, allowed).softmax(dim=-1)
    assert weights[0].tolist() == [0.25] * 4
    assert weights[1, 1] == weights[1, 3] == 0


def test_multi_head_attention_is_a_loop_over_heads_and_tokens():
    attention = MultiHeadAttention(SMALL, Full()).double().eval()
    x = torch.randn(2, 5, 12, dtype=torch.float64)
    keep = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 1, 0]]).bool()
    layers = attention.query, attention.key, attention.value
    q, k, v = (layer(x).detach() for layer in layers)
    mixed = torch.zeros_like(x)
    for b in range(2):
        for h in range(3):
            columns = slice(4 * h, 4 * h + 4)
            for i in range(5):
                scores = {
                    j: math.exp(float(q[b, i, columns] @ k[b, j, columns]) / 2)
                    for j in range(5)
                    if keep[b, j]
                }
                for j, score in scores.items():
                    mixed[b, i, columns] += score / sum(scores.values()) * v[b, j, columns]
    close(attention(x, Context(keep)), attention.output(mixed), 1e-14)


@pytest.mark.parametrize("keys", [2, 5, 7])
def test_keys_and_values_can_come_from_elsewhere(keys):
    attention = MultiHeadAttention(SMALL, Full()).eval()
    x, memory = torch.randn(2, 5, 12), torch.randn(2, keys, 12)
    keep = torch.ones(2, keys, dtype=torch.bool)
    keep[1, -1] = False
    q, k, v = (
        split_heads(linear(source), SMALL.heads)
        for linear, source in (
            (attention.query, x),
            (attention.key, memory),
            (attention.value, memory),
        )
    )
    mixed = scaled_dot_product_attention(q, k, v, keep[:, None, None, :])
    close(attention(x, Context(keep), memory), attention.output(merge_heads(mixed)))
    close(attention(memory, Context(keep), memory), attention(memory, Context(keep)))


def test_patterns():
    i, j = torch.arange(4)[:, None], torch.arange(4)[None, :]
    assert Full()(i, j).all() and Full()(i, j).shape == (4, 4)
    assert torch.equal(Causal()(i, j), torch.ones(4, 4).tril().bool())
    band = torch.ones(4, 4).tril(1).triu(-1).bool()
    assert torch.equal(Window(1)(i, j), band)
    assert torch.equal(Window(0)(i, j), torch.eye(4).bool())


# --- feed-forward and blocks --------------------------------------------------------------------


def test_feed_forward_treats_each_token_alone():
    module = FeedForward(SMALL)
    x = torch.randn(2, 5, 12)
    expected = torch.stack([module(x[:, i]) for i in range(5)], dim=1)
    close(module(x), expected)
    hidden = F.gelu(x @ module.input.weight.T + module.input.bias)
    close(module(x), hidden @ module.output.weight.T + module.output.bias)


@pytest.mark.parametrize("kind", [PostNorm, PreNorm])
def test_where_the_norm_stands(kind):
    block = kind(SMALL).eval()
    x = torch.randn(2, 5, 12)
    context = Context(torch.ones(2, 5, dtype=torch.bool))
    if kind is PostNorm:
        y = block.attention_norm(x + block.attention(x, context))
        expected = block.feedforward_norm(y + block.feedforward(y))
        close(block(x, context).mean(-1), torch.zeros(2, 5))
    else:
        y = x + block.attention(block.attention_norm(x), context)
        expected = y + block.feedforward(block.feedforward_norm(y))
    close(block(x, context), expected)
    assert kind.final_norm == (kind is PreNorm)


# --- embeddings ---------------------------------------------------------------------------------

IDS = torch.tensor([[1, 1, 7, 8, 9], [7, 8, 1, 9, 1]])  # 1 is padding
KEEP = IDS != 1


@pytest.mark.parametrize(
    ("choice", "rows"),
    [
        (Learned(9), [[0, 1, 2, 3, 4]] * 2),
        (AfterPadding(9), [[1, 1, 2, 3, 4], [2, 3, 1, 4, 1]]),
        (Counted(9), [[0, 0, 0, 1, 2], [0, 1, 1, 2, 2]]),
    ],
)
def test_which_row_a_position_gets(choice, rows):
    table = choice.build(replace(SMALL, pad=1), 6)
    table.weight.data = torch.arange(9.0)[:, None].expand(9, 6).clone()
    found = table(IDS, KEEP)[..., 0]
    assert found.expand(2, 5).tolist() == rows


def test_sinusoids_are_the_papers():
    """Vaswani et al. 2017, §3.5: sin(p/10000^(2i/d)) and cos, side by side."""
    table = Sinusoidal(60).build(SMALL, 10)(torch.zeros(1, 60, dtype=torch.long), torch.ones(1, 60))
    for p in (0, 1, 17, 59):
        for i in range(5):
            angle = p / 10_000 ** (2 * i / 10)
            assert table[p, 2 * i].item() == pytest.approx(math.sin(angle), abs=1e-6)
            assert table[p, 2 * i + 1].item() == pytest.approx(math.cos(angle), abs=1e-6)


@pytest.mark.parametrize("width", [1, 5, 8])
def test_sinusoids_of_any_width(width):
    module = Sinusoidal(20).build(SMALL, width)
    assert not list(module.parameters()) and not module.state_dict()
    assert module(torch.zeros(1, 7, dtype=torch.long), torch.ones(1, 7)).shape == (7, width)


def test_a_shift_is_a_rotation_of_the_sinusoids():
    table = Sinusoidal(50).build(SMALL, 8)(torch.zeros(1, 50, dtype=torch.long), torch.ones(1, 50))
    near = (table[:-3] * table[3:]).sum(-1)
    close(near, near[:1].expand_as(near), 1e-5)


def embed(choice):
    """The module for a choice, in a Spec that makes it."""
    spec = replace(SMALL, pad=1, embeddings=choice)
    return spec.embeddings.build(spec).eval()


def test_the_sum_is_normalised_once():
    module = embed(Summed(Learned(9)))
    segments = torch.tensor([[0, 0, 1, 1, 1], [0, 1, 0, 1, 0]])
    x = module.token(IDS) + module.position.weight[:5] + module.segment(segments)
    close(module(IDS, segments, KEEP), F.layer_norm(x, (12,), eps=1e-12))
    assert torch.equal(module(IDS, None, KEEP), module(IDS, torch.zeros_like(IDS), KEEP))


def test_alberts_norm_is_narrow_and_stands_before_the_projection():
    module = embed(Factorized(Learned(9), narrow=6))
    x = module.token(IDS) + module.position.weight[:5] + module.segment.weight[0]
    expected = (
        F.layer_norm(x, (6,), eps=1e-12) @ module.projection.weight.T + module.projection.bias
    )
    close(module(IDS, None, KEEP), expected)


def test_gpts_sum_is_not_normalised():
    module = embed(Unnormalised(Counted(9), segments=0))
    assert module.segment is None
    rows = torch.tensor([[0, 0, 0, 1, 2], [0, 1, 1, 2, 2]])
    close(module(IDS, None, KEEP), module.token(IDS) + module.position.weight[rows])


def test_debertas_padding_is_silent_and_its_positions_absent():
    module = embed(SilentPadding(Relative(4)))
    x = module(IDS, None, KEEP)
    assert (x[~KEEP] == 0).all()
    close(x[KEEP], F.layer_norm(module.token(IDS), (12,), eps=1e-12)[KEEP])
    assert module.position.table.weight.shape == (8, 12)


# --- DeBERTa ------------------------------------------------------------------------------------


def test_delta_is_the_papers_equation_3():
    k = 3
    delta = disentangled.relative_index(6, 8, k, torch.device("cpu"))
    for i in range(6):
        for j in range(8):
            low, high = i - j <= -k, i - j >= k
            assert delta[i, j] == (0 if low else 2 * k - 1 if high else i - j + k)


@pytest.mark.parametrize("tokens", [1, 3, 4, 5, 11])
def test_disentangled_scores_are_three_sums_over_one_pair(tokens):
    spec = replace(SMALL, embeddings=SilentPadding(Relative(4)))
    attention = disentangled.DisentangledAttention(spec).double()
    table = torch.randn(8, 12, dtype=torch.float64)
    q, k = torch.randn(2, 1, 3, tokens, 4, dtype=torch.float64)
    context = Context(torch.ones(1, tokens, dtype=torch.bool), relative=table)
    scores = attention.scores(q, k, context)
    for h in range(3):
        columns = slice(4 * h, 4 * h + 4)
        k_r = (table @ attention.position_key.weight.T)[:, columns]
        q_r = attention.position_query(table)[:, columns]
        for i in range(tokens):
            for j in range(tokens):
                row = min(max(i - j + 4, 0), 7)
                pair = q[0, h, i] @ k[0, h, j] + q[0, h, i] @ k_r[row] + k[0, h, j] @ q_r[row]
                close(scores[0, h, i, j], pair / math.sqrt(12), 1e-13)


# --- Longformer ---------------------------------------------------------------------------------


def test_blocks_and_their_neighbourhoods():
    x = torch.arange(1.0, 7).view(1, 1, 6, 1)
    assert blocks(x, 2)[0, 0, :, :, 0].tolist() == [[1, 2], [3, 4], [5, 6]]
    near = neighbourhoods(x, 2)[0, 0, :, :, 0].tolist()
    assert near == [[0, 0, 1, 2, 3, 4], [1, 2, 3, 4, 5, 6], [3, 4, 5, 6, 0, 0]]


def test_global_tokens_are_gathered_and_filled_up():
    mask = torch.tensor([[0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 0]]).bool()
    far = GlobalTokens(mask)
    assert far.index[:2].tolist() == [[1, 3], [2, 0]]
    assert far.real.tolist() == [[True, True], [True, False], [False, False]]
    x = torch.arange(12.0).view(3, 1, 4, 1)
    assert far.rows(x)[0].flatten().tolist() == [1, 3]


@pytest.mark.parametrize("tokens", [1, 2, 3, 4, 5, 8, 9, 17])
@pytest.mark.parametrize("window", [2, 4, 8])
def test_without_global_tokens_it_is_plain_attention_in_a_window(window, tokens):
    local = SlidingWindowAttention(SMALL, window).double().eval()
    plain = MultiHeadAttention(SMALL, Window(window // 2)).double().eval()
    plain.load_state_dict(local.state_dict(), strict=False)
    x = torch.randn(3, tokens, 12, dtype=torch.float64)
    keep = torch.rand(3, tokens) < 0.7
    keep[0] = True
    close(local(x, Context(keep))[keep], plain(x, Context(keep))[keep], 1e-13)


@pytest.mark.parametrize("tokens", [1, 4, 5, 12, 15])
def test_with_global_tokens_each_row_is_one_softmax(tokens):
    """Beltagy et al. 2020, §3.1, token by token."""
    attention = SlidingWindowAttention(SMALL, 4).double().eval()
    x = torch.randn(2, tokens, 12, dtype=torch.float64)
    keep = torch.ones(2, tokens, dtype=torch.bool)
    keep[1, tokens - tokens // 3 :] = False
    is_global = torch.zeros(2, tokens, dtype=torch.bool)
    is_global[0, [0, tokens // 2]] = True
    near = (attention.query, attention.key, attention.value)
    far = (attention.query_global, attention.key_global, attention.value_global)
    mixed = torch.zeros_like(x)
    for b in range(2):
        for i in range(tokens):
            if not keep[b, i]:
                continue
            q, k, v = (layer(x[b]) for layer in (far if is_global[b, i] else near))
            seen = [
                j
                for j in range(tokens)
                if keep[b, j] and (is_global[b, i] or is_global[b, j] or abs(i - j) <= 2)
            ]
            for h in range(3):
                columns = slice(4 * h, 4 * h + 4)
                weights = (k[seen, columns] @ q[i, columns] / 2).softmax(dim=0)
                mixed[b, i, columns] = weights @ v[seen, columns]
    ours = attention(x, Context(keep, is_global))
    close(ours, attention.output(mixed), 1e-13)


def test_global_projections_are_idle_without_global_tokens():
    attention = SlidingWindowAttention(SMALL, 4)
    attention(torch.randn(1, 6, 12), Context(torch.ones(1, 6, dtype=torch.bool))).sum().backward()
    assert attention.query.weight.grad.abs().sum() > 0
    assert attention.query_global.weight.grad is None


@pytest.mark.parametrize("window", [-2, 0, 1, 7])
def test_a_window_without_a_middle_is_refused(window):
    with pytest.raises(ValueError, match=rf"window={window} .*even"):
        SlidingWindow(window)


def test_every_embedding_says_how_wide_its_tables_are():
    assert (
        Summed().width(SMALL) == Unnormalised().width(SMALL) == SilentPadding().width(SMALL) == 12
    )
    assert Factorized(narrow=5).width(SMALL) == 5
    assert type(embed(Summed())) is embeddings.Embeddings
