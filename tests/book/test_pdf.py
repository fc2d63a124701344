"""The page that becomes the PDF: the whole book, its links kept, nothing left out of reach."""

from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from bs4 import BeautifulSoup
from pdf import assemble, page_numbers, parts, single_titles, slug


@pytest.fixture(scope="module")
def starts(root):
    names = [name for chapters in parts(root).values() for name in chapters]
    return {slug(name): number for number, name in enumerate(names, start=3)}


@pytest.fixture(scope="module")
def page(root, html, starts):
    return BeautifulSoup(assemble(root, html, starts), "html.parser")


def test_every_chapter_is_there_in_order(page, starts):
    assert [chapter["id"] for chapter in page.select("section.chapter")] == list(starts)
    assert all(chapter.h2 for chapter in page.select("section.chapter"))


def test_contents_name_every_chapter_and_its_page(page, starts):
    entries = page.select("nav.book-contents a")
    listed = {entry["href"].removeprefix("#"): int(entry.contents[-1].string) for entry in entries}
    assert listed == starts


def test_links_stay_inside_or_leave_the_book(page):
    ids = Counter(tag["id"] for tag in page.select("[id]"))
    links = {tag["href"] for tag in page.select("body a[href]")}
    inside = {link for link in links if link.startswith("#")}
    assert len(inside) > 100
    assert [link for link in inside if ids[link.removeprefix("#")] != 1] == []
    assert {urlsplit(link).scheme for link in links - inside} <= {"http", "https", "mailto"}


def test_styles_and_figures_are_files_that_exist(page):
    tags = page.select("link[href], script[src], img[src]")
    addresses = [urlsplit(tag.get("href") or tag["src"]) for tag in tags]
    assert {address.scheme for address in addresses} == {"file"}
    assert [path for a in addresses if not Path(path := unquote(a.path)).is_file()] == []
    assert page.select("article img, section img")


def test_nothing_is_folded(page):
    assert page.select("details")
    assert not page.select("details:not([open])")


def test_long_listings_may_go_on_over_the_page(page):
    short, long = (
        [tag.get_text().count("\n") for tag in page.select(f"div.highlight{which}")]
        for which in (":not(.long-listing)", ".long-listing")
    )
    assert max(short) < min(long)


def test_the_parts_are_the_first_level_of_the_bookmarks(page, root):
    captions = [caption for caption in parts(root) if caption]
    assert [heading.string for heading in page.select("h1")] == ["Contents", *captions]


def test_page_numbers_are_read_from_a_pdf():
    pdf = (
        b"%PDF-1.4\n5 0 obj\n<</Type /Page\n/Parent 8 0 R>>\nendobj\n"
        b"7 0 obj\n<</Type /Page\n/Parent 8 0 R>>\nendobj\n"
        b"8 0 obj\n<</Type /Pages\n/Count 2\n/Kids [5 0 R 7 0 R]>>\nendobj\n"
        b"9 0 obj\n<</gelu [7 0 R /XYZ 6 777.75 0]\n/welcome [5 0 R /XYZ 6 700 0]>>\nendobj\n"
    )
    assert page_numbers(pdf) == {"gelu": 2, "welcome": 1}


def test_a_bookmark_says_its_title_once_and_nothing_moves():
    pdf = (
        b"1 0 obj\n<</Title (ContentsContents)\n/Dest 5>>\nendobj\n"
        b"2 0 obj\n<</Title (Losses)\n/Dest 6>>\nendobj\n"
        b"3 0 obj\n<</Title <FEFF221A0063221A0063>\n/Dest 7>>\nendobj\n"
        b"4 0 obj\n<</Title (1.4. 1.4. One wordOne word)\n/Dest 8>>\nendobj\n"
        b"5 0 obj\n<</Title (11. 11. Two lines,Two lines,broken)\n/Dest 9>>\nendobj\n"
    )
    mended = single_titles(pdf)
    assert b"/Title (Contents) " in mended and b"/Title <FEFF221A0063> " in mended
    assert b"/Title (Losses)\n" in mended and b"/Title (1.4. One word) " in mended
    assert b"/Title (11. Two lines, broken) " in mended
    assert [mended.index(b"%d 0 obj" % n) for n in (1, 2, 3, 4, 5)] == [
        pdf.index(b"%d 0 obj" % n) for n in (1, 2, 3, 4, 5)
    ]
