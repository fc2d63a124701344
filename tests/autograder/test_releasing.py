"""What students get: a zip that works in an environment with nothing in it."""

import json
import subprocess
import sys
import sysconfig
import venv
import zipfile

import nbformat
import pytest
from grading import SKELETON, hand_in, make_course, notebook

from autograder.__main__ import main
from autograder.intake import VERSIONS_CELL, read_submission

DATA = "beside the notebook: 加法"


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A released course with data, and the folder that a student unpacks."""
    root = make_course(tmp_path_factory.mktemp("course"), {})
    (root / "source" / "hw" / "data").mkdir()
    (root / "source" / "hw" / "data" / "text.txt").write_text(DATA, "utf-8")
    assert main(["release", "hw", "--course", str(root)]) == 0
    unpacked = tmp_path_factory.mktemp("student")
    with zipfile.ZipFile(root / "release" / "hw.zip") as archive:
        archive.extractall(unpacked)
    return root, unpacked / "hw"


def test_the_zip_holds_notebook_data_library_and_lock(released):
    _, folder = released
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    (wheel,) = (name for name in names if name.endswith(".whl"))
    locks = {"requirements.txt", "requirements-weights.txt"}
    assert names == {"README.txt", "nb.ipynb", "data/text.txt", wheel, *locks}
    assert (folder / "data" / "text.txt").read_text("utf-8") == DATA
    assert wheel in (folder / "README.txt").read_text("utf-8")
    held = zipfile.ZipFile(folder / wheel).namelist()
    assert "course_lib/checks.py" in held and "course_lib/blocked.json" in held
    assert not [name for name in held if name.startswith(("tests", "assignments", "sources"))]
    for path in folder.iterdir():
        assert b"canary" not in (path.read_bytes() if path.is_file() else b"")


def test_the_first_cell_is_in_the_zip_only_and_disturbs_nothing(released, tmp_path):
    root, folder = released
    ours = nbformat.read(root / "release" / "hw" / "nb.ipynb", as_version=4)
    theirs = nbformat.read(folder / "nb.ipynb", as_version=4)
    assert theirs.cells[0].id == VERSIONS_CELL and "nbgrader" not in theirs.cells[0].metadata
    assert theirs.cells[1:] == ours.cells
    handed_in = hand_in(tmp_path / "ann", (folder / "nb.ipynb").read_text("utf-8"))
    assert read_submission(handed_in, {"nb": SKELETON}).notes == ()


def test_wheel_and_first_cell_in_an_empty_environment(released, tmp_path):
    _, folder = released
    home = tmp_path / "empty"
    venv.create(home, with_pip=False)
    python = str(home / "bin" / "python")
    cell = nbformat.read(folder / "nb.ipynb", as_version=4).cells[0].source

    def run(code):
        return subprocess.run(
            [python, "-I", "-c", code], cwd=folder, capture_output=True, text=True, check=True
        ).stdout

    said = run(cell)
    for package in ("torch", "numpy", "inside-bert-and-gpt"):
        assert f"- {package} " in said and f"{package} is" not in said
    (command,) = (line for line in said.splitlines() if "--no-deps" in line)
    _, _, *arguments = command.split()
    # What the cell tells the student to type; pip comes from here, the environment has none.
    pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"]
    assert command.split()[0] == python and arguments[0] == "pip"
    subprocess.run([*pip, *arguments[1:]], cwd=folder, check=True, capture_output=True)
    said = run(cell)
    assert "- torch" in said and "inside-bert-and-gpt" not in said
    (packages,) = (home / "lib").glob("python*/site-packages")
    (packages / "lent.pth").write_text(sysconfig.get_path("purelib"))  # torch, without a download
    assert run(cell).startswith("All is here")
    assert "is 9, and grading uses" in run(
        cell.replace("found = version", "found = '9' or version")
    )
    tried = "from course_lib import checks\nprint(checks.__file__, checks.draw('x', 3))"
    assert run(tried).startswith(str(packages))


def test_data_lies_where_cells_are_run(tmp_path, capsys):
    root = make_course(tmp_path / "course", {})
    path = root / "source" / "hw" / "nb.ipynb"
    source = json.loads(path.read_text())
    read = "open('data/text.txt', encoding='utf-8').read()"
    for item in source["cells"]:
        if item["id"] == "double":
            item["source"] = f"text = {read}\ndef double(x):\n    return 2 * x"
        if item["id"] == "double_tests":
            item["source"] = f"assert text == {read} == {DATA!r}"
    path.write_text(json.dumps(source))
    (path.parent / "data").mkdir()
    (path.parent / "data" / "text.txt").write_text(DATA, "utf-8")
    answers = SKELETON.reference() | {"double": source["cells"][2]["source"]}
    handed_in = hand_in(root / "submitted" / "ann" / "hw", notebook(SKELETON, answers))
    assert main(["grade", "hw", "--course", str(root), "--workers", "1"]) == 0
    assert main(["check", str(handed_in / "nb.ipynb"), "--course", str(root)]) == 0
    assert "5 of 5 points" in capsys.readouterr().out
    (path.parent / "large").write_bytes(bytes(9 * 2**20))
    assert main(["grade", "hw", "--course", str(root)]) == 2
    assert "more than 8 MB of data" in capsys.readouterr().err
