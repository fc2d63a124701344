"""Tries an assignment's tests on answers whose worth is known.

`bank/<assignment>/<solution cell>/wrong/*.py` must lose points, `…/right/*.py` must get them all.
Every answer takes the path of a submission: the same sandbox, the same runner. What wrong ones
reply is kept, so that grading knows a known mistake when it meets one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from autograder.answers import bank_jobs
from autograder.course import Course, CourseError
from autograder.job import Job, packed, preload_for
from autograder.misconceptions import Misconceptions
from autograder.outcome import Outcome, Record
from autograder.pool import Setup, cores, run_jobs
from autograder.skeleton import Skeleton


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
    assignments: Sequence[str],
    *,
    few: bool = False,
    bubblewrap: bool = True,
    workers: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Trial]:
    """Grade every answer of the assignments' banks, or a few of every part."""
    jobs: list[Job] = []
    skeletons: list[Skeleton] = []
    mistakes: dict[str, Misconceptions] = {}
    for assignment in assignments:
        own = course.skeletons(assignment)
        files = packed(course.data_files(assignment))
        found = dict(bank_jobs(course.root, assignment, own, files))
        if not found:
            raise CourseError(f"{course.root / 'bank' / assignment} holds no answers")
        chosen = _a_few(found) if few else list(found.values())
        known = mistakes[assignment] = Misconceptions(course.root, assignment, own, files)
        jobs += (
            replace(job, seed=course.seed(assignment, job.student), bank=known.digest)
            for job in chosen
        )
        skeletons += own.values()
    setup = Setup(preload_for(skeletons), (course.root,), bubblewrap)
    trials = []
    for job, record in run_jobs(jobs, setup, min(workers or cores(), len(jobs))):
        path = Path(job.student)
        part, kind = path.parts[-3:-1]
        if kind == "wrong":
            mistakes[job.assignment].learn(record)
        trials.append(Trial(part, path, kind == "right", record))
        progress(len(trials), len(jobs))
    for known in mistakes.values():
        known.save()
    return sorted(trials, key=lambda trial: trial.path)


def _a_few(found: Mapping[Path, Job]) -> list[Job]:
    """Of every part one right answer and two wrong ones, always the same."""
    by_kind: dict[Path, list[Path]] = {}
    for path in sorted(found, key=lambda path: sha256(path.name.encode()).digest()):
        by_kind.setdefault(path.parent, []).append(path)
    return [
        found[path]
        for folder, paths in by_kind.items()
        for path in paths[: 1 if folder.name == "right" else 2]
    ]
