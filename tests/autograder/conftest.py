import os
import shutil
import subprocess
import tempfile
import uuid
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from autograder.pool import Setup, Worker
from autograder.sandbox import Sandbox

PROGRAMS = Path("/usr/lib/postgresql")


@pytest.fixture(scope="session")
def sandbox():
    with Sandbox() as running:
        yield running


@pytest.fixture(scope="session")
def worker():
    running = Worker(Setup())
    yield running
    running.close()


@pytest.fixture
def grade(worker):
    """Grade a job and return its parts by grade_id."""

    def graded(job):
        return {part.grade_id: part for part in worker.grade(job).parts}

    return graded


@pytest.fixture
def server(postgresql):
    """The address of an empty database."""
    name = f"course_{uuid.uuid4().hex}"
    with closing(psycopg.connect(postgresql.format("postgres"), autocommit=True)) as connection:
        connection.execute(f"create database {name}")
    return postgresql.format(name)


@pytest.fixture(scope="session")
def postgresql():
    """A PostgreSQL server on a socket of its own; root may not run one, so it gets another user."""
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
        yield f"postgresql://teacher@/{{}}?host={home}"
    finally:
        run("pg_ctl", "-D", data, "-w", "-t", "120", "-m", "immediate", "stop")
        shutil.rmtree(home)
