"""The Sphinx extension that makes this book: run stale chapters, collect claims, offer notebooks.

Jupyter Book alone executes chapters one after another and notices neither an edit to the library
nor a changed package. Here every stale chapter is executed first, in parallel, into the cache that
Jupyter Book then reads. What the executed cells claim is gathered before any page is rendered, so
the ledger page is complete also when all chapters came from the cache.
"""

import html
import os
import platform
import re
import shutil
import textwrap
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import nbformat
import yaml
from claims_ledger import ClaimsLedger, CommonClaims, claims_in
from docutils import nodes
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn, JupyterCacheAbstract
from jupyter_cache.executors.utils import ExecutionResult, single_nb_execution
from myst_nb.core.read import create_nb_reader
from page_key import page_key
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util import logging

logger = logging.getLogger(__name__)

SHOWN_VERSIONS = ("torch", "numpy")
ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
ANSI_COLOR = re.compile(r"\x1b\[[0-9;]*m")
# What is mended in every built page, each with what stands there instead.
REPAIRS = {
    r'<link rel="preload" as="font"[^>]*>': "",  # an error when the page is opened from disk
    # for screen readers: roles that contradict each other, a button without a name, and lists
    # that explain words without naming any
    r'(?<=<div) role="list"(?= class="citation-list")| role="doc-biblioentry"': "",
    r'<summary>(?=<span class="toctree-toggle")': '<summary aria-label="Show or hide the pages">',
    r'<dl>(?=\s*<dd><em class="sig-param">)': '<dl role="presentation">',
}


@dataclass
class Page:
    """A chapter: where it is, its cells without outputs, and what those outputs depend on."""

    docname: str
    path: Path
    notebook: nbformat.NotebookNode
    key: str


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.add_directive("claims-ledger", ClaimsLedger)
    app.add_directive("common-claims", CommonClaims)
    app.connect("config-inited", rank_search_results)
    app.connect("builder-inited", load_figures_late)
    app.connect("env-before-read-docs", execute_stale_pages)
    app.connect("doctree-read", add_index_entries)
    app.connect("env-updated", write_notebooks)
    app.connect("html-page-context", describe_run, priority=100)  # before the theme's buttons
    app.connect("html-page-context", describe_page)
    app.connect("build-finished", finish)
    return {"parallel_read_safe": False, "parallel_write_safe": True}


def say(news: str) -> None:
    """Tell the reader what goes on; Sphinx's own account of each step is switched off."""
    print(news, flush=True)


def rank_search_results(app: Sphinx, config: Config) -> None:
    """Have found chapters listed first; a relative path would depend on where the build starts."""
    config.html_search_scorer = str(Path(__file__).with_name("search_scores.js"))


def load_figures_late(app: Sphinx) -> None:
    """Have a figure fetched when the reader comes near it."""
    app.env.settings["image_loading"] = "lazy"


def add_index_entries(app: Sphinx, doctree: nodes.document) -> None:
    """Enter a page into the index under what `index.yml` says: search looks there first."""
    index = yaml.safe_load(Path(app.srcdir, "book", "index.yml").read_text(encoding="utf-8"))
    words = index.get(Path(app.env.docname).name, [])
    section = next(doctree.findall(nodes.section))
    entries = [("single", word, section["ids"][0], "main", None) for word in words]
    section.insert(1, addnodes.index(entries=entries))


def find_pages(env: BuildEnvironment) -> list[Page]:
    """Read every page of the book that has code, in the order of their names."""
    pages = []
    for docname in sorted(env.found_docs):
        path = Path(env.doc2path(docname))
        text = path.read_text(encoding="utf-8")
        reader = create_nb_reader(str(path), env.myst_config, env.mystnb_config, text)
        if reader is None:
            continue
        notebook = reader.read(text)
        cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
        if cells:
            pages.append(Page(docname, path, notebook, page_key(Path(env.srcdir), cells)))
    return pages


def execute_stale_pages(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Execute each page whose outputs are missing or whose key changed; stop when one fails."""
    for (
        variable
    ) in ONE_THREAD:  # sums come out the same on every machine, and pages run side by side
        os.environ.setdefault(variable, "1")
    os.environ.setdefault("MATPLOTLIBRC", str(Path(app.srcdir) / "book" / "matplotlibrc"))

    cache = get_cache(env.mystnb_config.execution_cache_path)
    pages = find_pages(env)
    stale = [page for page in pages if not is_fresh(cache, page)]
    say(f"chapters to execute: {len(stale)} of {len(pages)}")
    failures = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        running = {pool.submit(execute, env, page): page for page in stale}
        for done, future in enumerate(as_completed(running), start=1):
            page, result = running[future], future.result()
            if result.err is None:
                say(f"executed {page.docname} in {result.time:.0f} s ({done} of {len(stale)})")
                data = {"execution_seconds": result.time, "key": page.key, "ran_with": ran_with()}
                cache.cache_notebook_bundle(
                    CacheBundleIn(result.nb, str(page.path), data=data),
                    check_validity=False,
                    overwrite=True,
                )
            else:
                failures.append(page.docname)
                logger.error("%s failed\n%s", page.docname, ANSI_COLOR.sub("", result.exc_string))
    if failures:
        raise ExtensionError(f"chapters failed: {', '.join(sorted(failures))}")

    app.course_runs, app.course_notebooks = {}, {}
    for page in pages:
        app.course_runs[page.docname] = cache.match_cache_notebook(page.notebook).data
        _, app.course_notebooks[page.docname] = cache.merge_match_into_notebook(page.notebook)
    app.course_claims = [
        claim
        for docname, notebook in app.course_notebooks.items()
        for claim in claims_in(docname, notebook)
    ]
    docnames.extend(page.docname for page in stale if page.docname not in docnames)
    if os.environ.get("CI") or os.environ.get("COURSE_STRICT"):
        for claim in app.course_claims:
            if not claim.holds:
                logger.warning(
                    "claim %r is off: measured %s, expected %s",
                    claim.key,
                    claim.value,
                    claim.expected,
                    location=claim.docname,
                )


def is_fresh(cache: JupyterCacheAbstract, page: Page) -> bool:
    """Whether the cache holds this page's outputs under its present key; drop them if not."""
    try:
        record = cache.match_cache_notebook(page.notebook)
    except KeyError:
        return False
    if record.data.get("key") == page.key:
        return True
    cache.remove_cache(record.pk)
    return False


def execute(env: BuildEnvironment, page: Page) -> ExecutionResult:
    """Run the page's cells in a kernel of its own, in the page's folder."""
    return single_nb_execution(
        page.notebook,
        cwd=str(page.path.parent),
        timeout=env.mystnb_config.execution_timeout,
        allow_errors=False,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],  # it warns of TCP, here to itself
    )


def ran_with() -> str:
    """Name the versions that decide what a page prints."""
    versions = [f"{name} {metadata.version(name)}" for name in SHOWN_VERSIONS]
    return ", ".join([f"Python {platform.python_version()}", *versions])


def write_notebooks(app: Sphinx, env: BuildEnvironment) -> None:
    """Put every executed notebook, outputs included, where readers and nbval find it."""
    folder = Path(env.mystnb_config.output_folder)
    for old in folder.rglob("*.ipynb"):
        old.unlink()
    for docname, notebook in app.course_notebooks.items():
        path = folder / f"{docname}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, path)


def describe_run(
    app: Sphinx, pagename: str, templatename: str, context: dict, doctree: object
) -> None:
    """Offer the executed notebook in the page's header, and say at its foot what it ran with."""
    run = app.course_runs.get(pagename)
    if run is None:
        return
    context["ipynb_source"] = f"{pagename}.ipynb"  # the theme's download button reads this
    notebook = f"{context['pathto']('_sources', 1)}/{pagename}.ipynb"
    context["body"] += (
        f'<p class="ran-with">This page ran with {html.escape(run["ran_with"])} '
        f"in {run['execution_seconds']:.0f} s. "
        f'<a href="{notebook}" download>Download it as a notebook</a> with all outputs.</p>'
    )


def describe_page(
    app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None
) -> None:
    """Say what the page is about where search engines and link previews look: in its head."""
    if doctree is None:
        return
    paragraphs = (
        node.astext()
        for node in doctree.findall(nodes.paragraph)
        if isinstance(node.parent, nodes.section)
    )
    description = textwrap.shorten(next(paragraphs, app.config.html_title), 200, placeholder=" …")
    preview = {
        "og:title": html.unescape(re.sub(r"<[^>]+>", "", context["title"])),
        "og:description": description,
        "og:site_name": app.config.html_title,
        "og:type": "article",
    }
    context["metatags"] += f'<meta name="description" content="{html.escape(description)}">\n'
    for name, content in preview.items():
        context["metatags"] += f'<meta property="{name}" content="{html.escape(content)}">\n'


def finish(app: Sphinx, error: Exception | None) -> None:
    """Put the notebooks where the pages link, let pages open from disk, sum up the claims."""
    if error is not None or app.builder.format != "html":
        return
    notebooks = Path(app.env.mystnb_config.output_folder)
    for docname in app.course_notebooks:
        target = Path(app.outdir, "_sources", f"{docname}.ipynb")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(notebooks / f"{docname}.ipynb", target)
    for page in Path(app.outdir).rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for flaw, repaired in REPAIRS.items():
            text = re.sub(flaw, repaired, text)
        page.write_text(text, encoding="utf-8")
    off = [claim.key for claim in app.course_claims if not claim.holds]
    verdict = f"{len(off)} off here: {', '.join(off)}" if off else "all hold"
    say(f"claims measured: {len(app.course_claims)}, {verdict}")
