"""Stops at the first broken byte."""


def bytes_to_text(ids, tokens):
    text = b"".join(tokens[i] for i in ids).decode(errors="replace")
    return text[: text.index("\ufffd") + 1] if "\ufffd" in text else text


def stream_text(ids, tokens):
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    last = len(ids) - 1
    return [decoder.decode(tokens[i], final=n == last) for n, i in enumerate(ids)]
