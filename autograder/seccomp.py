"""A system call filter for the student's process.

Namespaces and limits do most of the work. The filter closes what they leave open: new user
namespaces (which would hand back the right to mount unlimited memory file systems), memory that
belongs to no process (memfd, System V), sockets other than local ones (vsock ignores network
namespaces), and the corners of the kernel that a homework never needs. A denied call fails with
"operation not permitted"; nothing is killed, so a library that only probes goes on.
"""

import ctypes
import errno
import platform
import struct

_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _FILTER_MODE = 38, 22, 2
_LOAD, _JUMP_EQUAL, _JUMP_SET, _JUMP_AT_LEAST, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
_ALLOW, _DENY, _NO_SUCH_CALL, _KILL = (
    0x7FFF0000,
    0x00050000 | errno.EPERM,
    0x00050000 | errno.ENOSYS,
    0x80000000,
)
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENT_AT = 0, 4, 16  # offsets in struct seccomp_data
_AF_UNIX = 1
_NEW_NAMESPACES = 0x7E020000  # every CLONE_NEW* flag

# name: (x86_64, aarch64); None where the architecture lacks the call
_DENIED: dict[str, tuple[int | None, int | None]] = {
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39),
    "pivot_root": (155, 41), "chroot": (161, 51), "open_tree": (428, 428),
    "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432),
    "fspick": (433, 433), "mount_setattr": (442, 442), "memfd_create": (319, 279),
    "memfd_secret": (447, 447), "shmget": (29, 194), "shmat": (30, 196), "msgget": (68, 186),
    "semget": (64, 190), "mq_open": (240, 180), "ptrace": (101, 117),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_getfd": (438, 438), "add_key": (248, 217), "request_key": (249, 218),
    "keyctl": (250, 219), "bpf": (321, 280), "perf_event_open": (298, 241),
    "userfaultfd": (323, 282), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "kexec_load": (246, 104), "kexec_file_load": (320, 294),
    "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89),
    "syslog": (103, 116), "quotactl": (179, 60), "personality": (135, 92), "vmsplice": (278, 75),
    "fanotify_init": (300, 262),
}  # fmt: skip
_SOCKET, _SOCKETPAIR, _CLONE, _CLONE3 = (41, 198), (53, 199), (56, 220), (435, 435)
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def supported() -> bool:
    """Whether there is a table for this processor."""
    return platform.machine() in _ARCHITECTURES


def program(machine: str) -> bytes:
    """The filter for a processor, as the kernel's array of instructions."""
    column, architecture = _ARCHITECTURES[machine]

    def step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
        return struct.pack("HBBI", code, if_true, if_false, value)

    def deny_when(number: int, *conditions: bytes, answer: int = _DENY) -> bytes:
        """Skip the rest unless the call has this number; then run conditions, then answer."""
        body = b"".join(conditions) + step(_RETURN, answer)
        if conditions:
            body += step(_LOAD, _NUMBER_AT)  # the conditions overwrote the number
        return step(_JUMP_EQUAL, number, 0, len(body) // 8) + body

    lines = step(_LOAD, _ARCHITECTURE_AT) + step(_JUMP_EQUAL, architecture, 1, 0)
    lines += step(_RETURN, _KILL) + step(_LOAD, _NUMBER_AT)
    if machine == "x86_64":  # the x32 interface numbers the same calls differently
        lines += step(_JUMP_AT_LEAST, 0x40000000, 0, 1) + step(_RETURN, _DENY)
    lines += b"".join(
        deny_when(number) for pair in _DENIED.values() if (number := pair[column]) is not None
    )
    first_argument = step(_LOAD, _ARGUMENT_AT)
    for call in (_SOCKET, _SOCKETPAIR):
        lines += deny_when(call[column], first_argument, step(_JUMP_EQUAL, _AF_UNIX, 1, 0))
    lines += deny_when(_CLONE[column], first_argument, step(_JUMP_SET, _NEW_NAMESPACES, 0, 1))
    # clone3 hides its flags behind a pointer; without it, libraries fall back to clone
    lines += deny_when(_CLONE3[column], answer=_NO_SUCH_CALL)
    return lines + step(_RETURN, _ALLOW)


def install() -> None:
    """Put the filter on this process and all it starts; there is no way back."""
    lines = program(platform.machine())
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no_new_privs")
    pointer = ctypes.byref(_Program(len(lines) // 8, lines))
    if libc.prctl(_PR_SET_SECCOMP, _FILTER_MODE, pointer, 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")
