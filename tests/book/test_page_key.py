"""Which files a page depends on, and when its key changes."""

from importlib import metadata

import pytest
from page_key import dependencies, locked_versions, page_key


@pytest.fixture
def project(tmp_path):
    """A package whose `__init__` gathers two modules; one of them reaches a third and a file."""
    files = {
        "pack/__init__.py": "from pack.one import ONE\nfrom .two import TWO\n",
        "pack/one.py": "import json\nif TYPE_CHECKING:\n    from pack.two import TWO\nONE = 1\n",
        "pack/two.py": "from pack.sub import three\n\n\ndef f():\n    from pack import late\n",
        "pack/late.py": "",
        "pack/sub/__init__.py": "",
        "pack/sub/three.py": "from ..one import ONE\nopen('table.json')\n",
        "pack/sub/table.json": "{}",
        "pack/sub/other.json": "{}",
        "results/latest.json": "{}",
        "requirements.txt": "numpy==1.0\n",
        "requirements-weights.txt": "",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


ALL = {"pack/__init__.py", "pack/one.py", "pack/two.py", "pack/late.py", "pack/sub/__init__.py",
       "pack/sub/three.py", "pack/sub/table.json"}  # fmt: skip


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import numpy", set()),
        ("from pack import ONE", {"pack/__init__.py", "pack/one.py"}),
        ("import pack.one as o", {"pack/__init__.py", "pack/one.py"}),
        ("from pack.one import *", {"pack/__init__.py", "pack/one.py"}),
        ("from pack import TWO", ALL),
        ("import pack", ALL),
        ("%matplotlib inline\nfrom pack import ONE", {"pack/__init__.py", "pack/one.py"}),
        ("def broken(:", set()),
        ("from pack import ONE\nload('other')",
         {"pack/__init__.py", "pack/one.py", "pack/sub/other.json"}),
        ("load('results/latest.json')", {"results/latest.json"}),
    ],
)  # fmt: skip
def test_dependencies(project, code, expected):
    found = {path.relative_to(project).as_posix() for path in dependencies(project, [code])}
    assert found == expected


@pytest.mark.parametrize(
    ("file", "changes"),
    [
        ("pack/one.py", True),
        ("pack/__init__.py", True),
        ("pack/two.py", False),
        ("requirements.txt", True),
        ("requirements-weights.txt", True),
    ],
)
def test_key_changes_with_what_the_page_uses(project, file, changes):
    cells = ["from pack import ONE"]
    before = page_key(project, cells)
    path = project / file
    path.write_text(path.read_text() + "sphinx==1.0\n" if "txt" in file else "ONE = 1\nX = 2\n")
    assert (page_key(project, cells) != before) == changes


def test_key_follows_the_installed_version(project, monkeypatch):
    before = page_key(project, [])
    monkeypatch.setattr(metadata, "version", lambda name: "0.0.1")
    locked_versions.cache_clear()
    after = page_key(project, [])
    locked_versions.cache_clear()
    assert after != before
