"""Worker processes as the coordinator sees them; nothing here imports torch."""

import dataclasses
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from autograder.job import Job, faulty_record
from autograder.outcome import Record

ATTEMPTS = 2  # a worker may die for a reason of its own; the job is tried again


@dataclasses.dataclass(frozen=True)
class Setup:
    """How the sandbox of a worker is started."""

    preload: tuple[str, ...] = ("torch", "numpy", "course_lib.checks")
    hidden: tuple[Path, ...] = ()
    bubblewrap: bool = True


class WorkerDied(RuntimeError):
    """The worker process is gone; what it said is the text."""


class Worker:
    """A worker process as seen from the coordinator."""

    def __init__(self, setup: Setup) -> None:
        self._errors = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "autograder.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
            start_new_session=True,  # an interrupt at the terminal is for the coordinator
        )
        fields = {**dataclasses.asdict(setup), "hidden": [str(path) for path in setup.hidden]}
        self._tell(json.dumps(fields))
        reply = json.loads(self._hear())
        if "problem" in reply:
            self.close()
            raise WorkerDied(reply["problem"])

    def grade(self, job: Job) -> Record:
        """Grade one job; `WorkerDied` when the process ends before the record has come."""
        self._tell(job.to_json())
        return Record.from_json(json.loads(self._hear())["record"])

    def close(self) -> None:
        """End the worker, its sandbox and all they started."""
        assert self._process.stdin and self._process.stdout
        self._process.kill()  # bubblewrap dies with its parent
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()
        self._errors.close()

    def _tell(self, line: str) -> None:
        assert self._process.stdin
        try:
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise WorkerDied(self._last_words()) from error

    def _hear(self) -> bytes:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            raise WorkerDied(self._last_words())
        return line

    def _last_words(self) -> str:
        self._errors.seek(0)
        text = self._errors.read()[-2_000:].decode(errors="replace").strip()
        return text or "the worker process ended"


def run_jobs(jobs: list[Job], setup: Setup, workers: int) -> Iterator[tuple[Job, Record]]:
    """Records as they are finished, from several worker processes."""
    waiting: queue.SimpleQueue[Job] = queue.SimpleQueue()
    finished: queue.SimpleQueue[tuple[Job, Record] | Exception] = queue.SimpleQueue()
    for job in jobs:
        waiting.put(job)
    stop = threading.Event()

    def work() -> None:
        worker: Worker | None = None
        try:
            while not stop.is_set():
                try:
                    job = waiting.get_nowait()
                except queue.Empty:
                    return
                for attempt in range(ATTEMPTS):
                    worker = worker or Worker(setup)
                    try:
                        record = worker.grade(job)
                        break
                    except WorkerDied as death:
                        worker.close()
                        worker = None
                        record = faulty_record(job, f"attempt {attempt + 1}: {death}")
                finished.put((job, record))
        except Exception as error:  # no worker starts: nothing can be graded
            finished.put(error)
        finally:
            if worker:
                worker.close()

    threads = [threading.Thread(target=work) for _ in range(workers)]
    for thread in threads:
        thread.start()
    try:
        for _ in jobs:
            result = finished.get()
            if isinstance(result, Exception):
                raise result
            yield result
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def cores() -> int:
    """Processors this process may use."""
    return len(os.sched_getaffinity(0))
