"""The ten variants of BERT and GPT-2, each only what it changes. Published sizes, exact."""

from dataclasses import replace

from course_lib.bricks.activations import GELUTanh
from course_lib.bricks.attention import SelfAttention
from course_lib.bricks.block import PreNorm
from course_lib.bricks.disentangled import Disentangled
from course_lib.bricks.embeddings import (
    AfterPadding,
    Counted,
    Factorized,
    Relative,
    SilentPadding,
    Summed,
    Unnormalised,
)
from course_lib.bricks.longformer import SlidingWindow
from course_lib.bricks.patterns import Causal
from course_lib.heads import (
    CausalLM,
    ContextPooler,
    EnhancedMaskDecoder,
    FirstTokenClassifier,
    LastTokenClassifier,
    MaskedLM,
    ReLUClassifier,
    ReLUPooledClassifier,
    SentenceOrder,
    SpanBoundary,
)
from course_lib.spec import Spec

# Devlin et al. 2019, uncased English
BERT_BASE = Spec()

BERT_LARGE = replace(
    BERT_BASE, name="bert-large", width=1_024, layers=24, heads=16, feedforward=4_096
)

# Liu et al. 2019: no segments, no next-sentence prediction; positions start after the padding id
ROBERTA = replace(
    BERT_BASE,
    name="roberta",
    vocabulary=50_265,
    embeddings=Summed(AfterPadding(514), segments=1),
    eps=1e-5,
    pad=1,
    pretraining=(MaskedLM,),
    classifier=FirstTokenClassifier,
)

# Lan et al. 2020, version 2: narrow embeddings, one block for all layers, sentence order
ALBERT = replace(
    BERT_BASE,
    name="albert",
    vocabulary=30_000,
    embeddings=Factorized(narrow=128),
    activation=GELUTanh,
    share_layers=True,
    dropout=0.0,
    attention_dropout=0.0,
    pretraining=(MaskedLM, SentenceOrder),
)

# Sanh et al. 2019: half the layers, no segments, no pooler
DISTILBERT = replace(
    BERT_BASE,
    name="distilbert",
    layers=6,
    embeddings=Summed(segments=0),
    pooler=None,
    pretraining=(MaskedLM,),
    classifier=ReLUClassifier,
)

# Joshi et al. 2020, cased: spans, predicted also from their boundaries
SPANBERT = replace(
    BERT_BASE, name="spanbert", vocabulary=28_996, pretraining=(MaskedLM, SpanBoundary)
)

# He et al. 2021, version 1: content and relative position score a pair separately
DEBERTA = replace(
    BERT_BASE,
    name="deberta",
    vocabulary=50_265,
    embeddings=SilentPadding(Relative(512)),
    attention=Disentangled(),
    eps=1e-7,
    pooler=ContextPooler,
    pretraining=(EnhancedMaskDecoder,),
)

# Beltagy et al. 2020: RoBERTa with a sliding window and global tokens
LONGFORMER = replace(
    ROBERTA,
    name="longformer",
    embeddings=Summed(AfterPadding(4_098), segments=1),
    attention=SlidingWindow(512),
)

# Jiao et al. 2020: four thin layers, distilled
TINYBERT_4L = replace(
    BERT_BASE,
    name="tinybert-4l",
    width=312,
    layers=4,
    feedforward=1_200,
    classifier=ReLUPooledClassifier,
)

# Turc et al. 2019: BERT's recipe at its smallest
BERT_TINY = replace(BERT_BASE, name="bert-tiny", width=128, layers=2, heads=2, feedforward=512)

# Radford et al. 2019: norms first and one at the end, only the past in sight
GPT2 = replace(
    BERT_BASE,
    name="gpt2",
    vocabulary=50_257,
    embeddings=Unnormalised(Counted(1_024), segments=0),
    attention=SelfAttention(Causal()),
    block=PreNorm,
    activation=GELUTanh,
    eps=1e-5,
    pad=None,
    pooler=None,
    pretraining=(CausalLM,),
    classifier=LastTokenClassifier,
)

VARIANTS = {
    spec.name: spec
    for spec in (
        BERT_BASE,
        BERT_LARGE,
        ROBERTA,
        ALBERT,
        DISTILBERT,
        SPANBERT,
        DEBERTA,
        LONGFORMER,
        TINYBERT_4L,
        BERT_TINY,
        GPT2,
    )
}
