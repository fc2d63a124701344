"""What several test folders share: where the project and its built book lie."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def html(root):
    """The built book; the tests look at it as readers get it, so it must be there."""
    folder = root / "_build" / "html"
    assert (folder / "index.html").exists(), "the book is not built: run `make book` first"
    return folder
