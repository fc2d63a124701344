"""Raises on broken bytes."""


def bytes_to_text(ids, tokens):
    return b"".join(tokens[i] for i in ids).decode()


def stream_text(ids, tokens):
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    last = len(ids) - 1
    return [decoder.decode(tokens[i], final=n == last) for n, i in enumerate(ids)]
