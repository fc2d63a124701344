"""The troubleshooting helpers find the faults that are planted here, and nothing where none is."""

import math
from dataclasses import replace
from itertools import accumulate
from random import Random

import pytest
import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile
from toy_run import toy_rows

from course_lib import VARIANTS, assemble, build, data
from course_lib import troubleshoot as t
from course_lib.baseline import LogisticRegression
from course_lib.objectives import classify
from course_lib.optim import SGD
from course_lib.rows import Row, padded
from course_lib.train import Recipe, train

WIDE = replace(VARIANTS["bert-tiny"], vocabulary=60, width=32, feedforward=128, layers=4)


def model(spec=WIDE, classes=2):
    torch.manual_seed(0)
    return assemble(spec, head="classification", classes=classes)


def long_rows(count=16, length=48):
    draw = Random(0)
    return [Row([draw.randrange(5, 60) for _ in range(length)], i % 2) for i in range(count)]


# --- memory -----------------------------------------------------------------------------------


def test_live_memory_counts_storages_once_and_forgets_the_freed():
    live = t.LiveMemory()
    with live:
        a = torch.zeros(1000)
        view = a[10:20]
        b = a + 1
        assert live.now == 8000
        del b
        assert live.now == 4000
        del a
        assert live.now == 4000  # the view still holds it
        del view
    assert live.now == 0
    assert live.peak == 8000


def test_live_memory_agrees_with_the_allocator():
    net, batch = model(), padded(long_rows())

    def step():
        loss = classify(net, batch)["label"]
        loss.backward()
        net.zero_grad(set_to_none=True)

    step()
    with t.LiveMemory() as live:
        step()
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        step()
    events = [e for e in profiler.profiler.kineto_results.events() if e.name() == "[memory]"]
    sizes = [e.nbytes() for e in sorted(events, key=lambda e: e.start_ns())]
    assert live.peak == pytest.approx(max(accumulate(sizes)), rel=0.02)


def test_the_estimate_has_the_exact_parts():
    found = t.estimate_memory(model(), batch=16, tokens=48)
    size = 4 * sum(p.numel() for p in model().parameters())
    assert found.parameters == found.gradients == size
    assert found.optimizer == 2 * size  # Adam's two moments
    assert found.activations > size
    parts = found.parameters + found.gradients + found.optimizer + found.activations
    assert 0.9 * parts < found.peak < 1.2 * parts
    plain = t.estimate_memory(model(), 16, 48, optimizer=lambda groups: SGD(groups, lr=0.1))
    assert plain.optimizer == 0


@pytest.mark.parametrize("checkpointing", [False, True])
def test_the_estimate_is_what_a_real_step_takes(checkpointing):
    expected = t.estimate_memory(model(), batch=16, tokens=48, checkpointing=checkpointing)
    recipe = Recipe(steps=2, batch=16, checkpointing=checkpointing)
    measured = t.measure_memory(model(), classify, padded(long_rows()), recipe)
    assert measured == pytest.approx(expected.peak, rel=0.05)


def test_measuring_leaves_the_model_as_it_was():
    net = model()
    before = [p.clone() for p in net.parameters()]
    t.measure_memory(net, classify, padded(long_rows()))
    assert all(torch.equal(a, b) for a, b in zip(before, net.parameters(), strict=True))
    assert all(p.grad is None for p in net.parameters())


def test_a_model_too_large_for_this_machine_can_be_asked_about():
    with torch.device("meta"):
        large = build("bert-base", head="classification")
    found = t.estimate_memory(large, batch=1024, tokens=128)
    assert found.peak > 100 * 2**30
    assert found.parameters == 4 * sum(p.numel() for p in large.parameters())
    assert "GiB" not in str(found)
    assert str(found).splitlines()[-1].startswith("peak")


def test_logits_that_the_loss_does_not_read_cost_less():
    gpt = replace(VARIANTS["bert-tiny"], vocabulary=5000, width=32, feedforward=128)
    net = assemble(gpt, head="mlm")
    whole, part = (t.estimate_memory(net, 16, 48, terms=n) for n in (None, 100))
    assert part.peak < 0.8 * whole.peak


def test_every_remedy_saves_memory_on_its_own():
    smaller = model(replace(WIDE, layers=2))
    found = t.remedies(model(), smaller, classify, long_rows())
    usual = found.pop("as it is")
    assert len(found) == 6
    assert all(size < 0.95 * usual for size in found.values()), found
    assert found["four passes"] < 0.5 * usual
    assert found["activation checkpointing"] < 0.6 * usual


# --- NaN and infinity -------------------------------------------------------------------------


class Log(nn.Module):
    """A module that makes -inf of 0 and NaN of what is below."""

    def forward(self, x):
        return (x - x.amax()).log()


def test_the_first_module_is_named_in_the_forward_pass():
    net = model()
    net.backbone.layers[2].feedforward.activation = Log()
    batch = padded(long_rows())
    with (
        pytest.raises(FloatingPointError, match=r"backbone\.layers\.2\.feedforward\.activation"),
        t.stop_at_nonfinite(net),
    ):
        classify(net, batch)
    net.backbone.layers[2].feedforward.activation = nn.GELU()
    with t.stop_at_nonfinite(net):
        classify(net, batch)["label"].backward()


def test_broken_weights_are_told_from_broken_arithmetic():
    net = model()
    net.backbone.layers[1].attention.value.weight.data[3, 3] = math.nan
    with (
        pytest.raises(
            FloatingPointError,
            match=r"layers\.1\.attention\.value \(Linear\) .* an earlier step broke its weight",
        ),
        t.stop_at_nonfinite(net),
    ):
        classify(net, padded(long_rows()))


def test_the_step_is_named_when_training_breaks():
    net = model()
    steps = []

    def collate(rows, rng):
        steps.append(1)
        if len(steps) == 4:
            net.backbone.layers[3].feedforward.output.bias.data[0] = math.inf
        return padded(rows)

    with (
        pytest.raises(FloatingPointError, match=r"layers\.3\.feedforward\.output") as caught,
        t.stop_at_nonfinite(net),
    ):
        train(
            net, classify, long_rows(), Recipe(steps=6, batch=8),
            collate=collate, show_progress=False,
        )  # fmt: skip
    note = caught.value.__notes__[0]
    assert "This was step 4" in note
    assert callable(getattr(t, note.partition("troubleshoot.")[2].split()[0]))


def test_a_gradient_that_breaks_below_a_module_is_named():
    class Root(nn.Module):
        """The square root of 0 is 0, and its slope infinite."""

        def forward(self, x):
            return (x * 0).abs().sqrt() + x

    net = model()
    net.backbone.layers[2].feedforward.activation = Root()
    with (
        pytest.raises(
            FloatingPointError,
            match=r"backward: .* comes to backbone\.layers\.2\.feedforward\.input \(Linear\) .* "
            r"still finite at backbone\.layers\.2\.feedforward\.activation \(Root\)",
        ),
        t.stop_at_nonfinite(net),
    ):
        classify(net, padded(long_rows()))["label"].backward()


def test_a_gradient_that_breaks_before_the_model_is_told_apart():
    net = model()
    with (
        pytest.raises(FloatingPointError, match="it broke between model and loss"),
        t.stop_at_nonfinite(net),
    ):
        (classify(net, padded(long_rows()))["label"] * math.inf).backward()


def test_no_hook_is_left_behind():
    net = model()
    with t.stop_at_nonfinite(net):
        pass
    assert not any(m._forward_hooks or m._backward_hooks for m in net.modules())


# --- wrong labels -----------------------------------------------------------------------------


def test_flipped_labels_are_found_with_a_known_precision():
    sample = data.reviews().train[:800]
    texts, labels = [e.text for e in sample], [e.label for e in sample]
    noisy, flipped = t.flip_labels(labels, share=0.1)
    assert len(flipped) == 80
    assert {i for i, (a, b) in enumerate(zip(labels, noisy, strict=True)) if a != b} == flipped
    suspects = t.suspicious_labels(
        texts, noisy, lambda x, y: LogisticRegression(x, y, steps=20), folds=3
    )
    assert sorted(suspect.row for suspect in suspects) == list(range(800))
    precision = t.precision_at(suspects, flipped, 80)
    assert precision > 0.27  # chance, 0.1, and five standard deviations
    assert suspects[0].guess != noisy[suspects[0].row]


def test_a_model_asked_about_its_own_texts_would_not_find_them():
    sample = data.reviews().train[:400]
    texts, labels = [e.text for e in sample], [e.label for e in sample]
    noisy, flipped = t.flip_labels(labels, share=0.05)
    own = LogisticRegression(texts, noisy, strength=1000.0)(texts).softmax(-1)
    learned = sum(own[i, noisy[i]].item() > 0.5 for i in flipped) / len(flipped)
    assert learned > 0.9


def test_flipping_and_counting_check_their_input():
    assert t.flip_labels([0, 1, 2] * 10, 0.5, seed=1) == t.flip_labels([0, 1, 2] * 10, 0.5, seed=1)
    with pytest.raises(ValueError, match="at least two classes"):
        t.flip_labels([1, 1], 0.5)
    with pytest.raises(ValueError, match="2 texts but 1 labels"):
        t.suspicious_labels(["a", "b"], [1], LogisticRegression)
    with pytest.raises(ValueError, match="can't be cut into 5 folds"):
        t.suspicious_labels(["a", "b"], [1, 0], LogisticRegression)
    suspect = t.Suspect(0, 0.1, 1)
    with pytest.raises(ValueError, match="from 1 to the 1 suspects, not 2"):
        t.precision_at([suspect], frozenset({0}), 2)


# --- leaks ------------------------------------------------------------------------------------


def test_copies_and_near_copies_between_parts_are_found():
    reviews = data.reviews().train
    long = [e.text for e in reviews if len(e.text) > 60]
    train_texts = long[:60]
    changed = long[7][:30] + "，" + long[7][30:] + "！"  # the same letters
    nearly = long[9] + "推荐"  # two characters more
    leaks = t.leaks({"train": train_texts, "test": [*long[100:130], long[3], changed, nearly]})
    found = {(leak.first[1], leak.second[1]) for leak in leaks}
    pairs = {tuple(sorted(pair)) for pair in found}
    assert pairs == {(3, 30), (7, 31), (9, 32)}
    exact = [leak.similarity for leak in leaks if 32 not in (leak.first[1], leak.second[1])]
    assert exact == [1.0, 1.0]
    assert 0.8 < leaks[-1].similarity < 1


def test_a_leak_within_one_part_is_none():
    assert t.leaks({"train": ["这本书很好看啊"] * 3, "test": ["酒店的房间太小了"]}) == []


def test_the_shipped_split_has_almost_no_near_copies():
    reviews = data.reviews()
    parts = {
        "train": [e.text for e in reviews.train[:1500]],
        "test": [e.text for e in reviews.test],
    }
    assert not [leak for leak in t.leaks(parts) if leak.similarity == 1]
    assert len(t.leaks(parts)) < 0.01 * len(reviews.test)


# --- all predictions the same -----------------------------------------------------------------


def diagnose(net, rows, **more):
    return {finding.where for finding in t.why_all_the_same(net, rows, **more)}


def constant(net):
    """Make the last layer prefer class 1 whatever it sees."""
    net.head.classifier.weight.data.mul_(1e-3)
    net.head.classifier.bias.data[1] = 5.0
    return net


@pytest.fixture
def net():
    return constant(model(replace(WIDE, vocabulary=60)))


def test_different_predictions_need_no_diagnosis():
    net = model()
    train(net, classify, toy_rows(), Recipe(steps=40, batch=8, lr=3e-3), show_progress=False)
    assert t.why_all_the_same(net, toy_rows()) == []


@pytest.mark.parametrize(
    ("labels", "found"),
    [([1] * 20, {"labels"}), ([1] * 18 + [0] * 2, {"labels"}), ([0, 1] * 10, set())],
)
def test_labels(net, labels, found):
    rows = [row._replace(label=label) for row, label in zip(long_rows(20), labels, strict=True)]
    assert diagnose(net, rows) == found


def test_inputs_that_say_nothing(net):
    unknown = [Row([2, 1, 1, 3], i % 2) for i in range(20)]
    assert "inputs" in diagnose(net, unknown)
    assert diagnose(net, long_rows()) == set()


def test_a_backbone_that_was_not_given_to_the_optimizer(net):
    rows = long_rows()
    probing = torch.optim.AdamW(net.head.parameters(), lr=2e-5)
    assert diagnose(net, rows, optimizer=probing) == {"frozen"}
    assert diagnose(net, rows, optimizer=torch.optim.AdamW(net.parameters(), lr=2e-5)) == set()
    net.backbone.requires_grad_(False)
    assert diagnose(net, rows) == {"frozen"}


def test_a_head_that_cannot_move(net):
    net.head.requires_grad_(False)
    findings = t.why_all_the_same(net, long_rows())
    assert "the last layer never moves" in str(findings[0])


@pytest.mark.parametrize(("lr", "word"), [(2e-2, "large"), (1e-9, "small")])
def test_a_learning_rate_far_off(net, lr, word):
    optimizer = torch.optim.AdamW(net.parameters(), lr=lr)
    findings = t.why_all_the_same(net, long_rows(), optimizer=optimizer)
    assert [finding.where for finding in findings] == ["learning rate"]
    assert word in findings[0].seen


@pytest.mark.parametrize(
    ("losses", "found"),
    [([0.7] * 50, {"loss"}), ([0.6] * 25 + [2.0] * 25, {"loss"}), ([0.7] * 25 + [0.1] * 25, set())],
)
def test_losses(net, losses, found):
    history = [{"step": i, "loss": loss} for i, loss in enumerate(losses)]
    assert diagnose(net, long_rows(), history=history) == found


def test_a_real_collapse_from_a_learning_rate_a_hundred_times_too_large():
    net = model()
    recipe = Recipe(steps=20, batch=16, lr=0.3, warmup=0.0, spike=1e9)
    history = train(net, classify, long_rows(32), recipe, show_progress=False)
    assert {"collapse", "loss"} <= diagnose(net, long_rows(32), history=history)


def test_it_reads_well_and_leaves_no_hook(net):
    net.head.requires_grad_(False)
    text = str(t.why_all_the_same(net, long_rows())[0])
    assert text == "frozen: the last layer never moves. Give its parameters to the optimizer."
    assert not any(module._forward_hooks for module in net.modules())
