"""Each limit and each wall of the sandbox, tried from inside."""

import os
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from grading import QUICK

from autograder import sandbox as module
from autograder.job import Limits
from autograder.outcome import Outcome, PartEnded
from autograder.remote import Link, StudentRaised
from autograder.sandbox import Sandbox, SandboxError


@pytest.fixture
def student(sandbox):
    """Run a cell in a fresh session; says what it printed."""
    sessions = []

    def run(source, limits=QUICK):
        session = sandbox.session(limits)
        sessions.append(session)
        Link(session).ask("run", source=source, name="cell")
        return session.printed

    yield run
    for session in sessions:
        session.close()


def ends(student, source, **limits):
    with pytest.raises(PartEnded) as ended:
        student(source, replace(QUICK, **limits))
    return ended.value.outcome, ended.value.message


# --- what is in sight ---


def test_what_a_session_sees(student):
    seen = student(
        "import os\n"
        "print(os.getuid() != 0, os.getcwd(), os.listdir('.'), sorted(os.listdir('/proc')))\n"
        "print(sorted(os.environ))\n"
        "print(os.listdir('/tmp'), os.listdir('/dev/shm'))"
    ).splitlines()
    assert seen[0] == "True /tmp [] ['cpuinfo']"
    assert seen[1] == str(sorted({*module._ENVIRONMENT, "PWD"}))
    assert seen[2] == "[] []"


@pytest.mark.parametrize("folder", ["tests", "assignments", "book", ".git"])
def test_nothing_of_the_project_but_its_packages_is_in_sight(student, folder):
    path = Path(__file__).parents[2] / folder
    assert student(f"import os; print(os.path.exists({str(path)!r}))") == "False\n"


def test_a_folder_that_must_stay_hidden_is_hidden_even_inside_an_installation(tmp_path):
    inside = Path(sys.prefix) / "share"
    with Sandbox(preload=(), hidden=[inside]) as sandbox:
        session = sandbox.session(QUICK)
        # An installation under /tmp is out of sight as a whole.
        look = f"import os; print(os.path.isdir({str(inside)!r}) and os.listdir({str(inside)!r}))"
        Link(session).ask("run", source=look, name="c")
        assert session.printed in ("[]\n", "False\n") and os.listdir(inside)
        session.close()


@pytest.mark.parametrize(
    "path", ["/x", "/usr/x", "/dev/x", "/proc/x", "/etc/x", sys.prefix + "/x", module.__file__]
)
def test_the_system_is_read_only(student, path):
    with pytest.raises(OSError):
        student(f"open({path!r}, 'a')")


def test_sessions_do_not_see_each_other(student):
    student("open('/tmp/mine', 'w').write('x'); open('/dev/shm/mine', 'w').write('x')")
    assert student("import os; print(os.listdir('/tmp'), os.listdir('/dev/shm'))") == "[] []\n"


@pytest.mark.parametrize(
    "source",
    [
        "import socket; socket.socket()",
        "import socket; socket.socket(socket.AF_VSOCK)",
        "import urllib.request; urllib.request.urlopen('http://1.1.1.1', timeout=5)",
        "import os; os.memfd_create('x')",
        "import ctypes; c = ctypes.CDLL(None, use_errno=True)\n"
        "if c.unshare(0x10000000): raise PermissionError",
        "import ctypes; c = ctypes.CDLL(None, use_errno=True)\n"
        "if c.mount(b'tmpfs', b'/tmp', b'tmpfs', 0, None): raise PermissionError",
        "import ctypes; c = ctypes.CDLL(None, use_errno=True)\n"
        "if c.umount2(b'/proc', 2): raise PermissionError",
        "import ctypes; c = ctypes.CDLL(None, use_errno=True)\n"
        "if c.ptrace(16, 1, 0, 0): raise PermissionError",
        "import os; os.setuid(0)",
        "import os; os.nice(-5)",
        "import os; os.chroot('/tmp')",
        "import os; os.mknod('/tmp/disk', 0o60600, os.makedev(8, 0))",
        "import resource; resource.setrlimit(resource.RLIMIT_NPROC, (10**6, 10**6))",
    ],
)
def test_doors_that_are_closed(student, source):
    with pytest.raises((OSError, ValueError)):
        student(source)


def test_the_descriptors_are_the_three_usual_ones_and_the_channel(student):
    source = (
        "import os\nopen_ones = []\n"
        "for n in range(256):\n"
        "    try: os.fstat(n)\n"
        "    except OSError: continue\n"
        "    open_ones.append(n)\n"
        "print(open_ones)"
    )
    assert student(source) == "[0, 1, 2, 3]\n"


# --- limits ---


def test_memory(student):
    source = "hold = []\nwhile True: hold.append(bytearray(b'x' * 10**7))"
    outcome, message = ends(student, source, memory_bytes=200 * 2**20)
    assert outcome is Outcome.OUT_OF_MEMORY and "200 MB" in message


def test_memory_is_summed_over_processes(student):
    source = (
        "import os, time\n"
        "for _ in range(6):\n"
        "    if os.fork() == 0:\n"
        "        hold = bytearray(b'x' * (60 * 2**20)); time.sleep(60)\n"
        "time.sleep(60)"
    )
    assert ends(student, source, memory_bytes=250 * 2**20)[0] is Outcome.OUT_OF_MEMORY


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm"])
def test_scratch_space(student, folder):
    source = f"import os\nfor n in range(100): open(f'{folder}/{{n}}', 'wb').write(b'x' * 2**20)"
    with pytest.raises(OSError, match="space"):
        student(source, replace(QUICK, scratch_bytes=16 * 2**20))


def test_number_of_files_in_scratch(student):
    with pytest.raises(OSError, match="space"):
        student("for n in range(10_000): open(f'/tmp/{n}', 'w').close()")


def test_open_files(student):
    with pytest.raises(OSError, match="open files"):
        student("hold = [open('/dev/null') for _ in range(1_000)]")


def test_processes(student):
    source = "import os, time\nfor _ in range(1_000):\n    if os.fork() == 0: time.sleep(60)"
    with pytest.raises(OSError, match="temporarily unavailable"):
        student(source)


def test_wall_time(student):
    outcome, message = ends(student, "import time; time.sleep(600)", seconds=1.0)
    assert outcome is Outcome.TIMEOUT and "1 s" in message


def test_cpu_time_is_summed_over_processes(student):
    source = (
        "import os, time\n"
        "for _ in range(3):\n"
        "    if os.fork() == 0:\n"
        "        while True: pass\n"
        "time.sleep(600)"
    )
    outcome, message = ends(student, source, cpu_seconds=1.0, seconds=300.0)
    assert outcome is Outcome.TIMEOUT and "computed" in message


def test_output_is_cut_and_goes_on(student):
    printed = student("print('x' * 10**6); print('end')", replace(QUICK, output_bytes=1000))
    assert len(printed) < 1100 and "more bytes" in printed


def test_endless_output_ends_with_the_time(student):
    source = "while True: print('x' * 10_000)"
    assert ends(student, source, seconds=1.0)[0] is Outcome.TIMEOUT


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("import os; os._exit(3)", "exit code 3"),
        ("import os; os.abort()", "SIGABRT"),
        ("import ctypes; ctypes.string_at(1)", "SIGSEGV"),
        ("import os; os.kill(os.getpid(), 9)", "SIGKILL"),
        ("import os; os.close(3)", "ended"),
    ],
)
def test_deaths_are_told_apart(student, source, words):
    outcome, message = ends(student, source)
    assert outcome is Outcome.ERROR and words in message


def test_a_session_that_ended_answers_nothing_more(sandbox):
    session = sandbox.session(QUICK)
    link = Link(session)
    with pytest.raises(PartEnded):
        link.ask("run", source="import os; os._exit(0)", name="c")
    with pytest.raises(PartEnded):
        link.ask("get", names=[])


def test_everything_a_session_started_is_dead_afterwards(sandbox):
    """Its processes double-fork, leave their session and ignore every signal they can."""
    session = sandbox.session(QUICK)
    Link(session).ask(
        "run",
        source=(
            "import os, signal, time\n"
            "for _ in range(3):\n"
            "    if os.fork() == 0:\n"
            "        os.setsid()\n"
            "        if os.fork() == 0:\n"
            "            for n in (1, 2, 3, 15): signal.signal(n, signal.SIG_IGN)\n"
            "            time.sleep(600)\n"
            "        os._exit(0)\n"
            "time.sleep(0.2)"
        ),
        name="c",
    )
    waiting, family = [session._init], []
    while waiting:
        family.append(waiting.pop())
        waiting += module._children(family[-1])
    assert len(family) >= 5  # init, the student's process, and three that hid
    session.close()
    assert [process for process in family if os.path.exists(f"/proc/{process}")] in ([], family[:1])


def test_the_server_survives_what_its_sessions_do(sandbox, student):
    with pytest.raises((PartEnded, StudentRaised)):
        student("import os, signal\nos.kill(os.getppid(), 9); os.kill(-1, 9); os._exit(1)")
    assert student("print(1 + 1)") == "2\n"


def test_the_sandbox_dies_with_the_grader():
    program = (
        "import os, sys\n"
        "from autograder.sandbox import Sandbox\n"
        "from autograder.job import Limits\n"
        "s = Sandbox(preload=())\n"
        "session = s.session(Limits())\n"
        "print(session._init, flush=True)\n"
        "os.kill(os.getpid(), 9)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    init = int(run.stdout)
    for _ in range(200):
        if not os.path.exists(f"/proc/{init}"):
            return
        time.sleep(0.1)
    pytest.fail("the session outlived the grader")


# --- without bubblewrap ---


def test_without_bubblewrap_grading_is_refused_with_the_command(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(SandboxError, match="sudo apt-get install bubblewrap"):
        Sandbox().wait_until_ready()


def test_a_bubblewrap_that_does_not_work_is_reported(monkeypatch, tmp_path):
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho no namespaces here >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda name: str(broken))
    with pytest.raises(SandboxError, match="no namespaces here"):
        Sandbox().wait_until_ready()


def test_the_open_mode_runs_the_same_conversation():
    with Sandbox(preload=(), bubblewrap=False) as sandbox:
        session = sandbox.session(Limits())
        Link(session).ask("run", source="print(6 * 7)", name="c")
        assert session.printed == "42\n"
        session.close()
