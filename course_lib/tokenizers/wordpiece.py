"""WordPiece, BERT's tokenizer: clean the text, split it into words, split each word greedily.

The vocabulary is fixed, so a word that can't be spelled from it becomes ``[UNK]``. How such a
vocabulary is learned is in ``wordpiece_training``.

Unicode's tables come from the running Python. The reference's are older, so the two can differ
on a few hundred punctuation marks, accents and invisible characters of rare scripts.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Self

from tqdm.auto import tqdm

from course_lib.tokenizers.base import BERT_FRAME, Span, Tokenizer, WordCache, alternatives, apart
from course_lib.tokenizers.files import add_saved, read_json, write_json
from course_lib.tokenizers.wordpiece_training import learn_pieces

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
        self.lowercase = lowercase
        self._spelling = Spelling(lowercase)
        self._pieces = vocabulary
        self._words = WordCache(self._split)
        super().__init__(vocabulary, SPECIAL, BERT_FRAME, pad_token="[PAD]")

    def _split(self, word: str) -> list[int]:
        return [self._pieces[piece] for piece in split(word, self._pieces)]

    def _spell(self, text: str) -> str:
        return text.translate(self._spelling)

    def _origins(self, text: str) -> list[int]:
        return [at for at, char in enumerate(text) for _ in self._spelling[ord(char)]]

    def _word_ids(self, spelled: str) -> list[int]:
        return [i for word in spelled.split() for i in self._words[word]]

    def _word_spans(self, spelled: str) -> list[Span]:
        spans: list[Span] = []
        for word in re.finditer(r"\S+", spelled):
            start = word.start()
            for i, piece in enumerate(split(word[0], self._pieces)):
                length = len(word[0]) if piece == UNKNOWN else len(piece) - 2 * (i > 0)
                spans.append((start, start + length))
                start += length
        return spans

    def _join(self, tokens: list[str]) -> str:
        """Words with a space between, and none before a mark that ends a sentence or a clause."""
        text = "".join(
            token[2:] if token.startswith("##") and i else " " * (i > 0) + token
            for i, token in enumerate(tokens)
        )
        return re.sub(r" (?=[.?!,])", "", text)

    @classmethod
    def train(
        cls,
        texts: str | Iterable[str],
        size: int,
        lowercase: bool = True,
        at_least: int = 2,
        progress: bool = True,
    ) -> Self:
        """Learn a vocabulary of at most ``size`` tokens (see ``wordpiece_training``).

        Texts are read once and only their distinct words are kept, so they may come from files
        larger than memory.
        """
        spelling, words = Spelling(lowercase), Counter[str]()
        special = alternatives(SPECIAL)
        texts = [texts] if isinstance(texts, str) else texts
        for text in tqdm(texts, "counting words", disable=not progress, unit=" texts"):
            for part in apart(special, text)[::2]:
                words.update(part.translate(spelling).split())
        return cls(learn_pieces(words, SPECIAL, size, at_least, progress), lowercase)

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
        saved = read_json(path, "WordPiece")
        cleaning = saved.get("normalizer") or {}
        lower = bool(cleaning.get("lowercase", True))
        if not (
            cleaning.get("type", "BertNormalizer") == "BertNormalizer"
            and cleaning.get("clean_text", True)
            and cleaning.get("handle_chinese_chars", True)
            and cleaning.get("strip_accents") in (None, lower)
        ):
            raise ValueError(f"{path} does not clean text as BERT does: that is not supported")
        if lowercase is None:
            lowercase = lower
        tokenizer = cls(saved["model"]["vocab"], lowercase)
        add_saved(tokenizer, saved["added_tokens"])
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
