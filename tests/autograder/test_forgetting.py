"""What a course keeps about a student, and that nothing of it is left."""

import pytest
from grading import CLASS, SCORES, make_course

from autograder.__main__ import main
from autograder.course import Course
from autograder.gradebook import open_gradebook

EXCHANGED = "ann+hw+2026-11-30 12:00:00 UTC+0"


@pytest.fixture
def course(tmp_path):
    """Ann and Bob graded, each step done, Ann's work in the exchange and in an export too."""
    root = make_course(tmp_path / "class", {name: CLASS[name] for name in ("ann", "bob")})
    config = root / "nbgrader_config.py"
    config.write_text(config.read_text() + f"c.Exchange.root = {str(root / 'exchange')!r}\n")
    (root / "exchange" / "x" / "inbound" / EXCHANGED).mkdir(parents=True)
    for words in (["grade", "hw", "--workers", "1"], ["feedback", "hw"], ["report", "hw"],
                  ["export", "--csv", str(root / "grades.csv")]):  # fmt: skip
        assert main([*words, "--course", str(root)]) == 0
    return root


def names(root, word=b"ann"):
    """Files that a search for the student's id finds, and folders called so."""
    inside = {path for path in root.rglob("*") if path.is_file() and word in path.read_bytes()}
    called = {path for path in root.rglob("*") if path.name.split("+")[0] == word.decode()}
    return {path.relative_to(root).as_posix() for path in inside | called}


@pytest.mark.slow
def test_nothing_is_left_of_a_student(course, capsys):
    folders = {"submitted/ann", "autograded/ann", "feedback/ann", f"exchange/x/inbound/{EXCHANGED}"}
    assert folders | {"gradebook.db", "autograded/report-hw.html"} <= names(course)
    assert main(["forget", "ann", "--yes", "--course", str(course)]) == 0
    said = capsys.readouterr().out
    for place in ("submitted/ann/hw", "autograded/ann/hw", "feedback/ann/hw", EXCHANGED):
        assert f"{place}\n" in said
    assert "gradebook: ann, with hw" in said
    assert names(course) == {"grades.csv"}
    assert f"still named in: {course / 'grades.csv'}" in said

    with open_gradebook(Course.load(course).db_url, "x") as gradebook:
        assert {s.student.id: s.score for s in gradebook.assignment_submissions("hw")} == {
            "bob": SCORES["bob"]
        }
    assert "bob" in (course / "autograded" / "report-hw.html").read_text()
    assert (course / "feedback" / "bob" / "hw" / "nb.html").exists()

    assert main(["forget", "bob", "--yes", "--course", str(course)]) == 0
    assert not (course / "autograded" / "report-hw.html").exists()
    assert main(["forget", "bob", "--yes", "--course", str(course)]) == 2
    assert "nothing is kept about 'bob'" in capsys.readouterr().err


@pytest.mark.parametrize(("answer", "removed"), [("ann", True), ("no", False), (None, False)])
def test_it_asks_first(tmp_path, monkeypatch, capsys, answer, removed):
    root = make_course(tmp_path, {"ann": CLASS["ann"]})

    def reply(question):
        if answer is None:
            raise EOFError
        return answer

    monkeypatch.setattr("builtins.input", reply)
    assert main(["forget", "ann", "--course", str(root)]) == (0 if removed else 1)
    assert (root / "submitted" / "ann").exists() is not removed
    assert ("Nothing was removed." in capsys.readouterr().out) is not removed


@pytest.mark.parametrize("student", ["..", "a/b", "../class", "*", "an", ""])
def test_only_a_students_own_things_are_found(tmp_path, student):
    root = make_course(tmp_path / "class", {"ann": CLASS["ann"]})
    assert main(["forget", student, "--yes", "--course", str(root)]) == 2
    assert (root / "submitted" / "ann" / "hw" / "nb.ipynb").exists()
