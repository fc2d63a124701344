"""Sorts what a learning platform hands out into nbgrader's `submitted` folders.

A zip of notebooks or a folder of files. Whose a file is, its name says: the part before the first
underscore, of its folder where it lies in one (Moodle), else of the file itself (Canvas).
Nothing is unpacked by its own name, so no archive can write outside the course.
"""

import os
import re
import stat
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from autograder.course import Course, CourseError
from autograder.intake import MAX_NOTEBOOK_BYTES, read_plain_file

MAX_ENTRIES = 20_000


def collect(course: Course, assignment: str, source: Path) -> tuple[list[str], list[str]]:
    """Put notebooks where `grade` looks for them; who handed in, and notes about the rest.

    A notebook that was there before and differs is kept beside the new one, as `.old`.
    """
    names = list(course.skeletons(assignment))
    notes: list[str] = []
    students: dict[str, None] = {}
    entries = list(_zip(source, notes) if source.is_file() else _folder(source, notes))
    top = _common_folder([path for path, _ in entries])
    for path, data in entries:
        student = _student(PurePosixPath(*path.parts[top:]))
        if not student:
            notes.append(f"{path}: its name does not say whose it is")
            continue
        target = course.path("submitted", student, assignment)
        target.mkdir(parents=True, exist_ok=True)
        file = target / (f"{names[0]}.ipynb" if len(names) == 1 else path.name)
        if file.exists() and file.read_bytes() != data:
            file.replace(file.with_suffix(".ipynb.old"))
            notes.append(f"{path}: replaces what {student} had handed in before, kept as .old")
        file.write_bytes(data)
        students[student] = None
    return list(students), notes


def _student(path: PurePosixPath) -> str:
    name = path.parts[0] if len(path.parts) > 1 else path.stem
    return re.sub(r"[^\w.@-]+", "-", name.partition("_")[0]).strip(".-")[:100]


def _common_folder(paths: Sequence[PurePosixPath]) -> int:
    """1 where everything lies in one folder of a download with several files, else 0."""
    firsts = {path.parts[0] for path in paths if len(path.parts) > 1}
    return int(len(paths) > 1 and len(firsts) == 1 and all(len(p.parts) > 1 for p in paths))


def _folder(folder: Path, notes: list[str]) -> Iterator[tuple[PurePosixPath, bytes]]:
    if not folder.is_dir():
        raise CourseError(f"{folder} is neither a zip file nor a folder")
    for place, _, files in os.walk(folder):  # does not follow links
        for name in sorted(files):
            path = Path(place, name)
            if not name.endswith(".ipynb"):
                continue
            try:
                yield PurePosixPath(path.relative_to(folder).as_posix()), read_plain_file(path)
            except ValueError as refusal:
                notes.append(str(refusal))


def _zip(archive: Path, notes: list[str]) -> Iterator[tuple[PurePosixPath, bytes]]:
    try:
        with zipfile.ZipFile(archive) as opened:
            for entry in opened.infolist()[:MAX_ENTRIES]:
                path = PurePosixPath(entry.filename.replace("\\", "/"))
                if path.suffix != ".ipynb" or "__MACOSX" in path.parts:
                    continue
                if problem := _refusal(entry, path):
                    notes.append(f"{path}: {problem} and was refused")
                    continue
                try:
                    with opened.open(entry) as file:
                        data = file.read(MAX_NOTEBOOK_BYTES + 1)
                except (RuntimeError, zipfile.BadZipFile, NotImplementedError, EOFError) as error:
                    notes.append(f"{path}: cannot be unpacked ({error})")
                    continue
                if len(data) > MAX_NOTEBOOK_BYTES:
                    notes.append(f"{path}: is larger than it says and was refused")
                    continue
                yield path, data
    except (zipfile.BadZipFile, OSError) as error:
        raise CourseError(f"{archive} is no zip file that can be read: {error}") from error


def _refusal(entry: zipfile.ZipInfo, path: PurePosixPath) -> str:
    mode = entry.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return "is a link or special file"
    if path.is_absolute() or ".." in path.parts:
        return "points outside the archive"
    return "is too large" if entry.file_size > MAX_NOTEBOOK_BYTES else ""
