"""A failed part is told which known mistake it looks like: exactly one, or none."""

import json
import shutil
from pathlib import Path

import pytest
from grading import SKELETON, hand_in, make_course, notebook

from autograder import batch
from autograder.__main__ import main
from autograder.course import Course
from autograder.misconceptions import FOLDER, alike
from autograder.replies import boiled

COURSE = Path(__file__).parents[2] / "assignments"
REFERENCE = SKELETON.reference()
BANK = {
    "double/wrong/triple.py": '"""Takes three times the number."""\ndef double(x): return 3 * x',
    "double/wrong/square.py": '"""Squares the number."""\ndef double(x): return x**2',
    "add/wrong/clipped.py": '"""Stops at 9."""\ndef add(x, y): return min(x + y, 9)',
    "add/wrong/two.py": '"""Adds <b>two</b>."""\ndef add(x, y): return x + 2',
    "add/wrong/breaks.py": '"""Breaks."""\ndef add(x, y): raise KeyError(x)',
}
CLASS = {
    "three_times": {"double": "def double(number):\n    return number + number + number.clone()"},
    "float64": {"double": "import torch\ndef double(x): return (x.double() * 3.0).float()"},
    "four_times": {"double": "def double(x): return 4 * x"},
    "breaks": {"add": "def add(a, b): return {}[a]"},
    "plus_two": {"add": "def add(first, second):\n    return first.__add__(2)"},
    "at_most_9": {"add": "def add(a, b):\n    s = a + b\n    return 9 if s > 9 else s"},
    "at_most_8": {"add": "def add(a, b):\n    s = a + b\n    return 8 if s > 8 else s"},
    "both": {
        "double": "def double(x): return x * x",
        "add": "def add(x, y): return 9 and x + y - 1",
    },
    "right": {},
}
LOOKS_LIKE = {
    "three_times": {"double_tests": "Takes three times the number."},
    "float64": {"double_tests": "Takes three times the number."},
    "plus_two": {"add_tests": "Adds <b>two</b>."},
    "at_most_9": {"add_tests": "Stops at 9."},
    "both": {"double_tests": "Squares the number."},
}


def with_bank(root, class_):
    for name, text in BANK.items():
        path = root / "bank" / "hw" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return make_course(root, class_)


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    class_ = {name: notebook(SKELETON, {**REFERENCE, **own}) for name, own in CLASS.items()}
    root = with_bank(tmp_path_factory.mktemp("course"), class_)
    assert main(["grade", "hw", "--course", str(root), "--workers", "2"]) == 0
    return root


def test_exactly_the_known_mistakes_are_recognised(graded):
    for student in CLASS:
        record = batch.read_record(Course.load(graded), "hw", student)
        found = {part.grade_id: part.looks_like for part in record.parts if part.looks_like}
        assert found == LOOKS_LIKE.get(student, {}), student
        assert not any(part.replies for part in record.parts)


def test_feedback_and_report_say_it(graded):
    for command in ("feedback", "report"):
        assert main([command, "hw", "--course", str(graded)]) == 0
    page = (graded / "feedback" / "plus_two" / "hw" / "nb.html").read_text()
    assert "Looks like:</strong> Adds &lt;b&gt;two" in page and "canary" not in page
    assert "looks like: Stops at 9." in (graded / "autograded" / "report-hw.html").read_text()


def test_check_says_it_and_runs_each_wrong_answer_once(graded, tmp_path, capsys):
    handed_in = hand_in(tmp_path / "mine", notebook(SKELETON, REFERENCE | CLASS["at_most_9"]))
    check = ["check", str(handed_in / "nb.ipynb"), "--course", str(graded)]
    kept = graded / FOLDER / "hw.json"
    before = kept.read_bytes()
    assert main(check) == 1
    assert "looks like: Stops at 9." in capsys.readouterr().out
    assert kept.read_bytes() == before
    kept.unlink()
    assert main(check) == 1
    assert "looks like: Stops at 9." in capsys.readouterr().out
    assert set(json.loads(kept.read_text())["known"]) == {"add"}  # the part that failed


def test_what_the_bank_learnt_is_not_run_again_by_grading(tmp_path):
    root = with_bank(tmp_path, {"ann": notebook(SKELETON, REFERENCE | CLASS["at_most_9"])})
    assert main(["bank", "hw", "--course", str(root)]) == 0
    kept = root / FOLDER / "hw.json"
    known = {name for files in json.loads(kept.read_text())["known"].values() for name in files}
    assert known == {f"bank/hw/{name}" for name in BANK}
    before = kept.stat().st_mtime_ns
    assert main(["grade", "hw", "--course", str(root), "--workers", "1"]) == 0
    assert kept.stat().st_mtime_ns == before
    record = batch.read_record(Course.load(root), "hw", "ann")
    assert [part.looks_like for part in record.parts if part.looks_like] == ["Stops at 9."]


def test_a_mistake_that_two_answers_make_is_not_guessed(tmp_path):
    root = with_bank(tmp_path, {"ann": notebook(SKELETON, REFERENCE | CLASS["at_most_9"])})
    twin = root / "bank/hw/add/wrong/twin.py"
    twin.write_text('"""Another reading."""\ndef add(x, y): return x + y if x + y < 9 else 9')
    assert main(["grade", "hw", "--course", str(root), "--workers", "1"]) == 0
    record = batch.read_record(Course.load(root), "hw", "ann")
    assert not any(part.looks_like for part in record.parts)


GELU = {
    "gelu": (
        "def gelu(numbers: Tensor) -> Tensor:\n"
        "    inner = 0.7978845608028654 * (numbers + 0.044715 * numbers * numbers * numbers)\n"
        "    return numbers * (torch.tanh(inner) + 1) / 2"
    ),
}


def test_real_misconceptions_written_differently(tmp_path):
    """The tanh form in place of the exact one, as a student may write it."""
    for name in ("source", "bank"):
        shutil.copytree(COURSE / name / "05_gelu", tmp_path / name / "05_gelu")
    shutil.rmtree(tmp_path / "bank" / "05_gelu" / "matching_forms")  # parts that all pass here
    shutil.copy(COURSE / "nbgrader_config.py", tmp_path)
    course = Course.load(tmp_path)
    ((name, skeleton),) = course.skeletons("05_gelu").items()
    hand_in(
        tmp_path / "submitted" / "ann" / "05_gelu",
        notebook(skeleton, skeleton.reference() | GELU),
        name,
    )
    assert main(["grade", "05", "--course", str(tmp_path), "--workers", "2"]) == 0
    record = batch.read_record(course, "05_gelu", "ann")
    (part,) = (part for part in record.parts if part.grade_id == "gelu_tests")
    assert "tanh" in part.looks_like, part


def test_numbers_are_compared_but_for_rounding():
    import torch

    x = torch.linspace(-3, 3, 100)
    assert alike(boiled(x.exp()), boiled(x.double().exp().float()))
    assert alike(boiled([1, 2.0, {"a": x}]), boiled((1, 2.0 + 1e-9, {"a": x + 1e-8})))
    for other in (
        x[:99],
        x.double(),
        x + 0.001,
        x.flip(0),
        x.tolist(),
        "x",
        None,
        x.reshape(10, 10),
    ):
        assert not alike(boiled(x), boiled(other))
    assert not alike(boiled(torch.tensor([1.0, float("nan")])), boiled(torch.tensor([1.0, 0.0])))
    assert alike(boiled(float("inf")), boiled(float("inf")))
    assert not alike(boiled(float("inf")), boiled(float("-inf")))
    assert not alike(boiled(1), boiled(True)) and not alike(boiled(0), boiled(None))
    json.dumps(boiled([object(), x.bfloat16(), 3j, range(3), {1: b"x"}, torch.Size([2])]))
