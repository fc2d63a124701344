"""Forgets what is unfinished at the end."""


def bytes_to_text(ids, tokens):
    return b"".join(tokens[i] for i in ids).decode(errors="replace")


def stream_text(ids, tokens):
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    return [decoder.decode(tokens[i], final=False) for n, i in enumerate(ids)]
