"""What every tokenizer shares: special tokens, pairs, batches and added words.

A subclass says how plain text becomes ids and back; splitting itself is in ``wordpiece`` and
``bpe``.
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor

from course_lib.tokenizers.batch import Side, Truncation, buckets, pad, truncate

Json = dict[str, Any]
Span = tuple[int, int, int]  # id, first character, one past the last character
Row = tuple[list[int], list[int]]  # ids and segment numbers of one text or pair


@dataclass(frozen=True)
class Frame:
    """The special tokens set around a text, or around and between two."""

    start: tuple[str, ...] = ()
    between: tuple[str, ...] = ()
    end: tuple[str, ...] = ()
    second_type: int = 0  # the segment number of everything after ``between``


BERT_FRAME = Frame(("[CLS]",), ("[SEP]",), ("[SEP]",), second_type=1)
ROBERTA_FRAME = Frame(("<s>",), ("</s>", "</s>"), ("</s>",))
NO_FRAME = Frame()


class Tokenizer(ABC):
    """Text to ids and back; called on texts it returns a batch ready for ``model(**batch)``.

    Special tokens are found in the text as they are written, before anything else is done to it.
    """

    def __init__(
        self,
        vocabulary: dict[str, int],
        special: Iterable[str] = (),
        frame: Frame = NO_FRAME,
        pad_token: str | None = None,
    ):
        self.vocabulary = dict(vocabulary)
        self.names = {i: token for token, i in vocabulary.items()}
        if len(self.names) < len(vocabulary):
            raise ValueError("two tokens of the vocabulary have the same id")
        self.special = list(special)
        self.frame = frame
        self.pad_token = pad_token
        for token in (*self.special, *frame.start, *frame.between, *frame.end):
            if token not in vocabulary:
                raise ValueError(f"the special token {token!r} is not in the vocabulary")
        self.added: dict[str, int] = {}  # what add_tokens added, special or not
        self._special_pattern = alternatives(self.special)

    def __len__(self) -> int:
        """How many rows a model's embedding needs."""
        return max(self.names, default=-1) + 1

    @abstractmethod
    def _plain_ids(self, text: str) -> list[int]:
        """Ids of a text that holds no special token."""

    @abstractmethod
    def _plain_spans(self, text: str) -> list[Span]:
        """The same ids, each with the characters it was made from."""

    @abstractmethod
    def _join(self, tokens: list[str]) -> str:
        """The text that tokens spell."""

    def ids(self, text: str) -> list[int]:
        """Ids of one text with nothing set around it."""
        if self._special_pattern is None:
            return self._plain_ids(text)
        ids: list[int] = []
        for i, part in enumerate(self._special_pattern.split(text)):
            ids += [self.vocabulary[part]] if i % 2 else self._plain_ids(part)
        return ids

    def tokens(self, text: str) -> list[str]:
        """The tokens of one text, spelled as in the vocabulary."""
        return [self.names[i] for i in self.ids(text)]

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """For each of ``tokens(text)`` the slice of ``text`` it was made from."""
        parts = self._special_pattern.split(text) if self._special_pattern else [text]
        spans: list[tuple[int, int]] = []
        at = 0
        for i, part in enumerate(parts):
            if i % 2:
                spans.append((at, at + len(part)))
            else:
                spans += [(at + start, at + end) for _, start, end in self._plain_spans(part)]
            at += len(part)
        return spans

    def encode(
        self,
        text: str,
        pair: str | None = None,
        max_tokens: int | None = None,
        truncation: Truncation = "longest_first",
    ) -> list[int]:
        """Ids of a text, or of two, in the model's frame and cut to ``max_tokens`` with it."""
        return self._framed(text, pair, max_tokens, truncation)[0]

    def decode(self, ids: Iterable[int], skip_special: bool = True) -> str:
        """The text that ids spell; ValueError on an id that the vocabulary does not have."""
        tokens = []
        for i in map(int, ids):
            if i not in self.names:
                raise ValueError(f"id {i} is not in the vocabulary of {len(self)} tokens")
            tokens.append(self.names[i])
        if skip_special:
            tokens = [token for token in tokens if token not in self.special]
        return self._join(tokens)

    def __call__(
        self,
        texts: str | Sequence[str],
        pairs: str | Sequence[str] | None = None,
        *,
        max_tokens: int | None = None,
        truncation: Truncation = "longest_first",
        pad_to: int | Literal["longest"] = "longest",
        pad_side: Side = "right",
    ) -> dict[str, Tensor]:
        """``input_ids``, ``attention_mask`` and ``token_type_ids``, each b t, of texts or pairs.

        One string is a batch of one. Raises ValueError on an empty batch, on unequal numbers of
        texts and pairs, and when there is something to pad but no padding token.
        """
        rows = self._rows(texts, pairs, max_tokens, truncation)
        return self._collate(rows, pad_to, pad_side)

    def batches(
        self,
        texts: Sequence[str],
        pairs: Sequence[str] | None = None,
        *,
        size: int,
        max_tokens: int | None = None,
        truncation: Truncation = "longest_first",
        pad_side: Side = "right",
        generator: torch.Generator | None = None,
    ) -> Iterator[tuple[list[int], dict[str, Tensor]]]:
        """Batches of texts of like length, each with the places its texts have in ``texts``.

        Little is padded this way. A generator shuffles (see ``buckets``).
        """
        rows = self._rows(texts, pairs, max_tokens, truncation)
        for places in buckets([len(ids) for ids, _ in rows], size, generator):
            yield places, self._collate([rows[i] for i in places], "longest", pad_side)

    def add_tokens(self, words: Iterable[str], special: bool = False) -> list[int]:
        """Make each word one token from now on and return their ids, old or new.

        Added words are found anywhere in a text, the longest first, before it is split. Special
        ones are found exactly as written and left out when decoding. A model needs as many new
        rows: see ``grow_embeddings``.
        """
        words = list(words)
        for word in words:
            self._check_word(word)
        for word in words:
            if word not in self.vocabulary:
                new = len(self)
                self.vocabulary[word] = self.added[word] = new
                self.names[new] = word
            if special and word not in self.special:
                self.special.append(word)
        self._special_pattern = alternatives(self.special)
        self._added_changed()
        return [self.vocabulary[word] for word in words]

    def _add_saved(self, tokens: Iterable[Json]) -> None:
        """Add again the words that ``tokenizer.json`` lists beside its vocabulary."""
        for token in sorted(tokens, key=lambda token: int(token["id"])):
            word, expected = token["content"], token["id"]
            if word not in self.vocabulary or token["special"]:
                got = self.add_tokens([word], special=token["special"])
                if got != [expected]:
                    raise ValueError(f"the added token {word!r} has id {expected}, not {got[0]}")

    def _check_word(self, word: str) -> None:
        if not word:
            raise ValueError("an added word needs at least one character")

    @abstractmethod
    def _added_changed(self) -> None:
        """Take notice of ``self.added``."""

    def _rows(
        self,
        texts: str | Sequence[str],
        pairs: str | Sequence[str] | None,
        max_tokens: int | None,
        truncation: Truncation,
    ) -> list[Row]:
        texts = [texts] if isinstance(texts, str) else texts
        pairs = [pairs] if isinstance(pairs, str) else pairs
        if not texts:
            raise ValueError("there is no text: give at least one")
        seconds: Sequence[str | None] = [None] * len(texts) if pairs is None else pairs
        if len(seconds) != len(texts):
            raise ValueError(
                f"{len(texts)} texts but {len(seconds)} pairs: each text needs its own"
            )
        return [
            self._framed(first, second, max_tokens, truncation)
            for first, second in zip(texts, seconds, strict=True)
        ]

    def _framed(
        self, text: str, pair: str | None, max_tokens: int | None, truncation: Truncation
    ) -> Row:
        frame = self.frame
        first, second = self.ids(text), None if pair is None else self.ids(pair)
        start, end = self._frame_ids(frame.start), self._frame_ids(frame.end)
        between = [] if pair is None else self._frame_ids(frame.between)
        if max_tokens is not None:
            room = max_tokens - len(start) - len(between) - len(end)
            if room < 0:
                raise ValueError(
                    f"max_tokens={max_tokens} leaves no room for the {max_tokens - room} special "
                    "tokens around the text"
                )
            first, second = truncate(first, second, room, truncation)
        if second is None:
            ids = start + first + end
            return ids, [0] * len(ids)
        head, tail = start + first + between, second + end
        return head + tail, [0] * len(head) + [frame.second_type] * len(tail)

    def _frame_ids(self, tokens: tuple[str, ...]) -> list[int]:
        return [self.vocabulary[token] for token in tokens]

    def _collate(
        self, rows: list[Row], pad_to: int | Literal["longest"], side: Side
    ) -> dict[str, Tensor]:
        length = None if pad_to == "longest" else pad_to
        lengths = {len(ids) for ids, _ in rows}
        if self.pad_token is None and lengths != {length or max(lengths)}:
            raise ValueError(
                "these texts need padding, but the tokenizer has no padding token: set its "
                "pad_token, for GPT-2 as a rule to '<|endoftext|>'"
            )
        fill = 0 if self.pad_token is None else self.vocabulary[self.pad_token]
        return {
            "input_ids": pad([ids for ids, _ in rows], fill, length, side),
            "attention_mask": pad([[1] * len(ids) for ids, _ in rows], 0, length, side),
            "token_type_ids": pad([types for _, types in rows], 0, length, side),
        }


def alternatives(words: Iterable[str]) -> re.Pattern[str] | None:
    """A pattern whose ``split`` returns text and words in turn; of two words the longer wins."""
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return (
        re.compile("(" + "|".join(map(re.escape, longest_first)) + ")") if longest_first else None
    )


def write_json(
    folder: Path,
    tokenizer: Tokenizer,
    model: Json,
    normalizer: Json | None,
    splitter: Json,
    decoder: Json,
) -> None:
    """Write ``tokenizer.json`` in the form of the reference library (``tokenizers``)."""
    frame = tokenizer.frame

    def special(tokens: tuple[str, ...], kind: int) -> list[Json]:
        return [{"SpecialToken": {"id": token, "type_id": kind}} for token in tokens]

    def text(name: str, kind: int) -> list[Json]:
        return [{"Sequence": {"id": name, "type_id": kind}}]

    second = frame.second_type
    first_half = special(frame.start, 0) + text("A", 0)
    second_half = special(frame.between, 0) + text("B", second) + special(frame.end, second)
    template = {
        "type": "TemplateProcessing",
        "single": first_half + special(frame.end, 0),
        "pair": first_half + second_half,
        "special_tokens": {
            token: {"id": token, "ids": [tokenizer.vocabulary[token]], "tokens": [token]}
            for token in (*frame.start, *frame.between, *frame.end)
        },
    }
    added = [
        {
            "id": tokenizer.vocabulary[token],
            "content": token,
            "special": token in tokenizer.special,
            "normalized": token not in tokenizer.special,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
        }
        for token in sorted(
            {*tokenizer.special, *tokenizer.added}, key=tokenizer.vocabulary.__getitem__
        )
    ]
    saved = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": normalizer,
        "pre_tokenizer": splitter,
        "post_processor": template,
        "decoder": decoder,
        "model": model,
    }
    (folder / "tokenizer.json").write_text(json.dumps(saved, ensure_ascii=False), "utf-8")
