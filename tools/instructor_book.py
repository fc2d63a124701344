"""Build the instructor's copy of the book, with a part "Solutions": one page for each assignment.

A page holds the task, the reference solution, the checks that students see, the hidden tests, and
the bank's answers: every known mistake, and right answers written differently. It is written from
a course's source notebooks and its bank, by default the public course's. The chapters come from
the same execution cache as the students' book. The site lies apart from it, in `_build/instructor`,
which only its owner may read.
"""

import argparse
import ast
import re
import shutil
import sys
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import yaml
from build import ROOT, build

from autograder.chapters import places
from autograder.course import Course, CourseError
from autograder.skeleton import Cell, Role

FOLDER = ROOT / "_build" / "instructor"
WARNING = "Instructor's copy, with solutions and hidden tests: not for publication."
SOLUTION_MARK = re.compile(r"^\s*### (BEGIN|END) SOLUTION\n?", re.MULTILINE)
HIDDEN = re.compile(r"^ *### BEGIN HIDDEN TESTS\n(.*?)^ *### END HIDDEN TESTS\n?", re.M | re.S)


def write_sources(course: Course, folder: Path) -> list[Path]:
    """Write what Jupyter Book needs: settings, contents, and a page for each assignment."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)
    for path in ROOT.iterdir():  # all of it, so that a chapter depends on the same files
        if not path.name.startswith((".", "_")):
            (folder / path.name).symlink_to(path)
    pages = []
    for assignment in course.assignments:
        path = folder / "solutions" / f"{assignment}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(page(course, assignment), encoding="utf-8")
        pages.append(path)

    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    config["execute"]["cache"] = str(ROOT / "_build" / ".jupyter_cache")
    config["sphinx"]["config"]["html_theme_options"]["announcement"] = WARNING
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    listed = [{"file": f"solutions/{path.stem}"} for path in pages]
    contents["parts"].append({"caption": "Solutions", "chapters": listed})
    for name, content in (("_config.yml", config), ("_toc.yml", contents)):
        (folder / name).write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return pages


def page(course: Course, assignment: str) -> str:
    """Return an assignment's page as Markdown."""
    skeletons = course.skeletons(assignment)
    where = places(course, assignment, skeletons)
    pieces: list[str] = []
    for skeleton in skeletons.values():
        part = ""
        for cell, following in zip_longest(skeleton.cells, skeleton.cells[1:]):
            pieces += _shown(cell)
            if cell.role is Role.SOLUTION:
                part = cell.grade_id
            last_test = following is None or following.role is not Role.TEST
            if cell.role is Role.TEST and last_test:  # the part ends here
                if place := where.get(cell.grade_id):
                    link = f'<a href="../book/{place.page}">{place.words}</a>'
                    pieces.append(f"Explained in {link}.")
                pieces += _answers(course.root / "bank" / assignment / part)
    return "\n\n".join(pieces) + "\n"


def _shown(cell: Cell) -> Iterator[str]:
    """A cell of the instructor's notebook with a word on what it is."""
    if cell.role is Role.TEXT:
        yield cell.source
    elif cell.role is Role.SOLUTION:
        yield "**Solution**"
        yield _code(SOLUTION_MARK.sub("", cell.source))
    elif cell.role is Role.TEST:
        yield f"**Checks that students see** ({cell.grade_id}, {_points(cell)})"
        yield _code(HIDDEN.sub("", cell.source))
        for hidden in HIDDEN.findall(cell.source):
            yield "**Hidden tests**"
            yield _code(hidden)
    elif cell.role is Role.BY_HAND:
        yield f"**A good answer** ({cell.grade_id}, {_points(cell)}, graded by a person)"
        answer = SOLUTION_MARK.sub("", cell.source).strip()
        yield "\n".join(f"> {line}".rstrip() for line in answer.splitlines())
    else:
        yield _code(cell.source)


def _points(cell: Cell) -> str:
    return f"{cell.points:g} point{'' if cell.points == 1 else 's'}"


def _answers(bank: Path) -> Iterator[str]:
    """The bank's answers to a part, each folded under what it does."""
    for kind, head in (("wrong", "Known mistakes"), ("right", "Other right answers")):
        files = sorted((bank / kind).glob("*.py"))
        if files:
            yield f"**{head}**, {len(files)} in the bank"
        for path in files:
            source = path.read_text(encoding="utf-8")
            says = (ast.get_docstring(ast.parse(source)) or "").partition("\n\n")[0]
            title = re.sub(r"([\\`*_{}\[\]<>$])", r"\\\1", " ".join(says.split()) or path.stem)
            yield f"::::{{dropdown}} {title}\n`{path.name}`\n\n{_code(source)}\n::::"


def _code(source: str) -> str:
    """A block of Python, indented no further than it needs."""
    lines = source.strip("\n").splitlines()
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    text = "\n".join(line[indent:] for line in lines)
    return f"````python\n{text}\n````"


def main() -> int:
    """Build the copy and say where to open it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("course", type=Path, help="course folder: assignments, or your own")
    try:
        pages = write_sources(Course.load(parser.parse_args().course), FOLDER)
    except CourseError as problem:
        print(f"instructor_book: {problem}", file=sys.stderr)
        return 2
    if status := build(FOLDER):
        print("The book was not built. What went wrong stands above.", file=sys.stderr)
        return status
    page = (FOLDER / "_build" / "html" / "solutions" / f"{pages[0].stem}.html").as_uri()
    print(f"Built for your eyes only. Open it: {page}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
