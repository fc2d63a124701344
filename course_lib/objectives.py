"""Objectives: what a model is trained on, as a function of the model and a batch.

An objective returns its losses by name, and the training loop adds them up. The batch holds the
labels of each loss under the same name: its entries other than −100 are the terms, and the loss is
their mean. So the loop knows how many terms stand behind a mean before it has computed it.
"""

from collections.abc import Callable

from torch import Tensor, nn

from course_lib import losses
from course_lib.rows import Batch

Objective = Callable[[nn.Module, Batch], dict[str, Tensor]]


def classify(model: nn.Module, batch: Batch) -> dict[str, Tensor]:
    """Cross-entropy of a classifier."""
    return {"label": losses.cross_entropy(model(**inputs(batch)), batch["label"])}


def predict_masked(model: nn.Module, batch: Batch) -> dict[str, Tensor]:
    """The loss of a masked language model; `batch["mlm"]` holds the labels."""
    return {"mlm": losses.mlm(model(**inputs(batch)), batch["mlm"])}


def predict_next(model: nn.Module, batch: Batch) -> dict[str, Tensor]:
    """The loss of a causal language model on a batch from `next_tokens`."""
    return {"lm": losses.causal_lm(model(**inputs(batch)), batch["lm"])}


def inputs(batch: Batch) -> Batch:
    """The part of a batch that a model is called with."""
    names = ("input_ids", "attention_mask", "token_type_ids", "global_attention_mask", "spans")
    return {name: batch[name] for name in names if name in batch}
