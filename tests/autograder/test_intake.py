"""Damaged submissions: mended where the meaning is clear, and never more than one cell is lost."""

import json
import os

import pytest
from grading import double_notebook, hand_in, notebook
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder import intake
from autograder.intake import read_submission, rebuild
from autograder.skeleton import Skeleton

SKELETON = double_notebook()
ANSWERS = SKELETON.reference()
DOUBLE, ADD = ANSWERS["double"], ANSWERS["add"]


def read(folder):
    submission = read_submission(folder, {"nb": SKELETON})
    return submission.answers["nb"], " / ".join(note.text for note in submission.notes)


def test_an_untouched_submission_needs_no_note(tmp_path):
    assert read(hand_in(tmp_path / "ann", notebook(SKELETON))) == (ANSWERS, "")


def test_only_the_text_of_solution_cells_is_taken(tmp_path):
    forged = notebook(
        SKELETON,
        double_tests={"source": "pass", "metadata": {"tags": ["skip-execution"]}},
        setup={"source": "def close(*a): pass"},
    )
    forged["metadata"] = {"kernelspec": {"name": "evil"}, "celltoolbar": "x"}
    answers, _ = read(hand_in(tmp_path / "ann", forged))
    assert answers == ANSWERS
    rebuilt = rebuild(SKELETON, answers)
    assert [c.source for c in rebuilt.cells] == [c.source for c in SKELETON.cells]
    assert "evil" not in json.dumps(rebuilt) and "skip-execution" not in json.dumps(rebuilt)


def duplicated(nb):
    nb["cells"].insert(3, {**nb["cells"][2], "id": "copy"})


def duplicated_stub(nb):
    stub = SKELETON.cells[2].stub
    nb["cells"].append({**nb["cells"][2], "id": "copy", "source": stub})


def split(nb):
    first, rest = DOUBLE.splitlines(keepends=True)[:1], DOUBLE.splitlines(keepends=True)[1:]
    nb["cells"][2:3] = [
        {**nb["cells"][2], "source": s, "id": f"s{i}"} for i, s in enumerate([first, rest])
    ]


def reordered(nb):
    nb["cells"].reverse()


def retyped(nb):
    nb["cells"][2]["cell_type"] = "markdown"


def unmarked(nb):
    nb["cells"][2]["metadata"] = {}


def renamed_id(nb):
    nb["cells"][2]["metadata"]["nbgrader"]["grade_id"] = "mine"


def unmarked_without_id(nb):
    nb["cells"][2] |= {"metadata": {}, "id": "fresh"}


def wrong_points(nb):
    nb["cells"][3]["metadata"]["nbgrader"]["points"] = 1000


def test_became_solution(nb):
    nb["cells"][3]["metadata"]["nbgrader"]["solution"] = True


def old_format(nb):
    for cell in nb["cells"]:
        cell["input"] = cell.pop("source")
    nb["worksheets"] = [{"cells": nb.pop("cells")}]
    nb["nbformat"] = 3


def future_format(nb):
    nb["nbformat"], nb["unheard_of"] = 9, {"x": [1]}


def odd_metadata(nb):
    nb["cells"][2]["metadata"] |= {"colab": {"x": 1}, "tags": ["a"], "trusted": True}
    nb["cells"].insert(0, {"cell_type": "code"})
    nb["cells"].insert(0, "not a cell")
    nb["cells"].insert(0, {"cell_type": 3, "source": {"a": 1}, "metadata": []})
    nb["cells"].insert(0, {"cell_type": "code", "source": "", "metadata": {"nbgrader": ["x"]}})
    nb["cells"].insert(
        0, {"cell_type": "code", "source": "x", "metadata": {"nbgrader": {"grade_id": ["y"]}}}
    )


test_became_solution.__test__ = False


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (duplicated, "2 times"),
        (duplicated_stub, "2 times"),
        (split, "2 times"),
        (reordered, "moved"),
        (retyped, "type"),
        (unmarked, "recognised"),
        (renamed_id, "recognised"),
        (unmarked_without_id, "recognised"),
        (wrong_points, ""),
        (test_became_solution, "marks"),
        (old_format, ""),
        (future_format, ""),
        (odd_metadata, ""),
    ],
)
def test_mended_where_the_meaning_is_clear(tmp_path, damage, words):
    handed_in = notebook(SKELETON)
    damage(handed_in)
    answers, notes = read(hand_in(tmp_path / "ann", handed_in))
    joined = {name: "".join(text.split()) for name, text in answers.items()}
    assert joined == {name: "".join(text.split()) for name, text in ANSWERS.items()}
    assert words in notes


@pytest.mark.parametrize("lost", ["double", "add"])
def test_a_missing_cell_costs_only_itself(tmp_path, lost):
    answers, notes = read(hand_in(tmp_path / "ann", notebook(SKELETON, **{lost: None})))
    assert answers == {name: text for name, text in ANSWERS.items() if name != lost}
    assert "missing" in notes


def test_an_added_cell_does_not_count_and_is_told(tmp_path):
    handed_in = notebook(SKELETON)
    extra = {"cell_type": "code", "metadata": {}, "source": "def helper(): pass", "id": "z"}
    handed_in["cells"].append(extra)
    answers, notes = read(hand_in(tmp_path / "ann", handed_in))
    assert answers == ANSWERS and "added code cell" in notes


@pytest.mark.parametrize(
    ("encode", "words"),
    [
        (lambda text: text.encode("utf-8-sig"), ""),
        (lambda text: text.encode("utf-16"), "utf-16"),
        (lambda text: text.encode("utf-16-le"), "utf-16-le"),
        (lambda text: text.encode("gb18030"), "gb18030"),
        (lambda text: text.replace("\n", "\r\n").encode(), ""),
    ],
)
def test_encodings(tmp_path, encode, words):
    answers = {**ANSWERS, "add": "def add(x, y):\n    return x + y  # 加法"}
    text = json.dumps(notebook(SKELETON, answers), ensure_ascii=False, indent=1)
    found, notes = read(hand_in(tmp_path / "ann", encode(text)))
    assert found == answers and words in notes


def test_bytes_of_no_encoding_cost_no_more_than_their_cell(tmp_path):
    text = json.dumps(notebook(SKELETON), ensure_ascii=False).encode()
    broken = text.replace(b"return x + y", b"return x + y # \xff\xfe\xfd")
    answers, _ = read(hand_in(tmp_path / "ann", broken))
    assert answers["double"] == DOUBLE and answers["add"].startswith("def add")


@pytest.mark.parametrize("keep", [0.4, 0.75, 0.99])
def test_a_truncated_file_keeps_its_whole_cells(tmp_path, keep):
    text = json.dumps(notebook(SKELETON), indent=1)
    answers, notes = read(hand_in(tmp_path / "ann", text[: int(len(text) * keep)]))
    assert "damaged" in notes
    assert all(answers[name] == ANSWERS[name] for name in answers)
    assert keep < 0.9 or answers == ANSWERS


def test_merge_conflict_marks_cost_one_cell(tmp_path):
    text = json.dumps(notebook(SKELETON), indent=1)
    middle = text.index("return 2 * x") - 3
    text = text[:middle] + "\n<<<<<<< HEAD\n" + text[middle:]
    answers, _ = read(hand_in(tmp_path / "ann", text))
    assert answers == {"add": ADD}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[]",
        "3",
        '{"cells": 3}',
        '{"cells": [{"source": ["a", 3]}]}',
        "[" * 200_000,
        '{"a":' * 100_000,
        '{"cells": [' + '{"cell_type"' * 20_000,
        "9" * 100_000,
        b"\x00" * 5_000,
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
    ],
    ids=lambda text: str(text[:12]),
)
def test_rubbish_is_read_as_nothing(tmp_path, text):
    answers, notes = read(hand_in(tmp_path / "ann", text))
    assert answers == {} and "missing" in notes


@settings(max_examples=60, deadline=None, derandomize=True)
@given(data=st.data())
def test_no_damage_raises_and_none_invents_an_answer(tmp_path_factory, data):
    text = bytearray(json.dumps(notebook(SKELETON)).encode())
    for _ in range(data.draw(st.integers(1, 8))):
        start = data.draw(st.integers(0, len(text) - 1))
        text[start : start + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=12))
    answers, _ = read(hand_in(tmp_path_factory.mktemp("damaged"), bytes(text)))
    assert set(answers) <= set(ANSWERS)


def test_lone_surrogates_can_be_stored(tmp_path):
    answers = {**ANSWERS, "add": "x = '\ud800'"}
    found, _ = read(hand_in(tmp_path / "ann", notebook(SKELETON, answers)))
    assert found["add"].encode("utf-8")


# --- files ---


def test_a_link_to_another_submission_is_refused(tmp_path):
    hand_in(tmp_path / "bob", notebook(SKELETON))
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / "nb.ipynb").symlink_to(tmp_path / "bob" / "nb.ipynb")
    answers, notes = read(tmp_path / "ann")
    assert answers == {} and "is a link" in notes


def test_a_folder_that_is_a_link_is_refused(tmp_path):
    hand_in(tmp_path / "bob", notebook(SKELETON))
    (tmp_path / "ann").symlink_to(tmp_path / "bob")
    answers, notes = read(tmp_path / "ann")
    assert answers == {} and "refused" in notes


def test_pipes_and_folders_do_not_stop_the_class(tmp_path):
    (tmp_path / "ann").mkdir()
    os.mkfifo(tmp_path / "ann" / "nb.ipynb")
    (tmp_path / "ann" / "other.ipynb").mkdir()
    answers, notes = read(tmp_path / "ann")
    assert answers == {} and notes.count("not an ordinary file") == 2


def test_an_overlong_file_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(intake, "MAX_NOTEBOOK_BYTES", 1000)
    answers, notes = read(hand_in(tmp_path / "ann", notebook(SKELETON)))
    assert answers == {} and "larger" in notes


def test_an_overlong_answer_costs_only_itself(tmp_path, monkeypatch):
    monkeypatch.setattr(intake, "MAX_ANSWER_CHARACTERS", 1000)
    answers = {**ANSWERS, "double": "# " + "x" * 2000}
    found, notes = read(hand_in(tmp_path / "ann", notebook(SKELETON, answers)))
    assert found == {"add": ADD} and "characters" in notes


def test_a_renamed_notebook_is_found(tmp_path):
    folder = hand_in(tmp_path / "ann", notebook(SKELETON), name="nb (1) final")
    hand_in(folder, "{}", name="scratch")
    answers, notes = read(folder)
    assert answers == ANSWERS and "nb (1) final.ipynb was read as nb.ipynb" in notes
    assert "scratch.ipynb is not a notebook of this assignment" in notes


def test_a_missing_notebook_costs_only_itself(tmp_path):
    other = Skeleton("second", SKELETON.cells)
    folder = hand_in(tmp_path / "ann", notebook(SKELETON))
    submission = read_submission(folder, {"nb": SKELETON, "second": other})
    assert submission.answers == {"nb": ANSWERS, "second": {}}


def test_the_digest_depends_on_answers_alone(tmp_path):
    plain = read_submission(hand_in(tmp_path / "a", notebook(SKELETON)), {"nb": SKELETON})
    moved = notebook(SKELETON)
    reordered(moved)
    mended = read_submission(hand_in(tmp_path / "b", moved), {"nb": SKELETON})
    assert plain.digest == mended.digest and plain.notes != mended.notes
