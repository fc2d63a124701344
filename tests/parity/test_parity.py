"""Every variant equals the reference: hidden states, heads, losses, gradients."""

import pytest
import torch

from course_lib import VARIANTS
from tests.parity.cases import CASES
from tests.parity.compare import differences


def test_every_variant_is_tried():
    assert list(CASES) == list(VARIANTS)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float32", "float64"])
@pytest.mark.parametrize(
    ("variant", "head"),
    [(variant, head) for variant, case in CASES.items() for head in case.heads],
)
def test_equal_to_the_reference(variant, head, dtype):
    differences(CASES[variant], head, dtype).check(dtype)
