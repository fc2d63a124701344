"""The bank's answers as submissions: each in the place of its part, the rest by the reference."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from autograder.course import CourseError
from autograder.job import Job
from autograder.skeleton import Role, Skeleton


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
        skeleton = only_part(part, skeletons)
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


def only_part(part: str, skeletons: Mapping[str, Skeleton]) -> Skeleton:
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
            return replace(skeleton, cells=tuple(cells))
    raise CourseError(f"the bank has answers for {part!r}, a part without tests")
