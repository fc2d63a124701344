"""WordPiece, BERT's tokenizer: clean the text, split it into words, split each word greedily.

The vocabulary is fixed, so a word that can't be spelled from it becomes ``[UNK]``. How such a
vocabulary is learned is in ``wordpiece_training``.

Unicode's tables come from the running Python. The reference's are older, so the two can differ
on a few hundred punctuation marks, accents and invisible characters of rare scripts.
"""

import json
import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

from course_lib.tokenizers.base import BERT_FRAME, Span, Tokenizer, alternatives, write_json

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
UNKNOWN = "[UNK]"
LONGEST_WORD = 100  # characters; a longer word is [UNK] as a whole

# Blocks of Chinese characters as BERT lists them: Korean and Japanese syllables are not among them.
CHINESE = (
    range(0x4E00, 0xA000),
    range(0x3400, 0x4DC0),
    range(0x20000, 0x2A6E0),
    range(0x2A700, 0x2B740),
    range(0x2B740, 0x2B820),
    range(0x2B920, 0x2CEB0),
    range(0xF900, 0xFB00),
    range(0x2F800, 0x2FA20),
)


def spell(char: str, lowercase: bool) -> str:
    """What BERT makes of one character before words are split at spaces.

    >>> [spell(char, lowercase=True) for char in "É元!"], spell("\\u200b", lowercase=True)
    (['e', ' 元 ', ' ! '], '')
    """
    if char in "\t\n\r":
        return " "
    if char in "\0\ufffd" or unicodedata.category(char) in ("Cc", "Cf", "Co", "Cs"):
        return ""  # control, format (as the zero-width space), private use
    if char.isspace():
        return " "
    chinese = any(ord(char) in block for block in CHINESE)
    if lowercase:
        decomposed = unicodedata.normalize("NFD", char)
        char = "".join(c.lower() for c in decomposed if unicodedata.category(c) != "Mn")
    spelled = "".join(f" {c} " if is_punctuation(c) else c for c in char)
    return f" {spelled} " if chinese else spelled


def is_punctuation(char: str) -> bool:
    """Unicode's punctuation, and every ASCII symbol: BERT splits at ``$`` and ``+`` too."""
    ascii_symbol = char.isascii() and char.isprintable() and not char.isalnum() and char != " "
    return ascii_symbol or unicodedata.category(char).startswith("P")


class Spelling(dict[int, str]):
    """BERT's whole cleaning as a table for ``str.translate``, filled as characters are met.

    A table is enough because each rule looks at one character alone.
    """

    def __init__(self, lowercase: bool):
        super().__init__()
        self.lowercase = lowercase

    def __missing__(self, code: int) -> str:
        self[code] = spelled = spell(chr(code), self.lowercase)
        return spelled


class Words(dict[str, list[int]]):
    """The ids of every word met so far."""

    limit = 200_000  # then start anew: a stream of text must not fill the memory

    def __init__(self, vocabulary: dict[str, int]):
        super().__init__()
        self.vocabulary = vocabulary

    def __missing__(self, word: str) -> list[int]:
        if len(self) >= self.limit:
            self.clear()
        self[word] = ids = [self.vocabulary[piece] for piece in split(word, self.vocabulary)]
        return ids


def split(word: str, vocabulary: dict[str, int]) -> list[str]:
    """The longest piece that starts the word, then the longest that continues it, and so on.

    One part that can't be spelled makes the whole word ``[UNK]``.
    >>> split("iness", {"in": 0, "##es": 1, "##s": 2, "##ess": 3})
    ['in', '##ess']
    """
    if len(word) > LONGEST_WORD:
        return [UNKNOWN]
    pieces = []
    start, mark = 0, ""
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = mark + word[start:end]
            if piece in vocabulary:
                break
        else:
            return [UNKNOWN]
        pieces.append(piece)
        start, mark = end, "##"
    return pieces


class WordPiece(Tokenizer):
    """BERT's tokenizer over a vocabulary of words, ``##`` continuations and special tokens."""

    def __init__(self, vocabulary: Iterable[str] | dict[str, int], lowercase: bool = True):
        if not isinstance(vocabulary, dict):
            vocabulary = {token: i for i, token in enumerate(vocabulary)}
        super().__init__(vocabulary, SPECIAL, BERT_FRAME, pad_token="[PAD]")
        self.lowercase = lowercase
        self._spelling = Spelling(lowercase)
        self._words = Words(vocabulary)
        self._added_changed()

    def _plain_ids(self, text: str) -> list[int]:
        spelled = text.translate(self._spelling)
        if self._added_pattern is None:
            return [i for word in spelled.split() for i in self._words[word]]
        ids: list[int] = []
        for n, part in enumerate(self._added_pattern.split(spelled)):
            if n % 2:
                ids.append(self._spelled_added[part])
            else:
                ids += [i for word in part.split() for i in self._words[word]]
        return ids

    def _plain_spans(self, text: str) -> list[Span]:
        letters = [(c, at) for at, char in enumerate(text) for c in self._spelling[ord(char)]]
        spelled, origin = "".join(c for c, _ in letters), [at for _, at in letters]
        spans: list[Span] = []

        def add(token: int, start: int, end: int) -> None:
            spans.append((token, origin[start], origin[end - 1] + 1))

        at = 0
        parts = self._added_pattern.split(spelled) if self._added_pattern else [spelled]
        for n, part in enumerate(parts):
            if n % 2:
                add(self._spelled_added[part], at, at + len(part))
            else:
                for word in re.finditer(r"\S+", part):
                    start = at + word.start()
                    for i, piece in enumerate(split(word[0], self._words.vocabulary)):
                        length = len(word[0]) if piece == UNKNOWN else len(piece) - 2 * (i > 0)
                        add(self.vocabulary[piece], start, start + length)
                        start += length
            at += len(part)
        return spans

    def _join(self, tokens: list[str]) -> str:
        """Words with a space between, and none before a mark that ends a sentence or a clause."""
        text = "".join(
            token[2:] if token.startswith("##") and i else " " * (i > 0) + token
            for i, token in enumerate(tokens)
        )
        return re.sub(r" (?=[.?!,])", "", text)

    def _check_word(self, word: str) -> None:
        super()._check_word(word)
        if not word.translate(self._spelling).strip():
            raise ValueError(f"nothing is left of the added word {word!r} after cleaning")

    def _added_changed(self) -> None:
        words = [word for word in self.added if word not in self.special]
        self._spelled_added = {word.translate(self._spelling): self.added[word] for word in words}
        self._added_pattern = alternatives(self._spelled_added)

    @classmethod
    def load(cls, path: str | Path, lowercase: bool | None = None) -> Self:
        """Read ``tokenizer.json`` or ``vocab.txt``, or the one of them that a folder holds.

        A ``vocab.txt`` doesn't say whether its text is lower-cased: that is read from
        ``tokenizer_config.json`` beside it, and true without one. ``lowercase`` overrules both.
        """
        path = Path(path)
        if path.is_dir():
            found = [path / name for name in ("tokenizer.json", "vocab.txt")]
            found = [file for file in found if file.exists()]
            if not found:
                raise ValueError(f"{path} holds neither tokenizer.json nor vocab.txt")
            path = found[0]
        if path.suffix == ".json":
            return cls._from_json(path, lowercase)
        config = path.with_name("tokenizer_config.json")
        if lowercase is None:
            known = json.loads(config.read_text("utf-8")) if config.exists() else {}
            lowercase = bool(known.get("do_lower_case", True))
        vocabulary: dict[str, int] = {}
        for number, line in enumerate(path.read_text("utf-8").removesuffix("\n").split("\n")):
            if line in vocabulary:
                first = vocabulary[line] + 1
                raise ValueError(f"{path}, line {number + 1}: {line!r} is on line {first} too")
            vocabulary[line] = number
        return cls(vocabulary, lowercase)

    @classmethod
    def _from_json(cls, path: Path, lowercase: bool | None) -> Self:
        saved: dict[str, Any] = json.loads(path.read_text("utf-8"))
        kind = saved["model"].get("type", "WordPiece")
        if kind != "WordPiece":
            raise ValueError(f"{path} holds a {kind} model, not WordPiece")
        normalizer = saved.get("normalizer") or {}
        if lowercase is None:
            lowercase = bool(normalizer.get("lowercase", True))
        if normalizer.get("strip_accents") not in (None, lowercase):
            raise ValueError(
                f"{path} keeps accents but not capitals, or the reverse: not supported"
            )
        tokenizer = cls(saved["model"]["vocab"], lowercase)
        tokenizer._add_saved(saved["added_tokens"])
        return tokenizer

    def save(self, folder: str | Path) -> None:
        """Write ``vocab.txt`` and ``tokenizer.json``, which the reference library reads too.

        ``vocab.txt`` leaves out added words: there they would become ordinary pieces.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        pieces = {token: i for token, i in self.vocabulary.items() if token not in self.added}
        lines = [token + "\n" for token in sorted(pieces, key=pieces.__getitem__)]
        (folder / "vocab.txt").write_text("".join(lines), "utf-8")
        config = {"do_lower_case": self.lowercase, "tokenizer_class": "BertTokenizer"}
        (folder / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
        model = {
            "type": "WordPiece",
            "unk_token": UNKNOWN,
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": LONGEST_WORD,
            "vocab": pieces,
        }
        normalizer = {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": self.lowercase,
        }
        splitter = {"type": "BertPreTokenizer"}
        decoder = {"type": "WordPiece", "prefix": "##", "cleanup": True}
        write_json(folder, self, model, normalizer, splitter, decoder)
