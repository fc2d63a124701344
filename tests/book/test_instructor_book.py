"""The instructor's copy of the book holds all solutions, hidden tests and known mistakes."""

import json
import re
from html import unescape

import build
import instructor_book
import pytest
import yaml
from page_key import page_key

from autograder.course import Course

HIDDEN = re.compile(r"### BEGIN HIDDEN TESTS\n(.*?)### END HIDDEN TESTS", re.DOTALL)
SOLUTION = re.compile(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", re.DOTALL)


@pytest.fixture(scope="module")
def folder(root, tmp_path_factory):
    """What `make solutions` builds, without the chapters, which the students' book has too."""
    folder = tmp_path_factory.mktemp("copy") / "instructor"
    instructor_book.write_sources(Course.load(root / "assignments"), folder)
    contents = yaml.safe_load((folder / "_toc.yml").read_text())
    (solutions,) = [part for part in contents["parts"] if part["caption"] == "Solutions"]
    assert len(contents["parts"]) > 1
    first, *others = solutions["chapters"]
    (folder / "_toc.yml").write_text(
        yaml.safe_dump({"format": "jb-book", "root": first["file"], "chapters": others})
    )
    assert build.build(folder) == 0
    return folder


@pytest.fixture(scope="module")
def pages(folder):
    return sorted((folder / "_build" / "html" / "solutions").glob("*.html"))


def text_of(page):
    """What a page says, without its markup."""
    return unescape(re.sub(r"<[^>]+>", "", page.read_text(encoding="utf-8")))


def lines(blocks):
    return {line.strip() for block in blocks for line in block.splitlines()} - {""}


@pytest.mark.slow
def test_each_page_holds_the_whole_assignment(root, pages):
    sources = sorted((root / "assignments" / "source").rglob("*.ipynb"))
    assert [page.stem for page in pages] == [source.stem for source in sources] != []
    for page, source in zip(pages, sources, strict=True):
        shown = text_of(page)
        cells = json.loads(source.read_text(encoding="utf-8"))["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        for kind in (HIDDEN, SOLUTION):
            found = [block for text in code for block in kind.findall(text)]
            assert found and not {line for line in lines(found) if line not in shown}
        answers = sorted((root / "assignments" / "bank" / source.stem).rglob("*.py"))
        assert answers and not [path.name for path in answers if path.name not in shown]
        assert "BEGIN SOLUTION" not in shown and "BEGIN HIDDEN" not in shown
        assert instructor_book.WARNING in shown


@pytest.mark.slow
def test_links_into_the_chapters_lead_somewhere(pages, html):
    links = {
        link
        for page in pages
        for link in re.findall(r'href="\.\./book/(\w+)\.html#([\w-]+)"', page.read_text())
    }
    assert links
    for chapter, anchor in links:
        assert f'id="{anchor}"' in (html / "book" / f"{chapter}.html").read_text(), anchor


@pytest.mark.slow
def test_hidden_tests_are_in_this_copy_only(pages, html):
    canary = re.compile(r"canary-\d\d-[0-9a-f]{12}")
    assert all(canary.search(page.read_text()) for page in pages)
    assert not [page for page in html.rglob("*.html") if canary.search(page.read_text())]
    assert not (html / "solutions").exists()


@pytest.mark.slow
def test_chapters_come_from_the_same_cache(root, folder):
    config = yaml.safe_load((folder / "_config.yml").read_text())
    assert config["execute"]["cache"] == str(root / "_build" / ".jupyter_cache")
    for path in (root / "book").glob("*.md"):
        cells = re.findall(r"```\{code-cell\}[^\n]*\n(.*?)```", path.read_text(), re.DOTALL)
        assert page_key(folder, cells) == page_key(root, cells), path.name


@pytest.mark.slow
def test_only_its_owner_may_read_it_and_pages_stay_small(folder, pages):
    assert folder.stat().st_mode & 0o077 == 0
    assert not [page.name for page in pages if page.stat().st_size > 2e6]
