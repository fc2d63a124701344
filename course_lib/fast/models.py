"""`faster`: a model's twin that shares its parameters and takes the fast path."""

import copy
from typing import TypeVar, overload

import torch
from torch import Tensor, nn

from course_lib.bricks.activations import GELU, GELUTanh, ReLU
from course_lib.bricks.attention import MultiHeadAttention
from course_lib.bricks.block import Block
from course_lib.bricks.disentangled import DisentangledAttention
from course_lib.bricks.longformer import SlidingWindowAttention
from course_lib.context import Cache, Context
from course_lib.fast.attention import FastAttention, FastDisentangled, FastSlidingWindow
from course_lib.fast.packing import PackedContext, Packing, Unpacked
from course_lib.heads import States, WithHead
from course_lib.model import Transformer, check

FAST: dict[type[nn.Module], type[nn.Module]] = {
    MultiHeadAttention: FastAttention,
    DisentangledAttention: FastDisentangled,
    SlidingWindowAttention: FastSlidingWindow,
}
FUSED: dict[type[nn.Module], nn.Module] = {
    GELU: nn.GELU(),
    GELUTanh: nn.GELU(approximate="tanh"),
    ReLU: nn.ReLU(),
}

Module = TypeVar("Module", bound=nn.Module)


class FastTransformer(Transformer):
    """A `Transformer` over packed tokens. Padding's outputs are zero.

    A pass that asks for scores or brings a cache, and a mask with holes, go the readable way.
    """

    def states(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        global_attention_mask: Tensor | None = None,
        scores: bool = False,
        cache: Cache | None = None,
    ) -> States:
        """Everything computed on the way."""
        if attention_mask is None:
            attention_mask = torch.ones_like(input_ids)
        packing = None
        if not scores and cache is None and attention_mask.shape == input_ids.shape:
            packing = Packing.of(attention_mask.bool())
        if packing is None:
            return super().states(
                input_ids, attention_mask, token_type_ids, global_attention_mask, scores, cache
            )
        check(self.spec, input_ids, attention_mask, token_type_ids, global_attention_mask, past=0)
        marked = None if global_attention_mask is None else global_attention_mask.bool()
        embedded = self.embeddings(input_ids, token_type_ids, packing.keep)  # b t d
        x = packing.pack(embedded)  # 1 p d
        context = PackedContext(
            keep=x.new_ones(x.shape[:2], dtype=torch.bool),
            is_global=None if marked is None else packing.pack(marked),
            relative=self.relative_table(),
            packing=packing,
        )
        hidden = [x]
        for layer in range(self.spec.layers):
            context.layer = layer
            x = self.layers[layer % len(self.layers)](x, context)  # 1 p d
            hidden.append(x)
        hidden[-1] = self.norm(x)  # 1 p d
        outside = Context(packing.keep, marked, context.relative, layer=context.layer)
        unpacked = Unpacked(hidden, packing)
        return States(unpacked[-1], unpacked, [], outside)


@overload
def faster(model: Transformer) -> FastTransformer: ...


@overload
def faster(model: WithHead) -> WithHead: ...


def faster(model: Transformer | WithHead) -> FastTransformer | WithHead:
    """A twin on the fast path: called alike, with the very same parameters.

    Training one trains the other, and `eval()` of one is that of both. Raises `ValueError` for an
    attention that has no fast path.
    """
    if isinstance(model, WithHead):
        return twin(model, WithHead, backbone=faster(model.backbone))
    layers = nn.ModuleList(fast_block(block) for block in model.layers)
    return twin(model, FastTransformer, layers=layers)


def fast_block(block: nn.Module) -> nn.Module:
    """A block whose attention and activation are the fast ones."""
    assert isinstance(block, Block)
    attention, inner = block.attention, block.feedforward
    activation = FUSED.get(type(inner.activation), inner.activation)
    kind = FAST.get(type(attention), type(attention))
    if kind not in FAST.values():
        raise ValueError(f"{kind.__name__} has no fast path: use the model as it is.")
    return twin(
        block,
        type(block),
        attention=twin(attention, kind),
        feedforward=twin(inner, type(inner), activation=activation),
    )


def twin(module: nn.Module, kind: type[Module], **parts: nn.Module) -> Module:
    """A module of another kind that shares all its parts with this one, but for those named."""
    other = copy.copy(module)
    other.__class__ = kind
    other._modules = {**module._modules, **parts}
    assert isinstance(other, kind)
    return other
