"""Objectives: what a model is trained on, as a function of the model and a batch.

An objective returns its losses by name, and the training loop adds them up. The batch holds the
labels of each loss under the same name: its entries other than −100 are the terms, and the loss is
their mean. So the loop knows how many terms stand behind a mean before it has computed it.
"""

from collections.abc import Callable

from torch import Tensor, nn

from course_lib import losses
from course_lib.heads import MaskedLM, WithHead
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


class OnlyMasked(nn.Module):
    """A masked language model that computes logits only where something was masked.

    The product with the token table is the most expensive step of a small model, and 85 % of its
    rows are never looked at. Train this, with `predict_only_masked`; the model inside is trained.
    """

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        if not isinstance(model, WithHead) or type(model.head) is not MaskedLM:
            raise ValueError('only a model with head="mlm" can leave out rows of its logits')
        self.model = model
        self.spec = model.spec

    def forward(
        self,
        chosen: Tensor,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
    ) -> Tensor:
        """Logits of the chosen tokens, one row each, in the order of the batch."""
        assert isinstance(self.model.head, MaskedLM)
        states = self.model.backbone.states(input_ids, attention_mask, token_type_ids)
        return self.model.head.predict(states.last[chosen], self.model.backbone)


def predict_only_masked(model: nn.Module, batch: Batch) -> dict[str, Tensor]:
    """The loss of `predict_masked` for an `OnlyMasked` model."""
    chosen = batch["mlm"] != losses.IGNORED  # b t
    logits = model(chosen, **inputs(batch))
    return {"mlm": losses.mlm(logits, batch["mlm"][chosen])}
