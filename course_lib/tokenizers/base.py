"""What every tokenizer shares: special tokens, added words, pairs and batches.

How text between special tokens and added words becomes ids is in ``wordpiece`` and ``fast_bpe``;
reading and writing files is in ``files``.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from course_lib.tokenizers.batch import Side, Truncation, buckets, pad, truncate

Span = tuple[int, int]  # first character, one past the last character
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


class WordCache(dict[str, list[int]]):
    """The ids of every word met so far: text repeats its words, so each is split only once."""

    limit = 200_000  # then start anew: a stream of text must not fill the memory

    def __init__(self, split: Callable[[str], list[int]]):
        super().__init__()
        self.split = split

    def __missing__(self, word: str) -> list[int]:
        if len(self) >= self.limit:
            self.clear()
        self[word] = ids = self.split(word)
        return ids


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
        self.special = dict.fromkeys(special)  # an ordered set
        self.frame = frame
        self.pad_token = pad_token
        for token in (*self.special, *frame.start, *frame.between, *frame.end):
            if token not in vocabulary:
                raise ValueError(f"the special token {token!r} is not in the vocabulary")
        self.takes_space: set[str] = set()  # special tokens that swallow the space before them
        self.added: dict[str, int] = {}  # what add_tokens added, special or not
        self._changed()

    def __len__(self) -> int:
        """How many rows a model's embedding needs."""
        return max(self.names, default=-1) + 1

    def _spell(self, text: str) -> str:
        """Text as added words are looked for in it and as it is split."""
        return text

    def _origins(self, text: str) -> Sequence[int]:
        """For each character of ``_spell(text)`` the place in ``text`` it comes from."""
        return range(len(text))

    @abstractmethod
    def _word_ids(self, spelled: str) -> list[int]:
        """Ids of spelled text without special tokens and added words."""

    @abstractmethod
    def _word_spans(self, spelled: str) -> list[Span]:
        """The slice of ``spelled`` behind each of its ids."""

    @abstractmethod
    def _join(self, tokens: list[str]) -> str:
        """The text that tokens spell."""

    def ids(self, text: str) -> list[int]:
        """Ids of one text with nothing set around it."""
        ids: list[int] = []
        for i, part in enumerate(apart(self._special_pattern, text)):
            if i % 2:
                ids.append(self.vocabulary[part.lstrip()])
                continue
            for j, piece in enumerate(apart(self._added_pattern, self._spell(part))):
                ids += [self._spelled_added[piece]] if j % 2 else self._word_ids(piece)
        return ids

    def tokens(self, text: str) -> list[str]:
        """The tokens of one text, spelled as in the vocabulary."""
        return [self.names[i] for i in self.ids(text)]

    def offsets(self, text: str) -> list[Span]:
        """For each of ``tokens(text)`` the slice of ``text`` it was made from."""
        spans: list[Span] = []
        at = 0
        for i, part in enumerate(apart(self._special_pattern, text)):
            if i % 2:
                spans.append((at, at + len(part)))
            else:
                origins, start = self._origins(part), 0
                for j, piece in enumerate(apart(self._added_pattern, self._spell(part))):
                    for a, b in [(0, len(piece))] if j % 2 else self._word_spans(piece):
                        first, last = origins[start + a], origins[start + b - 1]
                        spans.append((at + first, at + last + 1))
                    start += len(piece)
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
        tokens = self._known_names(ids)
        if skip_special:
            tokens = [token for token in tokens if token not in self.special]
        return self._join(tokens)

    def _known_names(self, ids: Iterable[int]) -> list[str]:
        ids = list(map(int, ids))
        for i in ids:
            if i not in self.names:
                raise ValueError(f"id {i} is not in the vocabulary of {len(self)} tokens")
        return [self.names[i] for i in ids]

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
        """``input_ids`` and ``attention_mask``, each b t, of texts or pairs.

        ``token_type_ids`` come with them where the model tells segments apart. One string is a
        batch of one. Raises ValueError on an empty batch, on unequal numbers of texts and pairs,
        and when there is something to pad but no padding token.
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

    def add_tokens(self, words: str | Iterable[str], special: bool = False) -> list[int]:
        """Make each word one token from now on and return their ids, old or new.

        Added words are found anywhere in a text, the longest first, before it is split. Special
        ones are found exactly as written and left out when decoding. A model needs as many new
        rows: see ``grow_embeddings``.
        """
        words = [words] if isinstance(words, str) else list(words)
        for word in words:
            if not self._spell(word).strip():
                raise ValueError(f"nothing is left of the added word {word!r} once it is cleaned")
        for word in words:
            if word not in self.vocabulary:
                new = len(self)
                self.vocabulary[word] = self.added[word] = new
                self.names[new] = word
            if special:
                self.special[word] = None
        self._changed()
        return [self.vocabulary[word] for word in words]

    def _changed(self) -> None:
        """Look from now on for the special tokens and added words of this moment."""
        self._special_pattern = alternatives(self.special, self.takes_space)
        ordinary = [word for word in self.added if word not in self.special]
        self._spelled_added = {self._spell(word): self.added[word] for word in ordinary}
        self._added_pattern = alternatives(self._spelled_added)

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
        batch = {
            "input_ids": pad([ids for ids, _ in rows], fill, length, side),
            "attention_mask": pad([[1] * len(ids) for ids, _ in rows], 0, length, side),
        }
        if self.frame.second_type:
            batch["token_type_ids"] = pad([types for _, types in rows], 0, length, side)
        return batch


def alternatives(words: Iterable[str], takes_space: Collection[str] = ()) -> re.Pattern[str] | None:
    """A pattern that finds any of the words, of two at one place the longer."""
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    choices = [r"\s*" * (word in takes_space) + re.escape(word) for word in longest_first]
    return re.compile(f"({'|'.join(choices)})") if choices else None


def apart(pattern: re.Pattern[str] | None, text: str) -> list[str]:
    """The text cut at what the pattern finds: text, find, text, find, ..., text."""
    return pattern.split(text) if pattern else [text]
