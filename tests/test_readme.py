"""The README tells the truth: its code runs, and its tree names every file."""

import re

import pytest

from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", README, re.S)
TREE = README.split("## What is where")[1]


@pytest.mark.parametrize("snippet", SNIPPETS, ids=range(1, len(SNIPPETS) + 1))
def test_the_tour_runs(snippet):
    exec(snippet, {})


@pytest.mark.parametrize("folder", ["course_lib", "autograder", "tools", "book"])
def test_the_tree_names_every_file(folder):
    paths = [path for pattern in ("*.py", "*.md") for path in (ROOT / folder).rglob(pattern)]
    names = {path.name for path in paths} - {"__init__.py", "__main__.py"}
    assert names - set(re.findall(r"[\w.]+", TREE)) == set()


def test_everything_in_the_tree_exists():
    named = re.findall(r"^ *([\w.]+(?:\.\w+|/))", TREE, re.MULTILINE)
    known = {path.name for path in ROOT.glob("*/**/*") if ".venv" not in path.parts}
    known |= {path.name for path in ROOT.iterdir()}
    assert len(named) > 50
    assert [name for name in named if name.rstrip("/") not in known] == []


@pytest.mark.parametrize("target", re.findall(r"(?:`|^)make (\w+)", README, re.MULTILINE))
def test_every_target_exists(target):
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
