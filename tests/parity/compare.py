"""One reference model and ours with the same weights: run both on a batch, measure what differs."""

import contextlib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Self
from unittest import mock

import torch
from torch import Tensor

from course_lib import hf, losses
from course_lib.hf_names import FAMILIES
from tests.parity.cases import LENGTHS, ODD, WINDOW, Batch, Case, batch, reference

TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-12}


@dataclass(frozen=True)
class Differences:
    """The largest absolute difference in each kind of number."""

    hidden: float = 0.0
    head: float = 0.0
    loss: float = 0.0
    gradients: float = 0.0

    def __or__(self, other: Self) -> "Differences":
        """The larger of two, kind by kind."""
        names = (f.name for f in fields(self))
        return Differences(**{n: max(getattr(self, n), getattr(other, n)) for n in names})

    def check(self, dtype: torch.dtype) -> None:
        """Raise `AssertionError` where a difference is above what rounding explains."""
        for f in fields(self):
            value = getattr(self, f.name)
            assert value <= TOLERANCE[dtype], f"{f.name} differ by {value:.1e}: {self}"


def apart(ours: Tensor, theirs: Tensor) -> float:
    """The largest absolute difference of two tensors; infinite where their shapes differ."""
    if ours.shape != theirs.shape:
        return float("inf")
    return float((ours.detach() - theirs.detach()).abs().nan_to_num(torch.inf).max())


def mean_square(*predictions: Tensor) -> Tensor:
    """A loss for what has none of its own."""
    return sum(p.square().mean() for p in predictions)


@contextlib.contextmanager
def in_float64() -> Iterator[None]:
    """Keep the reference in float64 where its code goes through float32 on the way.

    Longformer does so in its softmax, DeBERTa in its LayerNorm, all causal losses at the start.
    """
    softmax, to_float32 = torch.nn.functional.softmax, torch.Tensor.float

    def same_dtype(x: Tensor, dim: int, dtype: torch.dtype | None = None) -> Tensor:
        return softmax(x, dim=dim)

    def unless_float64(x: Tensor) -> Tensor:
        return x if x.dtype == torch.float64 else to_float32(x)

    with (
        mock.patch("torch.nn.functional.softmax", same_dtype),
        mock.patch.object(torch.Tensor, "float", unless_float64),
    ):
        yield


@contextlib.contextmanager
def predictable_dropout() -> Iterator[None]:
    """Let dropout shrink its input by the same rate on both sides, so that its place shows."""

    def shrink(x: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
        return x * (1 - p) if training else x

    with mock.patch("torch.nn.functional.dropout", shrink):
        yield


class Pair:
    """A reference model, and ours loaded from the folder that it saved."""

    def __init__(self, case: Case, head: str | None, dtype: torch.dtype) -> None:
        self.case, self.head, self.dtype = case, head, dtype
        self.theirs = reference(case, head)
        self.has_pooler = getattr(self.theirs, "pooler", None) is not None
        with tempfile.TemporaryDirectory() as folder:
            self.theirs.save_pretrained(folder)
            self.ours = hf.load(folder, head, pooler=head is None and self.has_pooler)
        self.theirs, self.ours = self.theirs.to(dtype), self.ours.to(dtype)

    def train(self, on: bool) -> None:
        """Put both models into training or evaluation mode."""
        self.theirs.train(on)
        self.ours.train(on)

    def run_ours(self, x: Batch) -> tuple[list[Tensor], list[Tensor], Tensor]:
        """Our hidden states, predictions and loss."""
        output, hidden = self.ours(
            x.input_ids,
            x.attention_mask,
            x.token_type_ids,
            x.global_attention_mask,
            hidden_states=True,
        )
        match self.head:
            case None:
                predictions = [output]
                if self.has_pooler:
                    predictions.append(self.ours.pooled(output))
                loss = mean_square(output[x.attention_mask == 1], *predictions[1:])
            case "mlm":
                predictions, loss = [output], losses.mlm(output, x.token_labels)
            case "lm":
                predictions = [output]
                loss = (
                    mean_square(output)
                    if x.tokens == 1
                    else losses.causal_lm(output, x.token_labels)
                )
            case "classification":
                predictions, loss = [output], losses.cross_entropy(output, x.classes)
            case "qa":
                predictions = [output[..., 0], output[..., 1]]
                loss = losses.question_answering(output, x.starts, x.ends)
            case "pretraining":
                order = output.nsp if output.sop is None else output.sop
                predictions = [output.mlm, order]
                loss = losses.mlm(output.mlm, x.token_labels) + losses.nsp(order, x.order)
        return hidden, predictions, loss

    def run_theirs(self, x: Batch) -> tuple[list[Tensor], list[Tensor], Tensor]:
        """The reference's hidden states, predictions and loss."""
        inputs: dict[str, Any] = {"input_ids": x.input_ids, "attention_mask": x.attention_mask}
        if x.token_type_ids is not None:
            inputs["token_type_ids"] = x.token_type_ids
        if self.case.kind == "Longformer":
            inputs["global_attention_mask"] = x.global_attention_mask
        if self.case.kind == "GPT2":
            inputs["position_ids"] = (x.attention_mask.cumsum(dim=1) - 1).clamp(min=0)
        match self.head:
            case "mlm":
                inputs["labels"] = x.token_labels
            case "lm" if x.tokens > 1:
                inputs["labels"] = x.token_labels
            case "classification":
                inputs["labels"] = x.classes
            case "qa":
                inputs |= {"start_positions": x.starts, "end_positions": x.ends}
            case "pretraining":
                order = "sentence_order" if self.case.kind == "Albert" else "next_sentence"
                inputs |= {"labels": x.token_labels, f"{order}_label": x.order}
        out = self.theirs(**inputs, output_hidden_states=True)
        match self.head:
            case None:
                predictions = [out.last_hidden_state]
                if self.has_pooler:
                    predictions.append(out.pooler_output)
                real = predictions[0][x.attention_mask == 1]
                return out.hidden_states, predictions, mean_square(real, *predictions[1:])
            case "qa":
                predictions = [out.start_logits, out.end_logits]
            case "pretraining":
                order = (
                    out.sop_logits if self.case.kind == "Albert" else out.seq_relationship_logits
                )
                predictions = [out.prediction_logits, order]
            case _:
                predictions = [out.logits]
        loss = mean_square(*predictions) if out.loss is None else out.loss
        return out.hidden_states, predictions, loss

    def differences(self, x: Batch, gradients: bool = False) -> Differences:
        """How far the two sides are apart on a batch, padding's rows included."""
        patched = in_float64() if self.dtype == torch.float64 else contextlib.nullcontext()
        with patched, predictable_dropout(), torch.set_grad_enabled(gradients):
            hidden, predictions, loss = self.run_ours(x)
            their_hidden, their_predictions, their_loss = self.run_theirs(x)
            if gradients:
                for model, value in ((self.ours, loss), (self.theirs, their_loss)):
                    model.zero_grad()
                    value.backward()
        assert len(hidden) == len(their_hidden)
        return Differences(
            hidden=max(map(apart, hidden, their_hidden)),
            head=max(map(apart, predictions, their_predictions)),
            loss=apart(loss, their_loss),
            gradients=self.gradient_difference() if gradients else 0.0,
        )

    def gradient_difference(self) -> float:
        """The largest difference of a gradient, every parameter of either side in the account."""
        family = FAMILIES[self.theirs.config.model_type]
        ours, theirs = (
            {n: torch.zeros_like(p) if p.grad is None else p.grad for n, p in m.named_parameters()}
            for m in (self.ours, self.theirs)
        )
        theirs = {hf.canonical(name, family): x for name, x in theirs.items()}
        largest = 0.0
        for rule in hf.rules_of(family, self.head, self.ours):
            parts = rule.layout.split(theirs.pop(rule.theirs), len(rule.ours), self.ours.spec)
            for name, part in zip(rule.ours, parts, strict=True):
                largest = max(largest, apart(ours.pop(name), part))
        assert not ours and not theirs, f"without a counterpart: {[*ours, *theirs]}"
        return largest


def differences(case: Case, head: str | None, dtype: torch.dtype) -> Differences:
    """The largest differences over all kinds of batches."""
    pair = Pair(case, head, dtype)
    worst = Differences()
    for seed, (tokens, extras) in enumerate([*((n, True) for n in LENGTHS), (ODD, False)]):
        worst |= pair.differences(batch(case, tokens, extras, seed=seed))
    pair.train(True)
    for tokens, extras in ((WINDOW + 1, False), (ODD, True)):
        # Where nothing is visible the reference lets a gradient pass and we do not. Of all losses
        # only this one counts what stands there.
        leading = not (case.kind == "GPT2" and head == "qa")
        worst |= pair.differences(batch(case, tokens, extras, leading), gradients=True)
    return worst
