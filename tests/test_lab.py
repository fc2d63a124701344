"""`make lab` in a fresh copy: how to work, chapters as notebooks, assignments that run."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from urllib.error import URLError
from urllib.parse import quote
from urllib.request import urlopen

import nbclient
import nbformat
import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.slow
ASSIGNMENT = "01_attention_variance"
PATIENCE = 180  # seconds; it starts in a few where nothing else runs


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The course as a clone has it, as far as the lab needs it."""
    root = tmp_path_factory.mktemp("clone")
    for name in ("book", "tools", f"assignments/source/{ASSIGNMENT}"):
        shutil.copytree(ROOT / name, root / name)
    for name in ("Makefile", "assignments/nbgrader_config.py"):
        shutil.copy(ROOT / name, root / name)
    (root / ".venv").symlink_to(ROOT / ".venv")
    return root


@pytest.fixture(scope="module")
def lab(copy):
    """A function that asks the server which `make lab` starts."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    options = f"--no-browser --allow-root --port {port} --ServerApp.token=t"
    log = (copy / "lab.log").open("w+")
    server = subprocess.Popen(
        ["make", "-s", "-o", ".venv/ready", "lab", f"LAB={options}"],
        cwd=copy,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )

    def ask(path):
        sign = "&" if "?" in path else "?"
        with urlopen(f"http://localhost:{port}/{path}{sign}token=t") as reply:
            return reply.read().decode()

    end = time.monotonic() + PATIENCE
    while True:
        try:
            ask("api")
            break
        except URLError:
            assert server.poll() is None, (copy / "lab.log").read_text()
            assert time.monotonic() < end, "the server did not answer"
            time.sleep(0.2)
    yield ask
    os.killpg(server.pid, signal.SIGTERM)
    server.wait()
    log.close()


def notebook(lab, path):
    return json.loads(lab(f"api/contents/{quote(path)}?type=notebook&content=1"))["content"]


def test_chapters_are_shown_as_myst(lab):
    assert "jupyterlab-myst" in lab("lab")


def test_it_opens_on_how_to_work(copy, lab):
    assert "/lab/tree/book/how_to_work.md" in (copy / "Makefile").read_text()
    first = notebook(lab, "book/how_to_work.md")["cells"][0]["source"]
    assert first.startswith("# How to work with this course")


def test_chapters_open_as_notebooks_with_a_kernel(copy, lab):
    for path in sorted((copy / "book").glob("*.md")):
        chapter = notebook(lab, f"book/{path.name}")
        cells = {cell["cell_type"] for cell in chapter["cells"]}
        if "{code-cell}" in path.read_text("utf-8"):
            assert "code" in cells, path.name
            assert chapter["metadata"]["kernelspec"]["name"] == "python3", path.name


def test_the_first_cells_of_an_assignment_run(copy, lab):
    assignment = notebook(lab, f"work/{ASSIGNMENT}/{ASSIGNMENT}.ipynb")
    book = nbformat.from_dict(assignment)
    code = [place for place, cell in enumerate(book.cells) if cell.cell_type == "code"]
    book.cells = book.cells[: code[1] + 1]
    assert "YOUR CODE HERE" in book.cells[-1].source
    nbclient.NotebookClient(book, kernel_name=book.metadata.kernelspec.name).execute()
    assert "Blocked in this notebook" in str(book.cells[code[0]].outputs)
