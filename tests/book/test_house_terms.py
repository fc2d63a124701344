"""One name for each thing: no second name in prose, and every first one in the glossary."""

import re

import pytest
from house_terms import HOUSE, TERMS, prose_of, twins

from tests.conftest import ROOT

FILES = sorted(
    path
    for pattern in (
        "*.md", "book/*.md", "assignments/source/*/*.ipynb", "course_lib/**/*.py",
        "autograder/*.py", "tools/*.py",
    )
    for path in ROOT.glob(pattern)
)  # fmt: skip
GLOSSARY = (ROOT / "book" / "glossary.md").read_text(encoding="utf-8")
DEFINED = re.findall(r"^(\S.*)\n  \S", GLOSSARY, re.MULTILINE)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_second_name(path):
    found = [item for _, text in prose_of(path) for item in twins(text)]
    assert found == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The hidden size is 768.", [(1, "hidden size", "model width")]),
        ("One.\n\nTwo\nfinetuning runs.", [(4, "finetuning", "fine-tuning")]),
        ("The `warmup` steps and $\\text{warmup}$, as “the hidden size” says.", []),
        ("```python\nwarmup = 1\n```", []),
        ("A fine-tuning of BERT's feed-forward network.", []),
        ('`head="pretraining"` or feedforward.py', []),
    ],
)
def test_what_counts(text, found):
    assert list(twins(text)) == found


def test_each_name_is_in_the_glossary_once():
    assert set(TERMS) - set(DEFINED) == set()
    assert len(DEFINED) == len(set(DEFINED))
    assert not set(HOUSE) & {name.lower() for name in DEFINED}
    names = [re.sub(r"\W", "", name).lower() for name in DEFINED]
    assert names == sorted(names)


def test_chapters_link_only_terms_that_exist():
    known = {name.lower() for name in DEFINED}
    linked = set()
    for path in ROOT.glob("book/*.md"):
        for inner in re.findall(r"\{term\}`([^`]+)`", path.read_text(encoding="utf-8")):
            target = re.search(r"<([^>]+)>", inner)
            linked.add((target[1] if target else inner).lower())
    assert linked - known == set()
