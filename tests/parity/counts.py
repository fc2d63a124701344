"""How many parameters each variant has, counted in our models at full size without memory."""

import json
from pathlib import Path
from typing import Any

import torch

from course_lib import assemble
from course_lib.spec import Spec

TABLE: dict[str, Any] = json.loads((Path(__file__).parent / "counts.json").read_text())
COLUMNS: list[str] = TABLE["columns"]
PUBLISHED: dict[str, dict[str, Any]] = TABLE["variants"]

BUILD: list[dict[str, Any]] = [{"pooler": True}, {}, {"head": "mlm"}, {"head": "pretraining"}]
"""How a column's model is built."""


def parameters(spec: Spec, **how: Any) -> int:
    """The number of parameters of a model, tied ones once."""
    with torch.device("meta"):
        return sum(p.numel() for p in assemble(spec, **how).parameters())
