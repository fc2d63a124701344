"""Where feedback sends a learner: `assignments/chapters.json` names what the book has."""

import json
import re

import pytest
from source_notebooks import FOLDER, NAMES, parts

TABLE = json.loads((FOLDER / "chapters.json").read_text("utf-8"))
BOOK = FOLDER.parent / "book"


def headings(chapter):
    text = (BOOK / f"{chapter}.md").read_text("utf-8")
    text = re.sub(r"^(`{3,}|:{3,}).*?^\1", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"^#+ (.+)$", text, re.MULTILINE)


@pytest.mark.parametrize("chapter", TABLE["chapters"])
def test_titles_are_the_chapters_own(chapter):
    assert headings(chapter)[0] == TABLE["chapters"][chapter]


@pytest.mark.parametrize("assignment", TABLE["assignments"])
def test_every_place_exists(assignment):
    for place in TABLE["assignments"][assignment].values():
        chapter, _, section = place.partition("#")
        assert chapter in TABLE["chapters"]
        if section:
            assert headings(chapter).count(section) == 1, section
            assert section.isascii()  # so that its anchor can be known


@pytest.mark.parametrize("assignment", NAMES)
def test_every_assignment_has_a_chapter_and_names_no_other_parts(assignment):
    mine = TABLE["assignments"][assignment]
    assert mine[""] and set(mine) - {""} <= set(parts(assignment))
