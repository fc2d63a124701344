"""Where in the book a part is explained, as the course's `chapters.json` says.

The file gives each assignment, or each part of it, a chapter and a section: "gelu#Three forms".
It is a link where `nbgrader_config.py` says where students find the book (`Autograder.book_url`);
else, or where it leads nowhere on the web, it is words.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from docutils.nodes import make_id

from autograder.course import Course, CourseError
from autograder.skeleton import Skeleton, parts_of_tests

FILE = "chapters.json"


@dataclass(frozen=True)
class Place:
    """A section of the book: how it is called, its page, and its address where there is one."""

    words: str
    page: str  # with the anchor: "gelu.html#three-forms"
    address: str = ""


def places(course: Course, assignment: str, skeletons: Mapping[str, Skeleton]) -> dict[str, Place]:
    """The place of each test, by its grade_id; empty where the course has no table."""
    try:
        table = json.loads((course.root / FILE).read_text("utf-8"))
        titles, mine = table["chapters"], table["assignments"].get(assignment, {})
    except OSError:
        return {}
    except (ValueError, KeyError, AttributeError) as problem:
        raise CourseError(f"{course.root / FILE} cannot be read: {problem!r}") from problem
    found = {}
    for test, part in parts_of_tests(skeletons).items():
        chapter, _, section = mine.get(part, mine.get("", "")).partition("#")
        if chapter:
            found[test] = _place(course.book_url, chapter, titles[chapter], section)
    return found


def _place(book: str, chapter: str, title: str, section: str) -> Place:
    words = f"{title}: {section}" if section else title
    page = f"{chapter}.html" + (f"#{make_id(section)}" if section else "")
    if not book.startswith(("https://", "http://")):
        return Place(words, page)
    return Place(words, page, f"{book.rstrip('/')}/book/{page}")
