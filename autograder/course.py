"""An nbgrader course on disk: where its folders lie, what it asks, who has handed in.

Everything is taken from nbgrader's own configuration, so both tools agree on every path.
"""

import hashlib
import hmac
import os
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import find_all_files
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from autograder.skeleton import Skeleton, read_skeleton

CONFIG = "nbgrader_config.py"
SECRET = "grader_secret"
MAX_DATA_BYTES = 8 * 2**20  # it travels with every job


class CourseError(ValueError):
    """The course is not as it should be; the text says what to do."""


@dataclass(frozen=True)
class Course:
    """A course folder with its configuration."""

    root: Path
    config: Config
    directories: CourseDirectory

    @classmethod
    def load(cls, root: Path, db_url: str = "") -> "Course":
        """The course in a folder that holds nbgrader_config.py."""
        if not (root / CONFIG).is_file():
            raise CourseError(f"{root} is no course: it has no {CONFIG}. Name one with --course")
        config = PyFileConfigLoader(CONFIG, path=str(root)).load_config()
        if db_url:
            config.CourseDirectory.db_url = db_url
        if "root" not in config.CourseDirectory:
            config.CourseDirectory.root = str(root.resolve())
        return cls(root.resolve(), config, CourseDirectory(config=config))

    @property
    def db_url(self) -> str:
        """The gradebook, as SQLAlchemy writes it."""
        return str(self.directories.db_url)

    @property
    def book_url(self) -> str:
        """Where students find the book; empty where the course does not say."""
        return str(self.config.Autograder.get("book_url", ""))

    @property
    def assignments(self) -> list[str]:
        """Names of all assignments that have a source notebook."""
        found = Path(self.path("source", ".", "*")).parent
        return sorted(path.name for path in found.iterdir() if list(path.glob("*.ipynb")))

    def resolve(self, name: str) -> str:
        """The assignment of this name or number, or the only one that begins with it."""
        known = self.assignments
        if name in known:
            return name
        if name.isdecimal():  # 5 is 05
            numbers = {one: re.match(r"\d+", one) for one in known}
            hits = [one for one, start in numbers.items() if start and int(start[0]) == int(name)]
        else:
            hits = [one for one in known if one.startswith(name)]
        if len(hits) != 1:
            raise CourseError(f"no assignment {name!r}; there are: {', '.join(known)}")
        return hits[0]

    def skeletons(self, assignment: str) -> dict[str, Skeleton]:
        """The source notebooks of an assignment by name."""
        folder = self.path("source", ".", assignment)
        found = {path.stem: read_skeleton(path) for path in sorted(folder.glob("*.ipynb"))}
        if not found:
            raise CourseError(f"{folder} holds no notebook")
        return found

    def data_files(self, assignment: str) -> dict[str, bytes]:
        """What lies beside the source notebooks, by its place; nbgrader releases the same files."""
        folder = self.path("source", ".", assignment)
        ignored = [*self.directories.ignore, "*.ipynb"]
        return read_data(folder, map(Path, find_all_files(str(folder), ignored)))

    def submissions(self, assignment: str) -> dict[str, Path]:
        """The folder each student handed in, by student."""
        directories = self.directories
        pattern = directories.format_path(
            "submitted", "(?P<student>[^/]+)", assignment, escape=True
        )
        pattern = pattern.replace(re.escape("(?P<student>[^/]+)"), "(?P<student>[^/]+)")
        folders = self.root.glob(
            os.path.relpath(directories.format_path("submitted", "*", assignment), self.root)
        )
        return {
            match["student"]: folder
            for folder in sorted(folders)
            if (match := re.fullmatch(pattern, str(folder)))
        }

    def path(self, step: str, student: str, assignment: str) -> Path:
        """The folder of one of nbgrader's steps."""
        name = getattr(self.directories, f"{step}_directory")
        return Path(os.path.normpath(self.directories.format_path(name, student, assignment)))

    def seed(self, assignment: str, student: str) -> str:
        """What random inputs of this submission's tests are drawn from; no student can know it."""
        text = f"{assignment}/{student}".encode()
        return hmac.new(self._secret(), text, hashlib.sha256).hexdigest()[:16]

    def _secret(self) -> bytes:
        """The instructor's secret; made on first use, readable by its owner only."""
        path = self.root / SECRET
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return path.read_bytes().strip()
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_hex(32))
        return path.read_bytes().strip()

    def late_penalty(self, student: str, score: float, seconds: float) -> float:
        """Points to take off for lateness, as nbgrader's plugin of this course decides."""
        from nbgrader.preprocessors import AssignLatePenalties

        plugin: Any = AssignLatePenalties(config=self.config)
        plugin.init_plugin()
        penalty = plugin.plugin_inst.late_submission_penalty(student, score, seconds)
        return min(max(penalty or 0.0, 0.0), score)


def read_data(folder: Path, paths: Iterable[Path]) -> dict[str, bytes]:
    """Files by their place in the folder; too much of them is a `CourseError`."""
    files = sorted(path for path in paths if path.is_file())
    if sum(path.stat().st_size for path in files) > MAX_DATA_BYTES:
        raise CourseError(f"{folder} holds more than {MAX_DATA_BYTES // 2**20} MB of data")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
