"""Heads: what turns a backbone's vectors into predictions.

A head gets the backbone's `States` and the backbone itself, so that it can share the token table.
Left out: losses, which are functions of logits and labels in `losses.py`.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.bricks.activations import ReLU, Tanh
from course_lib.context import Context

if TYPE_CHECKING:
    from course_lib.model import Transformer
    from course_lib.spec import Spec


class States(NamedTuple):
    """What a backbone computed on the way."""

    last: Tensor  # b t d
    hidden: Sequence[Tensor]  # the embeddings and each layer's output, l + 1 times b t d
    scores: list[Tensor]  # each layer's masked attention scores, b h q k, where asked for
    context: Context


class Pooler(nn.Module):
    """tanh(Linear(first token)): BERT's summary of a sequence (Devlin et al. 2019, §3.1)."""

    def __init__(self, spec: "Spec") -> None:
        super().__init__()
        self.dense = nn.Linear(spec.width, spec.width)
        self.activation: nn.Module = Tanh()

    def forward(self, hidden: Tensor) -> Tensor:
        """Summarise each sequence, b t d → b d."""
        return self.activation(self.dense(hidden[:, 0]))  # b d


class ContextPooler(Pooler):
    """GELU(Linear(dropout(first token))): DeBERTa's, only in fine-tuning."""

    def __init__(self, spec: "Spec") -> None:
        super().__init__(spec)
        self.activation = spec.activation()
        self.dropout = nn.Dropout(0)  # the released code applies none here

    def forward(self, hidden: Tensor) -> Tensor:
        """Summarise each sequence, b t d → b d."""
        first = self.dropout(hidden[:, 0])  # b d
        return self.activation(self.dense(first))  # b d


class Head(nn.Module):
    """Anything that turns a backbone's states into logits."""

    needs_pooler = False

    def __init__(self, spec: "Spec", classes: int) -> None:
        super().__init__()

    def forward(self, states: States, backbone: "Transformer", **inputs: Any) -> Any:
        """Predict from the states of one forward pass."""
        raise NotImplementedError

    def default_global(self, backbone: "Transformer", input_ids: Tensor) -> Tensor | None:
        """The tokens to make global, b t, where the caller named none; only Longformer has any."""
        return None


class MaskedLM(Head):
    """Linear d → e, activation, LayerNorm, times the transposed token table, plus a bias.

    The table is the embedding's own, so the head adds only the transform and v biases
    (google-research/bert, run_pretraining.py::get_masked_lm_output; ALBERT's is 128 wide).
    """

    def __init__(self, spec: "Spec", classes: int) -> None:
        super().__init__(spec, classes)
        self.transform = nn.Linear(spec.width, spec.embedding_width)
        self.activation = spec.activation()
        self.norm = nn.LayerNorm(spec.embedding_width, eps=spec.eps)
        self.bias = nn.Parameter(torch.zeros(spec.vocabulary))

    def forward(self, states: States, backbone: "Transformer", **inputs: Any) -> Tensor:
        """Logits over the vocabulary at each token: b t v."""
        return self.predict(states.last, backbone)  # b t v

    def predict(self, hidden: Tensor, backbone: "Transformer") -> Tensor:
        """Logits for any hidden states, … d → … v."""
        x = self.norm(self.activation(self.transform(hidden)))
        return F.linear(x, backbone.embeddings.token.weight, self.bias)


class EnhancedMaskDecoder(MaskedLM):
    """DeBERTa's pre-training decoder: absolute positions enter just before the prediction.

    The last layer runs twice more on its own input H: queries start as H plus absolute positions,
    keys and values stay H (He et al. 2021, §3.2; microsoft/DeBERTa, masked_language_model.py).
    """

    repeats = 2

    def __init__(self, spec: "Spec", classes: int) -> None:
        super().__init__(spec, classes)
        self.position = nn.Embedding(512, spec.width)

    def forward(self, states: States, backbone: "Transformer", **inputs: Any) -> Tensor:
        """Logits over the vocabulary at each token: b t v."""
        memory = states.hidden[-2]  # b t d
        tokens = memory.size(1)
        if tokens > self.position.num_embeddings:
            raise ValueError(
                f"{tokens} tokens, but DeBERTa's pre-training decoder has absolute positions for "
                f"{self.position.num_embeddings}. Shorten the batch, or use head='mlm'."
            )
        x = memory + self.position.weight[:tokens]  # b t d
        for _ in range(self.repeats):
            x = backbone.layers[-1](x, states.context, memory)  # b t d
        return self.predict(x, backbone)  # b t v


class CausalLM(Head):
    """The transposed token table and nothing else: GPT-2's head has no weights of its own."""

    def forward(self, states: States, backbone: "Transformer", **inputs: Any) -> Tensor:
        """Logits of each next token: b t v."""
        return F.linear(states.last, backbone.embeddings.token.weight)  # b t v


class NextSentence(Head):
    """Linear d → 2 on the pooled vector. Class 0: B follows A; class 1: B is from elsewhere."""

    needs_pooler = True

    def __init__(self, spec: "Spec", classes: int) -> None:
        super().__init__(spec, classes)
        self.classifier = nn.Linear(spec.width, 2)

    def forward(self, states: States, backbone: "Transformer", **inputs: Any) -> Tensor:
        """Logits of the two classes: b 2."""
        return self.classifier(backbone.pooled(states.last))  # b 2


class SentenceOrder(NextSentence):
    """The same Linear, another question (ALBERT). Class 0: original order; class 1: swapped."""


class SpanBoundary(Head):
    """Predict a span's tokens from the two tokens just outside it and a relative position.

    Two layers of Linear, activation, LayerNorm on [left; right; position], then the token table
    with a bias of its own (Joshi et al. 2020, §3.2; facebookresearch/SpanBERT, pair_bert.py).
    """

    rows, position_width = 15, 200

    def __init__(self, spec: "Spec", classes: int) -> None:
        super().__init__(spec, classes)
        self.position = nn.Embedding(self.rows, self.position_width)
        self.first = nn.Linear(2 * spec.width + self.position_width, spec.width)
        self.first_norm = nn.LayerNorm(spec.width, eps=spec.eps)
        self.second = nn.Linear(spec.width, spec.width)
        self.second_norm = nn.LayerNorm(spec.width, eps=spec.eps)
        self.activation = spec.activation()
        self.bias = nn.Parameter(torch.zeros(spec.vocabulary))

    def forward(self, states: States, backbone: "Transformer", **inputs: Any) -> Tensor:
        """Logits for each span's first 15 tokens, b n 15 v.

        `spans`, b n 2, holds the first and last masked token of each span. Raises `ValueError`
        where a span has no token outside it on both sides.
        """
        spans: Tensor | None = inputs.get("spans")
        if spans is None:
            raise ValueError(
                "SpanBERT's pre-training head needs spans=…, a tensor b n 2 with the first and "
                "last masked token of each span."
            )
        left, right = spans[..., 0] - 1, spans[..., 1] + 1  # b n
        if left.numel() and (int(left.min()) < 0 or int(right.max()) >= states.last.size(1)):
            raise ValueError(
                "A span touches the edge of its sequence, so it has no token outside it to be "
                f"predicted from: {spans.tolist()}. Leave such spans out."
            )
        batch = torch.arange(len(spans), device=spans.device)[:, None]
        outside = torch.cat([states.last[batch, left], states.last[batch, right]], dim=-1)
        outside = outside[:, :, None].expand(-1, -1, self.rows, -1)
        position = self.position.weight.expand(*spans.shape[:2], -1, -1)  # b n 15 200
        x = torch.cat([outside, position], dim=-1)
        x = self.first_norm(self.activation(self.first(x)))  # b n 15 d
        x = self.second_norm(self.activation(self.second(x)))  # b n 15 d
        return F.linear(x, backbone.embeddings.token.weight, self.bias)  # b n 15 v


class Predictions(NamedTuple):
    """What a pre-training head predicts; None for an objective the variant does not have."""

    mlm: Tensor | None = None  # b t v
    nsp: Tensor | None = None  # b 2
    sop: Tensor | None = None  # b 2
    sbo: Tensor | None = None  # b n 15 v
    lm: Tensor | None = None  # b t v


OBJECTIVES: dict[type[Head], str] = {
    MaskedLM: "mlm",
    EnhancedMaskDecoder: "mlm",
    NextSentence: "nsp",
    SentenceOrder: "sop",
    SpanBoundary: "sbo",
    CausalLM: "lm",
}


class Pretraining(Head):
    """All objectives a variant was pre-trained with, side by side."""

    def __init__(self, spec: "Spec", classes: int) -> None:
        super().__init__(spec, classes)
        self.needs_pooler = any(head.needs_pooler for head in spec.pretraining)
        self.objectives = nn.ModuleDict({OBJECTIVES[h]: h(spec, classes) for h in spec.pretraining})

    def forward(self, states: States, backbone: "Transformer", **inputs: Any) -> Predictions:
        """Each objective's logits, by name."""
        named = self.objectives.items()
        return Predictions(**{name: head(states, backbone, **inputs) for name, head in named})


class Distillation(Head):
    """TinyBERT's fit_dense: Linear d → 768 on the embeddings and on each layer, one Linear apiece.

    They bring the student to the teacher's width, in training only (Jiao et al. 2020, eq. 8 and 9).
    """

    teacher_width = 768

    def __init__(self, spec: "Spec", classes: int) -> None:
        super().__init__(spec, classes)
        self.fit_dense = nn.ModuleList(
            nn.Linear(spec.width, self.teacher_width) for _ in range(spec.layers + 1)
        )

    def forward(self, states: States, backbone: "Transformer", **inputs: Any) -> list[Tensor]:
        """The states at the teacher's width: l + 1 times b t 768."""
        pairs = zip(self.fit_dense, states.hidden, strict=True)
        return [fit(hidden) for fit, hidden in pairs]


class QuestionAnswering(Head):
    """Linear d → 2: for each token, how well the answer would start and end there."""

    def __init__(self, spec: "Spec", classes: int) -> None:
        super().__init__(spec, classes)
        self.classifier = nn.Linear(spec.width, 2)

    def forward(self, states: States, backbone: "Transformer", **inputs: Any) -> Tensor:
        """Logits of start and end at each token: b t 2."""
        return self.classifier(states.last)  # b t 2

    def default_global(self, backbone: "Transformer", input_ids: Tensor) -> Tensor | None:
        """The question: all tokens before the first separator, b t."""
        separator = getattr(backbone.spec.attention, "separator", None)
        if separator is None:
            return None
        return (input_ids == separator).long().cumsum(dim=-1) == 0  # b t


def best_spans(logits: Tensor, allowed: Tensor, longest: int = 30) -> tuple[Tensor, Tensor]:
    """The start and end of the best answer, b 2, and its score, b, from logits, b t 2.

    A pair scores start + end. It counts only if both tokens are `allowed`, b t (leave out the
    question and padding), the end is not before the start, and it is at most `longest` tokens long.
    Raises `ValueError` where a sequence allows no token. (google-research/bert, run_squad.py)
    """
    if not bool(allowed.any(dim=1).all()):
        row = int((~allowed.any(dim=1)).nonzero()[0])
        raise ValueError(
            f"Sequence {row} allows no token as an answer. Allow its text, not only its question."
        )
    start, end = logits.unbind(dim=-1)  # b t
    i = torch.arange(logits.size(1), device=logits.device)
    valid = (i[None, :] >= i[:, None]) & (i[None, :] < i[:, None] + longest)
    valid = valid & allowed[:, :, None] & allowed[:, None, :]
    pairs = (start[:, :, None] + end[:, None, :]).masked_fill(~valid, -torch.inf)
    score, best = pairs.flatten(1).max(dim=1)  # b
    return torch.stack([best // logits.size(1), best % logits.size(1)], dim=1), score


class PooledClassifier(Head):
    """Dropout, then Linear on the pooled vector: BERT's, ALBERT's, and DeBERTa's."""

    needs_pooler = True

    def __init__(self, spec: "Spec", classes: int) -> None:
        super().__init__(spec, classes)
        self.dropout = nn.Dropout(spec.dropout)
        self.classifier = nn.Linear(spec.width, classes)

    def forward(self, states: States, backbone: "Transformer", **inputs: Any) -> Tensor:
        """Logits of each sequence's classes."""
        pooled = backbone.pooled(states.last)  # b d
        return self.classifier(self.dropout(pooled))


class ReLUPooledClassifier(PooledClassifier):
    """Linear on max(0, pooled): TinyBERT's official classifier."""

    def forward(self, states: States, backbone: "Transformer", **inputs: Any) -> Tensor:
        """Logits of each sequence's classes."""
        pooled = backbone.pooled(states.last)  # b d
        return self.classifier(pooled.clamp(min=0))


class FirstTokenClassifier(Head):
    """Dropout, Linear, tanh, dropout, Linear on the first token: RoBERTa's and Longformer's."""

    def __init__(self, spec: "Spec", classes: int) -> None:
        super().__init__(spec, classes)
        self.dense = nn.Linear(spec.width, spec.width)
        self.activation: nn.Module = Tanh()
        self.before, self.after = nn.Dropout(spec.dropout), nn.Dropout(spec.dropout)
        self.classifier = nn.Linear(spec.width, classes)

    def forward(self, states: States, backbone: "Transformer", **inputs: Any) -> Tensor:
        """Logits of each sequence's classes."""
        first = self.before(states.last[:, 0])  # b d
        return self.classifier(self.after(self.activation(self.dense(first))))

    def default_global(self, backbone: "Transformer", input_ids: Tensor) -> Tensor | None:
        """The first token, b t, in a model that has global tokens."""
        if not hasattr(backbone.spec.attention, "window"):
            return None
        return torch.ones_like(input_ids).cumsum(dim=-1) == 1  # b t


class ReLUClassifier(FirstTokenClassifier):
    """Linear, ReLU, dropout 0.2, Linear on the first token: DistilBERT's."""

    def __init__(self, spec: "Spec", classes: int) -> None:
        super().__init__(replace(spec, dropout=0.2), classes)
        self.before = nn.Dropout(0)
        self.activation = ReLU()


class LastTokenClassifier(Head):
    """Linear without bias on the last real token, the only one that has seen all: GPT-2's."""

    def __init__(self, spec: "Spec", classes: int) -> None:
        super().__init__(spec, classes)
        self.classifier = nn.Linear(spec.width, classes, bias=False)

    def forward(self, states: States, backbone: "Transformer", **inputs: Any) -> Tensor:
        """Logits of each sequence's classes."""
        keep = states.context.keep  # b t
        last = (keep * torch.arange(keep.size(1), device=keep.device)).argmax(dim=1)  # b
        return self.classifier(states.last[torch.arange(len(last), device=last.device), last])


class WithHead(nn.Module):
    """A backbone and one head: called like the backbone, it returns the head's prediction."""

    def __init__(self, backbone: "Transformer", head: Head) -> None:
        super().__init__()
        self.backbone = backbone
        self.head = head

    @property
    def spec(self) -> "Spec":
        """The backbone's Spec."""
        return self.backbone.spec

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        global_attention_mask: Tensor | None = None,
        hidden_states: bool = False,
        **inputs: Any,
    ) -> Any:
        """The head's prediction, or with `hidden_states` a pair of it and all layers' outputs."""
        if global_attention_mask is None:
            global_attention_mask = self.head.default_global(self.backbone, input_ids)
        cache = inputs.pop("cache", None)
        states = self.backbone.states(
            input_ids, attention_mask, token_type_ids, global_attention_mask, cache=cache
        )
        prediction = self.head(states, self.backbone, **inputs)
        return (prediction, list(states.hidden)) if hidden_states else prediction
