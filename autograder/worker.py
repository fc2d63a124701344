"""A process that grades jobs one after another, each in a fork of its own.

The fork is what keeps one submission's locked and test cells from leaving anything behind for the
next, and it starts at once because torch is already imported. A job that will not end, or whose
process dies, is a fault of the grader and never a grade.
"""

import contextlib
import importlib
import json
import os
import select
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

from autograder.job import Job, faulty_record
from autograder.outcome import Record
from autograder.sandbox import Sandbox, SandboxError

GRACE_SECONDS = 60.0  # what grading may take beyond the time the student's code may take


def main() -> None:
    """Serve jobs from standard input, one a line, until it closes."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what locked cells print must not get between the replies

    def reply(**fields: str | bool) -> None:
        replies.write(json.dumps(fields).encode() + b"\n")
        replies.flush()

    setup = json.loads(sys.stdin.readline())
    try:
        hidden = [Path(path) for path in setup["hidden"]]
        sandbox = Sandbox(setup["preload"], hidden, setup["bubblewrap"])
        for name in ("autograder.runner", *setup["preload"]):  # while the sandbox does the same
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
        sandbox.wait_until_ready()
    except SandboxError as error:
        reply(problem=str(error))
        return
    reply(ready=True)
    with sandbox:
        for line in sys.stdin:
            reply(record=grade_apart(Job.from_json(line), sandbox).to_json())


def grade_apart(job: Job, sandbox: Sandbox) -> Record:
    """Grade in a fork of this process; whatever happens there, a record comes back."""
    with tempfile.TemporaryDirectory() as scratch:
        return _grade_apart(job, sandbox, scratch)


def _grade_apart(job: Job, sandbox: Sandbox, scratch: str) -> Record:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.setsid()
        os.chdir(scratch)
        try:
            from autograder.runner import grade

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


if __name__ == "__main__":
    main()
