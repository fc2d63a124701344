"""The built book as files: complete, self-contained, and without anything learners must not see."""

import json
import re

import nbformat
import pytest
import yaml
from bs4 import BeautifulSoup
from claims_ledger import CLAIM_MIME

from course_lib import claims

HOSTS_ASKED = re.compile(
    r"<(?:script|img|iframe|source|video|audio)[^>]+src=[\"'](?:https?:)?//"
    r"|<link(?![^>]+rel=[\"']?canonical)[^>]+href=[\"'](?:https?:)?//"
    r"|@import\s+(?:url\()?[\"']?https?:"
    r"|url\(\s*[\"']?https?:"
)


@pytest.fixture(scope="module")
def contents(root):
    """The names of all pages in the table of contents."""
    toc = yaml.safe_load((root / "_toc.yml").read_text())
    chapters = [entry["file"] for part in toc["parts"] for entry in part["chapters"]]
    return [toc["root"], *chapters]


@pytest.fixture(scope="module")
def notebooks(root):
    folder = root / "_build" / "jupyter_execute"
    return {
        path.relative_to(folder).with_suffix("").as_posix(): nbformat.read(path, as_version=4)
        for path in folder.rglob("*.ipynb")
    }


@pytest.fixture(scope="module")
def pages(html):
    """Every page of the book as it was built."""
    return {
        path.name: BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
        for path in (html / "book").glob("*.html")
    }


def test_every_page_of_the_contents_is_built(html, contents):
    missing = [name for name in contents if not (html / f"{name}.html").exists()]
    assert missing == []


def test_every_page_with_code_has_an_executed_notebook(root, contents, notebooks):
    with_code = {name for name in contents if "{code-cell}" in (root / f"{name}.md").read_text()}
    assert set(notebooks) == with_code


def test_notebooks_are_executed_to_the_end(notebooks):
    """Otherwise running them again and comparing, as the next stage does, would prove nothing."""
    for name, notebook in notebooks.items():
        cells = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source]
        assert all(cell.execution_count for cell in cells), name
        assert any(cell.outputs for cell in cells), name


def test_downloads_are_the_executed_notebooks(html, notebooks):
    for name, notebook in notebooks.items():
        offered = nbformat.read(html / "_sources" / f"{name}.ipynb", as_version=4)
        assert offered == notebook


def test_no_page_or_style_asks_another_host(html):
    files = [path for path in html.rglob("*") if path.suffix in (".html", ".css")]
    asking = {path.name for path in files if HOSTS_ASKED.search(path.read_text(encoding="utf-8"))}
    assert asking == set()


def test_no_solution_or_hidden_test_is_published(root, html):
    public = [*(root / "book").glob("*.md"), *(root / "course_lib").rglob("*.py")]  # shown on pages
    shown = "".join(path.read_text(encoding="utf-8") for path in public)
    secrets = set()
    for path in (root / "assignments" / "source").rglob("*.ipynb"):
        for cell in json.loads(path.read_text())["cells"]:
            source = "".join(cell["source"])
            for kind in ("SOLUTION", "HIDDEN TESTS"):
                for block in re.findall(f"BEGIN {kind}(.*?)### END {kind}", source, re.S):
                    lines = {line.strip() for line in block.splitlines() if len(line) > 50}
                    secrets |= {line for line in lines if line not in shown}
    assert secrets, "no assignment with hidden tests was found"
    places = [html, html.parent / "jupyter_execute"]
    published = [path for place in places for path in place.rglob("*") if path.is_file()]
    assert not [path for path in published if "assignments" in path.parts[len(root.parts) :]]
    for path in published:
        if path.suffix in (".html", ".md", ".ipynb", ".js", ".json", ".txt"):
            text = path.read_text(encoding="utf-8", errors="replace")
            assert not [line for line in secrets if line in text], path


def test_ledger_lists_every_claim(html, notebooks):
    ledger = (html / "book" / "claims_ledger.html").read_text(encoding="utf-8")
    keys = [
        output.data[CLAIM_MIME]["key"]
        for notebook in notebooks.values()
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if CLAIM_MIME in output.get("data", {})
    ]
    assert keys
    assert len(keys) == len(set(keys)), "two claims share a key"
    assert [key for key in keys if key not in ledger] == []


def test_the_book_reads_what_the_library_writes():
    assert claims.MIME == CLAIM_MIME


def test_pages_stay_small(html):
    sizes = {path.name: path.stat().st_size for path in html.rglob("*.html")}
    assert {name: size for name, size in sizes.items() if size > 2e6} == {}


def test_figures_load_when_a_reader_comes_near(pages):
    figures = [image for page in pages.values() for image in page.select("article img")]
    assert figures
    assert [image["src"] for image in figures if image.get("loading") != "lazy"] == []


def test_every_page_says_in_its_head_what_it_is_about(pages):
    """In its own words, for search engines and for previews of a link."""
    heads = {}
    for name, page in pages.items():
        description = page.select_one("meta[name=description]")["content"]
        assert 20 < len(description) <= 200, name
        assert page.select_one("meta[property='og:description']")["content"] == description
        title = page.select_one("meta[property='og:title']")["content"]
        assert title in page.select_one("article h1").get_text(), name
        heads[title, description] = name
    assert len(heads) == len(pages)


def test_the_index_knows_the_pages_of_the_contents(root, contents):
    """Each entry leads to a page, and nearly every page has one."""
    words = yaml.safe_load((root / "book" / "index.yml").read_text(encoding="utf-8"))
    assert set(words) - {name.removeprefix("book/") for name in contents} == set()
    assert all(len(entries) == len(set(entries)) for entries in words.values())
    assert len(words) > 25
