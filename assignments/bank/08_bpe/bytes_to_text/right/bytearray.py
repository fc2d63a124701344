"""A bytearray; the prefix that is certain is found by decoding strictly at its end."""


def bytes_to_text(ids, tokens):
    data = bytearray()
    for i in ids:
        data += tokens[i]
    return str(data, "utf-8", "replace")


def stream_text(ids, tokens):
    held, strings = b"", []
    for n, i in enumerate(ids):
        held += tokens[i]
        ready = len(held)
        if n + 1 < len(ids):
            try:
                held.decode()
            except UnicodeDecodeError:
                for back in range(1, min(4, len(held) + 1)):
                    try:
                        held[-back:].decode()
                    except UnicodeDecodeError as problem:
                        if (
                            problem.reason == "unexpected end of data"
                            and problem.start == 0
                        ):
                            ready = len(held) - back
        strings.append(held[:ready].decode(errors="replace"))
        held = held[ready:]
    return strings
