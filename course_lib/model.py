"""Transformer: the one backbone of every model here, and `build`, which makes one by name.

To read BERT, read on in the order data flows: bricks/embeddings.py, bricks/block.py,
bricks/attention.py, bricks/feedforward.py.
"""

import difflib
from dataclasses import replace
from typing import Literal, overload

import torch
from torch import Tensor, nn

from course_lib.bricks.block import Block
from course_lib.bricks.embeddings import RelativePositions
from course_lib.context import Cache, Context
from course_lib.heads import (
    CausalLM,
    Distillation,
    Head,
    MaskedLM,
    Pretraining,
    QuestionAnswering,
    SpanBoundary,
    States,
    WithHead,
)
from course_lib.optim import normal_init_, residual_init_
from course_lib.spec import Spec
from course_lib.tokenizers.grow import grow_embeddings
from course_lib.variants import VARIANTS


class Transformer(nn.Module):
    """Embeddings, then l blocks: ids in, one vector a token out."""

    def __init__(self, spec: Spec, pooler: bool = False) -> None:
        super().__init__()
        self.spec = spec
        self.embeddings = spec.embeddings.build(spec)
        blocks = 1 if spec.share_layers else spec.layers
        self.layers = nn.ModuleList(spec.block(spec) for _ in range(blocks))
        final = spec.block.final_norm
        self.norm = nn.LayerNorm(spec.width, eps=spec.eps) if final else nn.Identity()
        if pooler and spec.pooler is None:
            raise ValueError(f"{spec.name} has no pooler. Build it without, or use a head.")
        self.pooler = spec.pooler(spec) if pooler and spec.pooler else None
        initialise(self)

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        global_attention_mask: Tensor | None = None,
        hidden_states: bool = False,
        cache: Cache | None = None,
    ) -> Tensor | tuple[Tensor, list[Tensor]]:
        """One vector a token, b t d, or with `hidden_states` a pair of it and all l + 1 states.

        `input_ids`, b t. `attention_mask`, b t, is 1 at real tokens; with a cache it is b k, past
        and new. `token_type_ids`, b t, names each token's segment. `global_attention_mask`, b t, is
        1 at Longformer's global tokens. Raises `ValueError` for input the model cannot take.
        """
        states = self.states(
            input_ids, attention_mask, token_type_ids, global_attention_mask, cache=cache
        )
        return (states.last, list(states.hidden)) if hidden_states else states.last

    def states(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        global_attention_mask: Tensor | None = None,
        scores: bool = False,
        cache: Cache | None = None,
    ) -> States:
        """Everything computed on the way; with `scores`, also each layer's masked scores."""
        past = 0 if cache is None else cache.length
        check(self.spec, input_ids, attention_mask, token_type_ids, global_attention_mask, past)
        if attention_mask is None:
            keep = input_ids.new_ones(len(input_ids), past + input_ids.size(1), dtype=torch.bool)
        else:
            keep = attention_mask.bool()  # b k
        context = Context(
            keep=keep,
            is_global=None if global_attention_mask is None else global_attention_mask.bool(),
            relative=self.relative_table(),
            cache=cache,
            scores=[] if scores else None,
        )
        x = self.embeddings(input_ids, token_type_ids, keep)  # b t d
        hidden = [x]
        for layer in range(self.spec.layers):
            context.layer = layer
            block = self.layers[layer % len(self.layers)]
            x = block(x, context)  # b t d
            hidden.append(x)
        hidden[-1] = x = self.norm(x)  # b t d
        return States(x, hidden, context.scores or [], context)

    def relative_table(self) -> Tensor | None:
        """DeBERTa's table of relative positions, r d, which all layers share."""
        position = self.embeddings.position
        if not isinstance(position, RelativePositions):
            return None
        return position.table.weight  # r d

    def pooled(self, hidden: Tensor) -> Tensor:
        """One vector a sequence, b d."""
        assert self.pooler is not None
        return self.pooler(hidden)  # b d


def initialise(model: nn.Module) -> None:
    """BERT's start, `normal_init_`, with the rows of padding at zero.

    In a Pre-LN stack what joins the stream starts 1/√(2l) smaller (Radford et al. 2019, §2.3).
    """
    normal_init_(model)
    for table in model.modules():
        if isinstance(table, nn.Embedding) and table.padding_idx is not None:
            nn.init.zeros_(table.weight.data[table.padding_idx])
    if isinstance(model, Transformer) and model.spec.block.final_norm:
        for block in model.layers:
            assert isinstance(block, Block)
            residual_init_([block.attention.output, block.feedforward.output], model.spec.layers)


def check(
    spec: Spec,
    input_ids: Tensor,
    attention_mask: Tensor | None,
    token_type_ids: Tensor | None,
    global_attention_mask: Tensor | None,
    past: int,
) -> None:
    """Raise `ValueError` for input that would fail deep inside, or worse, would not fail."""
    if input_ids.dim() != 2 or input_ids.is_floating_point() or 0 in input_ids.shape:
        raise ValueError(
            "input_ids must be whole numbers of shape (batch, tokens) with at least one token, got "
            f"{input_ids.dtype} of shape {tuple(input_ids.shape)}. One sentence is a batch of 1: "
            "torch.tensor([ids])."
        )
    batch, tokens = input_ids.shape
    if spec.longest is not None and past + tokens > spec.longest:
        raise ValueError(
            f"{past + tokens} tokens, but {spec.name} has positions for {spec.longest}. Truncate "
            "the text or split it into windows."
        )
    if not input_ids.is_meta:
        within("input_ids", input_ids, spec.vocabulary, f"the vocabulary of {spec.name}")
    for name, mask, shape in (
        ("attention_mask", attention_mask, (batch, past + tokens)),
        ("token_type_ids", token_type_ids, (batch, tokens)),
        ("global_attention_mask", global_attention_mask, (batch, tokens)),
    ):
        if mask is not None and tuple(mask.shape) != shape:
            raise ValueError(
                f"{name} has shape {tuple(mask.shape)}, but input_ids of shape {(batch, tokens)} "
                f"needs {shape}: one number a token."
            )
    if token_type_ids is not None and not input_ids.is_meta:
        segments = max(spec.embeddings.segments, 1)
        within("token_type_ids", token_type_ids, segments, f"the segments of {spec.name}")
    if global_attention_mask is not None and not hasattr(spec.attention, "window"):
        raise ValueError(f"{spec.name} has no global tokens: leave global_attention_mask out.")


def within(name: str, ids: Tensor, size: int, table: str) -> None:
    """Raise `ValueError` unless all ids lie in 0 … size − 1."""
    low, high = int(ids.min()), int(ids.max())
    if low < 0 or high >= size:
        raise ValueError(
            f"{name} holds {low if low < 0 else high}, but {table} are numbered 0 … {size - 1}. "
            "Was the text encoded with another model's tokenizer?"
        )


HEADS: dict[str, type[Head]] = {
    "mlm": MaskedLM,
    "lm": CausalLM,
    "qa": QuestionAnswering,
    "pretraining": Pretraining,
    "distillation": Distillation,
}


def choose(kind: str, name: str, known: list[str]) -> None:
    """Raise `ValueError` unless the name is known, suggesting the nearest one."""
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"No {kind} is called {name!r}.{hint} Known: {', '.join(known)}.")


@overload
def assemble(spec: Spec, head: None = None, pooler: bool = False) -> Transformer: ...


@overload
def assemble(spec: Spec, head: str, pooler: bool = False, classes: int = 2) -> WithHead: ...


@overload
def assemble(
    spec: Spec, head: str | None, pooler: bool = False, classes: int = 2
) -> Transformer | WithHead: ...


def assemble(
    spec: Spec, head: str | None = None, pooler: bool = False, classes: int = 2
) -> Transformer | WithHead:
    """Make the model a Spec describes, with random weights, and a head where one is named.

    Heads: "mlm", "lm", "qa", "classification", "pretraining", "distillation".
    """
    if head is None:
        return Transformer(spec, pooler)
    choose("head", head, [*HEADS, "classification"])
    causal = CausalLM in spec.pretraining
    if head in ("mlm", "lm") and causal != (head == "lm"):
        kind, right = ("causal", "lm") if causal else ("bidirectional", "mlm")
        raise ValueError(
            f"{spec.name} is {kind}: its language-model head is {right!r}, not {head!r}."
        )
    module = (spec.classifier if head == "classification" else HEADS[head])(spec, classes)
    initialise(module)
    return WithHead(Transformer(spec, pooler or module.needs_pooler), module)


@overload
def build(name: str, head: None = None, pooler: bool = False) -> Transformer: ...


@overload
def build(name: str, head: str, pooler: bool = False, classes: int = 2) -> WithHead: ...


def build(
    name: str, head: str | None = None, pooler: bool = False, classes: int = 2
) -> Transformer | WithHead:
    """Make a variant by name, with random weights: `build("roberta", head="mlm")`.

    Raises `ValueError` for an unknown name, listing those there are.
    """
    choose("variant", name, list(VARIANTS))
    return assemble(VARIANTS[name], head, pooler, classes)


def grow_vocabulary(
    model: Transformer | WithHead,
    vocabulary: int,
    init: Literal["mean", "random"] = "mean",
    generator: torch.Generator | None = None,
) -> None:
    """Give a model rows for new tokens, in place: the token table grows, and so do heads' biases.

    Old rows stay as they are; heads share the table, so their logits grow with it. Make the
    optimizer afterwards: it would go on moving the old tensors. Raises `ValueError` where the
    vocabulary would shrink.
    """
    backbone = model if isinstance(model, Transformer) else model.backbone
    grow_embeddings(backbone.embeddings.token, vocabulary, init, generator)
    for module in model.modules():
        if isinstance(module, MaskedLM | SpanBoundary):
            new = module.bias.new_zeros(vocabulary - len(module.bias))
            module.bias = nn.Parameter(torch.cat([module.bias.detach(), new]))
    backbone.spec = replace(backbone.spec, vocabulary=vocabulary)
