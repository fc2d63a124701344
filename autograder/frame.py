"""The envelope of a message: two lengths, checked before anything else is read.

Apart from `wire`, which knows what is inside, because that needs torch and this does not.
"""

import struct

HEADER = struct.Struct("!QQ")  # bytes of JSON, bytes of the run
MAX_JSON_BYTES = 8 * 2**20


class WireError(ValueError):
    """A message that is too large, too deep or not of this form."""


def sizes(header: bytes, limit: int) -> tuple[int, int]:
    """Lengths of JSON and run, checked before a byte of them is read."""
    text, run = HEADER.unpack(header)
    if text > MAX_JSON_BYTES or run > limit:
        raise WireError(f"a value of {(text + run) / 2**20:.0f} MB is too large to hand over")
    return text, run
