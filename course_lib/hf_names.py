"""The reference library's checkpoints as data: for each family its names and configuration keys.

A rule maps our names to the one tensor of theirs that holds them. `hf.py` reads these tables; a new
variant of a known family needs none, a new family needs one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.bricks.activations import GELU, GELUTanh, ReLU
from course_lib.spec import Spec
from course_lib.variants import VARIANTS


@dataclass(frozen=True)
class Layout:
    """How several of our tensors lie in one of theirs: `join` ours into theirs, `split` theirs."""

    join: Callable[[Sequence[Tensor], Spec], Tensor]
    split: Callable[[Tensor, int, Spec], Sequence[Tensor]]


def join_interleaved(ours: Sequence[Tensor], spec: Spec) -> Tensor:
    """DeBERTa's fused projection: head after head, in each first q's rows, then k's, then v's."""
    by_head = [x.unflatten(0, (spec.heads, -1)) for x in ours]  # type: ignore[no-untyped-call]
    return torch.cat(by_head, dim=1).flatten(0, 1)


def split_interleaved(theirs: Tensor, parts: int, spec: Spec) -> Sequence[Tensor]:
    """The inverse of `join_interleaved`."""
    by_head = theirs.unflatten(0, (spec.heads, -1))  # type: ignore[no-untyped-call]
    return [x.flatten(0, 1) for x in by_head.chunk(parts, dim=1)]


SIDE_BY_SIDE = Layout(
    join=lambda ours, spec: torch.cat(list(ours), dim=0),
    split=lambda theirs, parts, spec: theirs.chunk(parts, dim=0),
)
TRANSPOSED = Layout(  # GPT-2 stores a Linear as (in, out), q, k and v side by side
    join=lambda ours, spec: torch.cat([x.t() for x in ours], dim=-1),
    split=lambda theirs, parts, spec: [x.t() for x in theirs.chunk(parts, dim=-1)],
)
INTERLEAVED = Layout(join_interleaved, split_interleaved)


@dataclass(frozen=True)
class Rule:
    """Our module or parameter names, and the one of theirs that holds them; {} is the layer."""

    ours: tuple[str, ...]
    theirs: str
    layout: Layout = SIDE_BY_SIDE


def rules(prefixes: tuple[str, str], names: dict[str, str]) -> list[Rule]:
    """Plain rules from a table of names under a common prefix on each side."""
    ours, theirs = prefixes
    return [Rule((ours + a,), theirs + b) for a, b in names.items()]


BERT_LAYER = {
    "attention.query": "attention.self.query",
    "attention.key": "attention.self.key",
    "attention.value": "attention.self.value",
    "attention.output": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "feedforward.input": "intermediate.dense",
    "feedforward.output": "output.dense",
    "feedforward_norm": "output.LayerNorm",
}
BERT_EMBEDDINGS = {
    "token": "word_embeddings",
    "position": "position_embeddings",
    "segment": "token_type_embeddings",
    "norm": "LayerNorm",
}


def bert_names(prefix: str) -> list[Rule]:
    """The names of BERT, which RoBERTa and Longformer share under prefixes of their own."""
    return [
        *rules(("embeddings.", f"{prefix}.embeddings."), BERT_EMBEDDINGS),
        *rules(("layers.{}.", f"{prefix}.encoder.layer.{{}}."), BERT_LAYER),
        *rules(("pooler.", f"{prefix}.pooler."), {"dense": "dense"}),
    ]


BERT_MLM = {
    "transform": "cls.predictions.transform.dense",
    "norm": "cls.predictions.transform.LayerNorm",
    "bias": "cls.predictions.bias",
}
ROBERTA_MLM = {"transform": "lm_head.dense", "norm": "lm_head.layer_norm", "bias": "lm_head.bias"}
ALBERT_MLM = {
    "transform": "predictions.dense",
    "norm": "predictions.LayerNorm",
    "bias": "predictions.bias",
}
DISTILBERT_MLM = {
    "transform": "vocab_transform",
    "norm": "vocab_layer_norm",
    "bias": "vocab_projector.bias",
}
SBO = {
    "position": "sbo.position_embeddings",
    "first": "sbo.layer1.dense",
    "first_norm": "sbo.layer1.LayerNorm",
    "second": "sbo.layer2.dense",
    "second_norm": "sbo.layer2.LayerNorm",
    "bias": "sbo.bias",
}
QA = {"classifier": "qa_outputs"}

ACTIVATIONS: dict[str, type[nn.Module]] = {"gelu": GELU, "gelu_new": GELUTanh, "relu": ReLU}

BERT_CONFIG = {
    "vocabulary": "vocab_size",
    "width": "hidden_size",
    "layers": "num_hidden_layers",
    "heads": "num_attention_heads",
    "feedforward": "intermediate_size",
    "activation": "hidden_act",
    "eps": "layer_norm_eps",
    "dropout": "hidden_dropout_prob",
    "attention_dropout": "attention_probs_dropout_prob",
    "pad": "pad_token_id",
    "embeddings.segments": "type_vocab_size",
    "embeddings.positions.rows": "max_position_embeddings",
}
BERT_FIXED = {"position_embedding_type": "absolute", "is_decoder": False}


@dataclass(frozen=True)
class Family:
    """One model type of the reference: its Spec, its configuration keys, its tensor names.

    `fixed` holds configuration our Spec has no slot for: another value is refused. `heads` maps a
    head to (the reference class, its table); `tied` maps a tensor to the one it repeats. A table
    gives names as a checkpoint with a head has them; one of the bare backbone lacks the prefix.
    """

    spec: Spec
    prefix: str
    config: dict[str, str]
    names: list[Rule]
    heads: dict[str, tuple[str, dict[str, str]]]
    backbone: str
    tied: dict[str, str] = field(default_factory=dict)
    fixed: dict[str, Any] = field(default_factory=dict)
    buffers: tuple[str, ...] = ()
    variants: dict[str, Spec] = field(default_factory=dict)  # a tensor only this variant has
    renames: dict[str, str] = field(default_factory=dict)  # names of older checkpoints


def tied_decoder(prefix: str, head: str) -> dict[str, str]:
    """The language-model decoder repeats the token table, and its bias stands in two places."""
    return {
        f"{head}.decoder.weight": f"{prefix}.embeddings.word_embeddings.weight",
        f"{head}.decoder.bias": f"{head}.bias",
    }


FAMILIES = {
    "bert": Family(
        spec=VARIANTS["bert-base"],
        prefix="bert",
        backbone="BertModel",
        config=BERT_CONFIG,
        fixed=BERT_FIXED,
        names=bert_names("bert"),
        heads={
            "mlm": ("BertForMaskedLM", BERT_MLM),
            "pretraining": (
                "BertForPreTraining",
                {f"objectives.mlm.{a}": b for a, b in BERT_MLM.items()}
                | {"objectives.nsp.classifier": "cls.seq_relationship"}
                | {f"objectives.sbo.{a}": b for a, b in SBO.items()},
            ),
            "qa": ("BertForQuestionAnswering", QA),
            "classification": ("BertForSequenceClassification", {"classifier": "classifier"}),
            "distillation": ("BertModel", {"fit_dense.{}": "fit_denses.{}"}),
        },
        buffers=("bert.embeddings.position_ids",),
        variants={
            "fit_denses.0.weight": VARIANTS["tinybert-4l"],
            "sbo.bias": VARIANTS["spanbert"],
        },
        tied=tied_decoder("bert", "cls.predictions"),
    ),
    "roberta": Family(
        spec=VARIANTS["roberta"],
        prefix="roberta",
        backbone="RobertaModel",
        config=BERT_CONFIG,
        fixed=BERT_FIXED,
        names=bert_names("roberta"),
        heads={
            "mlm": ("RobertaForMaskedLM", ROBERTA_MLM),
            "pretraining": (
                "RobertaForMaskedLM",
                {f"objectives.mlm.{a}": b for a, b in ROBERTA_MLM.items()},
            ),
            "qa": ("RobertaForQuestionAnswering", QA),
            "classification": (
                "RobertaForSequenceClassification",
                {"dense": "classifier.dense", "classifier": "classifier.out_proj"},
            ),
        },
        buffers=("roberta.embeddings.position_ids",),
        tied=tied_decoder("roberta", "lm_head"),
    ),
    "albert": Family(
        spec=VARIANTS["albert"],
        prefix="albert",
        backbone="AlbertModel",
        config=BERT_CONFIG | {"embeddings.narrow": "embedding_size"},
        fixed={"num_hidden_groups": 1, "inner_group_num": 1, "position_embedding_type": "absolute"},
        names=[
            *rules(("embeddings.", "albert.embeddings."), BERT_EMBEDDINGS),
            *rules(
                ("", "albert."),
                {
                    "embeddings.projection": "encoder.embedding_hidden_mapping_in",
                    "pooler.dense": "pooler",
                },
            ),
            *rules(
                ("layers.{}.", "albert.encoder.albert_layer_groups.{}.albert_layers.0."),
                {
                    "attention.query": "attention.query",
                    "attention.key": "attention.key",
                    "attention.value": "attention.value",
                    "attention.output": "attention.dense",
                    "attention_norm": "attention.LayerNorm",
                    "feedforward.input": "ffn",
                    "feedforward.output": "ffn_output",
                    "feedforward_norm": "full_layer_layer_norm",
                },
            ),
        ],
        heads={
            "mlm": ("AlbertForMaskedLM", ALBERT_MLM),
            "pretraining": (
                "AlbertForPreTraining",
                {f"objectives.mlm.{a}": b for a, b in ALBERT_MLM.items()}
                | {"objectives.sop.classifier": "sop_classifier.classifier"},
            ),
            "qa": ("AlbertForQuestionAnswering", QA),
            "classification": ("AlbertForSequenceClassification", {"classifier": "classifier"}),
        },
        buffers=("albert.embeddings.position_ids",),
        tied=tied_decoder("albert", "predictions"),
    ),
    "distilbert": Family(
        spec=VARIANTS["distilbert"],
        prefix="distilbert",
        backbone="DistilBertModel",
        config={
            "vocabulary": "vocab_size",
            "width": "dim",
            "layers": "n_layers",
            "heads": "n_heads",
            "feedforward": "hidden_dim",
            "activation": "activation",
            "dropout": "dropout",
            "attention_dropout": "attention_dropout",
            "pad": "pad_token_id",
            "embeddings.positions.rows": "max_position_embeddings",
        },
        fixed={"sinusoidal_pos_embds": False},
        names=[
            *rules(("embeddings.", "distilbert.embeddings."), BERT_EMBEDDINGS),
            *rules(
                ("layers.{}.", "distilbert.transformer.layer.{}."),
                {
                    "attention.query": "attention.q_lin",
                    "attention.key": "attention.k_lin",
                    "attention.value": "attention.v_lin",
                    "attention.output": "attention.out_lin",
                    "attention_norm": "sa_layer_norm",
                    "feedforward.input": "ffn.lin1",
                    "feedforward.output": "ffn.lin2",
                    "feedforward_norm": "output_layer_norm",
                },
            ),
        ],
        heads={
            "mlm": ("DistilBertForMaskedLM", DISTILBERT_MLM),
            "pretraining": (
                "DistilBertForMaskedLM",
                {f"objectives.mlm.{a}": b for a, b in DISTILBERT_MLM.items()},
            ),
            "qa": ("DistilBertForQuestionAnswering", QA),
            "classification": (
                "DistilBertForSequenceClassification",
                {"dense": "pre_classifier", "classifier": "classifier"},
            ),
        },
        buffers=("distilbert.embeddings.position_ids",),
        tied={"vocab_projector.weight": "distilbert.embeddings.word_embeddings.weight"},
    ),
    "deberta": Family(
        spec=VARIANTS["deberta"],
        prefix="deberta",
        backbone="DebertaModel",
        config={
            ours: theirs
            for ours, theirs in BERT_CONFIG.items()
            if not ours.startswith("embeddings.")
        }
        | {"embeddings.positions.distance": "max_relative_positions"},
        fixed={
            "relative_attention": True,
            "position_biased_input": False,
            "pos_att_type": ["c2p", "p2c"],
            "type_vocab_size": 0,
            "talking_head": False,
            "pooler_hidden_act": "gelu",
            "pooler_dropout": 0,
            "legacy": True,
        },
        names=[
            *rules(
                ("embeddings.", "deberta."),
                {
                    "token": "embeddings.word_embeddings",
                    "norm": "embeddings.LayerNorm",
                    "position.table": "encoder.rel_embeddings",
                },
            ),
            Rule(("pooler.dense",), "pooler.dense"),  # theirs stands outside the backbone
            *rules(
                ("layers.{}.", "deberta.encoder.layer.{}."),
                {a: b for a, b in BERT_LAYER.items() if b.split(".")[1] != "self"}
                | {
                    "attention.query.bias": "attention.self.q_bias",
                    "attention.value.bias": "attention.self.v_bias",
                    "attention.position_key": "attention.self.pos_proj",
                    "attention.position_query": "attention.self.pos_q_proj",
                },
            ),
            Rule(
                tuple(f"layers.{{}}.attention.{x}.weight" for x in ("query", "key", "value")),
                "deberta.encoder.layer.{}.attention.self.in_proj.weight",
                INTERLEAVED,
            ),
        ],
        heads={
            "mlm": ("DebertaForMaskedLM", BERT_MLM),
            "pretraining": (
                "DebertaForMaskedLM",
                {f"objectives.mlm.{a}": b for a, b in BERT_MLM.items()}
                | {"objectives.mlm.position": "deberta.embeddings.position_embeddings"},
            ),
            "qa": ("DebertaForQuestionAnswering", QA),
            "classification": ("DebertaForSequenceClassification", {"classifier": "classifier"}),
        },
        buffers=("deberta.embeddings.position_ids",),
        renames={
            "lm_predictions.lm_head.bias": "cls.predictions.bias",
            "lm_predictions.lm_head.": "cls.predictions.transform.",
        },
        tied=tied_decoder("deberta", "cls.predictions"),
    ),
    "longformer": Family(
        spec=VARIANTS["longformer"],
        prefix="longformer",
        backbone="LongformerModel",
        config=BERT_CONFIG
        | {"attention.window": "attention_window", "attention.separator": "sep_token_id"},
        fixed=BERT_FIXED,
        names=[
            *bert_names("longformer"),
            *rules(
                ("layers.{}.attention.", "longformer.encoder.layer.{}.attention.self."),
                {x: x for x in ("query_global", "key_global", "value_global")},
            ),
        ],
        heads={
            "mlm": ("LongformerForMaskedLM", ROBERTA_MLM),
            "pretraining": (
                "LongformerForMaskedLM",
                {f"objectives.mlm.{a}": b for a, b in ROBERTA_MLM.items()},
            ),
            "qa": ("LongformerForQuestionAnswering", QA),
            "classification": (
                "LongformerForSequenceClassification",
                {"dense": "classifier.dense", "classifier": "classifier.out_proj"},
            ),
        },
        buffers=("longformer.embeddings.position_ids",),
        tied=tied_decoder("longformer", "lm_head"),
    ),
    "gpt2": Family(
        spec=VARIANTS["gpt2"],
        prefix="transformer",
        backbone="GPT2Model",
        config={
            "vocabulary": "vocab_size",
            "width": "n_embd",
            "layers": "n_layer",
            "heads": "n_head",
            "feedforward": "n_inner",
            "activation": "activation_function",
            "eps": "layer_norm_epsilon",
            "dropout": "resid_pdrop",
            "attention_dropout": "attn_pdrop",
            "embeddings.positions.rows": "n_positions",
        },
        fixed={
            "scale_attn_weights": True,
            "scale_attn_by_inverse_layer_idx": False,
            "add_cross_attention": False,
        },
        names=[
            *rules(
                ("", "transformer."),
                {"embeddings.token": "wte", "embeddings.position": "wpe", "norm": "ln_f"},
            ),
            *rules(
                ("layers.{}.", "transformer.h.{}."),
                {"attention_norm": "ln_1", "feedforward_norm": "ln_2"},
            ),
            Rule(
                tuple(f"layers.{{}}.attention.{x}" for x in ("query", "key", "value")),
                "transformer.h.{}.attn.c_attn",
                TRANSPOSED,
            ),
            Rule(("layers.{}.attention.output",), "transformer.h.{}.attn.c_proj", TRANSPOSED),
            Rule(("layers.{}.feedforward.input",), "transformer.h.{}.mlp.c_fc", TRANSPOSED),
            Rule(("layers.{}.feedforward.output",), "transformer.h.{}.mlp.c_proj", TRANSPOSED),
        ],
        heads={
            "lm": ("GPT2LMHeadModel", {}),
            "pretraining": ("GPT2LMHeadModel", {}),
            "qa": ("GPT2ForQuestionAnswering", QA),
            "classification": ("GPT2ForSequenceClassification", {"classifier": "score"}),
        },
        tied={"lm_head.weight": "transformer.wte.weight"},
        buffers=("transformer.h.{}.attn.bias", "transformer.h.{}.attn.masked_bias"),
    ),
}
"""The reference's model type → how to read and write it; SpanBERT and TinyBERT are of type bert."""


FAMILY_OF = {name: name for name in FAMILIES} | dict.fromkeys(
    ("bert-base", "bert-large", "bert-tiny", "spanbert", "tinybert-4l"), "bert"
)
"""Variant → model type of the reference."""
