"""Ours and the reference's model with the same weights, and the batches both get."""

import tempfile
from collections.abc import Callable
from dataclasses import replace
from random import Random

import torch
import transformers
from torch import Tensor, nn

from course_lib import VARIANTS, Spec, assemble, data, hf
from course_lib.fast import faster
from course_lib.heads import WithHead

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()

Batch = dict[str, Tensor]
TOLERANCE = 2e-4  # float32, summed in another order over up to 24 layers


def models(name: str) -> tuple[nn.Module, nn.Module]:
    """A variant at full size on our fast path, and the reference's with SDPA where it has it."""
    spec = replace(VARIANTS[name], dropout=0.0, attention_dropout=0.0)
    torch.manual_seed(0)
    ours = assemble(spec)
    return faster(ours), reference(ours, transformers.AutoModel)


def language_models(spec: Spec) -> tuple[WithHead, nn.Module]:
    """A causal model of ours and the reference's, with weights large enough to write something."""
    torch.manual_seed(0)
    ours = assemble(spec, head="lm").eval()
    for weight in ours.parameters():
        nn.init.normal_(weight, std=0.15)
    return ours, reference(ours, transformers.AutoModelForCausalLM).eval()


def reference(ours: nn.Module, kind: type) -> nn.Module:
    """The reference's model with our weights, by way of a checkpoint folder."""
    with tempfile.TemporaryDirectory() as folder:
        hf.save(ours, folder)
        return kind.from_pretrained(folder)


def full(name: str, rows: int, tokens: int) -> Batch:
    """A batch without padding."""
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(5, VARIANTS[name].vocabulary, (rows, tokens), generator=generator)
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids)}


def reviews(name: str, rows: int = 16, longest: int = 256) -> Batch:
    """Rows as long as real reviews, one token a character: about two thirds are padding."""
    lengths = [min(len(review.text) + 2, longest) for review in data.reviews().train]
    rng = Random(0)
    while True:
        chosen = rng.sample(lengths, rows)
        if max(chosen) == longest and abs(share_of_padding(chosen) - 2 / 3) < 0.02:
            break
    batch = full(name, rows, longest)
    batch["attention_mask"] = (torch.arange(longest) < torch.tensor(chosen)[:, None]).long()
    pad = VARIANTS[name].pad or 0
    batch["input_ids"] = batch["input_ids"].where(batch["attention_mask"] == 1, pad)
    return batch


def share_of_padding(lengths: list[int]) -> float:
    """How much of the padded batch is not text."""
    return 1 - sum(lengths) / (len(lengths) * max(lengths))


def forward(model: nn.Module, batch: Batch) -> Callable[[], Tensor]:
    """A call without gradients; gives the real tokens' vectors, p d."""

    @torch.no_grad()
    def run() -> Tensor:
        return real_tokens(model, batch)

    return run


def train_step(model: nn.Module, batch: Batch) -> Callable[[], Tensor]:
    """Forward and backward of a mean square; gives the loss and the length of the gradient."""

    def run() -> Tensor:
        model.zero_grad(set_to_none=True)
        loss = real_tokens(model, batch).square().mean()
        torch.autograd.backward(loss)
        norms = [p.grad.norm() for p in model.parameters() if p.grad is not None]
        return torch.stack([loss.detach(), torch.stack(norms).norm()])

    return run


def real_tokens(model: nn.Module, batch: Batch) -> Tensor:
    """The last states of all tokens that are not padding, p d."""
    last = model(**batch)
    last = last if isinstance(last, Tensor) else last.last_hidden_state
    return last[batch["attention_mask"].bool()]


def close(ours: Tensor, theirs: Tensor) -> bool:
    """Whether all numbers agree but for rounding."""
    return bool(((ours - theirs).abs() <= TOLERANCE * theirs.abs().clamp(min=1)).all())
