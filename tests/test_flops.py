"""The formula against PyTorch's own counter, at full size without doing the work."""

from dataclasses import replace

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from course_lib import VARIANTS, assemble
from course_lib.bricks.longformer import SlidingWindow
from course_lib.flops import flops, flops_by_part

PUBLISHED = {  # billions for 128 tokens, as the reference library's models need them
    "bert-base": 22.35,
    "bert-large": 78.92,
    "albert": 22.37,
    "distilbert": 11.17,
    "tinybert-4l": 1.25,
    "bert-tiny": 0.12,
}


def counted(spec, tokens, device="meta", **batch):
    with torch.device(device):
        model = assemble(spec).eval()
        ids = torch.ones(1, tokens, dtype=torch.long)
        with FlopCounterMode(display=False) as counter:
            model(ids, **batch)
    return counter.get_total_flops()


@pytest.mark.parametrize("name", PUBLISHED)
def test_known_costs(name):
    assert round(flops(VARIANTS[name], 128) / 1e9, 2) == PUBLISHED[name]


@pytest.mark.parametrize("name", VARIANTS)
def test_formula_equals_the_counter(name):
    spec = VARIANTS[name]
    assert flops(spec, 128) == counted(spec, 128)
    shallow = replace(spec, layers=2)
    for tokens in (1, 300):
        assert flops(shallow, tokens) == counted(shallow, tokens)


def test_clipped_distances_stop_growing():
    deberta = replace(VARIANTS["deberta"], layers=1)
    assert flops(deberta, 700) == counted(deberta, 700)


def test_global_tokens_have_their_price():
    spec = replace(
        VARIANTS["longformer"], vocabulary=50, width=12, heads=2, layers=2, feedforward=20
    )
    spec = replace(spec, attention=SlidingWindow(8))
    far = torch.zeros(1, 10, dtype=torch.long)
    far[0, [0, 7, 9]] = 1
    assert flops(spec, 10, global_tokens=3) == counted(spec, 10, "cpu", global_attention_mask=far)
    assert flops(spec, 10, global_tokens=3) > flops(spec, 10)


def test_a_window_grows_with_the_text_and_attention_with_its_square():
    def scores(name, t):
        return flops_by_part(VARIANTS[name], t)["scores and mixing"]

    assert scores("longformer", 4096) == 4 * scores("longformer", 1024)
    assert scores("bert-base", 512) == 16 * scores("bert-base", 128)


def test_too_long_a_text_is_refused():
    with pytest.raises(ValueError, match="513 tokens, but bert-base has positions for 512"):
        flops(VARIANTS["bert-base"], 513)
