"""Runs inside bubblewrap: imports torch once, then forks a process for each student.

It holds no tests, no seeds and nothing of any student. Each session gets its own user, mount,
process, network and IPC namespaces and its own small file system, and looks like this:

    server ── keeper ── init (first process of the new namespace) ── student

The keeper stays outside and reports how the session ended. When init ends, the kernel ends every
process of the session, whatever it has done to hide.
"""

import ctypes
import importlib
import json
import os
import resource
import signal
import socket
import sys
import tempfile
import time
from typing import Any, NoReturn

_CLONE_NEW = (0x00020000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)
# mount, uts, ipc, user, process, network
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_REMOUNT = 1, 2, 4, 32
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38
_CAPABILITY_VERSION_3 = 0x20080522

NOBODY = 65534
RPC, OUTPUT, STATUS = range(3)  # the order in which the descriptors of a session are sent

_libc = ctypes.CDLL(None, use_errno=True)


def start() -> None:
    """Entry point: the arguments are a descriptor, `confined` or `open`, and modules to import."""
    handle, mode, *preload = sys.argv[1:]
    serve(socket.socket(fileno=int(handle)), mode == "confined", preload)


def serve(control: socket.socket, confined: bool, preload: list[str]) -> None:
    """Fork a session for every request, until the grader closes its end."""
    if confined and os.getuid() == 0:  # bubblewrap was started by root; give that up
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        _call("prctl", _PR_SET_DUMPABLE, 1, 0, 0, 0)  # else /proc/self belongs to root
    # A session's own /tmp hides what lies there, such as a whole course that was cloned into /tmp.
    needed = ["autograder.student", "autograder.seccomp", "IPython.core.inputtransformer2"]
    missing = [name for name in (*needed, *preload) if not _imported(name)]
    keepers: set[int] = set()
    control.send(json.dumps({"ready": True, "missing": missing}).encode())
    while True:
        message, handles, _, _ = socket.recv_fds(control, 65_536, 3)
        if not message:
            return
        _wait_for_the_dead(keepers)
        keeper = os.fork()
        if keeper == 0:
            control.close()
            _keep({**json.loads(message), "confined": confined}, handles)
        keepers.add(keeper)
        for handle in handles:
            os.close(handle)


def _wait_for_the_dead(keepers: set[int], patience: float = 2.0) -> None:
    """Reap the keepers that have ended, and give the kernel time to clear them away.

    A process leaves its memory page by page. On a machine that is short of time new sessions come
    faster than old ones go, and the dead would take the processor from the living.
    """
    deadline = time.monotonic() + patience
    while True:
        for keeper in list(keepers):
            if os.waitpid(keeper, os.WNOHANG)[0]:
                keepers.discard(keeper)
        if len(keepers) < 4 or time.monotonic() > deadline:
            return
        time.sleep(0.01)


def _imported(name: str) -> bool:
    try:
        importlib.import_module(name)
    except Exception:  # a library that does not import here will not in a session either
        return False
    return True


def _keep(limits: dict[str, Any], handles: list[int]) -> NoReturn:
    """Start init in new namespaces, wait for it and report how it ended."""
    report: dict[str, Any] = {}
    try:
        _call("prctl", _PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if limits["confined"]:
            _new_namespaces()
        init = os.fork()
        if init == 0:
            os.close(handles[STATUS])
            _init(limits, handles[RPC], handles[OUTPUT])
        os.close(handles[RPC])
        os.close(handles[OUTPUT])
        report["status"] = os.waitstatus_to_exitcode(os.waitpid(init, 0)[1])
    except BaseException as error:
        report["setup"] = repr(error)
    os.write(handles[STATUS], json.dumps(report).encode())
    os._exit(0)


def _new_namespaces() -> None:
    """Let the next child be the first process of a world of its own."""
    user, group = os.getuid(), os.getgid()
    _call("unshare", sum(_CLONE_NEW))
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")


def _init(limits: dict[str, Any], rpc: int, output: int) -> NoReturn:
    """Close every door, start the student's process, and die when it does."""
    try:
        os.setsid()
        if limits["confined"]:
            _confine(limits)
        else:
            os.chdir(tempfile.mkdtemp(prefix="autograder-"))
        null = os.open("/dev/null", os.O_RDWR)
        rpc = os.dup(rpc) if rpc < 4 else rpc
        output = os.dup(output) if output < 4 else output
        for source, target in ((null, 0), (output, 1), (output, 2), (rpc, 3)):
            os.dup2(source, target)
        os.closerange(4, 65_536)
        os.write(3, b"ready")  # the receiver learns this process's id from the kernel
    except BaseException as error:
        os.write(output, f"the sandbox could not be set up: {error!r}\n".encode())
        os._exit(121)
    student = os.fork()
    if student == 0:
        try:
            from autograder.student import serve as serve_tests

            serve_tests(socket.socket(fileno=3))
        finally:
            os._exit(1)  # never return into the frames of the server
    os.close(3)
    while True:
        ended, status = os.wait()
        if ended == student:
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)


def _confine(limits: dict[str, Any]) -> None:
    """Shut this process in; nothing after this line can be undone from inside."""
    from autograder import seccomp

    _write("/proc/self/oom_score_adj", "1000")  # should the machine run out, this goes first
    _mount("/tmp", f"size={limits['scratch_bytes']},nr_inodes=4096,mode=0700")
    _mount("/dev/shm", f"size={limits['scratch_bytes']},nr_inodes=256,mode=0700")
    _hide_processes()
    os.chdir("/tmp")
    _limit(limits)
    _drop_capabilities()
    seccomp.install()


def _hide_processes() -> None:
    """Replace /proc, which shows the grader's processes, by what torch reads of it."""
    with open("/proc/cpuinfo") as file:
        processor = file.read(2**20)
    _mount("/proc", "size=1m,mode=0555")
    _write("/proc/cpuinfo", processor)
    _mount("/proc", "", _MS_REMOUNT | _MS_RDONLY)


def _limit(limits: dict[str, Any]) -> None:
    for name, value in {
        resource.RLIMIT_NPROC: limits["processes"],
        resource.RLIMIT_NOFILE: limits["open_files"],
        resource.RLIMIT_FSIZE: limits["scratch_bytes"],
        resource.RLIMIT_CPU: limits["cpu_seconds_in_all"],
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
    }.items():
        resource.setrlimit(name, (value, value))


def _drop_capabilities() -> None:
    for capability in range(64):
        _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    _call("capset", header, (ctypes.c_uint32 * 6)())
    _call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def _mount(target: str, options: str, flags: int = 0) -> None:
    flags |= _MS_NOSUID | _MS_NODEV
    _call("mount", b"tmpfs", target.encode(), b"tmpfs", ctypes.c_ulong(flags), options.encode())


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def _call(name: str, *arguments: Any) -> None:
    if getattr(_libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
