"""A learner's own work: notebooks laid out once, checked here, and not checked twice.

The notebooks lie in `work/` beside the course's folder, each under its assignment's name. They
are the students' version that a release also makes. What is there is never written over. What came
of the last check lies in `.checked/` beside the notebook; it counts as long as the same check would
be made again.
"""

import contextlib
import copy
import dataclasses
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from nbgrader.coursedir import CourseDirectory

from autograder.batch import write_whole
from autograder.course import Course, CourseError, read_data
from autograder.intake import read_notebook
from autograder.job import Job, packed
from autograder.misconceptions import Misconceptions
from autograder.outcome import Note, Part, Record
from autograder.pool import Setup, cores, run_jobs
from autograder.skeleton import Role, Skeleton, read_skeleton

WORK = "work"
CHECKED = ".checked"
# A bar for things of some kind: how many are done, how many there are.
Progress = Callable[[str], AbstractContextManager[Callable[[int, int], None]]]


def own_notebook(course_root: Path, assignment: str) -> Path:
    """Where a learner's notebook of an assignment lies."""
    return course_root.resolve().parent / WORK / assignment / f"{assignment}.ipynb"


def lay_out(course: Course, assignment: str) -> Path | None:
    """Make the notebook to work on, with its data; None where there is one already."""
    notebook = own_notebook(course.root, assignment)
    if notebook.exists():
        return None
    from nbgrader.converters import GenerateAssignment  # takes a second, and only this needs it

    with tempfile.TemporaryDirectory() as scratch:
        config = copy.deepcopy(course.config)
        config.CourseDirectory.release_directory = scratch
        config.CourseDirectory.assignment_id = assignment
        config.GenerateAssignment.no_database = True
        config.SaveCells.enabled = False
        GenerateAssignment(coursedir=CourseDirectory(config=config), config=config).start()
        for made in sorted(Path(scratch, assignment).rglob("*")):
            target = notebook.parent / made.relative_to(Path(scratch, assignment))
            if made.is_file() and not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(made.read_bytes())
    return notebook


def put_aside(notebook: Path) -> Path:
    """Rename a notebook, so that a fresh one can be laid out; its new path."""
    if not notebook.exists():
        raise CourseError(f"there is no {notebook} to put aside")
    free = (notebook.with_suffix(f".old{number}.ipynb") for number in range(1, 1_000))
    return notebook.rename(next(path for path in free if not path.exists()))


@dataclass(frozen=True)
class OwnNotebook:
    """A learner's notebook, what it is checked against, and what to say before that."""

    path: Path
    skeleton: Skeleton
    job: Job
    assignment: str = ""  # known where the course is, like the two below
    mistakes: Misconceptions | None = None
    edited: tuple[str, ...] = ()  # locked cells that are not as they were, by grade_id

    @property
    def is_untouched(self) -> bool:
        """Whether every answer is still what the learner was given."""
        answers = self.job.answers[self.skeleton.name]
        return all(
            answers.get(cell.grade_id, cell.stub).strip() == cell.stub.strip()
            for cell in self.skeleton.cells
            if cell.is_answer
        )


def read_own(path: Path, course_root: Path) -> OwnNotebook:
    """Read a notebook: with the course's tests where they are, else with its own checks.

    A file that is no notebook, or none of an assignment, is a `CourseError`.
    """
    skeleton, source = _skeleton_for(path, course_root)
    try:
        submission = read_notebook(path, skeleton)
    except ValueError as problem:
        raise CourseError(str(problem)) from problem
    if not submission.answers[skeleton.name]:
        raise CourseError(f"{path} is no notebook of {skeleton.name}: it has none of its cells")
    notes = list(submission.notes)
    files = {}
    try:
        files = packed(_data_beside(path, source))
    except CourseError as problem:
        notes.append(Note(f"{problem}; the notebook runs without it"))
    job = Job(skeleton.name, "you", (skeleton,), submission.answers, tuple(notes), files=files)
    if not source:
        return OwnNotebook(path, skeleton, job)
    mistakes = Misconceptions(course_root, source.name, {skeleton.name: skeleton}, files)
    job = dataclasses.replace(job, bank=mistakes.digest)
    edited = tuple(edited_cells(path, skeleton))
    return OwnNotebook(path, skeleton, job, source.name, mistakes, edited)


def _skeleton_for(path: Path, course_root: Path) -> tuple[Skeleton, Path | None]:
    """The notebook with its tests, and the folder of its source where that is here."""
    for source in sorted(course_root.glob(f"source/*/{path.stem}.ipynb")):
        return read_skeleton(source), source.parent
    try:
        skeleton = read_skeleton(path)
    except Exception as problem:
        raise CourseError(f"{path} is no notebook that can be read: {problem}") from problem
    if not any(cell.is_part for cell in skeleton.cells):
        raise CourseError(f"{path} is no assignment: none of its cells earns points")
    return skeleton, None


def _data_beside(notebook: Path, source: Path | None) -> dict[str, bytes]:
    """The assignment's data: from its source folder, else what lies beside the notebook."""
    paths = source.rglob("*") if source else notebook.parent.iterdir()
    data = (path for path in paths if path.suffix not in (".ipynb", ".whl", ".pyc"))
    return read_data(source or notebook.parent, data)


def edited_cells(notebook: Path, skeleton: Skeleton) -> list[str]:
    """Cells that are not the learner's to change and were changed, by grade_id.

    Of a test the learner has only what is not hidden.
    """
    try:
        mine = {cell.grade_id: cell.source for cell in read_skeleton(notebook).cells}
    except Exception:  # a damaged notebook: what could be read of it has its own notes
        return []
    return [
        cell.grade_id
        for cell in skeleton.cells
        if cell.role in (Role.LOCKED, Role.TEST)
        and cell.grade_id in mine
        and _visible(mine[cell.grade_id]) != _visible(cell.source)
    ]


def _visible(source: str) -> list[str]:
    """The lines of a cell that a learner sees, without empty ones and spaces at their ends."""
    lines: list[str] = []
    hidden = False
    for line in source.splitlines():
        hidden = hidden or "BEGIN HIDDEN TESTS" in line
        if not hidden and line.strip():
            lines.append(line.rstrip())
        hidden = hidden and "END HIDDEN TESTS" not in line
    return lines


def known_record(own: OwnNotebook) -> Record | None:
    """What came of the last check of a notebook, where the same job would be run again."""
    try:
        record = Record.from_json(_record_path(own.path).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return record if record.hashes.get("job") == own.job.key else None


def keep_record(notebook: Path, record: Record) -> None:
    """Remember what came of a check; without a word where nothing may be written."""
    if not record.faulty:
        path = _record_path(notebook)
        with contextlib.suppress(OSError):
            path.parent.mkdir(exist_ok=True)
            write_whole(path, record.to_json())


def _record_path(notebook: Path) -> Path:
    return notebook.parent / CHECKED / f"{notebook.stem}.json"


def run_checks(
    notebooks: Sequence[OwnNotebook], setup: Setup, progress: Progress
) -> Iterator[tuple[OwnNotebook, Record]]:
    """Grade notebooks; each record says which known mistakes its failed parts look like."""
    by_job = {id(own.job): own for own in notebooks}
    jobs = [own.job for own in notebooks]
    records = [(by_job[id(job)], record) for job, record in _run(jobs, setup, "notebook", progress)]
    for own, record in records:
        if own.mistakes:
            wrong = own.mistakes.jobs(own.mistakes.parts_to_explain(record))
            for _, other in _run(wrong, setup, "known mistake", progress):
                own.mistakes.learn(other)
            with contextlib.suppress(OSError):  # a course that may not be written in
                own.mistakes.save()
            record = own.mistakes.explain(record)
        keep_record(own.path, record)
        yield own, record


def _run(
    jobs: list[Job], setup: Setup, unit: str, progress: Progress
) -> Iterator[tuple[Job, Record]]:
    if jobs:
        with progress(unit) as show:
            for number, finished in enumerate(run_jobs(jobs, setup, cores()), 1):
                show(number, len(jobs))
                yield finished


@dataclass(frozen=True)
class Standing:
    """How far a learner has come with an assignment; without a record it was not begun."""

    assignment: str
    skeletons: Mapping[str, Skeleton]
    record: Record | None = None
    problem: str = ""

    @property
    def parts(self) -> int:
        """How many parts there are."""
        return sum(cell.is_part for one in self.skeletons.values() for cell in one.cells)

    @property
    def points(self) -> float:
        """What can be earned."""
        return sum(cell.points for one in self.skeletons.values() for cell in one.cells)

    @property
    def score(self) -> float:
        """What is earned, without the texts that a person grades."""
        return self.record.score if self.record else 0.0

    @property
    def missing(self) -> list[Part]:
        """Parts that lack points, and texts that are still to be written, in reading order."""
        return [part for part in self._parts if not self._done(part)]

    @property
    def waiting(self) -> float:
        """Points of the texts that are written and wait for a person."""
        return sum(part.points for part in self._parts if part.by_hand and self._done(part))

    @property
    def _parts(self) -> tuple[Part, ...]:
        return self.record.parts if self.record else ()

    def _done(self, part: Part) -> bool:
        if not part.by_hand:
            return part.score == part.points
        assert self.record
        written = self.record.answers.get(part.notebook, {}).get(part.grade_id, "").strip()
        stubs = {cell.grade_id: cell.stub for one in self.skeletons.values() for cell in one.cells}
        return written not in ("", stubs[part.grade_id].strip())
