"""Writes one sign for every broken byte, not for every broken character."""


def bytes_to_text(ids, tokens):
    data = b"".join(tokens[i] for i in ids)
    text = data.decode(errors="surrogateescape")
    return "".join("\ufffd" if "\udc80" <= c <= "\udcff" else c for c in text)


def stream_text(ids, tokens):
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    last = len(ids) - 1
    return [decoder.decode(tokens[i], final=n == last) for n, i in enumerate(ids)]
