"""The pages that the browser visits, and when a visit has begun."""

from tests.conftest import ROOT

HTML = ROOT / "_build" / "html"
# Without a build there is still one test, and it says so: the `html` fixture fails it.
PAGES = sorted(
    path.relative_to(HTML).as_posix()
    for path in HTML.rglob("*.html")
    if "_static" not in path.parts and path.name != "index.html"
) or ["search.html"]
CHAPTERS = [page for page in PAGES if page.startswith("book/")] or PAGES

MATH_IS_READY = "window.MathJax?.startup?.promise.then(() => true) ?? true"


def visit(tab, address):
    """Open a page and wait until its formulas are set."""
    tab.goto(address, wait_until="load")
    tab.evaluate(MATH_IS_READY)
