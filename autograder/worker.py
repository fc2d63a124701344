"""A process that grades jobs one after another, each in a fork of its own.

The fork is what keeps one submission's locked and test cells from leaving anything behind for the
next, and it starts at once because torch is already imported. A worker that dies, or a job that
will not end, is a fault of the grader and never a grade.
"""

import contextlib
import dataclasses
import importlib
import json
import multiprocessing
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from autograder.outcome import Note, Outcome, Part, Record
from autograder.runner import Job, grade
from autograder.sandbox import Limits, Sandbox
from autograder.skeleton import Cell, Role, Skeleton

GRACE_SECONDS = 60.0  # what grading may take beyond the time the student's code may take


@dataclasses.dataclass(frozen=True)
class Setup:
    """How the sandbox of a worker is started."""

    preload: tuple[str, ...] = ("torch", "numpy", "course_lib.checks")
    hidden: tuple[Path, ...] = ()
    bubblewrap: bool = True


def grade_apart(job: Job, sandbox: Sandbox) -> Record:
    """Grade in a fork of this process; whatever happens there, a record comes back."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.setsid()
        try:
            text = grade(job, sandbox).to_json()
        except BaseException:
            text = faulty_record(job, traceback.format_exc()).to_json()
        with os.fdopen(writing, "w") as pipe:
            pipe.write(text)
        os._exit(0)
    os.close(writing)
    seconds = GRACE_SECONDS + len(job.skeletons) * job.limits.seconds_in_all
    text = _read_until(reading, time.monotonic() + seconds)
    os.close(reading)
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        pass
    _, status = os.waitpid(child, 0)
    try:
        return Record.from_json(text)
    except ValueError:
        code = os.waitstatus_to_exitcode(status)
        return faulty_record(job, f"the grading process ended early (exit code {code})")


def _read_until(handle: int, deadline: float) -> str:
    pieces: list[bytes] = []
    while select.select([handle], [], [], max(0.0, deadline - time.monotonic()))[0]:
        piece = os.read(handle, 2**20)
        if not piece:
            break
        pieces.append(piece)
    return b"".join(pieces).decode()


def faulty_record(job: Job, detail: str) -> Record:
    """A record that is no grade: every part waits for the grader to be mended."""
    parts = tuple(
        Part(
            skeleton.name,
            cell.grade_id,
            cell.points,
            Outcome.GRADER_FAULT,
            message="this part could not be graded; your instructor has been told",
            detail=detail,
        )
        for skeleton in job.skeletons
        for cell in skeleton.cells
        if cell.is_part
    )
    answers = {name: dict(cells) for name, cells in job.answers.items()}
    return Record(job.assignment, job.student, parts, job.notes, answers, seed=job.seed)


# --- across a process boundary -------------------------------------------------------------------


def job_to_json(job: Job) -> str:
    """The job as one line of text."""
    return json.dumps(dataclasses.asdict(job))


def job_from_json(text: str) -> Job:
    """The job written by `job_to_json`."""
    fields = json.loads(text)
    fields["skeletons"] = tuple(_skeleton(item) for item in fields["skeletons"])
    fields["notes"] = tuple(Note(**note) for note in fields["notes"])
    fields["limits"] = Limits(**fields["limits"])
    return Job(**fields)


def _skeleton(item: Mapping[str, Any]) -> Skeleton:
    cells = tuple(Cell(**{**cell, "role": Role(cell["role"])}) for cell in item["cells"])
    return Skeleton(item["name"], cells)


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
        self._tell(job_to_json(job))
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


def main() -> None:
    """Serve jobs from standard input, one a line, until it closes."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what locked cells print must not get between the replies

    def reply(**fields: str | bool) -> None:
        replies.write(json.dumps(fields).encode() + b"\n")
        replies.flush()

    fields = json.loads(sys.stdin.readline())
    try:
        setup = Setup(tuple(fields["preload"]), tuple(map(Path, fields["hidden"])))
        sandbox = Sandbox(setup.preload, setup.hidden, fields["bubblewrap"])
        for name in setup.preload:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
    except Exception as error:
        reply(problem=str(error))
        return
    reply(ready=True)
    with sandbox:
        for line in sys.stdin:
            reply(record=grade_apart(job_from_json(line), sandbox).to_json())


def cores() -> int:
    """Processors this process may use."""
    return len(os.sched_getaffinity(0)) or multiprocessing.cpu_count()


def preload_for(skeletons: Sequence[Skeleton]) -> tuple[str, ...]:
    """Slow libraries that the notebooks' own cells import."""
    text = "\n".join(cell.source for skeleton in skeletons for cell in skeleton.cells)
    slow = {"course_lib": "course_lib.checks", "matplotlib": "matplotlib.pyplot"}
    return ("torch", "numpy", *(module for word, module in slow.items() if word in text))


if __name__ == "__main__":
    main()
