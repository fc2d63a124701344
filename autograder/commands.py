"""What each command does, from parsed options to an exit code."""

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from tqdm import tqdm

from autograder.bank import try_bank
from autograder.batch import Summary, grade_class
from autograder.chapters import places
from autograder.course import Course, CourseError
from autograder.job import Limits, preload_for
from autograder.own_work import (
    OwnNotebook,
    Standing,
    known_record,
    lay_out,
    own_notebook,
    put_aside,
    read_own,
    run_checks,
)
from autograder.pool import Setup
from autograder.skeleton import titles_of_parts
from autograder.table import bank_table, class_table, parts_table, progress_table


def start(options: argparse.Namespace) -> int:
    """Lay out the notebooks to work on; what is there already stays as it is."""
    course = Course.load(options.course)
    names = list(map(course.resolve, options.assignment))
    if options.afresh:
        if not names:
            raise CourseError("say which assignment to begin afresh: start --afresh 02")
        for name in names:
            kept = put_aside(own_notebook(course.root, name))
            print(f"your old notebook is now {os.path.relpath(kept)}")
    for name in names or course.assignments:
        if notebook := lay_out(course, name):
            print(f"to work on: {os.path.relpath(notebook)}")
    return 0


def check(options: argparse.Namespace) -> int:
    """Grade one notebook: with the course's tests where they are here, else with its own."""
    own = read_own(_notebook_to_check(options.notebook, options.course), options.course)
    skeletons = {own.skeleton.name: own.skeleton}
    titles = titles_of_parts(skeletons)
    for note in own.job.notes:
        print(f"note: {note.told(titles)}")
    for name in own.edited:
        cell = titles.get(name, name)
        print(
            f"note: {cell}: the locked cell here is not the one of the course, which is what counts"
        )
    if own.assignment:
        where = places(Course.load(options.course), own.assignment, skeletons)
    else:
        where = {}
        print("The course's tests are not here; these are the notebook's own checks.")
    setup = Setup(preload_for([own.skeleton]), bubblewrap=not options.no_sandbox)
    ((_, record),) = run_checks([own], setup, _progress)
    print(parts_table(record, skeletons, where))
    print(f"{record.score:g} of {record.points:g} points")
    waiting = sum(part.points for part in record.parts if part.by_hand)
    if waiting:
        print(f"{waiting:g} points are graded by a person.")
    return 0 if record.score + waiting == record.points else 1


def _notebook_to_check(name: str, course_folder: Path) -> Path:
    """A notebook by its path, or one's own of an assignment by that one's name."""
    if not name:
        raise CourseError("say what to check: an assignment (make check A=02) or a notebook (N=…)")
    path = Path(name)
    if path.is_file():
        return path
    if path.suffix or len(path.parts) > 1:
        raise CourseError(f"there is no notebook {path}")
    course = Course.load(course_folder)
    notebook = own_notebook(course.root, course.resolve(name))
    if not notebook.is_file():
        raise CourseError(f"there is no {notebook} yet; `make lab` lays it out")
    return notebook


def progress(options: argparse.Namespace) -> int:
    """Show points and what to look at next, over all assignments."""
    course = Course.load(options.course)
    own: dict[str, OwnNotebook] = {}
    problems: dict[str, str] = {}
    for name in course.assignments:
        path = own_notebook(course.root, name)
        if path.is_file():
            try:
                own[name] = read_own(path, course.root)
            except CourseError as problem:
                problems[name] = str(problem)
    records = {name: known_record(one) for name, one in own.items()}
    changed = {name: one for name, one in own.items() if not (records[name] or one.is_untouched)}
    if changed:
        print(f"checking what changed: {', '.join(changed)}")
        preload = preload_for([one.skeleton for one in changed.values()])
        setup = Setup(preload, bubblewrap=not options.no_sandbox)
        for one, record in run_checks([*changed.values()], setup, _progress):
            records[one.assignment] = record
    standings = [
        Standing(name, course.skeletons(name), records.get(name), problems.get(name, ""))
        for name in course.assignments
    ]
    print(progress_table(standings))
    return 0


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
    _print_summary(summary, titles_of_parts(course.skeletons(assignment)), options.dry_run)
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


def _print_summary(summary: Summary, titles: Mapping[str, str], dry_run: bool) -> None:
    if summary.records:
        print(class_table(summary.records, titles))
    for student, changes in sorted(summary.changes.items()) if dry_run else ():
        for change in changes:
            part = titles.get(change.grade_id, change.grade_id)
            print(f"{student}: {part}: {change.before} would become {change.after}")
    print(
        f"{len(summary.records)} graded, {len(summary.unchanged)} unchanged since they were graded"
    )
    for record in sorted(summary.records, key=lambda record: record.student):
        for note in record.notes:
            print(f"note: {record.student}: {note.told(titles)}")
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


def forget(options: argparse.Namespace) -> int:
    """Show what is kept about a student and, once that is confirmed, remove it."""
    from autograder import forgetting

    course = Course.load(options.course, options.db)
    student: str = options.student
    found = forgetting.kept(course, student)
    if not found:
        raise CourseError(f"nothing is kept about {student!r} in {course.root}")
    for path in found.paths:
        print(path)
    if found.has_row:
        graded = ", ".join(found.in_gradebook) or "no submission"
        print(f"gradebook: {student}, with {graded}")
    if not (options.yes or _confirmed(f"Remove all this for good? Type {student}: ", student)):
        print("Nothing was removed.")
        return 1
    forgetting.forget(course, student)
    print("Removed. Reports that named this student are written again.")
    for path in forgetting.still_named(course, student):
        print(f"still named in: {path}")
    print("Exports, downloads and backups elsewhere are yours to delete.")
    return 0


def _confirmed(question: str, answer: str) -> bool:
    try:
        return input(question).strip() == answer
    except EOFError:  # no one is there to answer
        print("\nno answer; --yes does not ask")
        return False


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
