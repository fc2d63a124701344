"""Replaces the whole text when a byte is broken."""


def bytes_to_text(ids, tokens):
    try:
        return b"".join(tokens[i] for i in ids).decode()
    except UnicodeDecodeError:
        return "\ufffd"


def stream_text(ids, tokens):
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    last = len(ids) - 1
    return [decoder.decode(tokens[i], final=n == last) for n, i in enumerate(ids)]
