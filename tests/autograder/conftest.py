import pytest

from autograder.pool import Setup, Worker
from autograder.sandbox import Sandbox


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
