"""Grades a class: every submission once, in parallel, and again only what has changed.

Workers turn jobs into records; this process alone touches files and the gradebook. A submission is
done when its record lies in the `autograded` folder, which is written last. So a run that was
killed at any moment is finished by starting it again.
"""

import dataclasses
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import nbformat
from nbgrader.utils import parse_utc

from autograder.course import Course, CourseError
from autograder.gradebook import Change, open_gradebook, pending_changes, save, sync_assignment
from autograder.intake import read_plain_file, read_submission, rebuild
from autograder.job import Job, Limits, packed, preload_for
from autograder.misconceptions import Misconceptions
from autograder.outcome import Outcome, Part, Record
from autograder.pool import Setup, cores, run_jobs
from autograder.skeleton import Skeleton

RECORD = "record.json"
Run = Callable[[list[Job]], Iterator[tuple[Job, Record]]]


@dataclass
class Summary:
    """What came of grading a class."""

    records: list[Record] = field(default_factory=list)
    unchanged: list[Record] = field(default_factory=list)
    changes: dict[str, list[Change]] = field(default_factory=dict)
    broken: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def faulty(self) -> list[Record]:
        """Records that are no grades yet."""
        return [record for record in [*self.records, *self.unchanged] if record.faulty]


def grade_class(
    course: Course,
    assignment: str,
    *,
    students: Iterable[str] = (),
    limits: Limits | None = None,
    workers: int = 0,
    scheduler: str = "",
    bubblewrap: bool = True,
    again: bool = False,
    dry_run: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Summary:
    """Grade every submission of an assignment, or those of some students.

    With `again`, also what has not changed since it was graded; with `dry_run` nothing is written,
    and the summary says which scores would change.
    """
    limits = limits or Limits()
    skeletons = course.skeletons(assignment)
    files = packed(course.data_files(assignment))
    folders = course.submissions(assignment)
    if unknown := set(students) - set(folders):
        raise CourseError(
            f"nothing was handed in for {assignment} by: {', '.join(sorted(unknown))}"
        )
    wanted = [name for name in folders if not students or name in set(students)]
    if not wanted:
        raise CourseError(f"nothing was handed in for {assignment}: looked in {course.root}")
    setup = Setup(preload_for(list(skeletons.values())), (course.root,), bubblewrap)
    mistakes = Misconceptions(course.root, assignment, skeletons, files)
    summary = Summary()
    with open_gradebook(course.db_url, str(course.directories.course_id)) as gradebook:
        if not dry_run:
            sync_assignment(gradebook, assignment, skeletons)
        jobs = []
        for student in wanted:
            job = job_for(course, assignment, student, folders[student], skeletons, limits, files)
            job = dataclasses.replace(job, bank=mistakes.digest)
            old = read_record(course, assignment, student)
            if old and not again and old.hashes.get("job") == job.key and not old.faulty:
                summary.unchanged.append(old)
            else:
                jobs.append(job)
        count = min(workers or cores(), len(jobs))
        run = _runner(scheduler, setup, count)
        for job, record in _checked(
            jobs, reference_job(assignment, skeletons, limits, files), mistakes, run, summary
        ):
            if changes := pending_changes(gradebook, record):
                summary.changes[job.student] = changes
            if not dry_run:
                mistakes.save()
                store(course, gradebook, record, skeletons, folders[job.student])
            summary.records.append(record)
            progress(len(summary.records), len(jobs))
    return summary


def job_for(
    course: Course,
    assignment: str,
    student: str,
    folder: Path,
    skeletons: Mapping[str, Skeleton],
    limits: Limits,
    files: Mapping[str, str] | None = None,
) -> Job:
    """Read a submission; nothing of it is run."""
    submission = read_submission(folder, skeletons)
    return Job(
        assignment,
        student,
        tuple(skeletons.values()),
        submission.answers,
        submission.notes,
        course.seed(assignment, student),
        limits,
        files or {},
    )


def reference_job(
    assignment: str,
    skeletons: Mapping[str, Skeleton],
    limits: Limits,
    files: Mapping[str, str] | None = None,
) -> Job:
    """The instructor's own answers, graded like anybody's."""
    answers = {name: skeleton.reference() for name, skeleton in skeletons.items()}
    return Job(
        assignment,
        "(reference)",
        tuple(skeletons.values()),
        answers,
        limits=limits,
        files=files or {},
    )


def _runner(scheduler: str, setup: Setup, workers: int) -> Run:
    """How jobs are run: by processes on this machine, or by a Dask cluster."""
    if scheduler:
        from autograder.cluster import run_on_cluster

        return lambda jobs: run_on_cluster(jobs, setup, scheduler)
    return lambda jobs: run_jobs(jobs, setup, workers)


def _checked(
    jobs: list[Job], reference: Job, mistakes: Misconceptions, run: Run, summary: Summary
) -> Iterator[tuple[Job, Record]]:
    """Records of the jobs, once it is known what the reference and the known mistakes get.

    A test that rejects the reference can reject nobody: its points wait until it is mended.
    """
    if not jobs:
        return
    wrong = mistakes.jobs()
    waiting = {id(job) for job in [reference, *wrong]}
    held: list[tuple[Job, Record]] = []
    for job, record in run([reference, *wrong, *jobs]):
        if id(job) in waiting:
            waiting.remove(id(job))
            if job is not reference:
                mistakes.learn(record)
                continue
            summary.broken = {
                (part.notebook, part.grade_id): f"{part.message}\n{part.detail}"
                for part in record.parts
                if part.outcome is not Outcome.PASSED and not part.by_hand
            }
        else:
            held.append((job, record))
        while held and not waiting:
            done, fresh = held.pop(0)
            yield done, mistakes.explain(without_broken_parts(fresh, summary.broken))


def without_broken_parts(record: Record, broken: Mapping[tuple[str, str], str]) -> Record:
    """The record with a grader fault where the test itself is at fault."""

    def checked(part: Part) -> Part:
        problem = broken.get((part.notebook, part.grade_id))
        if problem is None:
            return part
        return dataclasses.replace(
            part,
            outcome=Outcome.GRADER_FAULT,
            message="the test of this part is broken; your instructor has been told",
            detail=f"the instructor's own answer does not pass this test: {problem}",
        )

    return dataclasses.replace(record, parts=tuple(checked(part) for part in record.parts))


# --- what is written -----------------------------------------------------------------------------


def store(
    course: Course,
    gradebook: object,
    record: Record,
    skeletons: Mapping[str, Skeleton],
    submitted: Path,
) -> None:
    """Write notebooks, gradebook and record, in this order: the record says that all is done."""
    folder = course.path("autograded", record.student, record.assignment)
    folder.mkdir(parents=True, exist_ok=True)
    old = read_record(course, record.assignment, record.student)
    (folder / RECORD).unlink(missing_ok=True)
    for name, skeleton in skeletons.items():
        notebook = rebuild(skeleton, record.answers.get(name, {}))
        _add_outputs(notebook, record, name)
        write_whole(folder / f"{name}.ipynb", nbformat.writes(notebook))  # type: ignore[no-untyped-call]
    save(
        gradebook,
        record,
        timestamp=submitted_at(submitted),
        penalty=course.late_penalty,
        answers_changed=old is None or old.answers != record.answers,
    )
    write_whole(folder / RECORD, record.to_json())


def _add_outputs(notebook: nbformat.NotebookNode, record: Record, name: str) -> None:
    """Show in formgrader what each cell printed and what came of each part."""
    parts = {part.grade_id: part for part in record.parts if part.notebook == name}
    printed = record.outputs.get(name, {})
    for cell in notebook.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        if cell.cell_type != "code" or not grade_id:
            continue
        part = parts.get(grade_id)
        text = part.output if part else printed.get(grade_id, "")
        if text:
            cell.outputs.append(_stream("stdout", text))
        if part and part.outcome is not Outcome.PASSED and not part.by_hand:
            looks = f" (looks like: {part.looks_like})" if part.looks_like else ""
            words = f"{part.outcome}{looks}: {part.message}\n{part.detail}"
            cell.outputs.append(_stream("stderr", words))


def _stream(name: str, text: str) -> nbformat.NotebookNode:
    fields = {"output_type": "stream", "name": name, "text": text}
    return nbformat.from_dict(fields)  # type: ignore[no-untyped-call]


def read_record(course: Course, assignment: str, student: str) -> Record | None:
    """The record of an earlier run, if it is whole."""
    path = course.path("autograded", student, assignment) / RECORD
    try:
        return Record.from_json(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None


def write_whole(path: Path, text: str) -> None:
    """Write a file so that a reader, or a crash, finds the old text or the new one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def submitted_at(folder: Path) -> datetime | None:
    """When nbgrader's exchange says it was handed in; None where it does not, or unreadably."""
    try:
        text = read_plain_file(folder / "timestamp.txt")[:200].decode().strip()
        return parse_utc(text) if text else None
    except (ValueError, OverflowError):
        return None
