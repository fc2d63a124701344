"""The commands: `python -m autograder <command>`; each says with --help what it does."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

UNPROTECTED = (
    "WARNING: --no-sandbox: the code in these notebooks runs with your rights and can read and "
    "change all your files. Use it for your own code only."
)

ONLY_ON_LINUX = (
    "notebooks are graded on Linux only, in Windows inside WSL 2, with or without the sandbox. "
    "Anywhere else run the checks inside the notebook: they are the same but for the hidden tests."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 when all went well, 1 when a person has to look, 2 when it could not run."""
    options = _parser().parse_args(arguments)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if hasattr(options, "no_sandbox") and sys.platform != "linux":
        print(f"autograder: {ONLY_ON_LINUX}", file=sys.stderr)
        return 2
    if getattr(options, "no_sandbox", False):
        print(UNPROTECTED, file=sys.stderr)
    from autograder import commands
    from autograder.course import CourseError
    from autograder.gradebook import GradebookError
    from autograder.pool import WorkerDied

    try:
        return int(getattr(commands, options.command.replace("-", "_"))(options))
    except (CourseError, GradebookError, WorkerDied) as problem:
        print(f"autograder: {problem}", file=sys.stderr)
    except TimeoutError as problem:  # an OSError of its own kind: the cluster does not answer
        print(f"autograder: {problem or 'no answer in time'}", file=sys.stderr)
    except OSError as problem:  # a full disk, a folder without permission
        where = f" ({problem.filename})" if problem.filename else ""
        print(f"autograder: {problem.strerror or problem}{where}", file=sys.stderr)
        print("What was written so far is whole; run the command again to go on.", file=sys.stderr)
    except KeyboardInterrupt:
        print("\nautograder: stopped; run the command again to go on.", file=sys.stderr)
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m autograder", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")

    def command(name: str, text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=text)
        added.add_argument("--course", type=Path, default=_default_course(), help="course folder")
        return added

    start = command("start", "lay out the notebooks to work on, in the folder work")
    start.add_argument("assignment", nargs="*", help="default: all that are not there yet")
    start.add_argument("--afresh", action="store_true", help="put your notebook aside first")

    check = command("check", "grade one notebook on this machine and show what to look at")
    check.add_argument("notebook", nargs="?", default="", help="a path, or 02 for your own")
    _sandbox(check)

    progress = command("progress", "your points over all assignments; only what changed is graded")
    _sandbox(progress)

    release = command("release", "make the version that students get, without answers")
    release.add_argument("assignment")

    collect = command("collect", "sort a platform's download into the submitted folders")
    collect.add_argument("assignment")
    collect.add_argument("source", type=Path, help="a zip of notebooks, or a folder of them")

    grade = command("grade", "grade what was handed in and write it into the gradebook")
    grade.add_argument("assignment")
    grade.add_argument("--student", action="append", default=[], help="only this one; repeatable")
    grade.add_argument("--workers", type=int, default=0, help="processes; default: one a core")
    grade.add_argument("--scheduler", default="", help="Dask cluster, for example tcp://host:8786")
    grade.add_argument("--again", action="store_true", help="also what has not changed")
    grade.add_argument(
        "--dry-run", action="store_true", help="show what would change, write nothing"
    )
    grade.add_argument("--db", default="", help="gradebook, for example postgresql://host/name")
    _sandbox(grade)

    feedback = command("feedback", "write the pages that students read")
    feedback.add_argument("assignment")

    bank = command("bank", "try the tests on answers that are known to be right or wrong")
    bank.add_argument("assignment", nargs="*", help="default: all that have a bank")
    bank.add_argument("--few", action="store_true", help="only a few answers of every part")
    bank.add_argument("--workers", type=int, default=0, help="processes; default: one a core")
    _sandbox(bank)

    mutate = command("mutate", "try the tests on small changes of the reference solutions")
    mutate.add_argument("assignment", nargs="*", help="default: all")
    _sandbox(mutate)

    report = command("report", "write the instructor's page about an assignment")
    report.add_argument("assignment")

    export = command("export", "write all grades as a table")
    export.add_argument("--csv", type=Path, required=True, help="file to write")
    export.add_argument("--format", choices=("plain", "canvas", "moodle"), default="plain")
    export.add_argument("--db", default="", help="gradebook, for example postgresql://host/name")

    forget = command("forget", "remove all that the course keeps about a student")
    forget.add_argument("student")
    forget.add_argument("--yes", action="store_true", help="without asking")
    forget.add_argument("--db", default="", help="gradebook, for example postgresql://host/name")

    new = commands.add_parser(
        "new-course", help="make an instructor's private course with a secret of its own"
    )
    new.add_argument("folder", type=Path)
    new.add_argument("--course", type=Path, default=_default_course(), help="course to copy")
    return parser


def _sandbox(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--no-sandbox", action="store_true", help="run unprotected; for your own code only"
    )


def _default_course() -> Path:
    here = Path.cwd()
    return here if (here / "nbgrader_config.py").exists() else here / "assignments"


if __name__ == "__main__":
    sys.exit(main())
