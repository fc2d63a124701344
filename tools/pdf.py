"""Print the built book as one PDF: title page, contents with page numbers, bookmarks, live links.

The articles of `_build/html` are put into one page, and headless Chromium prints it twice: first
to learn where each chapter begins, then with these numbers in the contents.
"""

import os
import re
import shutil
import subprocess
import sys
from html import escape
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import yaml
from bs4 import BeautifulSoup, Tag

ROOT = Path(__file__).resolve().parent.parent
BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
FLAGS = [
    "--headless",
    "--no-sandbox",  # root has none, and nothing but the book is opened
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-pdf-header-footer",
    "--generate-pdf-document-outline",
    "--virtual-time-budget=600000",  # print when the formulas are set; only busy time is spent
]
LONG_LISTING = 20  # lines
SCREEN_ONLY = "script, link, .headerlink, .ran-with"
TEMPLATE = """<!doctype html>
<html lang="en" data-theme="light">
<head>
<meta charset="utf-8">
<title>{title}</title>
{assets}
<link rel="stylesheet" href="{static}/pdf.css">
<style>{running_heads}</style>
</head>
<body>
<header class="cover">
<img src="{static}/logo.svg" alt="">
<p class="title">{title}</p>
<p>{description}</p>
<p>{author}, {year}</p>
</header>
<nav class="book-contents">
<h1>Contents</h1>
{contents}
</nav>
{chapters}
</body>
</html>
"""


def slug(name: str, anchor: str = "") -> str:
    """The id in the PDF of a page, or of an anchor on it, which alone would not be unique."""
    return "--".join(part for part in (Path(name).stem, anchor) if part)


def parts(root: Path) -> dict[str, list[str]]:
    """The captions of the table of contents and the pages under each; the first has no caption."""
    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))

    def files(entries: list[dict]) -> list[str]:
        return [
            name for entry in entries for name in (entry["file"], *files(entry.get("sections", [])))
        ]

    return {"": [toc["root"]]} | {part["caption"]: files(part["chapters"]) for part in toc["parts"]}


def read_page(html: Path, name: str) -> BeautifulSoup:
    """Read a built page, with addresses of styles, scripts and figures that hold anywhere."""
    path = html / f"{name}.html"
    soup = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
    for tag in soup.select("link[href], script[src], img[src]"):
        attribute = "href" if tag.name == "link" else "src"
        tag[attribute] = urljoin(path.as_uri(), tag[attribute])
    return soup


def article(html: Path, name: str, names: set[str]) -> Tag:
    """Take a page's article, with ids and links that still meet when all pages are one."""
    body = read_page(html, name).select_one("article.bd-article")
    for tag in body.select(SCREEN_ONLY):
        tag.decompose()
    for tag in body.select("[id]"):
        tag["id"] = slug(name, tag["id"])
    for tag in body.select("a[href]"):
        address, anchor = urldefrag(urljoin(f"{name}.html", tag["href"]))
        if address.removesuffix(".html") in names:
            tag["href"] = "#" + slug(address, anchor)
        elif ":" not in address:  # of the book, but not in the PDF
            tag.unwrap()
    for tag in body.select("img"):
        del tag["loading"]
    for tag in body.select("details"):
        tag["open"] = ""
    for tag in body.select("div.highlight:has(> pre)"):
        if tag.get_text().count("\n") > LONG_LISTING:
            tag["class"].append("long-listing")
    for level in (5, 4, 3, 2, 1):  # the parts of the book are the first level
        for tag in body.select(f"h{level}"):
            tag.name = f"h{level + 1}"
    return body


def assemble(root: Path, html: Path, starts: dict[str, int]) -> str:
    """Make one page of the whole book; `starts` holds the page number of each chapter's slug."""
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    names = {name for chapters in parts(root).values() for name in chapters}
    contents, chapters, running_heads = [], [], []
    for caption, members in parts(root).items():
        if caption:
            contents.append(f"<p>{escape(caption)}</p>")
        for name in members:
            body, place = article(html, name, names), slug(name)
            title = body.h2.decode_contents()
            first = f"<h1>{escape(caption)}</h1>" if caption and name == members[0] else ""
            number = starts.get(place, "")
            contents.append(f'<a href="#{place}"><span>{title}</span><span>{number}</span></a>')
            chapters.append(
                f'<section class="chapter bd-article" id="{place}">'
                f"{first}{body.decode_contents()}</section>"
            )
            running_heads.append(
                f"#{place} {{ page: {place} }}\n"
                f'@page {place} {{ @top-right {{ content: "{body.h2.get_text()}" }} }}'
            )
    first_page = read_page(html, parts(root)[""][0])
    assets = first_page.select("link[rel=stylesheet], script")
    return TEMPLATE.format(
        title=escape(config["title"]),
        author=escape(config["author"]),
        year=config["copyright"],
        description=first_page.select_one("meta[name=description]")["content"],
        static=(html / "_static").as_uri(),
        assets="\n".join(
            str(tag) for tag in assets if tag.name == "link" or "mathjax" in str(tag).lower()
        ),
        running_heads="\n".join(running_heads),
        contents="\n".join(contents),
        chapters="\n".join(chapters),
    )


def page_numbers(pdf: bytes) -> dict[str, int]:
    """On which page each target of a link lies; Chromium writes a PDF's objects as plain text."""
    pages = re.findall(rb"^(\d+) 0 obj\n<</Type /Page\n", pdf, re.MULTILINE)
    number = {page: position for position, page in enumerate(pages, start=1)}
    targets = re.findall(rb"/(\S+) \[(\d+) 0 R /XYZ", pdf)
    return {name.decode(): number[page] for name, page in targets}


def single_titles(pdf: bytes) -> bytes:
    """Bookmarks with their text once: Chromium writes a heading twice that it moved to a new page.

    Number and first line are doubled each for itself. Blanks take the place of what goes, so that
    everything else stays where the PDF's table says.
    """

    def once(match: re.Match[bytes], blank: bytes) -> bytes:
        rest = blank + match["rest"] if match["rest"] else b""
        title = match["open"] + (match["number"] or b"") + match["text"] + rest + match["close"]
        return title.ljust(len(match[0]))

    doubled = (
        rb"(?P<open>/Title %s)(?:(?P<number>%s)(?P=number))?(?P<text>%s)(?P=text)"
        rb"(?P<rest>(?(number)%s|))(?P<close>%s)"
    )
    plain = doubled % (rb"\(", rb"[\d.]+ ", rb"[^\n]+", rb"[^\n]*", rb"\)")
    utf16 = doubled % (rb"<FEFF", rb"(?:003\d|002E)+0020", rb"[0-9A-F]+", rb"[0-9A-F]*", rb">")
    pdf = re.sub(plain, lambda match: once(match, b" "), pdf)
    return re.sub(utf16, lambda match: once(match, b"0020"), pdf)


def find_browser() -> str:
    """A Chromium or Chrome on this machine; `CHROMIUM` may name another."""
    named = [os.environ["CHROMIUM"]] if "CHROMIUM" in os.environ else BROWSERS
    for program in named:
        if found := shutil.which(program):
            return found
    raise SystemExit(
        "The PDF is printed by Chromium or Chrome, and neither was found.\n"
        "On Debian and Ubuntu: sudo apt-get install chromium\n"
        "Installed elsewhere: make pdf CHROMIUM=/path/to/it"
    )


def print_page(browser: str, page: Path, pdf: Path) -> None:
    """Have the browser print a page from disk."""
    command = [browser, *FLAGS, f"--print-to-pdf={pdf}", page.as_uri()]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode or not pdf.exists():
        raise SystemExit(f"{browser} did not print {page}:\n{result.stderr}")


def main() -> None:
    """Print the course's book and say where the PDF is."""
    browser = find_browser()
    html, folder = ROOT / "_build" / "html", ROOT / "_build" / "pdf"
    folder.mkdir(parents=True, exist_ok=True)
    page, pdf = folder / "book.html", folder / "inside-bert-and-gpt.pdf"
    starts: dict[str, int] = {}
    for _ in range(2):
        page.write_text(assemble(ROOT, html, starts), encoding="utf-8")
        pdf.unlink(missing_ok=True)
        print_page(browser, page, pdf)
        starts = page_numbers(pdf.read_bytes())
    pdf.write_bytes(single_titles(pdf.read_bytes()))
    print(f"Printed {max(starts.values())} pages: {pdf}")


if __name__ == "__main__":
    sys.exit(main())
