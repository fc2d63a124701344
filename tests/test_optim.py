"""Optimizers against torch.optim step by step, schedules against transformers', and the claims."""

import copy
import io
import math
from dataclasses import replace

import pytest
import torch
import transformers
from torch import nn
from torch.optim.lr_scheduler import LambdaLR
from transformers import BertConfig, BertForSequenceClassification, GPT2Config, GPT2Model

from course_lib import VARIANTS, assemble, optim
from course_lib.optim import SpikeGuard, clip_gradients_, decay_groups

STEPS = 60


@pytest.fixture(autouse=True)
def fixed_seed():
    torch.manual_seed(0)


def small_model(dtype=torch.float64):
    model = nn.Sequential(nn.Linear(5, 8), nn.LayerNorm(8), nn.GELU(), nn.Linear(8, 3))
    return model.to(dtype)


def train(model, make_optimizer, steps=STEPS, first=0):
    """Steps on a fixed stream of batches; the weights after each step."""
    optimizer = make_optimizer(model)
    trajectory = []
    for step in range(first, first + steps):
        generator = torch.Generator().manual_seed(step)
        x = torch.randn(16, 5, generator=generator, dtype=torch.float64)
        optimizer.zero_grad()
        model(x.to(next(model.parameters()).dtype)).square().mean().backward()
        optimizer.step()
        trajectory.append(torch.cat([p.detach().flatten() for p in model.parameters()]))
    return torch.stack(trajectory), optimizer


# --- step for step ------------------------------------------------------------------------------

ADAM = {"lr": 3e-2, "betas": (0.8, 0.95), "eps": 1e-6}
PAIRS = {
    "SGD": (
        lambda m: optim.SGD(m.parameters(), lr=0.1),
        lambda m: torch.optim.SGD(m.parameters(), lr=0.1),
    ),
    "Momentum": (
        lambda m: optim.Momentum(m.parameters(), lr=0.05, momentum=0.8),
        lambda m: torch.optim.SGD(m.parameters(), lr=0.05, momentum=0.8),
    ),
    "Adam": (
        lambda m: optim.Adam(m.parameters(), **ADAM),
        lambda m: torch.optim.Adam(m.parameters(), **ADAM),
    ),
    "Adam, defaults": (
        lambda m: optim.Adam(m.parameters()),
        lambda m: torch.optim.Adam(m.parameters()),
    ),
    "AdamL2": (
        lambda m: optim.AdamL2(m.parameters(), **ADAM, weight_decay=0.1),
        lambda m: torch.optim.Adam(m.parameters(), **ADAM, weight_decay=0.1),
    ),
    "AdamW": (
        lambda m: optim.AdamW(m.parameters(), **ADAM, weight_decay=0.1),
        lambda m: torch.optim.AdamW(m.parameters(), **ADAM, weight_decay=0.1),
    ),
    "AdamW, defaults": (
        lambda m: optim.AdamW(m.parameters()),
        lambda m: torch.optim.AdamW(m.parameters()),
    ),
    "AdamW, groups": (
        lambda m: optim.AdamW(decay_groups(m, 0.2), lr=0.01),
        lambda m: torch.optim.AdamW(decay_groups(m, 0.2), lr=0.01),
    ),
}


@pytest.mark.parametrize(("ours", "theirs"), PAIRS.values(), ids=PAIRS.keys())
def test_equal_to_torch_step_for_step(ours, theirs):
    model = small_model()
    twin = copy.deepcopy(model)
    torch.testing.assert_close(train(model, ours)[0], train(twin, theirs)[0], rtol=0, atol=1e-12)


def by_hand(weights, gradients, lr, decay, bias_correction, layerwise, eps=1e-6):
    """One tensor under BERT's Adam or LAMB, in plain Python floats."""
    w, m, v = list(weights), [0.0] * len(weights), [0.0] * len(weights)
    for t, gradient in enumerate(gradients, start=1):
        step = []
        for i, g in enumerate(gradient):
            m[i] = 0.9 * m[i] + 0.1 * g
            v[i] = 0.999 * v[i] + 0.001 * g * g
            m_hat = m[i] / (1 - 0.9**t) if bias_correction else m[i]
            v_hat = v[i] / (1 - 0.999**t) if bias_correction else v[i]
            step.append(m_hat / (math.sqrt(v_hat) + eps) + decay * w[i])
        ratio = math.hypot(*w) / math.hypot(*step) if layerwise else 1.0
        w = [a - lr * ratio * b for a, b in zip(w, step, strict=True)]
    return w


@pytest.mark.parametrize(
    ("make", "settings"),
    [
        pytest.param(optim.BertAdam, {"bias_correction": False, "layerwise": False}, id="B35-bert"),
        pytest.param(optim.LAMB, {"bias_correction": True, "layerwise": True}, id="LAMB"),
    ],
)
@pytest.mark.parametrize("decay", [0.01, 0.3])
def test_equal_to_a_reference_written_by_hand(make, settings, decay):
    p = nn.Parameter(torch.randn(6, dtype=torch.float64))
    gradients = torch.randn(20, 6, dtype=torch.float64)
    expected = by_hand(p.tolist(), gradients.tolist(), lr=0.02, decay=decay, **settings)
    optimizer = make([p], lr=0.02, weight_decay=decay)
    for gradient in gradients:
        p.grad = gradient.clone()
        optimizer.step()
    torch.testing.assert_close(
        p.detach(), torch.tensor(expected, dtype=torch.float64), rtol=0, atol=1e-12
    )


def test_lamb_moves_a_tensor_by_lr_times_its_norm_and_others_like_adam():
    matrix, bias, zero = (
        nn.Parameter(x) for x in (torch.randn(4, 3), torch.randn(4), torch.zeros(2, 2))
    )
    before = matrix.detach().clone(), bias.detach().clone()
    optimizer = optim.LAMB(
        [{"params": [matrix, zero]}, {"params": [bias], "weight_decay": 0.0}], lr=0.1
    )
    for p in (matrix, bias, zero):
        p.grad = torch.randn_like(p)
    optimizer.step()
    assert (matrix - before[0]).norm().item() == pytest.approx(
        0.1 * before[0].norm().item(), rel=1e-5
    )
    torch.testing.assert_close(
        (bias - before[1]).detach().abs(), torch.full((4,), 0.1), rtol=1e-3, atol=0
    )
    assert (zero.abs() > 0.09).all()  # a ratio of 0 would never let it start


# --- what the ladder teaches --------------------------------------------------------------------


def drift_of_decay(make):
    """How much weight_decay changes a weight with large and one with small gradients."""
    ends = []
    for decay in (0.0, 0.5):
        p = nn.Parameter(torch.ones(2, dtype=torch.float64))
        optimizer = make([p], lr=1e-3, weight_decay=decay)
        generator = torch.Generator().manual_seed(0)
        for _ in range(100):
            noise = torch.randn(2, generator=generator, dtype=torch.float64)
            p.grad = noise * torch.tensor([100.0, 1.0], dtype=torch.float64)
            optimizer.step()
        ends.append(p.detach())
    return ends[0] - ends[1]


def test_B33_adam_divides_an_l2_penalty_by_the_gradients_size_and_adamw_does_not():
    coupled, decoupled = drift_of_decay(optim.AdamL2), drift_of_decay(optim.AdamW)
    assert coupled[0] < coupled[1] / 20  # a hundred times the gradient: about 1/100 of the decay
    torch.testing.assert_close(decoupled[0], decoupled[1], rtol=0.1, atol=0)


def papers_adamw(theta, gradients, eta, alpha, lambda_):
    """Loshchilov & Hutter's algorithm 2, as printed."""
    m = v = 0.0
    for t, g in enumerate(gradients, start=1):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        m_hat, v_hat = m / (1 - 0.9**t), v / (1 - 0.999**t)
        theta -= eta * (alpha * m_hat / (math.sqrt(v_hat) + 1e-8) + lambda_ * theta)
    return theta


@pytest.mark.parametrize("make", [optim.AdamW, torch.optim.AdamW], ids=["ours", "torch"])
def test_B34_E13_the_papers_formula_agrees_with_eta_as_lr_and_alpha_1(make):
    p = nn.Parameter(torch.tensor(1.0, dtype=torch.float64))
    optimizer = make([p], lr=0.01, weight_decay=0.1)
    gradients = [0.5, 0.4, -0.1, 0.7, 0.3]
    for gradient in gradients:
        p.grad = torch.tensor(gradient, dtype=torch.float64)
        optimizer.step()
    right = papers_adamw(1.0, gradients, eta=0.01, alpha=1.0, lambda_=0.1)
    wrong = papers_adamw(1.0, gradients, eta=1.0, alpha=0.01, lambda_=0.1)
    assert p.item() == pytest.approx(right, abs=1e-12)
    assert p.item() == pytest.approx(0.95, abs=0.02)
    assert wrong == pytest.approx(0.55, abs=0.02)


def test_B35_without_bias_correction_early_steps_are_larger():
    ratios = []
    p, q = (nn.Parameter(torch.zeros(1, dtype=torch.float64)) for _ in range(2))
    ours = optim.BertAdam([p], lr=1.0, eps=0.0, weight_decay=0.0)
    adam = optim.AdamW([q], lr=1.0, eps=0.0, weight_decay=0.0)
    for _ in range(8000):
        before = p.item(), q.item()
        p.grad = q.grad = torch.ones_like(p)
        ours.step()
        adam.step()
        ratios.append((p.item() - before[0]) / (q.item() - before[1]))
    assert ratios[0] == pytest.approx(0.1 / math.sqrt(0.001))
    assert ratios.index(max(ratios)) + 1 == 12
    assert max(ratios) == pytest.approx(6.6, abs=0.05)
    assert ratios[-1] == pytest.approx(1, abs=1e-3)


def test_B35_bert_decays_no_norm_and_no_bias():
    model = BertForSequenceClassification(
        BertConfig(vocab_size=9, hidden_size=8, num_hidden_layers=2, num_attention_heads=2)
    )
    decay, no_decay = decay_groups(model, 0.01)
    by_name = [n for n, _ in model.named_parameters() if "LayerNorm" in n or n.endswith("bias")]
    assert [name for name, _ in no_decay["params"]] == by_name
    assert len(decay["params"]) + len(by_name) == len(list(model.parameters()))
    assert (decay["name"], decay["weight_decay"]) == ("decay", 0.01)
    assert (no_decay["name"], no_decay["weight_decay"]) == ("no decay", 0.0)


@pytest.mark.parametrize("name", VARIANTS)
def test_in_every_variant_the_vectors_are_the_norms_and_biases(name):
    with torch.device("meta"):
        model = assemble(replace(VARIANTS[name], layers=1))
    by_name = [n for n, _ in model.named_parameters() if "norm" in n or n.endswith("bias")]
    assert [n for n, _ in decay_groups(model)[1]["params"]] == by_name


def test_frozen_parameters_are_in_no_group():
    model = small_model()
    model[0].requires_grad_(False)
    names = [name for group in decay_groups(model) for name, _ in group["params"]]
    assert names == ["3.weight", "1.weight", "1.bias", "3.bias"]
    optimizer = optim.AdamW(decay_groups(model, 0.1))
    assert optimizer.param_groups[0]["param_names"] == ["3.weight"]
    with pytest.raises(ValueError, match="nothing to train"):
        decay_groups(model.requires_grad_(False))


# --- living with the rest of PyTorch ------------------------------------------------------------

EVERY = {
    "SGD": lambda m: optim.SGD(m.parameters(), lr=0.1),
    "Momentum": lambda m: optim.Momentum(m.parameters(), lr=0.1),
    "Adam": lambda m: optim.Adam(m.parameters()),
    "AdamL2": lambda m: optim.AdamL2(decay_groups(m)),
    "AdamW": lambda m: optim.AdamW(decay_groups(m)),
    "BertAdam": lambda m: optim.BertAdam(decay_groups(m)),
    "LAMB": lambda m: optim.LAMB(decay_groups(m)),
}
every_optimizer = pytest.mark.parametrize("make", EVERY.values(), ids=EVERY.keys())


@every_optimizer
def test_a_saved_run_goes_on_bit_for_bit(make):
    model = small_model(torch.float32)
    straight, _ = train(copy.deepcopy(model), make, steps=20)

    _, optimizer = train(model, make, steps=10)
    file = io.BytesIO()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)
    file.seek(0)
    saved = torch.load(file, weights_only=True)
    resumed = small_model(torch.float32)
    resumed.load_state_dict(saved["model"])

    def reload(model):
        optimizer = make(model)
        optimizer.load_state_dict(saved["optimizer"])
        return optimizer

    rest, _ = train(resumed, reload, steps=10, first=10)
    assert torch.equal(rest, straight[10:])


@every_optimizer
def test_a_gradient_scaler_changes_nothing_and_skips_overflows(make):
    model = small_model(torch.float32)
    twin = copy.deepcopy(model)
    x = torch.randn(16, 5)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**10)
    plain, scaled = make(twin), make(model)
    for _ in range(3):
        for optimizer in (plain, scaled):
            optimizer.zero_grad()
        twin(x).square().mean().backward()
        plain.step()
        scaler.scale(model(x).square().mean()).backward()
        scaler.step(scaled)
        scaler.update()
    for ours, theirs in zip(model.parameters(), twin.parameters(), strict=True):
        assert torch.equal(ours, theirs)
    model[0].weight.grad.fill_(math.inf)
    scaler.scale(torch.ones(()))
    scaler.step(scaled)
    scaler.update()
    assert torch.equal(model[0].weight, twin[0].weight)
    assert scaler.get_scale() == 2.0**9


@every_optimizer
def test_parameters_without_a_gradient_stay(make):
    model = small_model()
    before = copy.deepcopy(model.state_dict())
    optimizer = make(model)
    optimizer.step()
    assert all(torch.equal(before[name], p) for name, p in model.state_dict().items())
    assert not optimizer.state_dict()["state"]


@pytest.mark.parametrize(
    ("make", "settings", "message"),
    [
        pytest.param(optim.SGD, {"lr": -0.1}, "lr is -0.1", id="negative lr"),
        pytest.param(optim.SGD, {"lr": math.nan}, "lr is nan", id="NaN lr"),
        pytest.param(optim.Adam, {"betas": (0.9, 1.0)}, "below 1", id="beta 1"),
        pytest.param(optim.AdamW, {"weight_decay": -1}, "weight_decay is -1", id="negative decay"),
        pytest.param(optim.Momentum, {"momentum": 1.5}, "below 1", id="momentum"),
        pytest.param(
            optim.SGD, {"momentum": 0.9}, "SGD has no hyper-parameter momentum", id="name"
        ),
    ],
)
def test_hyper_parameters_out_of_range_are_named(make, settings, message):
    parameters = list(small_model().parameters())
    with pytest.raises(ValueError, match=message):
        make(parameters, **settings)
    if make is not optim.SGD or "lr" in settings:
        with pytest.raises(ValueError, match=message):
            make([{"params": parameters, **settings}])


# --- schedules ----------------------------------------------------------------------------------


@pytest.mark.parametrize("warmup", [0, 1, 7, 30])
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (optim.warmup_linear, transformers.get_linear_schedule_with_warmup),
        (optim.warmup_cosine, transformers.get_cosine_schedule_with_warmup),
        (
            lambda warmup, total: optim.warmup_constant(warmup),
            lambda optimizer, warmup, total: transformers.get_constant_schedule_with_warmup(
                optimizer, warmup
            ),
        ),
    ],
    ids=["B36-linear", "B36-cosine", "constant"],
)
def test_schedules_are_the_references_at_every_step(ours, theirs, warmup):
    total = 40
    rates = []
    for schedule in (
        lambda o: LambdaLR(o, ours(warmup, total)),
        lambda o: theirs(o, warmup, total),
    ):
        optimizer = optim.SGD([nn.Parameter(torch.zeros(1))], lr=2.0)
        scheduler = schedule(optimizer)
        used = []
        for _ in range(total + 1):
            used.append(scheduler.get_last_lr()[0])
            optimizer.step()
            scheduler.step()
        rates.append(used)
    assert rates[0] == pytest.approx(rates[1], abs=1e-12)


def test_B36_B37_where_warm_up_and_decay_begin_and_end():
    for make in (optim.warmup_linear, optim.warmup_cosine):
        factor = make(10, 110)
        assert [factor(0), factor(5), factor(10), factor(60), factor(110)] == pytest.approx(
            [0.0, 0.5, 1.0, 0.5, 0.0]
        )
        assert factor(109) > 0  # the last update still moves
        assert factor(500) == pytest.approx(0.0)  # the reference's cosine would rise again
        assert make(0, 100)(0) == 1.0
    # BERT: 10k of a million steps, whatever the epochs.
    assert optim.warmup_linear(10_000, 1_000_000)(9_999) == pytest.approx(0.9999)


@pytest.mark.parametrize(("warmup", "total"), [(-1, 10), (10, 10), (11, 10), (0, 0)])
def test_schedules_that_never_peak_are_refused(warmup, total):
    with pytest.raises(ValueError, match="warm-up takes"):
        optim.warmup_linear(warmup, total)


# --- clipping and spikes ------------------------------------------------------------------------


@pytest.mark.parametrize("max_norm", [0.01, 1.0, 1e6])
def test_B40_clipping_is_torchs(max_norm):
    model = small_model()
    model(torch.randn(9, 5).double()).square().sum().backward()
    twin = copy.deepcopy(model)
    for p, q in zip(model.parameters(), twin.parameters(), strict=True):
        q.grad = p.grad.clone()
    ours = clip_gradients_(model.parameters(), max_norm)
    theirs = nn.utils.clip_grad_norm_(twin.parameters(), max_norm)
    assert ours == pytest.approx(theirs.item(), rel=1e-12)
    for p, q in zip(model.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(p.grad, q.grad, rtol=0, atol=1e-12)


def test_B40_clipping_keeps_the_direction():
    p = nn.Parameter(torch.zeros(2))
    p.grad = torch.tensor([3.0, 4.0])
    assert clip_gradients_([p], 1.0) == 5
    torch.testing.assert_close(p.grad, torch.tensor([0.6, 0.8]), rtol=0, atol=1e-6)
    p.grad = torch.tensor([0.3, 0.4])
    clip_gradients_([p], 1.0)
    assert p.grad.tolist() == pytest.approx([0.3, 0.4])


def test_clipping_before_backward_is_refused():
    with pytest.raises(ValueError, match="backward"):
        clip_gradients_(small_model().parameters(), 1.0)


def test_B48_a_spike_is_skipped_counted_and_hardly_moves_the_average():
    guard = SpikeGuard(factor=5, grace=10)
    assert all(guard.accepts(1.0 + 0.1 * (step % 3)) for step in range(50))
    average = guard.average
    assert not guard.accepts(50.0)
    assert not guard.accepts(torch.tensor(1e30))
    assert guard.average < 1.2 * average
    assert guard.accepts(1.0)
    assert (guard.spikes, guard.not_finite) == (2, 0)
    assert guard.report().startswith("skipped 2 of 53 steps: 2 spikes above 5 times")


@pytest.mark.parametrize("norm", [math.nan, math.inf, torch.tensor(math.nan)])
def test_norms_that_are_not_finite_are_always_skipped(norm):
    guard = SpikeGuard()
    assert not guard.accepts(norm)
    assert (guard.not_finite, guard.seen, guard.average) == (1, 0, 0.0)
    assert "1 not finite" in guard.report()


def test_large_norms_at_the_start_are_accepted():
    guard = SpikeGuard(grace=5)
    assert all(guard.accepts(norm) for norm in [1.0, 50.0, 1.0, 200.0, 1.0])


def test_a_lasting_change_of_scale_is_accepted_in_the_end():
    guard = SpikeGuard()
    for _ in range(100):
        guard.accepts(1.0)
    verdicts = [guard.accepts(20.0) for _ in range(200)]
    assert not verdicts[0]
    assert verdicts[-1]
    assert 10 < verdicts.index(True) < 60


def test_a_guard_resumes_from_its_fields():
    norms = [1.0] * 30 + [9.0, 1.0, 2.0, math.nan, 40.0] * 4
    straight, guard = SpikeGuard(), SpikeGuard()
    verdicts = [straight.accepts(norm) for norm in norms]
    first = [guard.accepts(norm) for norm in norms[:33]]
    resumed = SpikeGuard(**vars(guard))
    assert first + [resumed.accepts(norm) for norm in norms[33:]] == verdicts
    assert resumed == straight


@pytest.mark.parametrize(
    ("dtype", "largest", "at_70000"),
    [
        pytest.param(torch.float16, 65504, math.inf, id="B47-E24-fp16"),
        pytest.param(torch.bfloat16, 3.3895e38, 70144, id="B47-E24-bf16"),
    ],
)
def test_where_half_precision_overflows(dtype, largest, at_70000):
    assert torch.finfo(dtype).max == pytest.approx(largest, rel=1e-4)
    assert torch.tensor(70_000.0).to(dtype).item() == at_70000


def test_E24_fp16_rounds_65519_down_and_65520_to_infinity():
    assert torch.tensor([65519.0, 65520.0]).half().tolist() == [65504, math.inf]
    assert torch.finfo(torch.bfloat16).eps == 2**-7
    assert torch.finfo(torch.float16).eps == 2**-10


# --- initial weights ----------------------------------------------------------------------------


def test_normal_init():
    model = nn.Sequential(nn.Embedding(500, 64), nn.Linear(64, 256), nn.LayerNorm(256))
    for p in model.parameters():
        nn.init.constant_(p, 7.0)
    optim.normal_init_(model)
    for weight in (model[0].weight, model[1].weight):
        assert weight.std().item() == pytest.approx(0.02, rel=0.05)
        assert abs(weight.mean().item()) < 5 * 0.02 / math.sqrt(weight.numel())
    assert (model[1].bias == 0).all()
    assert (model[2].weight == 1).all()
    assert (model[2].bias == 0).all()


def test_xavier_init_keeps_the_variance_of_signal_and_gradient():
    model = nn.Sequential(nn.Embedding(4, 300), nn.Linear(300, 500), nn.LayerNorm(500))
    table = model[0].weight.detach().clone()
    optim.xavier_init_(model)
    assert model[1].weight.std().item() == pytest.approx(math.sqrt(2 / 800), rel=0.02)
    assert (model[1].bias == 0).all()
    assert torch.equal(model[0].weight, table)
    optim.xavier_init_(nn.Sequential(nn.Linear(3, 3, bias=False)))


def test_C77_linear_starts_uniform_within_one_over_the_root_of_fan_in():
    weight = nn.Linear(768, 1000).weight
    bound = 1 / math.sqrt(768)
    assert bound == pytest.approx(0.0361, abs=1e-4)
    assert weight.abs().max() <= bound
    assert weight.abs().max() > 0.99 * bound
    assert weight.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.01)
    config = BertConfig(vocab_size=9, hidden_size=64, num_hidden_layers=1, num_attention_heads=2)
    reference = BertForSequenceClassification(config)
    assert reference.bert.encoder.layer[0].intermediate.dense.weight.std().item() == pytest.approx(
        0.02, rel=0.05
    )
    assert (reference.classifier.bias == 0).all()


class PreNormBlock(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(d), nn.LayerNorm(d)])
        self.attention = nn.MultiheadAttention(d, h, batch_first=True)
        self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x):
        y = self.norms[0](x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        return x + self.down(nn.functional.gelu(self.up(self.norms[1](x))))


@pytest.mark.parametrize(
    ("layers", "scaled", "variance"),
    [(12, False, 1.152), (12, True, 0.996), (48, False, 1.602), (48, True, 0.995)],
    ids=["B39-E23-12-plain", "B39-E23-12-scaled", "B39-E23-48-plain", "B39-E23-48-scaled"],
)
@torch.no_grad()
def test_residual_init_keeps_the_streams_variance(layers, scaled, variance):
    x = torch.randn(4, 64, 256)
    blocks = [PreNormBlock(256, 4) for _ in range(layers)]
    for block in blocks:
        optim.normal_init_(block)
        if scaled:
            optim.residual_init_([block.attention.out_proj, block.down], layers)
        x = block(x)
    assert x.var().item() == pytest.approx(variance, rel=0.03)


def test_B38_the_references_scaled_projections():
    reference = GPT2Model(GPT2Config(n_layer=12, n_embd=96, n_head=4, vocab_size=9))
    ours = nn.Linear(384, 96)
    optim.residual_init_([ours], layers=12)
    for weight in (reference.h[0].mlp.c_proj.weight, ours.weight):
        assert weight.std().item() == pytest.approx(0.02 / math.sqrt(24), rel=0.03)
    assert 0.02 / math.sqrt(24) == pytest.approx(0.00408, abs=1e-5)


# --- the head, alone and with its backbone ------------------------------------------------------

CLASSES = 10


def toy_task(model, parameters, lr, steps=150):
    """Ten classes, decided by one token of the text: losses, first gradients, accuracy."""
    optimizer = optim.Adam(parameters, lr=lr)
    generator = torch.Generator().manual_seed(1)

    def batch(size):
        x = torch.randint(CLASSES, 60, (size, 6), generator=generator)
        y = torch.randint(CLASSES, (size,), generator=generator)
        x[torch.arange(size), torch.randint(6, (size,), generator=generator)] = y
        return x, y

    losses, first_gradients = [], {}
    for step in range(steps):
        x, y = batch(64)
        model.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        if step < 2:
            first_gradients[step] = sum(p.grad.abs().sum().item() for p in model[0].parameters())
        optimizer.step()
        losses.append(loss.item())
    x, y = batch(500)
    return losses, first_gradients, (model(x).argmax(-1) == y).float().mean().item()


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(60, 32)
        self.layers = nn.ModuleList(PreNormBlock(32, 2) for _ in range(2))

    def forward(self, ids):
        x = self.token(ids)
        for layer in self.layers:
            x = layer(x)
        return x.mean(1)


def classifier():
    return nn.Sequential(Encoder(), nn.Linear(32, CLASSES))


def test_C78_E19_a_zero_head_learns():
    model = classifier()
    nn.init.zeros_(model[1].weight)
    nn.init.zeros_(model[1].bias)
    losses, gradients, accuracy = toy_task(model, model.parameters(), lr=5e-3)
    assert losses[0] == pytest.approx(math.log(CLASSES), abs=1e-5)
    assert gradients[0] == 0
    assert gradients[1] > 0
    assert accuracy > 0.95


def test_C63_E19_an_optimizer_of_the_head_alone_never_moves_the_backbone():
    model = classifier()
    before = copy.deepcopy(model[0].state_dict())
    losses, _, accuracy = toy_task(model, model[1].parameters(), lr=2e-5)
    assert all(torch.equal(before[name], p) for name, p in model[0].state_dict().items())
    assert losses[-1] > 2.0
    assert accuracy < 0.3
    everything = toy_task(model, model.parameters(), lr=5e-3)
    assert everything[2] > 0.95


def test_C63_clipping_the_whole_model_shrinks_the_heads_gradient():
    model = classifier()
    x, y = torch.randint(60, (8, 6)), torch.randint(CLASSES, (8,))
    (100 * nn.functional.cross_entropy(model(x), y)).backward()
    head = [p.grad.clone() for p in model[1].parameters()]
    alone = min(1.0, 1 / torch.stack([g.norm() for g in head]).norm().item())
    clip_gradients_(model.parameters(), 1.0)
    together = (model[1].weight.grad.norm() / head[0].norm()).item()
    assert together < 0.9 * alone


def test_C63_the_optimizer_of_the_head_leaves_stale_gradients_in_the_backbone():
    model = classifier()
    optimizer = optim.Adam(model[1].parameters())
    x, y = torch.randint(60, (8, 6)), torch.randint(CLASSES, (8,))
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.zero_grad()
    assert all(p.grad is None for p in model[1].parameters())
    assert all(p.grad is not None for p in model[0].parameters())
