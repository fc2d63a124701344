"""A small class from handed-in files to gradebook, records and feedback."""

import csv
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys

import nbformat
import pytest
from grading import CLASS, REFERENCE, SCORES, SKELETON, cell, hand_in, make_course, notebook
from nbgrader import apps

from autograder import batch
from autograder.__main__ import main
from autograder.course import Course, CourseError
from autograder.export import harmless
from autograder.gradebook import GradebookError, open_gradebook, save, sync_assignment
from autograder.job import Limits
from autograder.outcome import Outcome, Part, Record
from autograder.report import similar_answers
from autograder.skeleton import Skeleton


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A class graded once, through the command an instructor types."""
    root = make_course(tmp_path_factory.mktemp("course"), CLASS)
    code = main(["grade", "hw", "--course", str(root), "--workers", "1"])
    return root, code


def scores(root):
    course = Course.load(root)
    with open_gradebook(course.db_url, "x") as gradebook:
        return {s.student.id: s.score for s in gradebook.assignment_submissions("hw")}


def test_every_submission_gets_what_it_earned(graded):
    root, code = graded
    assert scores(root) == SCORES
    assert code == 0


def test_records_say_what_happened(graded):
    root, _ = graded
    record = batch.read_record(Course.load(root), "hw", "carl")
    assert [part.outcome for part in record.parts] == [Outcome.ERROR, Outcome.PASSED]
    damaged = batch.read_record(Course.load(root), "hw", "emil")
    assert "damaged" in damaged.notes[0].text


def test_nbgrader_can_read_the_graded_notebooks(graded):
    root, _ = graded
    for student in CLASS:
        path = root / "autograded" / student / "hw" / "nb.ipynb"
        made = nbformat.read(path, as_version=4)
        nbformat.validate(made)
        marks = [c.metadata.get("nbgrader", {}).get("grade_id") for c in made.cells]
        assert marks == [None, "setup", "double", "double_tests", "add", "add_tests"]


def test_a_second_run_grades_nothing_again(graded, capsys):
    root, _ = graded
    before = {path: path.stat().st_mtime_ns for path in root.glob("autograded/*/*/*")}
    assert main(["grade", "hw", "--course", str(root), "--workers", "1"]) == 0
    assert f"0 graded, {len(CLASS)} unchanged" in capsys.readouterr().out
    assert before == {path: path.stat().st_mtime_ns for path in root.glob("autograded/*/*/*")}


def test_feedback_tells_and_hides(graded):
    root, _ = graded
    assert main(["feedback", "hw", "--course", str(root)]) == 0
    pages = {s: (root / "feedback" / s / "hw" / "nb.html").read_text() for s in CLASS}
    assert {p.name for p in (root / "feedback").glob("*/hw/*")} == {"nb.html"}
    assert "large: 0 of 2 points" in pages["bob"] and "3 of 5 points" in pages["bob"]
    assert "ended its own process" in pages["carl"]
    assert "has not been answered" in pages["dora"] and "damaged" in pages["emil"]
    for text in pages.values():
        assert "canary" not in text and "assert add(1, 1)" not in text
        assert not re.search("<script|<b>|javascript:", text)
        assert "default-src 'none'" in text


def test_feedback_names_the_chapter_and_links_where_there_is_an_address(tmp_path):
    root = make_course(tmp_path, {"bob": CLASS["bob"]})
    titles = {"sums": "Sums & more"}
    table = {"chapters": titles, "assignments": {"hw": {"add": "sums#Why, <how> and Ünder 3"}}}
    (root / "chapters.json").write_text(json.dumps(table))
    assert main(["grade", "hw", "--course", str(root), "--workers", "1"]) == 0
    page = root / "feedback" / "bob" / "hw" / "nb.html"
    assert main(["feedback", "hw", "--course", str(root)]) == 0
    words = "Sums &amp; more: Why, &lt;how&gt; and Ünder 3"
    assert f"<p>Read again: {words}</p>" in page.read_text()
    with (root / "nbgrader_config.py").open("a") as file:
        file.write("c.Autograder.book_url = 'https://example.org/course'\n")
    assert main(["feedback", "hw", "--course", str(root)]) == 0
    address = "https://example.org/course/book/sums.html#why-how-and-under-3"
    assert f'<a href="{address}">{words}</a>' in page.read_text()
    (root / "chapters.json").unlink()
    assert main(["feedback", "hw", "--course", str(root)]) == 0
    assert "Read again" not in page.read_text()


def test_feedback_and_check_call_a_part_as_the_notebook_does(tmp_path, capsys):
    heading = cell("text", "## Part 2 · Two & two (3 points)", cell_type="markdown")
    headed = Skeleton("nb", (*SKELETON.cells[:4], heading, *SKELETON.cells[4:]))
    answers = SKELETON.reference() | {"add": "def add(x, y): return max(x, y)"}
    root = make_course(tmp_path, {"bob": notebook(headed, answers)}, headed)
    table = {"chapters": {"sums": "Sums"}, "assignments": {"hw": {"add": "sums#Carry"}}}
    (root / "chapters.json").write_text(json.dumps(table))
    for command in ("grade", "feedback"):
        assert main([command, "hw", "--course", str(root)]) == 0
    page = (root / "feedback" / "bob" / "hw" / "nb.html").read_text()
    assert "<h2>double</h2>" in page and "<h2>Part 2 · Two &amp; two</h2>" in page
    capsys.readouterr()
    handed_in = root / "submitted" / "bob" / "hw" / "nb.ipynb"
    assert main(["check", str(handed_in), "--course", str(root)]) == 1
    assert capsys.readouterr().out.splitlines()[:5] == [
        "part                points  of",
        "double                   2   2",
        "Part 2 · Two & two       0   3",
        "    small: 0 of 1 points. AssertionError",
        "    Read again: Sums: Carry",
    ]


def test_feedback_goes_back_through_nbgraders_exchange(tmp_path, monkeypatch):
    """Fetched by who handed in through it; who handed in by mail does not stop it."""
    root = make_course(tmp_path / "course", {"by_mail": CLASS["carl"]})
    exchange = tmp_path / "exchange"
    exchange.mkdir()
    exchange.chmod(0o777)
    with (root / "nbgrader_config.py").open("a") as file:
        file.write(f"c.Exchange.root = {str(exchange)!r}\n")
        file.write(f"c.Exchange.cache = {str(tmp_path / 'cache')!r}\n")
    home = hand_in(tmp_path / "home" / "hw", CLASS["ann"]).parent
    shutil.copy(root / "nbgrader_config.py", home)

    def nbgrader(app, folder):
        monkeypatch.chdir(folder)
        running = app()
        running.initialize(["hw"])
        running.start()

    assert main(["release", "hw", "--course", str(root)]) == 0
    nbgrader(apps.ReleaseAssignmentApp, root)
    nbgrader(apps.SubmitApp, home)
    nbgrader(apps.CollectApp, root)
    for command in ("grade", "feedback"):
        assert main([command, "hw", "--course", str(root)]) == 0
    nbgrader(apps.ReleaseFeedbackApp, root)
    nbgrader(apps.FetchFeedbackApp, home)
    (fetched,) = (home / "hw" / "feedback").rglob("*.html")
    (through_exchange,) = (root / "submitted").glob("*/hw/submission_secret.txt")
    student = through_exchange.parents[1].name
    assert fetched.read_text() == (root / "feedback" / student / "hw" / "nb.html").read_text()


def test_release_gives_out_no_answer_and_no_hidden_test(graded):
    root, _ = graded
    assert main(["release", "hw", "--course", str(root)]) == 0
    text = (root / "release" / "hw" / "nb.ipynb").read_text()
    assert "YOUR CODE HERE" in text and "canary" not in text and "return 2 * x" not in text


def test_the_secret_is_made_once_and_readable_by_its_owner_only(graded):
    root, _ = graded
    secret = root / "grader_secret"
    assert secret.stat().st_mode & 0o077 == 0
    course = Course.load(root)
    assert course.seed("hw", "ann") == course.seed("hw", "ann") != course.seed("hw", "bob")
    assert course.seed("hw", "ann") == batch.read_record(course, "hw", "ann").seed


# --- grading again ---


def test_a_regrade_replaces_scores_and_keeps_what_humans_entered(tmp_path):
    root = make_course(tmp_path, {"ann": CLASS["bob"]})
    grade = ["grade", "hw", "--course", str(root), "--workers", "1"]
    assert main(grade) == 0
    course = Course.load(root)
    with open_gradebook(course.db_url, "x") as gradebook:
        row = gradebook.find_grade("add_tests", "nb", "hw", "ann")
        row.manual_score, row.extra_credit = 2.5, 0.25
        gradebook.find_comment("add", "nb", "hw", "ann").manual_comment = "well tried"
        gradebook.db.commit()
    hand_in(root / "submitted" / "ann" / "hw", notebook(SKELETON, {"add": REFERENCE["add"]}))
    assert main([*grade, "--dry-run"]) == 0
    assert scores(root) == {"ann": 2.0 + 2.5 + 0.25}  # nothing written yet
    assert main(grade) == 0
    with open_gradebook(course.db_url, "x") as gradebook:
        row = gradebook.find_grade("add_tests", "nb", "hw", "ann")
        assert (row.auto_score, row.manual_score, row.extra_credit) == (3.0, 2.5, 0.25)
        assert row.needs_manual_grade
        assert gradebook.find_grade("double_tests", "nb", "hw", "ann").auto_score == 0.0
        assert gradebook.find_comment("add", "nb", "hw", "ann").manual_comment == "well tried"
        assert gradebook.find_comment("double", "nb", "hw", "ann").auto_comment == "No response."


def test_a_broken_test_is_nobodys_fault(tmp_path, capsys):
    root = make_course(tmp_path, {"ann": CLASS["ann"]})
    path = root / "source" / "hw" / "nb.ipynb"
    path.write_text(path.read_text().replace("[0, 2, 4]", "[0, 2, 5]"))
    assert main(["grade", "hw", "--course", str(root), "--workers", "1"]) == 1
    assert "BROKEN TEST: nb/double_tests" in capsys.readouterr().err
    with open_gradebook(Course.load(root).db_url, "x") as gradebook:
        row = gradebook.find_grade("double_tests", "nb", "hw", "ann")
        assert row.auto_score is None and row.needs_manual_grade
        assert gradebook.find_grade("add_tests", "nb", "hw", "ann").auto_score == 3.0


def test_lateness_is_nbgraders(tmp_path):
    root = make_course(tmp_path, {"ann": CLASS["ann"], "bob": CLASS["bob"]})
    with (root / "nbgrader_config.py").open("a") as file:
        file.write("c.LateSubmissionPlugin.penalty_method = 'zero'\n")
    course = Course.load(root)
    with open_gradebook(course.db_url, "x") as gradebook:
        gradebook.update_or_create_assignment("hw", duedate="2026-01-01 12:00 UTC")
    for student, day in {"ann": "2026-01-02", "bob": "2025-12-31"}.items():
        (root / "submitted" / student / "hw" / "timestamp.txt").write_text(f"{day} 00:00:00 UTC")
    assert main(["grade", "hw", "--course", str(root), "--workers", "1"]) == 0
    with open_gradebook(course.db_url, "x") as gradebook:
        late = {
            s.student.id: s.notebooks[0].late_submission_penalty
            for s in gradebook.assignment_submissions("hw")
        }
    assert late == {"ann": 5.0, "bob": None}


def test_killed_while_writing_it_finishes_when_started_again(tmp_path, monkeypatch):
    root = make_course(tmp_path, {"ann": CLASS["ann"], "bob": CLASS["bob"]})
    grade = ["grade", "hw", "--course", str(root), "--workers", "1"]
    real, calls = batch.write_whole, []

    def dies(path, text):
        calls.append(path)
        if len(calls) == 4:  # after the second student's gradebook entry, before the record
            raise KeyboardInterrupt
        real(path, text)

    monkeypatch.setattr(batch, "write_whole", dies)
    assert main(grade) == 2
    monkeypatch.setattr(batch, "write_whole", real)
    assert len(list(root.glob("autograded/*/hw/record.json"))) == 1
    assert main(grade) == 0
    assert scores(root) == {"ann": 5.0, "bob": 3.0}
    assert len(list(root.glob("autograded/*/hw/record.json"))) == 2


# --- what an instructor may get wrong ---


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["grade", "nothing"], "no assignment 'nothing'; there are: hw"),
        (["grade", "hw", "--student", "zoe"], "by: zoe"),
        (["grade", "hw", "--db", "sqlite:////nowhere/at/all.db"], "gradebook cannot be opened"),
        (["check", "/nowhere.ipynb"], "no notebook"),
    ],
)
def test_mistakes_are_told_clearly(graded, capsys, arguments, words):
    root, _ = graded
    assert main([*arguments, "--course", str(root)]) == 2
    error = capsys.readouterr().err
    assert words in error and "Traceback" not in error


def test_a_folder_that_is_no_course(tmp_path):
    with pytest.raises(CourseError, match=r"nbgrader_config\.py"):
        Course.load(tmp_path)


def test_a_locked_gradebook_loses_nothing(tmp_path, monkeypatch):
    root = make_course(tmp_path, {"ann": CLASS["ann"]})
    grade = ["grade", "hw", "--course", str(root), "--workers", "1"]
    assert main(grade) == 0
    monkeypatch.setattr("autograder.gradebook.PATIENCE", ())
    holder = sqlite3.connect(root / "gradebook.db")
    holder.execute("BEGIN EXCLUSIVE")
    course = Course.load(root)
    record = batch.read_record(course, "hw", "ann")
    try:
        with pytest.raises(GradebookError), open_gradebook(course.db_url, "x") as gradebook:
            batch.save(gradebook, record)
    finally:
        holder.rollback()
        holder.close()
    assert scores(root) == {"ann": 5.0}


def test_the_program_needs_no_path(tmp_path):
    """`.venv/bin/python -m autograder` with a bare PATH: nbgrader calls alembic by name."""
    root = make_course(tmp_path, {"ann": CLASS["dora"]})
    run = subprocess.run(
        [sys.executable, "-m", "autograder", "grade", "hw", "--course", str(root)],
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert "1 graded" in run.stdout


# --- for learners ---


def test_check_shows_what_to_look_at(tmp_path, graded, capsys):
    root, _ = graded
    hand_in(tmp_path, CLASS["bob"])
    assert main(["check", str(tmp_path / "nb.ipynb"), "--course", str(root)]) == 1
    shown = capsys.readouterr().out
    assert "large: 0 of 2 points" in shown and "3 of 5 points" in shown


def test_check_uses_the_notebooks_own_tests_where_there_is_no_course(tmp_path, capsys):
    hand_in(tmp_path, notebook(SKELETON))
    assert main(["check", str(tmp_path / "nb.ipynb"), "--course", str(tmp_path)]) == 0
    assert "5 of 5 points" in capsys.readouterr().out


def test_the_limits_are_part_of_what_a_grade_depends_on(graded):
    root, _ = graded
    course = Course.load(root)
    skeletons = course.skeletons("hw")
    folder = course.submissions("hw")["ann"]
    keys = {
        batch.job_for(course, "hw", "ann", folder, skeletons, limits).key
        for limits in (Limits(), Limits(seconds=5))
    }
    assert len(keys) == 2
    assert json.loads((root / "autograded/ann/hw/record.json").read_text())["hashes"]["job"] in keys
    assert os.path.exists(root / "gradebook.db")


# --- for instructors ---


def test_report_and_export(graded):
    root, _ = graded
    assert main(["report", "hw", "--course", str(root)]) == 0
    page = (root / "autograded" / "report-hw.html").read_text()
    assert "6 submissions" in page and "ended its own process" in page and "damaged" in page
    assert not re.search("<script|<b>", page) and "default-src 'none'" in page
    for form in ("plain", "canvas", "moodle"):
        path = root / f"{form}.csv"
        assert main(["export", "--csv", str(path), "--format", form, "--course", str(root)]) == 0
        rows = list(csv.reader(path.open()))
        column = rows[0].index({"plain": "student", "canvas": "SIS Login ID"}.get(form, "Username"))
        found = {row[column]: row[-1] for row in rows[1:] if row[column]}
        assert list(found) == sorted(found)
        assert {name: float(score) for name, score in found.items()} == SCORES


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@x", "\t=1"])
def test_no_name_becomes_a_formula(name):
    assert harmless(name).startswith("'") and harmless("ann") == "ann"


@pytest.mark.parametrize(
    ("given", "meant"),
    [("01_sums", "01_sums"), ("1", "01_sums"), ("10", "10_means"), ("hw", "hw"), ("hw2", "hw2_x")],
)
def test_an_assignment_goes_by_name_beginning_or_number(given, meant, tmp_path, monkeypatch):
    monkeypatch.setattr(
        Course, "assignments", ["01_sums", "10_means", "hw", "hw2_x", "2_a", "02_b"]
    )
    course = Course.load(make_course(tmp_path, {}))
    assert course.resolve(given) == meant
    for several_or_none in ("2", "3", "1_", "hw3", ""):
        with pytest.raises(CourseError, match="no assignment .*10_means"):
            course.resolve(several_or_none)


def test_what_is_not_graded_yet_is_exported_empty(tmp_path):
    root = make_course(tmp_path, {"ann": CLASS["ann"]})
    course = Course.load(root)
    part = Part("nb", "double_tests", 2.0, Outcome.GRADER_FAULT)
    with open_gradebook(course.db_url, "x") as gradebook:
        sync_assignment(gradebook, "hw", course.skeletons("hw"))
        save(gradebook, Record("hw", "ann", (part,)))
    assert main(["export", "--csv", str(tmp_path / "g.csv"), "--course", str(root)]) == 0
    assert (tmp_path / "g.csv").read_text().splitlines()[1] == "ann,,,,"


def test_renamed_copies_are_found_and_different_answers_are_not():
    first = "def f(items, width):\n" + "".join(
        f"    total_{n} = sum(x * {n} for x in items) + width\n" for n in range(8)
    )
    second = "# mine\n" + first.replace("items", "values").replace("total", "t").replace("x", "q")
    third = "def f(items, width):\n    result = []\n" + "".join(
        f"    result.append([len(items), {n}, width - {n}])\n" for n in range(8)
    )
    records = [
        Record("hw", name, (), answers={"nb": {"a": text}})
        for name, text in {"ann": first, "bob": second, "carl": third}.items()
    ]
    pairs = list(similar_answers(records, {("nb", "a"): "def f(items, width):\n    pass"}))
    assert [(a.student, b.student) for _, _, a, b in pairs] == [("ann", "bob")]


def test_a_private_course_has_a_secret_of_its_own(graded, tmp_path, capsys):
    root, _ = graded
    folder = tmp_path / "mine"
    assert main(["new-course", str(folder), "--course", str(root)]) == 0
    mine, public = Course.load(folder), Course.load(root)
    assert mine.assignments == public.assignments
    assert mine.seed("hw", "ann") != public.seed("hw", "ann")
    assert (folder / "grader_secret").stat().st_mode & 0o077 == 0
    assert not (folder / "submitted").exists() and not (folder / "gradebook.db").exists()
    assert main(["new-course", str(folder), "--course", str(root)]) == 2
    assert "not empty" in capsys.readouterr().err


def test_the_bank_tells_weak_tests_from_good_ones(tmp_path, capsys):
    root = make_course(tmp_path, {})
    answers = {
        "double/right/sum.py": "def double(x): return x + x",
        "double/wrong/triple.py": "def double(x): return 3 * x",
        "add/right/plain.py": "def add(x, y): return x + y",
        "add/wrong/clipped.py": "def add(x, y): return min(x + y, 9)",
    }
    for name, text in answers.items():
        path = root / "bank" / "hw" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    bank = ["bank", "--course", str(root), "--workers", "1"]
    assert main(bank) == 0
    assert capsys.readouterr().out.count("1 of 1") == 4
    (root / "bank/hw/add/wrong/right_after_all.py").write_text(answers["add/right/plain.py"])
    (root / "bank/hw/double/right/wrong_after_all.py").write_text("def double(x): return x")
    assert main(bank) == 1
    error = capsys.readouterr().err
    assert "right_after_all.py was accepted" in error and "wrong_after_all.py was rejected" in error
