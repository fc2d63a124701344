"""Tokenizers, from the smallest one that works to the fast one.

Chapter: text to ids. Read ``bpe`` for how a vocabulary is learned from text, ``wordpiece`` for
BERT's own tokenizer, ``base`` for batches, pairs and added words.
"""

from course_lib.tokenizers.base import BERT_FRAME, NO_FRAME, ROBERTA_FRAME, Frame, Tokenizer
from course_lib.tokenizers.batch import buckets, pad, truncate
from course_lib.tokenizers.bpe import ByteBPE, CharacterBPE
from course_lib.tokenizers.fast_bpe import FastBPE
from course_lib.tokenizers.grow import grow_embeddings
from course_lib.tokenizers.wordpiece import WordPiece

__all__ = [
    "BERT_FRAME",
    "NO_FRAME",
    "ROBERTA_FRAME",
    "ByteBPE",
    "CharacterBPE",
    "FastBPE",
    "Frame",
    "Tokenizer",
    "WordPiece",
    "buckets",
    "grow_embeddings",
    "pad",
    "truncate",
]
