"""The training loop: equal to the large batch, resumable bit for bit, the same under torchrun."""

import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn
from toy_run import GPT, RECIPE, SPEC, STILL, VOCABULARY, model, quiet, toy_rows

from course_lib import losses
from course_lib.evaluate import predict, scores_on
from course_lib.fast import FastAdamW, faster
from course_lib.objectives import (
    classify,
    predict_masked,
    predict_next,
)
from course_lib.optim import decay_groups
from course_lib.rows import Row, masked, next_tokens, padded
from course_lib.train import Recipe, checkpointed, train

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "tests" / "toy_run.py"


def weights(trained):
    return torch.cat([p.detach().flatten() for p in trained.parameters()])


# --- accumulation -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "spec", "objective", "collate"),
    [
        ("classification", STILL, classify, padded),
        ("mlm", STILL, predict_masked, masked(VOCABULARY)),
        ("lm", GPT, predict_next, next_tokens),
    ],
)
def test_passes_add_up_to_the_large_batch(head, spec, objective, collate):
    recipe = Recipe(steps=3, batch=8, lr=1e-2, schedule="constant", warmup=0.0)
    rows = toy_rows()
    whole, parts = model(head, spec), model(head, spec)
    first = quiet(whole, objective, rows, recipe, collate=collate)
    second = quiet(parts, objective, rows, replace(recipe, passes=4), collate=collate)
    assert torch.allclose(weights(whole), weights(parts), rtol=0, atol=1e-12)
    for a, b in zip(first, second, strict=True):
        assert a["loss"] == pytest.approx(b["loss"], rel=1e-12)
        assert a["gradient_norm"] == pytest.approx(b["gradient_norm"], rel=1e-10)


@pytest.mark.parametrize("checkpointing", [False, True])
def test_the_fast_path_trains_to_the_same_weights(checkpointing):
    recipe = Recipe(steps=4, batch=8, lr=1e-2, checkpointing=checkpointing)
    rows = toy_rows()
    readable, trained = model("mlm", STILL), model("mlm", STILL)
    twin = faster(trained)
    slow = quiet(readable, predict_masked, rows, recipe, collate=masked(VOCABULARY))
    quick = quiet(
        twin,
        predict_masked,
        rows,
        recipe,
        collate=masked(VOCABULARY),
        optimizer=FastAdamW(decay_groups(twin, recipe.weight_decay), lr=recipe.lr),
    )
    assert torch.allclose(weights(readable), weights(trained), rtol=0, atol=1e-10)
    assert [a["loss"] for a in quick] == pytest.approx([a["loss"] for a in slow], rel=1e-10)


def test_a_plain_mean_of_means_would_not():
    # Two passes with 1 and 6 terms: this is the mistake that the test above must notice.
    rows = [Row([2, 5, 3]), Row([2, 6, 7, 8, 9, 10, 11, 3])]
    gpt = model("lm", GPT)
    whole = predict_next(gpt, next_tokens(rows))["lm"]
    apart = [predict_next(gpt, next_tokens([row]))["lm"] for row in rows]
    assert abs(sum(apart) / 2 - whole) > 1e-3
    assert ((2 * apart[0] + 7 * apart[1]) / 9).item() == pytest.approx(whole.item(), rel=1e-12)


def test_losses_of_unlike_terms_add_up_too():
    # One loss counts tokens and one counts rows, and each keeps its own denominator.
    def both(net, batch):
        logits = net(batch["input_ids"], batch["attention_mask"])
        return {
            "mlm": losses.mlm(logits, batch["mlm"]),
            "label": losses.cross_entropy(logits[:, 0, :2], batch["label"]),
        }

    recipe = Recipe(steps=2, batch=8, lr=1e-2, schedule="constant", warmup=0.0)
    whole, parts = model("mlm"), model("mlm")
    history = quiet(whole, both, toy_rows(), recipe, collate=masked(VOCABULARY))
    quiet(parts, both, toy_rows(), replace(recipe, passes=8), collate=masked(VOCABULARY))
    assert torch.allclose(weights(whole), weights(parts), rtol=0, atol=1e-12)
    assert history[0]["loss"] == pytest.approx(history[0]["mlm"] + history[0]["label"])


# --- memory and precision ---------------------------------------------------------------------


def test_activation_checkpointing_changes_no_gradient():
    batch = padded(toy_rows(8))
    gradients = []
    for enabled in (False, True):
        net = model(spec=SPEC).train()
        torch.manual_seed(5)  # dropout has to be drawn again as it was
        with checkpointed(net, enabled):
            classify(net, batch)["label"].backward()
        gradients.append([p.grad for p in net.parameters()])
    assert all(torch.equal(a, b) for a, b in zip(*gradients, strict=True))


def test_activation_checkpointing_runs_each_block_twice_and_leaves_no_trace():
    net = model().train()
    calls = []
    for block in net.backbone.layers:
        block.attention.register_forward_hook(lambda *_: calls.append(1))
    with checkpointed(net):
        classify(net, padded(toy_rows(8)))["label"].backward()
    assert len(calls) == 2 * len(net.backbone.layers)
    assert all("forward" not in vars(block) for block in net.backbone.layers)
    with pytest.raises(ValueError, match="made of Blocks"), checkpointed(nn.Linear(2, 2)):
        pass


@pytest.mark.parametrize("precision", ["bfloat16", "float16"])
def test_half_precision_trains_and_keeps_float32_weights(precision):
    recipe = Recipe(steps=30, batch=8, lr=1e-2)
    full, half = model(dtype=torch.float32), model(dtype=torch.float32)
    expected = quiet(full, classify, toy_rows(), recipe)
    found = quiet(half, classify, toy_rows(), replace(recipe, precision=precision))
    assert {p.dtype for p in half.parameters()} == {torch.float32}
    assert found[0]["loss"] == pytest.approx(expected[0]["loss"], rel=0.02)
    assert found[0]["loss"] != expected[0]["loss"]
    assert found[-1]["loss"] < 0.5 * found[0]["loss"]


def test_float16_scales_the_loss_and_skips_a_step_that_overflows():
    # A gradient near float16's largest value overflows under the scaler's first factor 2¹⁶.
    class Steep(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(1, 2)

        def forward(self, input_ids, attention_mask):
            return self.linear(input_ids[:, :1].float() * 1000)

    net = Steep()
    history = quiet(
        net,
        lambda m, batch: {
            "label": m(**{k: batch[k] for k in ("input_ids", "attention_mask")})
            .float()
            .square()
            .mean()
            * 1e4
        },  # fmt: skip
        toy_rows(),
        Recipe(steps=4, batch=8, precision="float16"),
    )
    assert history[0]["skipped"] == 1
    assert all(p.isfinite().all() for p in net.parameters())


# --- clipping, schedule, spikes ---------------------------------------------------------------


def test_learning_rate_follows_the_schedule():
    recipe = Recipe(steps=10, batch=8, lr=0.5, warmup=0.2, clip=1e-9)
    history = quiet(model(), classify, toy_rows(), recipe)
    expected = [0, 0.25, 0.5, 0.4375, 0.375, 0.3125, 0.25, 0.1875, 0.125, 0.0625]
    assert [row["lr"] for row in history] == pytest.approx(expected)
    assert replace(recipe, schedule="cosine").factor(6) == pytest.approx(0.5)
    assert replace(recipe, schedule="constant").factor(9) == 1.0


def test_groups_keep_their_own_learning_rates():
    net = model()
    optimizer = torch.optim.SGD(
        [
            {"params": list(net.backbone.parameters()), "lr": 0.0},
            {"params": list(net.head.parameters()), "lr": 0.1},
        ]
    )
    before = weights(net.backbone)
    quiet(net, classify, toy_rows(), Recipe(steps=5, batch=8), optimizer=optimizer)
    assert torch.equal(weights(net.backbone), before)
    assert optimizer.param_groups[1]["lr"] == pytest.approx(0.1 * Recipe(steps=5).factor(4))


def test_clipping_bounds_the_step():
    net = model()
    before = weights(net)
    recipe = Recipe(steps=1, batch=8, clip=0.001, schedule="constant", warmup=0.0)
    history = quiet(
        net, classify, toy_rows(), recipe, optimizer=torch.optim.SGD(net.parameters(), lr=1.0)
    )
    assert history[0]["gradient_norm"] > 0.005  # before clipping
    assert (weights(net) - before).norm().item() == pytest.approx(0.001, rel=1e-2)


def test_a_spike_is_skipped_and_counted():
    calls = 0

    def spiky(net, batch):
        nonlocal calls
        calls += 1
        return {"label": classify(net, batch)["label"] * (1e6 if calls == 25 else 1.0)}

    history = quiet(model(), spiky, toy_rows(), Recipe(steps=30, batch=8, lr=1e-4))
    assert [row["skipped"] for row in history] == [0.0] * 24 + [1.0] * 6


# --- early stopping ---------------------------------------------------------------------------


def test_training_stops_early_and_returns_to_the_best_weights():
    scores = iter([0.3, 0.7, 0.6, 0.7, 0.5, 0.9])
    seen = []

    def evaluate(net):
        seen.append(weights(net).clone())
        return {"macro_f1": next(scores)}

    net = model()
    recipe = Recipe(steps=60, batch=8, every=10, patience=3)
    history = quiet(net, classify, toy_rows(), recipe, evaluate=evaluate)
    assert len(history) == 50  # 0.7 at step 20 was not beaten at 30, 40 and 50
    assert torch.equal(weights(net), seen[1])
    assert not torch.equal(weights(net), seen[4])
    assert not net.training


def test_it_learns_and_macro_f1_says_so():
    net = model(dtype=torch.float32)
    rows = toy_rows(80)
    recipe = Recipe(steps=60, batch=16, lr=3e-3, every=20)
    history = quiet(net, classify, rows[:48], recipe, evaluate=scores_on(rows[48:]))
    assert history[-1]["validation_macro_f1"] == 1.0
    assert history[-1]["validation_loss"] < 0.2
    assert predict(net, rows[:5], batch=2).argmax(-1).tolist() == [row.label for row in rows[:5]]


def test_a_watched_score_that_is_not_measured():
    recipe = Recipe(steps=4, batch=8, every=2, patience=1, watch="f2")
    with pytest.raises(ValueError, match="watches 'f2', but the evaluation has only macro_f1, acc"):
        quiet(model(), classify, toy_rows(), recipe, evaluate=scores_on(toy_rows()))


# --- checkpoints ------------------------------------------------------------------------------


def run_script(*arguments, processes=None):
    launch = [sys.executable]
    if processes:
        launch += ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [*launch, str(SCRIPT), *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_killed_run_continues_bit_for_bit(tmp_path):
    whole = model(spec=SPEC)
    history = quiet(whole, classify, toy_rows(), RECIPE)
    killed = run_script(tmp_path / "killed", tmp_path / "killed.pt", 8)
    assert killed.returncode == -9
    assert not (tmp_path / "killed.pt").exists()
    assert {f.name for f in (tmp_path / "killed").iterdir()} == {"checkpoint.pt", "log.csv"}
    resumed = run_script(tmp_path / "killed", tmp_path / "killed.pt")
    assert resumed.returncode == 0, resumed.stderr
    found = torch.load(tmp_path / "killed.pt", weights_only=True)
    assert found["losses"].tolist() == [row["loss"] for row in history]
    assert all(torch.equal(found["weights"][k], x) for k, x in whole.state_dict().items())


def test_two_processes_are_equal_to_one(tmp_path):
    two = run_script(tmp_path / "two", tmp_path / "two.pt", processes=2)
    assert two.returncode == 0, two.stderr
    found = torch.load(tmp_path / "two.pt", weights_only=True)
    one = model()
    history = quiet(one, classify, toy_rows(), RECIPE)
    expected = torch.tensor([row["loss"] for row in history], dtype=torch.float64)
    assert torch.allclose(found["losses"], expected, rtol=0, atol=1e-12)
    for name, x in one.state_dict().items():
        assert torch.allclose(found["weights"][name], x, rtol=0, atol=1e-10), name


def test_resuming_keeps_what_early_stopping_knows(tmp_path):
    class PowerCut(Exception):
        pass

    def run(folder, cut=None):
        scores = {10: 0.3, 20: 0.7, 30: 0.6, 40: 0.5, 50: 0.4}
        net = model(spec=SPEC)
        steps = []

        def collate(rows, rng):
            steps.append(1)
            if cut and len(steps) > cut:
                raise PowerCut
            return padded(rows)

        def evaluate(net):
            return {"macro_f1": scores.pop(start + len(steps))}

        start = 30 if (folder / "checkpoint.pt").exists() else 0
        recipe = Recipe(steps=60, batch=8, every=10, patience=3)
        history = quiet(
            net, classify, toy_rows(), recipe, collate=collate, evaluate=evaluate, folder=folder
        )
        return net, history

    whole, expected = run(tmp_path / "whole")
    with pytest.raises(PowerCut):
        run(tmp_path / "cut", cut=33)
    resumed, history = run(tmp_path / "cut")
    assert torch.equal(weights(resumed), weights(whole))
    timeless = [
        [{k: v for k, v in row.items() if k != "tokens_per_second"} for row in log]
        for log in (history, expected)
    ]
    assert timeless[0] == timeless[1]


@pytest.mark.parametrize(
    ("spec", "recipe", "message"),
    [
        (replace(STILL, width=32), RECIPE, r"width is 16 there and 32 here"),
        (replace(STILL, layers=1), RECIPE, r"layers is 2 there and 1 here"),
        (STILL, replace(RECIPE, lr=1.0), r"recipe\.lr is 0\.01 there and 1\.0 here"),
        (STILL, replace(RECIPE, seed=7), r"recipe\.seed is 0 there and 7 here"),
    ],
)
def test_a_checkpoint_of_another_run_is_refused_and_kept(tmp_path, spec, recipe, message):
    quiet(model(), classify, toy_rows(), RECIPE, folder=tmp_path)
    before = (tmp_path / "checkpoint.pt").read_bytes()
    with pytest.raises(ValueError, match=f"checkpoint.pt is from another run: .*{message}"):
        quiet(model(spec=spec), classify, toy_rows(), recipe, folder=tmp_path)
    assert (tmp_path / "checkpoint.pt").read_bytes() == before


def test_another_head_and_a_damaged_checkpoint_are_refused(tmp_path):
    quiet(model(), classify, toy_rows(), RECIPE, folder=tmp_path)
    with pytest.raises(ValueError, match=r"head\..*absent"):
        quiet(model("mlm"), predict_masked, toy_rows(), RECIPE, folder=tmp_path)
    (tmp_path / "checkpoint.pt").write_bytes(b"PK\x03\x04 not a checkpoint")
    with pytest.raises(ValueError, match="can't be read as a checkpoint"):
        quiet(model(), classify, toy_rows(), RECIPE, folder=tmp_path)


# --- bad input --------------------------------------------------------------------------------


def test_a_loss_that_is_not_finite_names_step_and_rows():
    def broken(net, batch):
        return {"label": classify(net, batch)["label"] * math.inf}

    with pytest.raises(FloatingPointError, match="the loss is not finite: label = inf") as caught:
        quiet(model(), broken, toy_rows(), Recipe(steps=3, batch=8))
    assert "This was step 1, which read rows" in caught.value.__notes__[0]


def test_broken_weights_are_noticed_in_the_step():
    net = model()
    net.backbone.layers[1].feedforward.output.weight.data[0, 0] = math.nan
    with pytest.raises(ValueError, match="the logits hold NaN or infinity") as caught:
        quiet(net, classify, toy_rows(), Recipe(steps=3, batch=8))
    assert "This was step 1" in caught.value.__notes__[0]


def test_a_label_out_of_range_names_step_and_rows():
    rows = [Row(row.ids, 7 if i == 3 else row.label) for i, row in enumerate(toy_rows(8))]
    with pytest.raises(ValueError, match="label 7 is out of range") as caught:
        quiet(model(), classify, rows, Recipe(steps=1, batch=8))
    assert "This was step 1, which read rows" in caught.value.__notes__[0]


def test_a_batch_that_does_not_split():
    with pytest.raises(ValueError, match=r"8 rows does not split evenly .* a multiple of 3"):
        quiet(model(), classify, toy_rows(), Recipe(steps=1, batch=8, passes=3))


def test_training_leaves_the_generator_of_the_caller_alone():
    net = model(spec=SPEC)
    torch.manual_seed(11)
    expected = torch.rand(3)
    torch.manual_seed(11)
    quiet(net, classify, toy_rows(), Recipe(steps=2, batch=8))
    assert torch.equal(torch.rand(3), expected)


def test_progress_shows_loss_and_rate(capsys):
    train(model(), classify, toy_rows(), Recipe(steps=3, batch=8))
    shown = capsys.readouterr().err
    assert "3/3" in shown
    assert "loss=" in shown
    assert "tokens_per_s=" in shown
