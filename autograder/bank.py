"""Tries an assignment's tests on answers whose worth is known.

`bank/<assignment>/<solution cell>/wrong/*.py` must lose points, `…/right/*.py` must get them all.
Every answer takes the path of a submission: the same sandbox, the same runner.
"""

import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from autograder.course import Course, CourseError
from autograder.job import Job, packed, preload_for
from autograder.outcome import Outcome, Record
from autograder.pool import Setup, cores, run_jobs
from autograder.skeleton import Role, Skeleton


@dataclass(frozen=True)
class Trial:
    """One answer of the bank and what the tests said."""

    part: str
    path: Path
    should_pass: bool
    record: Record

    @property
    def passed(self) -> bool:
        """Whether it got full marks."""
        return all(part.outcome is Outcome.PASSED for part in self.record.parts)

    @property
    def as_it_should(self) -> bool:
        """Whether the tests told right from wrong; a fault of the grader tells nothing."""
        return not self.record.faulty and self.passed == self.should_pass

    @property
    def said(self) -> str:
        """What the tests said, in a line for each part that was not passed."""
        return "; ".join(
            f"{part.grade_id} {part.outcome}: {(part.message or part.detail).strip()[:200]}"
            for part in self.record.parts
            if part.outcome is not Outcome.PASSED
        )


def try_bank(
    course: Course,
    assignment: str,
    *,
    bubblewrap: bool = True,
    workers: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Trial]:
    """Grade every answer of an assignment's bank."""
    skeletons = course.skeletons(assignment)
    files = packed(course.data_files(assignment))
    jobs = {
        path: dataclasses.replace(job, seed=course.seed(assignment, job.student))
        for path, job in bank_jobs(course.root, assignment, skeletons, files)
    }
    if not jobs:
        raise CourseError(f"{course.root / 'bank' / assignment} holds no answers")
    setup = Setup(preload_for(list(skeletons.values())), (course.root,), bubblewrap)
    count = min(workers or cores(), len(jobs))
    trials = []
    for job, record in run_jobs(list(jobs.values()), setup, count):
        path = Path(job.student)
        part, kind = path.parts[-3:-1]
        trials.append(Trial(part, path, kind == "right", record))
        progress(len(trials), len(jobs))
    return sorted(trials, key=lambda trial: trial.path)


def bank_jobs(
    root: Path,
    assignment: str,
    skeletons: Mapping[str, Skeleton],
    files: Mapping[str, str],
    kinds: Collection[str] = ("wrong", "right"),
) -> Iterator[tuple[Path, Job]]:
    """Each answer of a bank in the place of its part, the other parts answered by the reference."""
    for path in sorted((root / "bank" / assignment).glob("*/*/*.py")):
        part, kind = path.parts[-3:-1]
        if kind not in kinds and kind in ("wrong", "right"):
            continue
        if kind not in kinds:
            raise CourseError(f"{path}: answers lie in a folder named wrong or right")
        skeleton = _only(part, skeletons)
        answers = {**skeleton.reference(), part: path.read_text("utf-8")}
        yield (
            path,
            Job(
                assignment,
                str(path.relative_to(root)),
                (skeleton,),
                {skeleton.name: answers},
                files=files,
            ),
        )


def _only(part: str, skeletons: Mapping[str, Skeleton]) -> Skeleton:
    """The notebook with the tests of one part: those between its solution cell and the next."""
    for skeleton in skeletons.values():
        current, cells = "", []
        for cell in skeleton.cells:
            if cell.role is Role.SOLUTION:
                current = cell.grade_id
            if cell.role in (Role.LOCKED, Role.SOLUTION) or (
                cell.role is Role.TEST and current == part
            ):
                cells.append(cell)
        if any(cell.role is Role.TEST for cell in cells):
            return dataclasses.replace(skeleton, cells=tuple(cells))
    raise CourseError(f"the bank has answers for {part!r}, a part without tests")
