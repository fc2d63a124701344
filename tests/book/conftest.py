"""A book of two chapters, made with the course's own settings and tools, to break on purpose."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

CHAPTER = """\
---
file_format: mystnb
kernelspec:
  name: python3
---

# {title}

```{{code-cell}} python3
{code}
```
"""

PLAIN_PAGE = "# {title}\n\n{text}\n"


@dataclass
class Build:
    """How one build ended, and what it said."""

    status: int
    output: str

    @property
    def executed(self) -> set[str]:
        return set(re.findall(r"executed book/(\w+) in", self.output))


@dataclass
class Book:
    """A small project in a folder of its own."""

    root: Path

    def chapter(self, name: str, code: str) -> None:
        self.write(f"book/{name}.md", CHAPTER.format(title=name.title(), code=code))

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def build(self, **environment: str) -> Build:
        command = "import sys; sys.path.insert(0, 'tools'); import build; "
        command += "sys.exit(build.build(build.Path.cwd()))"
        clean = {name: os.environ[name] for name in os.environ.keys() - {"CI", "COURSE_STRICT"}}
        result = subprocess.run(
            [sys.executable, "-c", command],
            cwd=self.root,
            env={**clean, "PYTHONPATH": str(self.root), **environment},
            capture_output=True,
            text=True,
        )
        return Build(result.returncode, result.stdout + result.stderr)


@pytest.fixture(scope="module")
def book(root, tmp_path_factory):
    """Two chapters, each with a module of its own, and the ledger."""
    book = Book(tmp_path_factory.mktemp("project"))
    for folder in ("tools", "book/_static"):
        shutil.copytree(root / folder, book.root / folder)
    for name in ("_config.yml", "book/matplotlibrc", "book/404.html", "book/index.yml"):
        shutil.copy(root / name, book.root / name)
    book.write("_toc.yml", "format: jb-book\nroot: book/first\nchapters:\n"
               "  - file: book/second\n  - file: book/ledger\n")  # fmt: skip
    book.write("requirements.txt", "numpy==2.0\n")
    book.write("requirements-weights.txt", "")
    book.write("book/references.bib", "")
    book.write("lesson/__init__.py", "from lesson.one import ONE\nfrom lesson.two import TWO\n")
    book.write("lesson/one.py", "ONE = 1\n")
    book.write("lesson/two.py", "from lesson.three import THREE\n\nTWO = THREE - 1\n")
    book.write("lesson/three.py", "THREE = 3\n")
    book.chapter("first", "from lesson import ONE\nprint('one is', ONE)")
    book.chapter("second", claiming(holds=True))
    book.write("book/ledger.md", PLAIN_PAGE.format(title="Ledger", text="```{claims-ledger}\n```"))
    return book


def claiming(holds: bool) -> str:
    """Code that imports the second module and leaves a claim's record, as `claim` does."""
    record = {"key": "two", "value": 2, "expected": "2", "holds": holds, "ledger": "X01"}
    return (
        "from lesson.two import TWO\n"
        "from IPython.display import display\n"
        f"display({{'application/vnd.course.claim+json': {record}}}, raw=True)"
    )
