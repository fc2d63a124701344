"""The filter, run through a small interpreter of the kernel's instructions."""

import errno
import struct

import pytest

from autograder import seccomp

ALLOW, KILL = 0x7FFF0000, 0x80000000
DENY, NO_SUCH_CALL = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


def verdict(machine, number, argument=0, architecture=None):
    data = struct.pack("IIQQ", number, architecture or ARCHITECTURE[machine], 0, argument)
    steps = list(struct.iter_unpack("HBBI", seccomp.program(machine)))
    position = value = 0
    while True:
        code, if_true, if_false, constant = steps[position]
        position += 1
        if code == 0x20:
            (value,) = struct.unpack_from("I", data, constant)
        elif code == 0x06:
            return constant
        else:
            met = {0x15: value == constant, 0x35: value >= constant, 0x45: bool(value & constant)}
            position += if_true if met[code] else if_false


@pytest.mark.parametrize(
    ("machine", "number", "argument", "expected"),
    [
        ("x86_64", 0, 0, ALLOW),  # read
        ("x86_64", 57, 0, ALLOW),  # fork
        ("x86_64", 165, 0, DENY),  # mount
        ("x86_64", 272, 0, DENY),  # unshare
        ("x86_64", 319, 0, DENY),  # memfd_create
        ("x86_64", 101, 0, DENY),  # ptrace
        ("x86_64", 41, 1, ALLOW),  # socket(AF_UNIX)
        ("x86_64", 41, 2, DENY),  # socket(AF_INET)
        ("x86_64", 41, 40, DENY),  # socket(AF_VSOCK)
        ("x86_64", 53, 1, ALLOW),  # socketpair(AF_UNIX)
        ("x86_64", 56, 0x3D0F00, ALLOW),  # clone as for a thread
        ("x86_64", 56, 0x10000000 | 17, DENY),  # clone into a user namespace
        ("x86_64", 435, 0, NO_SUCH_CALL),  # clone3
        ("x86_64", 0x40000000, 0, DENY),  # the same calls under x32 numbers
        ("x86_64", 0x40000000 | 165, 0, DENY),
        ("aarch64", 40, 0, DENY),  # mount
        ("aarch64", 63, 0, ALLOW),  # read
        ("aarch64", 198, 40, DENY),  # socket(AF_VSOCK)
        ("aarch64", 220, 0x10000000, DENY),  # clone into a user namespace
    ],
)
def test_verdicts(machine, number, argument, expected):
    assert verdict(machine, number, argument) == expected


def test_calls_of_a_foreign_architecture_are_not_looked_up():
    assert verdict("x86_64", 0, architecture=0x40000003) == KILL  # 32-bit code
