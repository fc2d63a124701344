"""Byte pair encoding and WordPiece: cold encoding, and training."""

import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import tiktoken
import tokenizers
from tokenizers import models, pre_tokenizers, trainers

from benchmarks.race import Row, race
from course_lib import data
from course_lib.tokenizers import ByteBPE, FastBPE, WordPiece
from course_lib.tokenizers.bpe import to_bytes

SIZES = (2_000, 10_000)
# Ours says the same with comments between the lines, which other engines do not read.
PATTERN_AS_PUBLISHED = (
    r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
)


def rows(only: list[str], repeats: int) -> Iterator[Row]:
    """Every row of this part of the table, as it is measured."""
    english = data.english_text()
    lines = [review.text for part in data.reviews()[:3] for review in part]
    chinese = cut("\n".join(lines), 5_000_000)
    if wanted(only, "encode"):
        with tempfile.TemporaryDirectory() as folder:
            yield from encoding(Path(folder), english, chinese, repeats)
    if wanted(only, "train"):
        yield from training(english, cut(chinese, 500_000), repeats)
    if wanted(only, "wordpiece"):
        yield from wordpiece(english, repeats)


def wanted(only: list[str], name: str) -> bool:
    return not only or name in only


def cut(text: str, most: int) -> str:
    """The beginning of a text, at most so many bytes in UTF-8."""
    return text.encode()[:most].decode(errors="ignore")


def named(text: str, language: str) -> str:
    return f"{len(text.encode()) / 1_000:,.0f} kB of {language}"


def cold(make: Callable[[], Any], encode: Callable[[Any], Any], repeats: int) -> Callable[[], Any]:
    """A call that meets a tokenizer nobody has used: its cache is empty."""
    fresh = iter([make() for _ in range(repeats + 1)])
    return lambda: encode(next(fresh))


# --- byte pair encoding -----------------------------------------------------------------------


def encoding(folder: Path, english: str, chinese: str, repeats: int) -> Iterator[Row]:
    FastBPE.train([english, cut(chinese, 500_000)], SIZES[-1], progress=False).save(folder)
    file = folder / "tokenizer.json"
    for text, language, targets in (
        (english, "English", (0.60, 4.0)),
        (chinese, "unsegmented Chinese", (3.0, 20.0)),
    ):
        work = f"BPE encode, cold, {named(text, language)}"
        peers = {
            "tokenizers": (
                lambda: tokenizers.Tokenizer.from_file(str(file)),
                lambda tokenizer, text=text: tokenizer.encode(text).ids,
            ),
            "tiktoken": (
                lambda: in_tiktoken(file),
                lambda tokenizer, text=text: tokenizer.encode_ordinary(text),
            ),
        }
        for (peer, (make, encode)), target in zip(peers.items(), targets, strict=True):
            yield race(
                work,
                peer,
                cold(lambda: FastBPE.load(folder), lambda ours, text=text: ours.ids(text), repeats),
                cold(make, encode, repeats),
                lambda a, b: list(a) == list(b),
                target,
                repeats,
            )


def in_tiktoken(file: Path) -> tiktoken.Encoding:
    """The same vocabulary as tiktoken takes it: bytes with their rank."""
    vocabulary = json.loads(file.read_text("utf-8"))["model"]["vocab"]
    ranks = {to_bytes(token): number for token, number in vocabulary.items()}
    return tiktoken.Encoding(
        "ours", pat_str=PATTERN_AS_PUBLISHED, mergeable_ranks=ranks, special_tokens={}
    )


def training(english: str, chinese: str, repeats: int) -> Iterator[Row]:
    texts = [english, chinese]  # the English alone has no 10,000 tokens in it
    for size in SIZES:
        yield race(
            f"BPE training to {size:,}, {named(''.join(texts), 'English and Chinese')}",
            "tokenizers",
            lambda size=size: FastBPE.train(texts, size, progress=False).vocabulary,
            lambda size=size: trained_reference(texts, size),
            lambda a, b: a == b,
            1.5,
            repeats,
        )
    size, few = SIZES[0], english[:60_000]
    yield race(
        f"BPE training to {size:,}, {named(few, 'English')}",
        "our plain version",  # counts all pairs anew after each merge, as is usually shown
        lambda: FastBPE.train(few, size, progress=False).vocabulary,
        lambda: ByteBPE.train(few, size).vocabulary,
        lambda a, b: a == b,
        0.02,
        repeats=1,
    )


def trained_reference(texts: list[str], size: int) -> dict[str, int]:
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer.get_vocab()


# --- WordPiece --------------------------------------------------------------------------------


def wordpiece(english: str, repeats: int) -> Iterator[Row]:
    file = data.weights_folder() / "tokenizer.json"
    yield race(
        f"WordPiece encode, cold, {named(english, 'English')}",
        "tokenizers",
        cold(lambda: WordPiece.load(file.parent), lambda ours: ours.ids(english), repeats),
        cold(lambda: uncut(file), lambda theirs: theirs.encode(english).ids[1:-1], repeats),
        lambda a, b: list(a) == list(b),
        3.0,
        repeats,
    )


def uncut(file: Path) -> tokenizers.Tokenizer:
    """The reference tokenizer, which its file tells to cut texts, without that."""
    tokenizer = tokenizers.Tokenizer.from_file(str(file))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
