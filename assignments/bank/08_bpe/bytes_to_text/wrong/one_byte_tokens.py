"""Counts on tokens of one byte."""


def bytes_to_text(ids, tokens):
    return b"".join(tokens[i] for i in ids).decode(errors="replace")


def stream_text(ids, tokens):
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    last = len(ids) - 1
    return [decoder.decode(tokens[i][:1], final=n == last) for n, i in enumerate(ids)]
