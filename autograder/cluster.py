"""The same jobs on an existing Dask cluster; only data travels, and records are the same.

Every machine of the cluster needs this project installed, and bubblewrap. A Dask worker that dies
takes nothing with it: its jobs go to another one.
"""

import atexit
import threading
from collections.abc import Iterator

from distributed import Client, as_completed

from autograder.job import Job, faulty_record
from autograder.outcome import Record
from autograder.pool import ATTEMPTS, Setup, Worker, WorkerDied

RETRIES = 5  # times that the death of a Dask worker may send a job to another one

_here = threading.local()  # a grading process for each thread of a Dask worker


def run_on_cluster(jobs: list[Job], setup: Setup, scheduler: str) -> Iterator[tuple[Job, Record]]:
    """Records as they are finished, in any order."""
    with Client(scheduler, timeout="30s", set_as_default=False) as client:  # type: ignore[no-untyped-call]
        futures = client.map(
            _grade,
            [job.to_json() for job in jobs],
            setup=setup,
            pure=False,
            retries=RETRIES,
            key=[f"grade-{number}-{job.key}" for number, job in enumerate(jobs)],
        )
        known = {future.key: job for future, job in zip(futures, jobs, strict=True)}
        for future in as_completed(futures, loop=client.loop):  # type: ignore[no-untyped-call]
            job = known[future.key]
            problem = future.exception()
            if problem is None:
                yield job, Record.from_json(future.result())
            else:
                yield job, faulty_record(job, f"the cluster could not grade it: {problem!r}")


def _grade(text: str, setup: Setup) -> str:
    """Runs on the cluster: one job, in a grading process that stays for the next one."""
    job = Job.from_json(text)
    death: WorkerDied | None = None
    for _ in range(ATTEMPTS):
        try:
            return _worker(setup).grade(job).to_json()
        except WorkerDied as error:
            death = error
            _forget()
    return faulty_record(job, str(death)).to_json()


def _worker(setup: Setup) -> Worker:
    if getattr(_here, "setup", None) != setup:
        _forget()
        _here.worker, _here.setup = Worker(setup), setup
        atexit.register(_here.worker.close)
    worker: Worker = _here.worker
    return worker


def _forget() -> None:
    worker = getattr(_here, "worker", None)
    if worker:
        atexit.unregister(worker.close)
        worker.close()
    _here.worker = _here.setup = None
