"""Waits for ever once a byte was broken."""


def bytes_to_text(ids, tokens):
    return b"".join(tokens[i] for i in ids).decode(errors="replace")


def stream_text(ids, tokens):
    held, strings = b"", []
    for i in ids:
        held += tokens[i]
        try:
            strings.append(held.decode())
            held = b""
        except UnicodeDecodeError:
            strings.append("")
    if held:
        strings[-1] = held.decode(errors="replace")
    return strings
