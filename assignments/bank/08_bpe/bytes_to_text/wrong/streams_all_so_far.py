"""Gives all the text so far each time."""

import codecs


def bytes_to_text(ids, tokens):
    return b"".join(tokens[i] for i in ids).decode(errors="replace")


def stream_text(ids, tokens):
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    shown, last = "", len(ids) - 1
    strings = []
    for n, i in enumerate(ids):
        shown += decoder.decode(tokens[i], final=n == last)
        strings.append(shown)
    return strings
