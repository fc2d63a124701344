"""Decodes each token by itself."""


def bytes_to_text(ids, tokens):
    return "".join(tokens[i].decode(errors="replace") for i in ids)


def stream_text(ids, tokens):
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    last = len(ids) - 1
    return [decoder.decode(tokens[i], final=n == last) for n, i in enumerate(ids)]
