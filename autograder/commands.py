"""What each command does, from parsed options to an exit code."""

import argparse
import contextlib
import dataclasses
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tqdm import tqdm

from autograder.bank import try_bank
from autograder.batch import Summary, grade_class
from autograder.course import Course, CourseError, read_data
from autograder.intake import read_notebook
from autograder.job import Job, Limits, packed, preload_for
from autograder.misconceptions import Misconceptions
from autograder.outcome import Record
from autograder.pool import Setup, cores, run_jobs
from autograder.skeleton import Skeleton, read_skeleton
from autograder.table import bank_table, class_table, parts_table


def check(options: argparse.Namespace) -> int:
    """Grade one notebook: with the course's tests where they are here, else with its own."""
    path: Path = options.notebook
    if not path.is_file():
        raise CourseError(f"there is no notebook {path}")
    skeleton, folder = _skeleton_for(path, options.course)
    try:
        submission = read_notebook(path, skeleton)
    except ValueError as problem:
        raise CourseError(str(problem)) from problem
    for note in submission.notes:
        print(f"note: {note.grade_id + ': ' if note.grade_id else ''}{note.text}")
    files = {}
    try:
        files = packed(_data_beside(path, folder))
    except CourseError as problem:
        print(f"note: {problem}; the notebook runs without it")
    if not folder:
        print("The course's tests are not here; these are the notebook's own checks.")
    job = Job(skeleton.name, "you", (skeleton,), submission.answers, submission.notes, files=files)
    setup = Setup(preload_for([skeleton]), bubblewrap=not options.no_sandbox)
    record = _graded_alone(job, setup, options.course, folder)
    print(parts_table(record))
    print(f"{record.score:g} of {record.points:g} points")
    waiting = sum(part.points for part in record.parts if part.by_hand)
    if waiting:
        print(f"{waiting:g} points are graded by a person.")
    return 0 if record.score + waiting == record.points else 1


def _graded_alone(job: Job, setup: Setup, course: Path, source: Path | None) -> Record:
    """The record of one notebook; where the course is here, with the mistakes it looks like."""
    if not source:
        ((_, record),) = run_jobs([job], setup, 1)
        return record
    skeletons = {skeleton.name: skeleton for skeleton in job.skeletons}
    mistakes = Misconceptions(course, source.name, skeletons, job.files)
    ((_, record),) = run_jobs([dataclasses.replace(job, bank=mistakes.digest)], setup, 1)
    if wrong := mistakes.jobs(mistakes.parts_to_explain(record)):
        with _progress("known mistake") as progress:
            for number, (_, other) in enumerate(run_jobs(wrong, setup, cores()), 1):
                mistakes.learn(other)
                progress(number, len(wrong))
        with contextlib.suppress(OSError):  # a course that may not be written in
            mistakes.save()
    return mistakes.explain(record)


def _data_beside(notebook: Path, source: Path | None) -> dict[str, bytes]:
    """The assignment's data: from its source folder, else what lies beside the notebook."""
    paths = source.rglob("*") if source else notebook.parent.iterdir()
    data = (path for path in paths if path.suffix not in (".ipynb", ".whl", ".pyc"))
    return read_data(source or notebook.parent, data)


def _skeleton_for(path: Path, course_folder: Path) -> tuple[Skeleton, Path | None]:
    """The notebook with its tests, and the folder of its source where that is here."""
    for source in sorted(course_folder.glob(f"source/*/{path.stem}.ipynb")):
        return read_skeleton(source), source.parent
    try:
        return read_skeleton(path), None
    except Exception as problem:
        raise CourseError(f"{path} cannot be read: {problem}") from problem


def grade(options: argparse.Namespace) -> int:
    """Grade a class and say what came of it."""
    course = Course.load(options.course, options.db)
    assignment = course.resolve(options.assignment)
    with _progress("submission") as progress:
        summary = grade_class(
            course,
            assignment,
            students=options.student,
            limits=Limits(),
            workers=options.workers,
            scheduler=options.scheduler,
            bubblewrap=not options.no_sandbox,
            again=options.again,
            dry_run=options.dry_run,
            progress=progress,
        )
    _print_summary(summary, options.dry_run)
    return 1 if summary.faulty or summary.broken else 0


def collect(options: argparse.Namespace) -> int:
    """Sort a download into the submitted folders."""
    from autograder.collect import collect as sort_in

    course = Course.load(options.course)
    students, notes = sort_in(course, course.resolve(options.assignment), options.source)
    for note in notes:
        print(f"note: {note}")
    print(f"{len(students)} students handed in")
    return 0 if students else 1


@contextlib.contextmanager
def _progress(unit: str) -> Iterator[Callable[[int, int], None]]:
    """A bar with rate and time left, on a terminal only."""
    with tqdm(unit=unit, disable=None, leave=False) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield show


def _print_summary(summary: Summary, dry_run: bool) -> None:
    if summary.records:
        print(class_table(summary.records))
    for student, changes in sorted(summary.changes.items()) if dry_run else ():
        for change in changes:
            print(f"{student}: {change.grade_id}: {change.before} would become {change.after}")
    print(
        f"{len(summary.records)} graded, {len(summary.unchanged)} unchanged since they were graded"
    )
    for record in sorted(summary.records, key=lambda record: record.student):
        for note in record.notes:
            place = f"{note.grade_id}: " if note.grade_id else ""
            print(f"note: {record.student}: {place}{note.text}")
    for (notebook, grade_id), reason in summary.broken.items():
        print(
            f"BROKEN TEST: {notebook}/{grade_id}: the instructor's own answer does not pass it.\n"
            f"{reason.strip()}\nNobody gets a grade for it until it is mended.",
            file=sys.stderr,
        )
    faulty = [record.student for record in summary.faulty]
    if faulty and not summary.broken:
        print(f"GRADER FAULT, no grade for: {', '.join(faulty)}", file=sys.stderr)


def release(options: argparse.Namespace) -> int:
    """Make the students' version with nbgrader, which also enters it in the gradebook."""
    from autograder.releasing import release_assignment

    course = Course.load(options.course)
    folder, archive = release_assignment(course, course.resolve(options.assignment))
    print(f"released: {folder}\nto hand out: {archive}")
    return 0


def feedback(options: argparse.Namespace) -> int:
    """Write a page for every graded submission."""
    from autograder.feedback import write_feedback

    course = Course.load(options.course)
    pages = write_feedback(course, course.resolve(options.assignment))
    print(f"{len(pages)} pages written")
    return 0


def bank(options: argparse.Namespace) -> int:
    """Show for every part how many answers of the bank were judged as they should be."""
    course = Course.load(options.course)
    names = list(map(course.resolve, options.assignment)) or [
        name for name in course.assignments if (course.root / "bank" / name).is_dir()
    ]
    misjudged = 0
    with _progress("answer") as progress:
        tried = try_bank(
            course,
            names,
            few=options.few,
            bubblewrap=not options.no_sandbox,
            workers=options.workers,
            progress=progress,
        )
    for name in names:
        trials = [trial for trial in tried if trial.record.assignment == name]
        print(f"{name}\n{bank_table(trials)}\n")
        for trial in trials:
            if not trial.as_it_should:
                misjudged += 1
                verdict = "was accepted" if trial.passed else f"was rejected: {trial.said}"
                print(f"MISJUDGED: {trial.path} {verdict}", file=sys.stderr)
    return 1 if misjudged else 0


def mutate(options: argparse.Namespace) -> int:
    """Show which small changes of the reference solutions the tests take for right."""
    from autograder.mutate import equivalent, try_mutants

    course = Course.load(options.course)
    open_ones = 0
    for name in list(map(course.resolve, options.assignment)) or course.assignments:
        with _progress("mutant") as progress:
            mutants = try_mutants(
                course, name, bubblewrap=not options.no_sandbox, progress=progress
            )
        known = equivalent(course, name)
        survivors = [one for one in mutants if one.survived]
        left = [one for one in survivors if (one.part, one.before, one.after) not in known]
        killed = len(mutants) - len(survivors)
        same = len(survivors) - len(left)
        print(f"{name}: {len(mutants)} mutants, {killed} rejected, {same} known to mean the same")
        for one in left:
            print(f"  SURVIVED in {one.part}\n    - {one.before}\n    + {one.after}")
        open_ones += len(left)
    return 1 if open_ones else 0


def report(options: argparse.Namespace) -> int:
    """Write the instructor's page."""
    from autograder.report import write_report

    course = Course.load(options.course)
    print(f"written: {write_report(course, course.resolve(options.assignment))}")
    return 0


def export(options: argparse.Namespace) -> int:
    """Write all grades of the gradebook as a table."""
    from autograder.export import write_grades

    count = write_grades(Course.load(options.course, options.db), options.csv, options.format)
    print(f"written: {options.csv}, {count} students")
    return 0


def new_course(options: argparse.Namespace) -> int:
    """Make a private course."""
    from autograder.new_course import make_course

    make_course(options.folder, Course.load(options.course))
    print(
        f"made: {options.folder}\n"
        "Keep it private: its secret draws the random inputs of every submission, and its source\n"
        "notebooks hold the tests. The tests you start with are public; change what matters to you."
    )
    return 0
