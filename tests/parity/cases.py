"""What parity is tried on: a tiny reference model for each variant, and awkward batches.

Each model keeps what sets its variant apart (ε, activation, proportions, kinds of positions) and is
small in everything else. Head width is 12 where DeBERTa needs an exact root: √(3·12) = 6.
"""

import math
from dataclasses import dataclass
from typing import Any

import torch
import transformers
from torch import Tensor, nn

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()

WINDOW = 8
LONGEST = 64
ODD = 13
LENGTHS = (1, WINDOW, WINDOW + 1, ODD, LONGEST)
VOCABULARY = 61
CLASSES = 3
UNMARKED = 4  # ids below may mean padding or a separator


@dataclass(frozen=True)
class Case:
    """One variant of ours and the configuration of the reference's class for it."""

    variant: str
    kind: str  # how the reference's classes begin
    config: dict[str, Any]

    @property
    def heads(self) -> tuple[str | None, ...]:
        """The heads the reference has for it; None is the backbone with its pooler."""
        ours = {"lm"} if self.kind == "GPT2" else {"mlm", "pretraining"}
        known = {None, "qa", "classification"} | ours
        return tuple(
            h for h in SUFFIX if h in known and hasattr(transformers, self.kind + SUFFIX[h])
        )


SUFFIX: dict[str | None, str] = {
    None: "Model",
    "mlm": "ForMaskedLM",
    "lm": "LMHeadModel",
    "pretraining": "ForPreTraining",
    "qa": "ForQuestionAnswering",
    "classification": "ForSequenceClassification",
}


def sizes(width: int, layers: int, heads: int, feedforward: int, **others: Any) -> dict[str, Any]:
    """A configuration under the names most classes of the reference use."""
    return {
        "vocab_size": VOCABULARY,
        "hidden_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "intermediate_size": feedforward,
        "max_position_embeddings": LONGEST,
        "hidden_dropout_prob": 0.1,
        "attention_probs_dropout_prob": 0.1,
    } | others


BASE = (24, 3, 2, 96)
ROBERTA = sizes(
    *BASE,
    max_position_embeddings=LONGEST + 2,
    type_vocab_size=1,
    layer_norm_eps=1e-5,
    pad_token_id=1,
)
CASES = {
    case.variant: case
    for case in (
        Case("bert-base", "Bert", sizes(*BASE)),
        Case("bert-large", "Bert", sizes(32, 5, 4, 128)),
        Case("roberta", "Roberta", ROBERTA),
        Case(
            "albert",
            "Albert",
            sizes(
                *BASE,
                embedding_size=8,
                hidden_act="gelu_new",
                hidden_dropout_prob=0.0,
                attention_probs_dropout_prob=0.0,
                classifier_dropout_prob=0.0,
            ),
        ),
        Case(
            "distilbert",
            "DistilBert",
            {
                "vocab_size": VOCABULARY,
                "dim": 24,
                "n_layers": 3,
                "n_heads": 2,
                "hidden_dim": 96,
                "max_position_embeddings": LONGEST,
                # Theirs drops nothing between attention and residual, but drops before its heads;
                # our block is BERT's and our heads drop nothing. Only training would show it.
                "dropout": 0.0,
                "qa_dropout": 0.0,
            },
        ),
        Case("spanbert", "Bert", sizes(*BASE, vocab_size=VOCABULARY - 2)),
        Case(
            "deberta",
            "Deberta",
            sizes(
                *BASE,
                max_position_embeddings=LONGEST // 2,  # so that the longest batch clips distances
                max_relative_positions=-1,
                relative_attention=True,
                position_biased_input=False,
                pos_att_type=["c2p", "p2c"],
                type_vocab_size=0,
                layer_norm_eps=1e-7,
            ),
        ),
        Case("longformer", "Longformer", ROBERTA | {"attention_window": [WINDOW] * 3}),
        Case("tinybert-4l", "Bert", sizes(52, 4, 2, 200)),  # heads of 26, f/d = 1200/312
        Case("bert-tiny", "Bert", sizes(16, 2, 2, 64)),
        Case(
            "gpt2",
            "GPT2",
            {
                "vocab_size": VOCABULARY,
                "n_embd": 24,
                "n_layer": 3,
                "n_head": 2,
                "n_positions": LONGEST,
                "pad_token_id": 0,
                "bos_token_id": 0,
                "eos_token_id": 0,
            },
        ),
    )
}


def reference(case: Case, head: str | None, seed: int = 0) -> nn.Module:
    """The reference's model with large random weights everywhere, biases and norms included."""
    torch.manual_seed(seed)
    width = case.config.get("hidden_size") or case.config.get("dim") or case.config["n_embd"]
    config = getattr(transformers, f"{case.kind}Config")(
        **case.config,
        initializer_range=0.8 / math.sqrt(width),
        num_labels=CLASSES if head == "classification" else 2,
    )
    config._attn_implementation = "eager"
    model = getattr(transformers, case.kind + SUFFIX[head])(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    return model.eval()


@dataclass(frozen=True)
class Batch:
    """Inputs for both sides, and labels for every head."""

    input_ids: Tensor
    attention_mask: Tensor
    token_type_ids: Tensor | None
    global_attention_mask: Tensor | None
    token_labels: Tensor  # −100 where nothing is to be predicted
    classes: Tensor
    order: Tensor  # next sentence or sentence order
    starts: Tensor
    ends: Tensor

    @property
    def tokens(self) -> int:
        """How long the rows are."""
        return self.input_ids.size(1)


def batch(case: Case, tokens: int, extras: bool, leading: bool = True, seed: int = 0) -> Batch:
    """Four rows: whole, padded on the right, padded on the left, with holes at random.

    With `extras` tokens lie in random segments, and rows have 0, 1, 3 and 2 global tokens, where
    the variant knows such things. Without `leading` every row starts with a real token.
    """
    draw = torch.Generator().manual_seed(seed)
    shape = (4, tokens)
    mask = torch.ones(shape, dtype=torch.long)
    if tokens > 1:
        mask[1, tokens // 2 :] = 0
        mask[2, : tokens // 3 + 1] = 0
        mask[3] = torch.rand(tokens, generator=draw) < 0.6
        mask[3, tokens // 2] = 1
    if not leading:
        mask[:, 0] = 1
    pad = case.config.get("pad_token_id", 0)
    vocabulary = case.config["vocab_size"]
    ids = torch.randint(UNMARKED, vocabulary, shape, generator=draw)
    ids = ids.where(mask == 1, torch.tensor(pad))

    segments = global_mask = None
    if extras and case.kind in ("Bert", "Albert", "Electra"):
        segments = torch.randint(0, 2, shape, generator=draw)
    if case.kind == "Longformer":
        global_mask = torch.zeros_like(mask)  # None would let the reference's heads choose some
        for row, count in enumerate((0, 1, 3, 2) if extras else ()):
            real = mask[row].nonzero()[:, 0]
            chosen = real[torch.randperm(len(real), generator=draw)[:count]]
            global_mask[row, chosen] = 1

    chosen = (torch.rand(shape, generator=draw) < 0.4) & (mask == 1)
    chosen[:, tokens // 2] = mask[:, tokens // 2] == 1
    if case.kind == "GPT2":  # a row before any real token sees nothing: no prediction from there
        chosen[:, 1:] &= mask[:, :-1] == 1
    labels = torch.randint(UNMARKED, vocabulary, shape, generator=draw)
    return Batch(
        ids,
        mask,
        segments,
        global_mask,
        token_labels=labels.where(chosen, torch.tensor(-100)),
        classes=torch.randint(0, CLASSES, (4,), generator=draw),
        order=torch.randint(0, 2, (4,), generator=draw),
        starts=torch.randint(0, tokens, (4,), generator=draw),
        ends=torch.randint(0, tokens, (4,), generator=draw),
    )
