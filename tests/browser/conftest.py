"""Debian's Chromium, the built book on localhost, and no other host."""

import os
import shutil
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import sync_playwright

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost",  # also for what no test looks at
]


class Handler(SimpleHTTPRequestHandler):
    """Serves files without a word on each; in place of a missing one, the book's page for that."""

    not_found = b""

    def log_message(self, *args):
        pass

    def send_error(self, code, message=None, explain=None):
        self.send_response(code)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(self.not_found)


@contextmanager
def serve(folder, not_found):
    """The address of a server on a folder."""
    handler = type("HandlerHere", (Handler,), {"not_found": not_found.read_bytes()})
    server = ThreadingHTTPServer(("localhost", 0), partial(handler, directory=folder))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="session")
def site(html):
    """The address of a server on the built book."""
    with serve(html, html / "404.html") as address:
        yield address


@pytest.fixture(params=["", "courses/inside"])
def book_address(html, tmp_path, request):
    """The book's address where it is a server's root, and where it is a folder further down."""
    place = tmp_path / "root" / request.param
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(html)
    with serve(tmp_path / "root", html / "404.html") as address:
        yield f"{address}/{request.param}".rstrip("/")


@pytest.fixture(scope="session")
def chromium():
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    assert program, "Chromium is missing: sudo apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def tab(chromium):
    """A tab that notes errors, and blocks and notes every request that leaves the machine."""
    context = chromium.new_context(viewport={"width": 1300, "height": 900})
    page = context.new_page()
    page.complaints = []
    page.on("pageerror", lambda error: page.complaints.append(f"error: {error}"))
    page.on(
        "console",
        lambda message: (
            page.complaints.append(f"console: {message.text}")
            if message.type in ("error", "warning")
            else None
        ),
    )
    page.on(
        "response",
        lambda response: (
            page.complaints.append(f"{response.status}: {response.url}")
            if response.status >= 400
            else None
        ),
    )

    def stay_here(route):
        url = urlsplit(route.request.url)
        if url.hostname == "localhost" or url.scheme in ("file", "data", "blob"):
            route.continue_()
        else:
            page.complaints.append(f"asked another host: {route.request.url}")
            route.abort()

    context.route("**/*", stay_here)
    page.on("websocket", lambda socket: page.complaints.append(f"opened a socket: {socket.url}"))
    yield page
    context.close()
