"""The same class on a Dask cluster of several workers, one of which is killed on the way."""

import os
import signal

import pytest
from distributed import Client, LocalCluster
from grading import CLASS, SCORES, make_course

from autograder import batch
from autograder.__main__ import main
from autograder.course import Course


@pytest.fixture(scope="module")
def cluster():
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as running:
        yield running


def verdicts(root):
    course = Course.load(root)
    found = {student: batch.read_record(course, "hw", student) for student in CLASS}
    return {student: record.verdict() for student, record in found.items()}


def test_records_are_the_same_on_a_cluster_that_loses_a_worker(cluster, tmp_path, monkeypatch):
    here = make_course(tmp_path / "here", CLASS)
    there = make_course(tmp_path / "there", CLASS)
    for root in (here, there):
        (root / "grader_secret").write_text("the same")
    assert main(["grade", "hw", "--course", str(here), "--workers", "1"]) == 0

    real, killed = batch.store, []

    def store(*arguments):
        real(*arguments)
        if not killed:
            with Client(cluster.scheduler_address, set_as_default=False) as client:
                killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    monkeypatch.setattr(batch, "store", store)
    grade = ["grade", "hw", "--course", str(there), "--scheduler", cluster.scheduler_address]
    assert main(grade) == 0
    assert killed
    assert verdicts(here) == verdicts(there)
    course = Course.load(there)
    with batch.open_gradebook(course.db_url, "x") as gradebook:
        scores = {s.student.id: s.score for s in gradebook.assignment_submissions("hw")}
    assert scores == SCORES
