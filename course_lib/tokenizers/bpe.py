"""Byte pair encoding in two steps up: on characters, then on bytes inside words.

Learning: start from single symbols and join the most frequent pair of neighbours, again and again.
Encoding: join the same pairs in the same order. Of pairs that are equally frequent the one whose
first part, then whose second part, has been in the vocabulary longer is joined; so the result
never depends on chance.

Left out: speed, special tokens, files. ``fast_bpe`` has them and gives the same ids.
Sources: Sennrich et al. 2016 (characters), Radford et al. 2019 (bytes, the pattern for words).
"""

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import Self

import regex

Pair = tuple[str, str]


def count_pairs(words: Iterable[list[str]]) -> Counter[Pair]:
    """How often each two symbols stand side by side.

    >>> count_pairs([list("abab")])
    Counter({('a', 'b'): 2, ('b', 'a'): 1})
    """
    return Counter(pair for word in words for pair in pairwise(word))


def merge(word: list[str], pair: Pair) -> list[str]:
    """Join the pair wherever it stands, from the left.

    >>> merge(list("banana"), ("a", "n"))
    ['b', 'an', 'an', 'a']
    """
    merged: list[str] = []
    i = 0
    while i < len(word):
        if tuple(word[i : i + 2]) == pair:
            merged.append(word[i] + word[i + 1])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return merged


class CharacterBPE:
    """The smallest byte pair encoding that works: a text is one long word of characters.

    A character that was not there in training becomes ``[UNK]`` and is lost.
    """

    unknown = "[UNK]"

    def __init__(self, vocabulary: dict[str, int], merges: list[Pair]):
        self.vocabulary = vocabulary
        self.merges = merges
        self.names = {i: token for token, i in vocabulary.items()}

    @classmethod
    def words(cls, text: str) -> list[list[str]]:
        """The symbols of each stretch of text that merges stay inside."""
        return [list(text)]

    @classmethod
    def alphabet(cls, words: list[list[str]]) -> list[str]:
        """The symbols that training starts from."""
        return [cls.unknown, *sorted({symbol for word in words for symbol in word})]

    @classmethod
    def train(cls, text: str, size: int) -> Self:
        """Learn merges until the vocabulary has ``size`` tokens or there is no pair left."""
        words = cls.words(text)
        vocabulary = {symbol: i for i, symbol in enumerate(cls.alphabet(words))}
        merges: list[Pair] = []

        def first_choice(pair: Pair) -> tuple[int, int, int]:
            return -counts[pair], vocabulary[pair[0]], vocabulary[pair[1]]

        while len(vocabulary) < size and (counts := count_pairs(words)):
            pair = min(counts, key=first_choice)
            words = [merge(word, pair) for word in words]
            merges.append(pair)
            # Two different pairs can spell the same token: it keeps its id.
            vocabulary.setdefault("".join(pair), len(vocabulary))
        return cls(vocabulary, merges)

    def tokens(self, text: str) -> list[str]:
        """What the learned merges make of a text."""
        tokens: list[str] = []
        for word in self.words(text):
            for pair in self.merges:
                word = merge(word, pair)
            tokens += [token if token in self.vocabulary else self.unknown for token in word]
        return tokens

    def encode(self, text: str) -> list[int]:
        """The ids of a text."""
        return [self.vocabulary[token] for token in self.tokens(text)]

    def decode(self, ids: Iterable[int]) -> str:
        """The text that ids spell."""
        return "".join(self.names[i] for i in ids)


# GPT-2 cuts text into words before it merges, so that no token reaches from one word into the next.
# Each word keeps the one space before it. Read from above, the first line that fits counts.
GPT2_PATTERN = regex.compile(
    r"""
    '(?:s|t|re|ve|m|ll|d)     # the ends of it's, don't, we're, I've, I'm, we'll, he'd
    | [ ]? \p{L}+             # letters of any script
    | [ ]? \p{N}+             # digits
    | [ ]? [^\s\p{L}\p{N}]+   # other marks
    | \s+ (?!\S)              # white space but for its last character, which the next word keeps
    | \s+
    """,
    regex.VERBOSE,
)


def byte_symbols() -> dict[int, str]:
    """GPT-2's name for each byte, one visible character, in the order of its vocabulary.

    Bytes that print stand for themselves; the other 68 get the characters from U+0100 on, so a
    space is written Ġ.
    """
    ranges = ("!", "~"), ("¡", "¬"), ("®", "ÿ")
    visible = [byte for first, last in ranges for byte in range(ord(first), ord(last) + 1)]
    hidden = [byte for byte in range(256) if byte not in visible]
    return {byte: chr(byte) for byte in visible} | {b: chr(256 + i) for i, b in enumerate(hidden)}


BYTE_SYMBOLS = byte_symbols()
SYMBOL_BYTES = {ord(symbol): byte for byte, symbol in BYTE_SYMBOLS.items()}


def to_symbols(data: bytes) -> str:
    """Bytes written as visible characters: ``to_symbols(b" a")`` is ``"Ġa"``."""
    return data.decode("latin-1").translate(BYTE_SYMBOLS)


def to_bytes(symbols: str) -> bytes:
    """The bytes that visible characters stand for."""
    return symbols.translate(SYMBOL_BYTES).encode("latin-1")


class ByteBPE(CharacterBPE):
    """BPE as in GPT-2: text is cut into words, words into bytes.

    All 256 bytes are in the vocabulary from the start, so no text is unknown.
    """

    @classmethod
    def words(cls, text: str) -> list[list[str]]:
        """The bytes of each word, as symbols."""
        return [list(to_symbols(word.encode())) for word in GPT2_PATTERN.findall(text)]

    @classmethod
    def alphabet(cls, words: list[list[str]]) -> list[str]:
        """Every byte, whether the text has it or not."""
        return list(BYTE_SYMBOLS.values())

    def decode(self, ids: Iterable[int]) -> str:
        """The text that ids spell; bytes that are no UTF-8 become U+FFFD."""
        return to_bytes(super().decode(ids)).decode(errors="replace")
