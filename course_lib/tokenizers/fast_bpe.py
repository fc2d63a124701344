"""Byte-level BPE for real use: the ids of ``bpe.ByteBPE``, much sooner.

What makes it fast: training keeps pair counts up to date instead of counting again (``pairs``) and
finds the next pair in a heap; encoding splits each distinct word once and remembers it, and a long
one, as in Chinese, by a heap over a linked list.
"""

import contextlib
import gc
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise, repeat
from pathlib import Path
from typing import Self

from tqdm.auto import tqdm

from course_lib.tokenizers.base import (
    NO_FRAME,
    ROBERTA_FRAME,
    Frame,
    Span,
    Tokenizer,
    WordCache,
    alternatives,
    apart,
)
from course_lib.tokenizers.bpe import (
    BYTE_SYMBOLS,
    GPT2_PATTERN,
    Pair,
    to_bytes,
)
from course_lib.tokenizers.files import add_saved, read_frame, read_json, write_json
from course_lib.tokenizers.pairs import IdPair, PairCounts

ROBERTA_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
END_OF_TEXT = "<|endoftext|>"


class Merges:
    """Which pairs of ids are joined, which of two pairs first, and what they become."""

    short = 16  # bytes

    def __init__(self, merges: Sequence[Pair], vocabulary: dict[str, int]):
        self.pairs: list[IdPair] = []
        self.merged: list[int] = []
        for number, pair in enumerate(merges, 1):
            if (token := missing(pair, vocabulary)) is not None:
                raise ValueError(f"merge {number}, {pair}: {token!r} is not in the vocabulary")
            first, second = pair
            self.pairs.append((vocabulary[first], vocabulary[second]))
            self.merged.append(vocabulary[first + second])
        self.rank = {pair: rank for rank, pair in enumerate(self.pairs)}

    def apply(self, ids: list[int]) -> list[int]:
        """Join the pair of lowest rank, at the left first, until no pair is left to join."""
        return self._apply_to_short(ids) if len(ids) <= self.short else self._apply_to_long(ids)

    def _apply_to_short(self, ids: list[int]) -> list[int]:
        """Look through all pairs for each merge: for a few bytes that is sooner than a heap."""
        never, rank, merged = len(self.pairs), self.rank.get, self.merged
        tokens = [*ids, -1]  # a last one that pairs with nothing
        ranks = [*map(rank, pairwise(tokens), repeat(never)), never]
        while (best := min(ranks)) != never:
            place = ranks.index(best)
            new = tokens[place] = merged[best]
            del tokens[place + 1], ranks[place]
            ranks[place] = rank((new, tokens[place + 1]), never)
            if place > 0:
                ranks[place - 1] = rank((tokens[place - 1], new), never)
        return tokens[:-1]

    def _apply_to_long(self, ids: list[int]) -> list[int]:
        """Keep the pairs in a heap and the tokens in a linked list: n bytes take n log n steps."""
        tokens, length, rank = list(ids), len(ids), self.rank.get
        left, right = list(range(-1, length - 1)), list(range(1, length + 1))
        heap = [
            (r, place) for place, pair in enumerate(pairwise(ids)) if (r := rank(pair, -1)) >= 0
        ]
        heapify(heap)
        while heap:
            best, place = heappop(heap)
            first, second = self.pairs[best]
            gone = right[place]
            # Another merge may have used up either half since the entry was made.
            if tokens[place] != first or gone == length or tokens[gone] != second:
                continue
            new = tokens[place] = self.merged[best]
            tokens[gone] = -1
            before, after = left[place], right[gone]
            right[place] = after
            if after < length:
                left[after] = place
                if (r := rank((new, tokens[after]), -1)) >= 0:
                    heappush(heap, (r, place))
            if before >= 0 and (r := rank((tokens[before], new), -1)) >= 0:
                heappush(heap, (r, before))
        return [token for token in tokens if token >= 0]


class FastBPE(Tokenizer):
    """GPT-2's and RoBERTa's tokenizer: any text to ids and back without loss."""

    def __init__(
        self,
        vocabulary: dict[str, int],
        merges: Sequence[Pair],
        special: Iterable[str] = (),
        frame: Frame = NO_FRAME,
        pad_token: str | None = None,
    ):
        absent = [byte for byte, symbol in BYTE_SYMBOLS.items() if symbol not in vocabulary]
        if absent:
            raise ValueError(
                f"{len(absent)} of the 256 bytes are not in the vocabulary, the first is "
                f"{absent[0]:#04x}: a byte-level BPE needs them all"
            )
        self.merges = list(merges)
        self._merges = Merges(self.merges, vocabulary)
        self._byte_ids = [vocabulary[BYTE_SYMBOLS[byte]] for byte in range(256)]
        self._words = WordCache(self._split)
        super().__init__(vocabulary, special, frame, pad_token)

    def _split(self, word: str) -> list[int]:
        return self._merges.apply(list(map(self._byte_ids.__getitem__, encoded(word))))

    def _word_ids(self, spelled: str) -> list[int]:
        words = self._words
        return [i for word in GPT2_PATTERN.findall(spelled) for i in words[word]]

    def _word_spans(self, spelled: str) -> list[Span]:
        owners = [place for place, char in enumerate(spelled) for _ in encoded(char)]
        spans: list[Span] = []
        start = 0
        for i in self._word_ids(spelled):
            end = start + len(self.names[i])
            spans.append((owners[start], owners[end - 1] + 1))
            start = end
        return spans

    def ids_of_bytes(self, data: bytes) -> list[int]:
        """Ids of any bytes, UTF-8 or not; ``bytes_of_ids`` gives the same bytes back."""
        return self.ids(data.decode("utf-8", "surrogateescape"))

    def bytes_of_ids(self, ids: Iterable[int]) -> bytes:
        """The bytes that ids spell, special tokens among them."""
        return b"".join(map(self._bytes, self._known_names(ids)))

    def _bytes(self, token: str) -> bytes:
        written = token in self.added or token in self.special
        return token.encode() if written else to_bytes(token)

    def _join(self, tokens: list[str]) -> str:
        """Bytes that are no UTF-8 become U+FFFD."""
        return b"".join(map(self._bytes, tokens)).decode(errors="replace")

    @classmethod
    def train(
        cls,
        texts: str | Iterable[str],
        size: int,
        special: Iterable[str] = (),
        frame: Frame = NO_FRAME,
        pad_token: str | None = None,
        progress: bool = True,
    ) -> Self:
        """Learn a vocabulary of ``size`` tokens: special ones, then bytes, then merges.

        Texts are read once and only their distinct words are kept, so they may come from files
        larger than memory. Words don't reach from one text into the next. Ends early, with fewer
        tokens, when there is no pair left to join.
        """
        special = list(special)
        vocabulary = {token: i for i, token in enumerate([*special, *BYTE_SYMBOLS.values()])}
        if size < len(vocabulary):
            raise ValueError(f"size={size}, but bytes and special tokens are {len(vocabulary)}")
        words = count_words(texts, special, progress)
        with collecting_paused():
            merges = learn(words, vocabulary, size, progress)
        return cls(vocabulary, merges, special, frame, pad_token)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read ``tokenizer.json``, or a folder with it or with ``vocab.json`` and ``merges.txt``.

        Raises ValueError for files of another kind of tokenizer and for damaged ones, naming the
        line of ``merges.txt``.
        """
        path = Path(path)
        folder = path if path.is_dir() else path.parent
        saved = folder / "tokenizer.json" if path.is_dir() else path
        if saved.exists():
            tokenizer = cls._from_json(saved)
        elif (folder / "vocab.json").exists() and (folder / "merges.txt").exists():
            tokenizer = cls._from_pair(folder / "vocab.json", folder / "merges.txt")
        else:
            raise ValueError(f"{path} holds neither tokenizer.json nor vocab.json with merges.txt")
        config = folder / "tokenizer_config.json"
        chosen = json.loads(config.read_text("utf-8")).get("pad_token") if config.exists() else None
        chosen = chosen["content"] if isinstance(chosen, dict) else chosen
        usual = "<pad>" if "<pad>" in tokenizer.special else None
        tokenizer.pad_token = chosen or usual
        return tokenizer

    @classmethod
    def _from_pair(cls, vocab: Path, merges: Path) -> Self:
        vocabulary: dict[str, int] = json.loads(vocab.read_text("utf-8"))
        special = [token for token in (*ROBERTA_SPECIAL, END_OF_TEXT) if token in vocabulary]
        roberta = set(special) >= set(ROBERTA_SPECIAL)
        frame = ROBERTA_FRAME if roberta else NO_FRAME
        tokenizer = cls(vocabulary, read_merges(merges, vocabulary), special, frame)
        if roberta:
            tokenizer.takes_space.add("<mask>")
            tokenizer.add_tokens(["<mask>"], special=True)
        return tokenizer

    @classmethod
    def _from_json(cls, path: Path) -> Self:
        saved = read_json(path, "BPE")
        splitter = saved.get("pre_tokenizer") or {}
        if splitter.get("type") != "ByteLevel" or not splitter.get("use_regex", True):
            raise ValueError(f"{path} does not split text as GPT-2 does: that is not supported")
        if splitter.get("add_prefix_space"):
            raise ValueError(f"{path} puts a space before each text: that is not supported")
        if saved.get("normalizer") or saved["model"].get("ignore_merges"):
            raise ValueError(f"{path} cleans text or passes over merges: that is not supported")
        pairs = (p.split(" ") if isinstance(p, str) else p for p in saved["model"]["merges"])
        merges = [(first, second) for first, second in pairs]
        tokenizer = cls(saved["model"]["vocab"], merges)
        add_saved(tokenizer, saved["added_tokens"])
        tokenizer.frame = read_frame(saved.get("post_processor"))
        return tokenizer

    def save(self, folder: str | Path) -> None:
        """Write ``vocab.json``, ``merges.txt`` and ``tokenizer.json``.

        The reference library reads them too. The first two leave out added words.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        pieces = {token: i for token, i in self.vocabulary.items() if token not in self.added}
        (folder / "vocab.json").write_text(json.dumps(pieces, ensure_ascii=False), "utf-8")
        lines = ["#version: 0.2\n", *(f"{first} {second}\n" for first, second in self.merges)]
        (folder / "merges.txt").write_text("".join(lines), "utf-8")
        config = {"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": self.pad_token}
        (folder / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
        model = {"type": "BPE", "vocab": pieces, "merges": self.merges}
        # The reference has one class for both jobs, with the same settings.
        bytes_and_words = {
            "type": "ByteLevel",
            "add_prefix_space": False,
            "trim_offsets": False,
            "use_regex": True,
        }
        write_json(folder, self, model, None, bytes_and_words, bytes_and_words)


def encoded(text: str) -> bytes:
    """UTF-8, where the characters that stand for other bytes become those bytes again."""
    return text.encode("utf-8", "surrogateescape")


def missing(pair: Pair, vocabulary: dict[str, int]) -> str | None:
    """What the vocabulary lacks for a merge: a part, the whole, or nothing."""
    tokens = (*pair, "".join(pair))
    return next((token for token in tokens if token not in vocabulary), None)


def read_merges(path: Path, vocabulary: dict[str, int]) -> list[Pair]:
    """The merges of a ``merges.txt``; ValueError with the number of the first line that is bad."""
    merges: dict[Pair, int] = {}
    for number, line in enumerate(path.read_text("utf-8").removesuffix("\n").split("\n"), 1):
        if number == 1 and line.startswith("#version"):
            continue
        where = f"{path}, line {number}"
        parts = line.split(" ")
        if len(parts) != 2 or not all(parts):
            raise ValueError(f"{where}: expected two symbols with one space between, not {line!r}")
        pair = parts[0], parts[1]
        if pair in merges:
            raise ValueError(f"{where}: {line!r} is on line {merges[pair]} too")
        if (token := missing(pair, vocabulary)) is not None:
            raise ValueError(f"{where}: {token!r} is not in the vocabulary")
        merges[pair] = number
    return list(merges)


def count_words(texts: str | Iterable[str], special: Iterable[str], progress: bool) -> Counter[str]:
    """How often each word occurs in the texts, special tokens left out."""
    pattern = alternatives(special)
    words: Counter[str] = Counter()
    texts = [texts] if isinstance(texts, str) else texts
    for text in tqdm(texts, "counting words", disable=not progress, unit=" texts"):
        for part in apart(pattern, text)[::2]:
            words.update(GPT2_PATTERN.findall(part))
    return words


@contextlib.contextmanager
def collecting_paused() -> Iterator[None]:
    """No search for reference cycles, which would go through all lists of places and find none."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def learn(words: Counter[str], vocabulary: dict[str, int], size: int, progress: bool) -> list[Pair]:
    """Learn merges until ``vocabulary``, which grows, has ``size`` tokens."""
    names = list(vocabulary)
    byte_ids = [vocabulary[BYTE_SYMBOLS[byte]] for byte in range(256)]
    pairs = PairCounts(([byte_ids[byte] for byte in encoded(w)], n) for w, n in words.items())
    heap = [(-count, pair) for pair, count in pairs.counts.items()]  # equal counts: smaller ids
    heapify(heap)
    merges: list[Pair] = []
    with tqdm(total=size - len(names), desc="merging pairs", disable=not progress) as bar:
        while heap and len(names) < size:
            count, pair = heappop(heap)
            current = pairs.counts[pair]
            if current != -count:
                # Counts only fall once a pair is in the heap, so it goes back further down.
                if current > 0:
                    heappush(heap, (-current, pair))
                continue
            first, second = names[pair[0]], names[pair[1]]
            new = vocabulary.setdefault(first + second, len(names))
            if new == len(names):
                names.append(first + second)
                bar.update()
            merges.append((first, second))
            _, made = pairs.merge(pair, new)
            for other in made:
                if pairs.counts[other]:  # "aaaa" makes (aa, a) and at once (aa, aa) of it
                    heappush(heap, (-pairs.counts[other], other))
    return merges
