"""Makes an instructor's private course: own secret, own gradebook, own copy of the tests."""

import secrets
import shutil
from pathlib import Path

from autograder.chapters import FILE as CHAPTERS
from autograder.course import CONFIG, SECRET, Course, CourseError
from autograder.mutate import EQUIVALENT

HUB = "jupyterhub_config.py"
IGNORED = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")


def make_course(folder: Path, template: Course) -> None:
    """Copy source notebooks, bank and settings into a new folder, with a fresh secret."""
    if folder.exists() and any(folder.iterdir()):
        raise CourseError(f"{folder} is not empty: name a new folder, so that nothing is lost")
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)  # submissions, grades and the secret are nobody else's business
    for name in ("source", "bank"):
        if (template.root / name).is_dir():
            shutil.copytree(template.root / name, folder / name, ignore=IGNORED)
    for name in (CONFIG, CHAPTERS, EQUIVALENT, HUB):
        if (template.root / name).exists():
            shutil.copy(template.root / name, folder / name)
    (folder / SECRET).touch(0o600)
    (folder / SECRET).write_text(secrets.token_hex(32))
    (folder / ".gitignore").write_text(
        "# What must never be published\n"
        f"{SECRET}\ngradebook.db*\n.misconceptions/\nsubmitted/\nautograded/\nfeedback/\nexchange/\n*.csv\n"
    )
