"""The instructor's tutorial, followed word by word: its cells, its bank, its commands."""

import json
import re
import shlex

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, writes

from autograder.__main__ import main
from autograder.batch import read_record
from autograder.course import Course
from tests.conftest import ROOT

PAGE = (ROOT / "book" / "adding_an_assignment.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\{code-block\} (\w+)\n:caption: ([^\n]*)\n(.*?)^```$", PAGE, re.M | re.S)
COMMANDS = [
    shlex.split(line)[3:]
    for block in re.findall(r"^```sh\n(.*?)^```$", PAGE, re.M | re.S)
    for line in block.splitlines()
    if line.startswith("python -m autograder ")
]
KINDS = {  # nbgrader's names for them: locked, grade, solution
    "Read-only": (True, False, False),
    "Autograded answer": (False, False, True),
    "Autograder tests": (True, True, False),
    "Manually graded answer": (False, True, True),
}
NAME = "12_softcap"


def the_notebook():
    """The cells of the page, each of the type its caption says."""
    (task,) = re.findall(r"^```markdown\n(.*?)^```$", PAGE, re.M | re.S)
    cells = [new_markdown_cell(task)]
    for language, caption, text in BLOCKS:
        found = re.fullmatch(r'"ID `(\w+)`: ([\w -]+?)(?:, (\d+) points?)?"', caption)
        if not found:
            continue
        name, kind, points = found.groups()
        locked, grade, solution = KINDS[kind]
        marks = {"locked": locked, "grade": grade, "solution": solution, "task": False}
        marks |= {"grade_id": name, "schema_version": 3}
        marks |= {"points": float(points)} if grade else {}
        make = new_code_cell if language == "python" else new_markdown_cell
        cells.append(make(text.rstrip("\n"), metadata={"nbgrader": marks}))
    return new_notebook(cells=cells)


def bank_files():
    return {caption: text for _, caption, text in BLOCKS if caption.startswith("bank/")}


@pytest.mark.slow
def test_from_an_empty_notebook_to_a_graded_submission(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "class"
    assert main(["new-course", str(folder), "--course", str(ROOT / "assignments")]) == 0
    monkeypatch.chdir(folder)
    source = folder / "source" / NAME / f"{NAME}.ipynb"
    source.parent.mkdir()
    source.write_text(writes(the_notebook()))
    for place, text in bank_files().items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    said = {}
    for words in COMMANDS:
        if words[0] == "grade" and not said.get("grade"):
            hand_in_as_ann(folder)
        extra = ["--workers", "1"] if words[0] in ("bank", "grade") else []
        capsys.readouterr()
        assert main([*words, *extra]) == 0, words
        said[words[0]] = capsys.readouterr().out

    wrong = sum("/wrong/" in place for place in bank_files())
    right = len(bank_files()) - wrong
    assert f"{wrong} of {wrong}" in said["bank"] and f"{right} of {right}" in said["bank"]
    assert "SURVIVED" not in said["mutate"] and " 0 mutants" not in said["mutate"]
    parts = {part.grade_id: part for part in read_record(Course.load(folder), NAME, "ann").parts}
    assert parts["softcap_tests"].score < 2 and parts["why"].by_hand
    page = (folder / "feedback" / "ann" / NAME / f"{NAME}.html").read_text()
    assert "Cuts at the cap" in page and "weighted sum" not in page


def hand_in_as_ann(folder):
    """The released notebook, its part answered as the bank's hard cut, its question by a text."""
    answers = {
        "softcap": bank_files()[f"bank/{NAME}/softcap/wrong/hard_cut.py"],
        "why": "Beyond a hard cut nothing is learned.",
    }
    notebook = json.loads((folder / "release" / NAME / f"{NAME}.ipynb").read_text())
    for cell in notebook["cells"]:
        grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id")
        if grade_id in answers:
            assert "".join(cell["source"]).endswith(("NotImplementedError()", "YOUR ANSWER HERE"))
            cell["source"] = answers[grade_id]
    target = folder / "submitted" / "ann" / NAME / f"{NAME}.ipynb"
    target.parent.mkdir(parents=True)
    target.write_text(json.dumps(notebook))
