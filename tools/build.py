"""Build the book as HTML. `--cold` forgets all earlier results first."""

import argparse
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def build(root: Path) -> int:
    """Run Jupyter Book so that every warning is an error; return its exit status.

    `--all` renders every page again, so a warning is not forgotten by the second build; chapters
    still come from the execution cache.
    """
    jupyter_book = Path(sys.executable).with_name("jupyter-book")
    command = [jupyter_book, "build", ".", "-q", "--all", "-n", "-W", "--keep-going"]
    return subprocess.run(command, cwd=root).returncode


def main() -> int:
    """Build the course's book and say where to open it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cold", action="store_true", help="execute every chapter again")
    if parser.parse_args().cold:
        shutil.rmtree(ROOT / "_build", ignore_errors=True)
    start = time.monotonic()
    status = build(ROOT)
    if status:
        print("The book was not built. What went wrong stands above.", file=sys.stderr)
        return status
    page = (ROOT / "_build" / "html" / "index.html").as_uri()
    print(f"Built in {time.monotonic() - start:.0f} s. Open it: {page}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
