"""One graded class, made once: nbgrader's own commands on a copy of the course."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest
from source_notebooks import FOLDER, parts, read

ASSIGNMENT = "01_attention_variance"
BIN = Path(sys.executable).parent

# Student: the part that is wrong, and the answer given there. All other parts are right.
WRONG_ANSWERS = {
    "drops_the_means": ("predicted_variance", "wrong/ignores_means"),
    "nan_gradients": ("attention", "wrong/nan_hidden_too_late"),
    "grows_with_the_text": ("absorb", "wrong/collects_everything"),
}
IMPORTED_ANSWER = "from course_lib.bricks.attention import scaled_dot_product as attention\n"


@dataclass(frozen=True)
class Course:
    folder: Path

    def nbgrader(self, *arguments: str) -> str:
        """Run a command as an instructor would, with a PATH that does not know the environment."""
        run = subprocess.run(
            [BIN / "nbgrader", *arguments],
            cwd=self.folder,
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert run.returncode == 0, run.stdout + run.stderr
        return run.stdout + run.stderr

    def environment(self) -> dict[str, str]:
        own = {name: str(self.folder.parent) for name in ("HOME", "JUPYTER_CONFIG_DIR")}
        return {**os.environ, **own, "PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1"}

    def notebook(self, step: str, student: str = "") -> Path:
        return self.folder / step / student / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"

    def hand_in(self, student: str, answers: dict[str, str]) -> None:
        """Fill the released notebook with answers, given by the grade_id of their cell."""
        notebook = nbformat.read(self.notebook("release"), as_version=4)
        for cell in notebook.cells:
            if cell.id in answers:
                cell.source = answers[cell.id]
        path = self.notebook("submitted", student)
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)


def reference_answers() -> dict[str, str]:
    answers = {name: part.solution for name, part in parts(ASSIGNMENT).items()}
    (essay,) = (cell for cell in read(ASSIGNMENT).cells if cell.id == "verdict")
    return {**answers, "verdict": essay.source.replace("### BEGIN SOLUTION\n", "")}


@pytest.fixture(scope="session")
def released(tmp_path_factory) -> Course:
    course = Course(tmp_path_factory.mktemp("class") / "course")
    shutil.copytree(FOLDER / "source" / ASSIGNMENT, course.folder / "source" / ASSIGNMENT)
    shutil.copy(FOLDER / "nbgrader_config.py", course.folder)
    course.nbgrader("generate_assignment", ASSIGNMENT)
    return course


@pytest.fixture(scope="session")
def graded(released) -> Course:
    right = reference_answers()
    released.hand_in("solved", right)
    released.hand_in("untouched", {})
    released.hand_in("imports_the_answer", {**right, "attention": IMPORTED_ANSWER})
    for student, (part, name) in WRONG_ANSWERS.items():
        answer = FOLDER / "bank" / ASSIGNMENT / part / f"{name}.py"
        released.hand_in(student, {**right, part: answer.read_text("utf-8")})
    released.nbgrader("autograde", ASSIGNMENT)
    released.nbgrader("generate_feedback", ASSIGNMENT)
    return released
