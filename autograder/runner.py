"""Grades one submission: student cells run in the sandbox, test cells here.

A test cell is executed in a copy of the namespace that the locked cells made, with the names of the
reference solution bound to whatever the student's process holds under them. Nothing a test learns
about student code is anything but data, and nothing of a test ever goes to the student's process.

When a session dies, the part it died in is over and the next one gets a new session, in which the
earlier locked and solution cells run again, except those that killed one.
"""

import ast
import builtins
import contextlib
import dataclasses
import importlib
import io
import linecache
import os
import random
import signal
import time
import traceback
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from autograder.job import Job, Limits, environment, unpacked
from autograder.outcome import Outcome, Part, PartEnded, Record, partial_credit
from autograder.remote import Link, Proxy, StudentRaised, missing, remote_form
from autograder.sandbox import PACKAGES, Sandbox, Session
from autograder.skeleton import Cell, Role, Skeleton, bound_names

SHARED_SEED = "0"  # the one that `course_lib.checks` has by itself
NOT_ANSWERED = "this part has not been answered yet"
_REMOTE_FORMS = (("course_lib.checks", "gradients"), ("course_lib.checks", "seeded"))


def grade(job: Job, sandbox: Sandbox) -> Record:
    """Run a job, in a process made for it: locked and test cells may change global state.

    The assignment's data is put into the current folder, where locked and test cells look for it.
    """
    os.environ["COURSE_SEED"] = job.seed  # here only: the sandbox has its own environment
    for module, name in _REMOTE_FORMS:
        with contextlib.suppress(ImportError):
            library = importlib.import_module(module)
            setattr(library, name, remote_form(getattr(library, name)))
    for name, data in unpacked(job.files).items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(data)
    started = time.monotonic()
    parts: list[Part] = []
    outputs: dict[str, dict[str, str]] = {}
    timings: dict[str, float] = {}
    for skeleton in job.skeletons:
        answers = job.answers.get(skeleton.name, {})
        run = _Run(skeleton, answers, sandbox, job)
        try:
            own = list(run.parts())
        finally:
            run.close()
        parts += _with_replies(own, run, job) if job.bank else own
        outputs[skeleton.name] = run.outputs
        timings.update(run.timings)
    timings["all"] = time.monotonic() - started
    return Record(
        assignment=job.assignment,
        student=job.student,
        parts=tuple(parts),
        notes=job.notes,
        answers={name: dict(cells) for name, cells in job.answers.items()},
        outputs=outputs,
        seed=job.seed,
        hashes={"job": job.key, **{s.name: s.digest for s in job.skeletons}},
        environment=environment(),
        timings=timings,
    )


def _with_replies(parts: list[Part], run: "_Run", job: Job) -> list[Part]:
    """The parts with what the failed ones reply under the seed that all answers share."""
    failed = {part.grade_id for part in parts if part.outcome in (Outcome.FAILED, Outcome.ERROR)}
    heard = run.heard
    if failed and job.seed != SHARED_SEED:
        cells = [c for c in run.skeleton.cells if c.role is not Role.TEST or c.grade_id in failed]
        os.environ["COURSE_SEED"] = SHARED_SEED
        shared = dataclasses.replace(job, seed=SHARED_SEED, limits=_short(job.limits))
        skeleton = dataclasses.replace(run.skeleton, cells=tuple(cells))
        second = _Run(skeleton, run.answers, run.sandbox, shared)
        try:
            for _ in second.parts():
                pass
        finally:
            second.close()
            os.environ["COURSE_SEED"] = job.seed
        heard = second.heard
    return [
        dataclasses.replace(part, replies=heard.get(part.grade_id, []))
        if part.grade_id in failed
        else part
        for part in parts
    ]


def _short(limits: Limits) -> Limits:
    """Less time than grading has: a hint is not worth waiting for."""
    return dataclasses.replace(limits, seconds=min(limits.seconds, 10.0), seconds_in_all=40.0)


class _Run:
    """One notebook on its way from the first cell to the last."""

    def __init__(
        self, skeleton: Skeleton, answers: Mapping[str, str], sandbox: Sandbox, job: Job
    ) -> None:
        self.skeleton, self.answers, self.sandbox = skeleton, answers, sandbox
        self.seed, self.limits, self.files = job.seed, job.limits, unpacked(job.files)
        self.listening = bool(job.bank) and job.seed == SHARED_SEED
        self.heard: dict[str, list[Any]] = {}  # by test: what was replied
        self.started = time.monotonic()
        self.session: Session | None = None
        self.link: Link | None = None
        self.space: dict[str, Any] = _namespace()
        self.shared: dict[int, str] = {}  # see Link.shared
        self.kept: list[Any] = []  # what `shared` names must not be freed: ids are used again
        self.done: list[Cell] = []  # locked and solution cells so far: what a replay runs
        self.deadly: dict[str, PartEnded] = {}  # solution cells not to be run again
        self.failures: dict[str, StudentRaised] = {}
        self.outputs: dict[str, str] = {}
        self.timings: dict[str, float] = {}

    def parts(self) -> Iterator[Part]:
        """Run the cells in order and yield the outcome of each part."""
        if self._is_blank():
            yield from self._blank_parts()
            return
        for cell in self.skeleton.cells:
            started = time.monotonic()
            if cell.role is Role.LOCKED:
                self._run_locked(cell)
            elif cell.role is Role.SOLUTION:
                self._run_solution(cell)
            elif cell.role is Role.TEST:
                yield self._run_test(cell)
            elif cell.role is Role.BY_HAND:
                yield self._by_hand(cell)
            if cell.grade_id:
                self.timings[cell.grade_id] = time.monotonic() - started

    def close(self) -> None:
        """End the student's process."""
        if self.session:
            self.session.close()

    # --- cells ---------------------------------------------------------------------------------

    def _run_locked(self, cell: Cell) -> None:
        """Run on both sides. Where it shows something of student code it may fail."""
        self.done.append(cell)
        with contextlib.suppress(PartEnded):
            self._alive()
            self._begin()
            self._tell(cell, cell.source)
        try:
            with _alarm(self.limits.seconds), contextlib.redirect_stdout(io.StringIO()):
                self._begin()
                _execute(cell.source, cell.grade_id, self.space)
        except (Exception, PartEnded):
            pass
        self._share(cell)

    def _run_solution(self, cell: Cell) -> None:
        self.done.append(cell)
        source = self.answers.get(cell.grade_id, "")
        try:
            session = self._alive()
            self._begin()
            self._tell(cell, source)
            self.outputs[cell.grade_id] = session.printed
        except PartEnded as ended:
            self.deadly[cell.grade_id] = ended
            self.outputs[cell.grade_id] = self.session.printed if self.session else ""
        self._bind(cell)

    def _run_test(self, cell: Cell) -> Part:
        part = Part(self.skeleton.name, cell.grade_id, cell.points)
        try:
            self._alive()
        except PartEnded as ended:
            return dataclasses.replace(part, outcome=ended.outcome, message=ended.message)
        self._begin()
        assert self.link
        self.link.log = [] if self.listening else None
        printed = io.StringIO()
        space = dict(self.space)
        try:
            random.seed(self.seed)
            torch.manual_seed(0)
            with _alarm(self.limits.seconds), contextlib.redirect_stdout(printed):
                value = _execute(cell.source, cell.grade_id, space)
            if self.session and self.session.ended:  # whatever the test made of it
                raise self.session.ended
            fields = _judge(value, cell.points)
        except (SystemExit, KeyboardInterrupt) as error:
            fields = {"outcome": Outcome.GRADER_FAULT, "detail": repr(error)}
        except (Exception, PartEnded) as error:
            fields = _explain(error)
        self.heard[cell.grade_id], self.link.log = self.link.log or [], None
        output = self.session.printed if self.session else ""
        message = "\n".join(
            filter(None, [printed.getvalue()[:4_000].strip(), fields.get("message")])
        )
        return dataclasses.replace(part, **{**fields, "message": message, "output": output})

    def _by_hand(self, cell: Cell) -> Part:
        part = Part(self.skeleton.name, cell.grade_id, cell.points)
        answer = self.answers.get(cell.grade_id, "")
        if answer.strip() in ("", cell.stub.strip()):
            return dataclasses.replace(part, message=NOT_ANSWERED)
        if cell.cell_type == "code":
            self._run_solution(cell)
        return dataclasses.replace(part, by_hand=True, message="this part is graded by a person")

    def _is_blank(self) -> bool:
        """Whether nothing was answered at all: then no process needs to start."""
        return all(
            self.answers.get(cell.grade_id, "").strip() in ("", cell.stub.strip())
            for cell in self.skeleton.cells
            if cell.is_answer
        )

    def _blank_parts(self) -> Iterator[Part]:
        for cell in self.skeleton.cells:
            if cell.is_part:
                yield Part(self.skeleton.name, cell.grade_id, cell.points, message=NOT_ANSWERED)

    # --- the two sides -------------------------------------------------------------------------

    def _alive(self) -> Session:
        """The session; a new one with the earlier cells in it where the last one died."""
        if self.session and not self.session.ended:
            return self.session
        while True:
            left = self.limits.seconds_in_all - (time.monotonic() - self.started)
            if left <= 0:
                raise PartEnded(Outcome.TIMEOUT, "the notebook has used up all its time")
            limits = dataclasses.replace(self.limits, seconds_in_all=left)
            self.session = self.sandbox.session(limits)
            self.link = Link(self.session, self.seed)
            self.link.shared = self.shared
            if self.files:
                self.link.ask("place", files=self.files)
            if all(self._replay(cell) for cell in self.done):
                return self.session

    def _replay(self, cell: Cell) -> bool:
        """Run an earlier cell again; False when that killed the session too."""
        if cell.grade_id not in self.deadly:
            self._begin()
            try:
                self._tell(cell, cell.source if cell.role is Role.LOCKED else self._answer(cell))
            except PartEnded as ended:
                self.deadly[cell.grade_id] = ended
                return False
        if cell.role is not Role.LOCKED:
            self._bind(cell)
        return True

    def _answer(self, cell: Cell) -> str:
        return self.answers.get(cell.grade_id, "")

    def _begin(self) -> None:
        if self.session and self.link and not self.session.ended:
            self.session.begin_part()
            self.link.received = 0

    def _tell(self, cell: Cell, source: str) -> None:
        assert self.link
        self.failures.pop(cell.grade_id, None)
        try:
            self.link.ask("run", source=source, name=cell.grade_id or "cell")
        except StudentRaised as error:
            self.failures[cell.grade_id] = error

    def _bind(self, cell: Cell) -> None:
        """Bind the reference solution's names to what the student's process has under them."""
        names = list(bound_names(cell.source))
        found: dict[str, Any] = {}
        ended = self.deadly.get(cell.grade_id)
        if not ended and self.link:
            try:
                reply = self.link.ask("get", names=names)
                found = reply if isinstance(reply, dict) else {}
            except PartEnded as death:
                ended = self.deadly[cell.grade_id] = death
            except StudentRaised:
                found = {}
        for name in names:
            if name in found:
                self.space[name] = found[name]
            else:
                self.space[name] = missing(*self._why_missing(cell, name, ended))

    def _why_missing(self, cell: Cell, name: str, ended: PartEnded | None) -> tuple[Outcome, str]:
        if ended:
            return ended.outcome, ended.message
        if failure := self.failures.get(cell.grade_id):
            outcome = _outcome_of(failure)
            return outcome, f"the cell that defines `{name}` raised {_in_words(failure)}"
        if cell.grade_id not in self.answers:
            return Outcome.NOT_RUN, f"the cell that defines `{name}` is missing"
        return Outcome.ERROR, f"`{name}` is not defined: was it renamed?"

    def _share(self, cell: Cell) -> None:
        """Let tests hand over functions and classes that a locked cell defined on both sides."""
        for name in bound_names(cell.source):
            value = self.space.get(name)
            if callable(value) and not isinstance(value, Proxy):
                self.shared[id(value)] = name
                self.kept.append(value)


# --- executing and judging -----------------------------------------------------------------------


@contextlib.contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Bound the time of a test cell even while it does not wait for the student's process."""

    def ring(*_: Any) -> None:
        raise PartEnded(Outcome.TIMEOUT, f"the part took longer than the {seconds:g} s allowed")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds + 2.0)  # the session's own clock comes first
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _namespace() -> dict[str, Any]:
    main = types.ModuleType("__main__")
    vars(main)["__builtins__"] = builtins
    return vars(main)


def _execute(source: str, name: str, space: dict[str, Any]) -> Any:
    """Run a cell and return the value of its last line, as a notebook would show it."""
    file = f"<{name or 'cell'}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    tree = ast.parse(source, file)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, file, "exec", dont_inherit=True), space)
    if last is None:
        return None
    assert isinstance(last, ast.Expr)
    return eval(compile(ast.Expression(last.value), file, "eval", dont_inherit=True), space)


def _judge(value: Any, points: float) -> dict[str, Any]:
    """A test that came to its end: all points, or what its last value says."""
    if value is None:
        return {"outcome": Outcome.PASSED}
    earned = partial_credit(value, points)
    if earned is None:
        return {
            "outcome": Outcome.GRADER_FAULT,
            "message": "the test of this part is broken; your instructor has been told",
            "detail": f"the test ends with {value!r:.200}, which is no number from 0 to {points:g}",
        }
    if earned == points:
        return {"outcome": Outcome.PASSED}
    return {"outcome": Outcome.FAILED, "earned": earned}


def _explain(error: BaseException) -> dict[str, Any]:
    """A test that did not come to its end: why, for the student and for the instructor."""
    detail = "".join(traceback.format_exception(error))[-6_000:]
    detail = detail.replace(f"{PACKAGES}/", "")  # the same on every machine
    if isinstance(error, PartEnded):
        return {"outcome": error.outcome, "message": error.message}
    if isinstance(error, StudentRaised):
        if error.kind == "NotImplementedError":
            return {"outcome": Outcome.NOT_RUN, "message": NOT_ANSWERED}
        fields = {"outcome": _outcome_of(error), "detail": detail}
        if isinstance(error, AssertionError):
            return {**fields, "message": str(error)}
        place = f"\n{error.trace}" if error.trace else ""
        return {**fields, "message": f"your code raised {_in_words(error)}{place}"}
    if isinstance(error, AssertionError):
        message = str(error) or "a check of this part failed"
        return {"outcome": Outcome.FAILED, "message": message, "detail": detail}
    message = f"your result could not be used: {type(error).__name__}: {error}"
    return {"outcome": Outcome.ERROR, "message": message[:1_000], "detail": detail}


def _outcome_of(error: StudentRaised) -> Outcome:
    if isinstance(error, MemoryError) or "can't allocate memory" in str(error):
        return Outcome.OUT_OF_MEMORY
    return Outcome.FAILED if isinstance(error, AssertionError) else Outcome.ERROR


def _in_words(error: StudentRaised) -> str:
    hint = ""
    if error.kind == "EOFError":
        hint = " (nobody answers input() while a notebook is graded)"
    return f"{error.kind}: {error}{hint}" if str(error) else error.kind + hint
