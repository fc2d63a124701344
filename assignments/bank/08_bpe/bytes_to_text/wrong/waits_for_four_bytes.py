"""Takes a complete character of two bytes for unfinished until a byte more has come."""


def bytes_to_text(ids, tokens):
    return b"".join(tokens[i] for i in ids).decode(errors="replace")


def stream_text(ids, tokens):
    held, strings = b"", []
    for n, i in enumerate(ids):
        held += tokens[i]
        keep = 0
        while n + 1 < len(ids) and keep < min(3, len(held)) and held[-1 - keep] >= 0x80:
            keep += 1
        ready, held = held[: len(held) - keep], held[len(held) - keep :]
        strings.append(ready.decode(errors="replace"))
    return strings
