"""An assignment's whole way through nbgrader: release, hand-in, grades, feedback, formgrader."""

import json
import socket
import subprocess
import time
import urllib.error
import urllib.request

import nbformat
import pytest
from conftest import ASSIGNMENT, BIN
from nbgrader.api import Gradebook
from source_notebooks import leaks, parts, read

FULL = 20.0


@pytest.fixture(scope="module")
def gradebook(graded):
    with Gradebook(f"sqlite:///{graded.folder}/gradebook.db", "inside_bert_and_gpt") as book:
        yield book


def test_release_keeps_the_questions_and_nothing_else(released):
    release = nbformat.read(released.notebook("release"), as_version=4)
    assert [cell.id for cell in release.cells] == [cell.id for cell in read(ASSIGNMENT).cells]
    assert leaks(ASSIGNMENT, release) == []


@pytest.mark.parametrize(
    ("student", "lost"),
    [
        ("solved", {}),
        (
            "untouched",
            {test: part for p in parts(ASSIGNMENT).values() for test, part in p.points.items()},
        ),
        ("drops_the_means", {"predicted_variance_tests": 2.0}),
        ("nan_gradients", {"attention_empty_row_tests": 0.5}),
        ("grows_with_the_text", {"absorb_tests": 0.5}),
        (
            "imports_the_answer",
            {"attention_tests": 2.0, "attention_mask_tests": 2.0, "attention_empty_row_tests": 1.0},
        ),
    ],
)
def test_each_student_loses_exactly_what_is_wrong(gradebook, student, lost):
    grades = gradebook.find_submission(ASSIGNMENT, student).notebooks[0].grades
    by_tests = {g.name: g.max_score - g.auto_score for g in grades if g.auto_score is not None}
    assert {name: points for name, points in by_tests.items() if points} == (
        lost if student != "untouched" else {**lost, "verdict": 3.0}
    )
    assert sum(g.max_score for g in grades) == FULL + 3


def test_the_written_answer_waits_for_a_hand(gradebook):
    grade = gradebook.find_grade("verdict", ASSIGNMENT, ASSIGNMENT, "solved")
    assert grade.auto_score is None and grade.needs_manual_grade
    grade.manual_score = 3.0
    gradebook.db.commit()
    assert gradebook.find_submission(ASSIGNMENT, "solved").score == FULL + 3
    untouched = gradebook.find_grade("verdict", ASSIGNMENT, ASSIGNMENT, "untouched")
    assert untouched.score == 0


def test_a_blocked_import_says_so(graded):
    notebook = nbformat.read(graded.notebook("autograded", "imports_the_answer"), as_version=4)
    (cell,) = (cell for cell in notebook.cells if cell.id == "attention")
    (error,) = (output for output in cell.outputs if output.output_type == "error")
    assert error.evalue.startswith("course_lib.bricks.attention is blocked") or (
        error.evalue.startswith("course_lib.bricks is blocked")
    )


def test_every_student_gets_feedback(graded, gradebook):
    for submission in gradebook.assignment_submissions(ASSIGNMENT):
        student = submission.student.id
        page = graded.folder / "feedback" / student / ASSIGNMENT / f"{ASSIGNMENT}.html"
        assert "The variance of attention scores" in page.read_text("utf-8")


def test_validate_passes_the_solved_notebook_and_names_what_fails(graded):
    notebooks = [str(graded.notebook("submitted", s)) for s in ("solved", "drops_the_means")]
    solved, wrong = graded.nbgrader("validate", *notebooks).split("VALIDATION FAILED ON 1 CELL")
    assert "Success!" in solved
    assert "A mean that is not 0 adds variance" in wrong


@pytest.fixture(scope="module")
def formgrader(graded):
    """Address of formgrader in a Jupyter server that runs on the graded course."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    extensions = dict.fromkeys(("jupyterlab", "jupytext", "jupyter_lsp", "notebook"), False)
    settings = {"ServerApp": {"port": port, "port_retries": 0, "jpserver_extensions": extensions}}
    (graded.folder.parent / "jupyter_server_config.json").write_text(json.dumps(settings))
    log = graded.folder.parent / "server.log"
    server = subprocess.Popen(
        [BIN / "jupyter-server", "--no-browser", "--allow-root", "--IdentityProvider.token="],
        cwd=graded.folder,
        env=graded.environment(),
        stdout=log.open("w"),
        stderr=subprocess.STDOUT,
    )
    address = f"http://127.0.0.1:{port}/formgrader"
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(f"{address}/manage_assignments", timeout=20).close()
                break
            except (urllib.error.URLError, ConnectionError):
                alive = server.poll() is None and time.monotonic() < deadline
                assert alive, log.read_text("utf-8")
                time.sleep(0.2)
        yield address
    finally:
        server.terminate()
        server.wait(timeout=20)


def get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=30) as reply:
        assert reply.status == 200
        return reply.read().decode("utf-8")


def test_formgrader_opens_the_gradebook(formgrader, gradebook):
    (assignment,) = json.loads(get(f"{formgrader}/api/assignments"))
    assert assignment["name"] == ASSIGNMENT and assignment["num_submissions"] == 6
    assert assignment["max_code_score"] == FULL and assignment["max_written_score"] == 3
    assert ASSIGNMENT in get(f"{formgrader}/gradebook/{ASSIGNMENT}")


def test_formgrader_shows_the_written_answer_for_grading(formgrader, gradebook):
    notebook = gradebook.find_submission_notebook(ASSIGNMENT, ASSIGNMENT, "drops_the_means")
    page = get(f"{formgrader}/submissions/{notebook.id}/")
    assert "The second sentence exaggerates" in page and "One point each for" in page
