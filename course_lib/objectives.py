"""Objectives: what a model is trained on, as a function of the model and a batch.

An objective returns its losses by name, and the training loop adds them up. The batch holds the
labels of each loss under the same name: its entries other than −100 are the terms, and the loss is
their mean. So the loop knows how many terms stand behind a mean before it has computed it.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from course_lib import losses
from course_lib.heads import MaskedLM, WithHead
from course_lib.model import Transformer
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


# --- distillation -----------------------------------------------------------------------------


def distil_bert(teacher: nn.Module) -> Objective:
    """DistilBERT's three losses: the teacher's distribution, the masked words, the last states.

    Batches are masked, and `counting` gives "kl" and "cosine" their terms (Sanh et al. 2019).
    """
    teacher.eval()

    def objective(student: nn.Module, batch: Batch) -> dict[str, Tensor]:
        logits, hidden = student(**inputs(batch), hidden_states=True)
        with torch.no_grad():
            wanted, wanted_hidden = teacher(**inputs(batch), hidden_states=True)
        mask = batch["attention_mask"]
        return {
            "kl": 5 * losses.distillation_kl(logits, wanted, mask),
            "mlm": 2 * losses.mlm(logits, batch["mlm"]),
            "cosine": losses.distillation_cosine(hidden[-1], wanted_hidden[-1], mask),
        }

    return objective


class TinyStudent(nn.Module):
    """A student that shows its layers at the teacher's width, and its attention scores.

    `fit` holds the l + 1 Linears that TinyBERT trains with the student and then throws away.
    """

    def __init__(self, backbone: Transformer, teacher_width: int) -> None:
        super().__init__()
        self.backbone = backbone
        self.spec = backbone.spec
        self.fit = nn.ModuleList(
            nn.Linear(backbone.spec.width, teacher_width) for _ in range(backbone.spec.layers + 1)
        )

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor | None = None
    ) -> tuple[list[Tensor], list[Tensor]]:
        """Embeddings and layers, l + 1 times b t and the teacher's width; scores, b h q k."""
        states = self.backbone.states(input_ids, attention_mask, scores=True)
        pairs = zip(self.fit, states.hidden, strict=True)
        return [fit(hidden) for fit, hidden in pairs], states.scores


def tiny_bert(teacher: Transformer) -> Objective:
    """TinyBERT's embedding, hidden and attention losses for a `TinyStudent`.

    `counting` gives all three one term a row (Jiao et al. 2020, eq. 7 to 9).
    """
    teacher.eval()

    def objective(student: nn.Module, batch: Batch) -> dict[str, Tensor]:
        ids, mask = batch["input_ids"], batch["attention_mask"]
        hidden, scores = student(ids, mask)
        with torch.no_grad():
            wanted = teacher.states(ids, mask, scores=True)
        layers = losses.layer_map(len(scores), len(wanted.scores))
        return {
            "embedding": losses.tinybert_embedding(hidden[0], wanted.hidden[0]),
            "hidden": losses.tinybert_hidden(hidden[1:], [wanted.hidden[i] for i in layers[1:]]),
            "attention": losses.tinybert_attention(
                scores, [wanted.scores[i - 1] for i in layers[1:]]
            ),
        }

    return objective


def imitate(teacher: nn.Module) -> Objective:
    """The last of TinyBERT's losses: a classifier learns the teacher's probabilities."""
    teacher.eval()

    def objective(student: nn.Module, batch: Batch) -> dict[str, Tensor]:
        with torch.no_grad():
            wanted = teacher(**inputs(batch))
        logits = student(**inputs(batch))
        return {"prediction": losses.tinybert_prediction(logits, wanted)}

    return objective
