"""The same class in a gradebook on a real PostgreSQL server, which the test starts."""

import os
import shutil
import subprocess
import tempfile
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from grading import CLASS, SCORES, make_course

from autograder.__main__ import main
from autograder.course import Course
from autograder.gradebook import open_gradebook

PROGRAMS = Path("/usr/lib/postgresql")


@pytest.fixture(scope="module")
def server():
    """A server on a socket of its own; it refuses to run as root, so it gets another user."""
    bin_folder = max(PROGRAMS.glob("*/bin"), default=None)
    assert bin_folder, "PostgreSQL is missing: sudo apt-get install postgresql"
    home = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))  # short: sockets have short names
    options = {"cwd": home, "capture_output": True, "text": True}
    if os.getuid() == 0:
        shutil.chown(home, "postgres", "postgres")
        options["user"] = options["group"] = "postgres"

    def run(program, *arguments):
        done = subprocess.run([bin_folder / program, *arguments], **options)
        assert done.returncode == 0, done.stdout + done.stderr

    data = home / "data"
    run("initdb", "-D", data, "-U", "teacher", "-A", "trust", "--no-sync")
    settings = f"-c listen_addresses='' -c fsync=off -k {home}"
    run("pg_ctl", "-D", data, "-w", "-t", "120", "-l", home / "log", "-o", settings, "start")
    try:
        yield f"postgresql://teacher@/postgres?host={home}"
    finally:
        run("pg_ctl", "-D", data, "-w", "-t", "120", "-m", "immediate", "stop")
        shutil.rmtree(home)


def test_a_class_on_postgresql(server, tmp_path):
    root = make_course(tmp_path, CLASS)
    assert main(["grade", "hw", "--course", str(root), "--workers", "1", "--db", server]) == 0
    course = Course.load(root, server)
    with open_gradebook(course.db_url, "x") as gradebook:
        scores = {s.student.id: s.score for s in gradebook.assignment_submissions("hw")}
    assert scores == SCORES
    assert not (root / "gradebook.db").exists()
    with closing(psycopg.connect(server)) as connection:
        assert connection.execute("select count(*) from grade").fetchone() == (2 * len(CLASS),)
    export = ["export", "--csv", str(tmp_path / "g.csv"), "--db", server]
    assert main([*export, "--course", str(root)]) == 0
