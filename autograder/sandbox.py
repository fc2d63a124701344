"""Student code runs here: a server in bubblewrap that forks one confined process a session.

No network, an empty environment, a read-only system of which only Python and its packages are in
sight, a small scratch folder that lives in memory, and limits on memory, processes, files, time
and output. Where bubblewrap is missing, grading is refused.

A session is watched by whoever waits for it: `Session.exchange` polls memory, time and output
while it waits for the reply. There is no second thread. Control groups are not used: they are not
writable everywhere, and a limit that holds only on some machines makes grades differ.
"""

import json
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Self

from autograder import frame, jail, seccomp
from autograder.job import Limits
from autograder.outcome import Outcome, PartEnded

INSTALL = "sudo apt-get install bubblewrap"
START_SECONDS = 120
SESSION_SECONDS = 60
TICK = 0.05  # seconds between two looks at memory and time
PACKAGES = Path(__file__).resolve().parents[1]  # the folder that holds autograder and course_lib


class SandboxError(RuntimeError):
    """The sandbox cannot be used; nothing was graded."""


class Sandbox:
    """A server that imports what sessions will need, while the caller goes on.

    `hidden` are folders that must not be in sight even where one lies inside a Python installation.
    With `bubblewrap=False` student code runs with the rights of whoever called: for one's own code.
    """

    def __init__(
        self,
        preload: Sequence[str] = ("torch", "numpy"),
        hidden: Sequence[Path] = (),
        bubblewrap: bool = True,
    ) -> None:
        self.bubblewrap = bubblewrap
        self._errors = tempfile.TemporaryFile()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        program = [sys.executable, "-P", "-s", "-B", "-c", _START, str(PACKAGES)]
        arguments = [str(theirs.fileno()), "confined" if bubblewrap else "open"]
        arguments += preload
        prefix = _bubblewrap(hidden) if bubblewrap else []
        self._process = subprocess.Popen(
            [*prefix, *program, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=self._errors,
            stderr=self._errors,
            pass_fds=[theirs.fileno()],
            env=_ENVIRONMENT,
        )
        theirs.close()
        self._ready = False

    def wait_until_ready(self) -> None:
        """Wait until sessions can be started; `SandboxError` says why they cannot."""
        if self._ready:
            return
        self._control.settimeout(START_SECONDS)
        try:
            ready = self._control.recv(65_536)
        except OSError:
            ready = b""
        if not ready:
            problem = self._complaint()
            self.close()
            raise SandboxError(f"the sandbox did not start: {problem}\n{_HINT}")
        self._ready = True

    def session(self, limits: Limits) -> "Session":
        """A fresh process for student code, forked in about a tenth of a second."""
        self.wait_until_ready()
        rpc, their_rpc = socket.socketpair()
        rpc.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        output, their_output = os.pipe()
        status, their_status = os.pipe()
        theirs = [their_rpc.fileno(), their_output, their_status]
        try:
            socket.send_fds(self._control, [_for_jail(limits).encode()], theirs)
        except OSError as error:
            raise SandboxError(f"the sandbox is gone: {self._complaint()}") from error
        finally:
            their_rpc.close()
            os.close(their_output)
            os.close(their_status)
        return Session(rpc, output, status, limits, self.bubblewrap)

    def close(self) -> None:
        """End the server and with it every session."""
        self._control.close()
        self._process.kill()
        self._process.wait()
        self._errors.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _complaint(self) -> str:
        self._errors.seek(0)
        return self._errors.read()[-2_000:].decode(errors="replace").strip()


class Session:
    """One student process, its limits and its output."""

    def __init__(
        self, rpc: socket.socket, output: int, status: int, limits: Limits, confined: bool
    ) -> None:
        self.limits = limits
        self.ended: PartEnded | None = None  # why there is no process any more
        self._confined = confined
        self._rpc, self._output, self._status = rpc, output, status
        self._output_open = True
        self._started = time.monotonic()
        self._printed = bytearray()
        self._dropped = 0
        os.set_blocking(output, False)
        self._init = self._wait_until_ready()
        self._pidfd = os.pidfd_open(self._init)
        self._empty_bytes = _memory(self._init)
        rpc.setblocking(False)
        self.begin_part()

    def _wait_until_ready(self) -> int:
        """The id of the session's first process, as the kernel (not the process) tells it."""
        self._rpc.settimeout(SESSION_SECONDS)
        space = socket.CMSG_SPACE(struct.calcsize("3i"))
        try:
            word, attached, _, _ = self._rpc.recvmsg(5, space)
        except OSError:
            word, attached = b"", []
        if word != b"ready":
            self._drain()
            problem = bytes(self._printed) + _read_all(self._status)
            self._close_handles()
            raise SandboxError(
                f"no session could be started: {problem.decode(errors='replace')}\n{_HINT}"
            )
        for level, kind, data in attached:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
                return int(struct.unpack("3i", data)[0])
        raise AssertionError("the kernel attaches credentials to every message")

    def begin_part(self) -> None:
        """Start the clocks of a new part and forget the output of the last."""
        now = time.monotonic()
        self._deadline = now + self.limits.seconds
        self._last_deadline = self._started + self.limits.seconds_in_all
        self._cpu_at_start = self._usage()[1]
        self._printed.clear()
        self._dropped = 0

    @property
    def printed(self) -> str:
        """What student code printed since the part began, as far as it is kept."""
        if self._output >= 0:
            self._drain()
        text = self._printed.decode(errors="replace")
        return f"{text}\n… {self._dropped:,} more bytes" if self._dropped else text

    def exchange(self, message: bytes) -> tuple[bytes, bytes]:
        """Send a request and wait for the reply; a limit or a death ends the part."""
        if self.ended:
            raise self.ended
        if time.monotonic() > self._deadline:  # the test may have spent the time itself
            self._check()
        self._send(message)
        header = self._receive(frame.HEADER.size)
        try:
            text, run = frame.sizes(header, self.limits.reply_bytes)
        except frame.WireError as error:
            raise self._end(Outcome.FAILED, str(error)) from None
        return self._receive(text), self._receive(run)

    def close(self) -> None:
        """End every process of the session and wait until they are gone."""
        if self._status < 0:
            return
        self._kill()
        self._close_handles()

    # --- waiting -------------------------------------------------------------------------------

    def _send(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            self._wait(select.POLLOUT)
            try:
                view = view[self._rpc.send(view) :]
            except BlockingIOError:
                continue
            except OSError:
                raise self._death() from None

    def _receive(self, length: int) -> bytes:
        data = bytearray()
        while len(data) < length:
            self._wait(select.POLLIN)
            try:
                piece = self._rpc.recv(min(length - len(data), 2**20))
            except BlockingIOError:
                continue
            except OSError:
                piece = b""
            if not piece:
                raise self._death()
            data += piece
        return bytes(data)

    def _wait(self, event: int) -> None:
        """Wait until the channel is ready, keeping an eye on everything else."""
        poll = select.poll()
        poll.register(self._rpc, event)
        if self._output_open:
            poll.register(self._output, select.POLLIN)
        next_look = time.monotonic() + TICK
        while True:
            ready = dict(poll.poll(TICK * 1000))
            if self._output in ready and not self._drain():
                poll.unregister(self._output)
            if time.monotonic() >= next_look:
                self._check()
                next_look = time.monotonic() + TICK
            if self._rpc.fileno() in ready:
                return

    def _drain(self) -> bool:
        """Read what was printed; False once nobody is left to print."""
        for _ in range(64):  # a print bomb must not keep us here
            try:
                piece = os.read(self._output, 65_536)
            except BlockingIOError:
                return True
            if not piece:
                self._output_open = False
                return False
            kept = piece[: max(0, self.limits.output_bytes - len(self._printed))]
            self._printed += kept
            self._dropped += len(piece) - len(kept)
        return True

    def _check(self) -> None:
        memory, cpu = self._usage()
        now = time.monotonic()
        if memory > self.limits.memory_bytes:
            megabytes = self.limits.memory_bytes // 2**20
            raise self._end(
                Outcome.OUT_OF_MEMORY,
                f"your code needed more memory than the {megabytes} MB allowed",
            )
        if cpu - self._cpu_at_start > self.limits.cpu_seconds:
            raise self._end(
                Outcome.TIMEOUT,
                f"your code computed for more than the {self.limits.cpu_seconds:g} s allowed",
            )
        if now > self._deadline:
            raise self._end(
                Outcome.TIMEOUT, f"your code took longer than the {self.limits.seconds:g} s allowed"
            )
        if now > self._last_deadline:
            raise self._end(
                Outcome.TIMEOUT,
                "the notebook has used up all its time",
            )

    def _usage(self) -> tuple[int, float]:
        """Memory beyond an empty session's and CPU seconds, over all processes of the session."""
        memory, cpu = 0, 0.0
        waiting, seen = [self._init], set[int]()
        while waiting and len(seen) < 4 * self.limits.processes:
            process = waiting.pop()
            if process in seen:
                continue
            seen.add(process)
            memory += max(0, _memory(process) - self._empty_bytes)
            cpu += _cpu_seconds(process)
            waiting += _children(process)
        return memory, cpu

    # --- endings -------------------------------------------------------------------------------

    def _end(self, outcome: Outcome, message: str) -> PartEnded:
        self.close()
        self.ended = PartEnded(outcome, message)
        return self.ended

    def _death(self) -> PartEnded:
        """Why the process is gone, in words."""
        patience = max(1.0, self._deadline - time.monotonic())
        select.select([self._pidfd], [], [], patience)  # let it report how it died
        self._kill()
        try:
            status = json.loads(_read_all(self._status)).get("status", 0)
        except ValueError:
            status = 0
        number = status - 128 if status > 128 else -min(status, 0)
        self._close_handles()
        if number == signal.SIGXCPU:
            self.ended = PartEnded(Outcome.TIMEOUT, "your code computed longer than allowed in all")
        elif number:
            name = next((one.name for one in signal.Signals if one == number), f"signal {number}")
            self.ended = PartEnded(Outcome.ERROR, f"the process running your code died ({name})")
        else:
            text = f"your code ended its own process (exit code {status})"
            self.ended = PartEnded(Outcome.ERROR, text)
        return self.ended

    def _kill(self) -> None:
        """End the first process; the kernel ends all the others before that counts as ended."""
        try:
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
            if not self._confined:
                os.killpg(self._init, signal.SIGKILL)
        except ProcessLookupError:
            pass
        select.select([self._pidfd], [], [], SESSION_SECONDS)
        self._drain()

    def _close_handles(self) -> None:
        self._rpc.close()
        for handle in (self._output, self._status, getattr(self, "_pidfd", -1)):
            if handle >= 0:
                os.close(handle)
        self._output = self._status = self._pidfd = -1


_START = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from autograder.jail import start; start()"
)
_HINT = f"Grading needs a working bubblewrap ({INSTALL}). For your own code only: --no-sandbox."
_ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/tmp",
    "TMPDIR": "/tmp",
    "USER": "student",
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MPLBACKEND": "Agg",
}


def _for_jail(limits: Limits) -> str:
    """The limits that a session puts on itself before student code runs."""
    cpu_seconds_in_all = int(limits.seconds_in_all) + 1
    return json.dumps({**asdict(limits), "cpu_seconds_in_all": cpu_seconds_in_all})


def _bubblewrap(hidden: Sequence[Path]) -> list[str]:
    """The command line up to the program: what is in sight, and nothing else."""
    program = shutil.which("bwrap")
    if not program:
        raise SandboxError(f"bubblewrap is not installed: {INSTALL}")
    if not seccomp.supported():
        raise SandboxError("the sandbox knows x86_64 and aarch64 processors only")
    options = [program, "--die-with-parent", "--new-session"]
    options += ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    if os.getuid() == 0:  # jail.main gives root up; until then it may do nothing else
        options += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        nobody = str(jail.NOBODY)
        options += ["--unshare-user", "--uid", nobody, "--gid", nobody]
    options += ["--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev"]
    options += ["--perms", "1777", "--tmpfs", "/tmp"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        top = Path("/", name)
        if top.is_symlink():
            options += ["--symlink", os.readlink(top), str(top)]
        elif top.is_dir():
            options += ["--ro-bind", str(top), str(top)]
    in_sight = ["/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime"]
    in_sight += [sys.base_prefix, sys.prefix]
    in_sight += [str(PACKAGES / "autograder"), str(PACKAGES / "course_lib")]
    for path in dict.fromkeys(in_sight):
        if Path(path) in (Path("/"), Path.home()):
            raise SandboxError(f"Python is installed in {path}: use a virtual environment instead")
        for parent in reversed(Path(path).parents[:-1]):  # bubblewrap would make them private
            options += ["--perms", "0755", "--dir", str(parent)]
        options += ["--ro-bind-try", path, path]
    for folder in hidden:
        if any(folder.resolve().is_relative_to(path) for path in ("/usr", *in_sight)):
            options += ["--tmpfs", str(folder.resolve())]
    return [*options, "--remount-ro", "/", "--remount-ro", "/dev", "--"]


def _memory(process: int) -> int:
    """Bytes of private and shared memory a process holds in RAM, without files it maps."""
    total = 0
    try:
        with open(f"/proc/{process}/status") as file:
            for line in file:
                if line.startswith(("RssAnon:", "RssShmem:")):
                    total += int(line.split()[1]) * 1024
    except (OSError, ValueError):
        return 0  # it ended meanwhile
    return total


def _cpu_seconds(process: int) -> float:
    """Seconds computed by a process and by its children that have ended."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return 0.0
    fields = text.rpartition(")")[2].split()
    return sum(int(ticks) for ticks in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def _children(process: int) -> list[int]:
    found: list[int] = []
    try:
        for task in os.listdir(f"/proc/{process}/task"):
            found += map(int, Path(f"/proc/{process}/task/{task}/children").read_text().split())
    except OSError:
        return found
    return found


def _read_all(handle: int) -> bytes:
    """All that a pipe still holds, or what comes within a second."""
    data = b""
    while select.select([handle], [], [], 1.0)[0] and (piece := os.read(handle, 4096)):
        data += piece
    return data
