"""Leaves out the tokens that complete no character."""


def bytes_to_text(ids, tokens):
    return b"".join(tokens[i] for i in ids).decode(errors="replace")


def stream_text(ids, tokens):
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    last = len(ids) - 1
    strings = [decoder.decode(tokens[i], final=n == last) for n, i in enumerate(ids)]
    return [string for string in strings if string]
