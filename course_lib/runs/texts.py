"""Vocabularies and rows for the runs, always made from training text alone."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from course_lib import data
from course_lib.corruption import Vocabulary
from course_lib.rows import Row
from course_lib.spec import Spec
from course_lib.tokenizers import BERT_FRAME, FastBPE, Tokenizer, WordPiece
from course_lib.variants import BERT_TINY, GPT2

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
REVIEW_TOKENS = 64  # longer reviews are cut
CHINESE_VOCABULARY = 8_000


@cache
def english_words() -> WordPiece:
    """A WordPiece vocabulary of 4,000 for the language reference."""
    return WordPiece.train(english_parts()[0], size=4_000, progress=False)


@cache
def english_bytes() -> FastBPE:
    """A byte-level BPE vocabulary of 1,024 for the language reference."""
    return FastBPE.train(english_parts()[0], 1_024, special=["<|endoftext|>"], progress=False)


def english_parts() -> tuple[list[str], list[str]]:
    """The paragraphs of the language reference in training and held-out text, by their hash."""
    parts: dict[str, list[str]] = {"train": [], "validation": [], "test": []}
    for paragraph in data.english_text().split("\n\n"):
        parts[data.part_of(paragraph)].append(" ".join(paragraph.split()))
    return parts["train"] + parts["test"], parts["validation"]


@cache
def chinese_words() -> FastBPE:
    """A byte-level BPE vocabulary of 8,000 for Chinese: many of its tokens are words.

    BERT's WordPiece sets every Chinese character apart, and a small model then has to learn first
    which characters belong together. BPE has counted that. Learning it takes about a minute.
    """
    return FastBPE.train(
        chinese_texts(), CHINESE_VOCABULARY, SPECIAL, frame=BERT_FRAME, pad_token="[PAD]"
    )


def chinese_texts() -> list[str]:
    """News and the text, without the labels, of the reviews that are for training."""
    return data.chinese_news() + [example.text for example in data.reviews().train]


def chinese_encoder() -> Spec:
    """A small encoder for Chinese: BERT-tiny with another vocabulary."""
    return replace(BERT_TINY, name="chinese-tiny", vocabulary=len(chinese_words()))


def small_gpt() -> Spec:
    """A GPT-2 of four layers for the English vocabulary of bytes."""
    return replace(
        GPT2, name="gpt-small", vocabulary=len(english_bytes()), width=128, layers=4, heads=4,
        feedforward=512,
    )  # fmt: skip


def vocabulary(tokenizer: Tokenizer) -> Vocabulary:
    """What masking single tokens has to know of a tokenizer with BERT's special tokens."""
    pad, unk, cls, sep, mask = (tokenizer.vocabulary[token] for token in SPECIAL)
    return Vocabulary(len(tokenizer), pad, unk, cls, sep, mask)


def windowed(tokenizer: Tokenizer, texts: Iterable[str], tokens: int) -> list[Row]:
    """All text in rows of at most `tokens` ids, `[CLS]` and `[SEP]` among them."""
    start, end = tokenizer.vocabulary["[CLS]"], tokenizer.vocabulary["[SEP]"]
    room = tokens - 2
    return [
        Row([start, *window, end])
        for text in texts
        for window in data.windows(tokenizer.ids(text), room, room)
        if window
    ]


def labelled(examples: Iterable[data.Example]) -> list[Row]:
    """Reviews as rows with their labels."""
    tokenizer = chinese_words()
    return [Row(tokenizer.encode(e.text, max_tokens=REVIEW_TOKENS), e.label) for e in examples]
