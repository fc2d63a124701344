"""A stateful decoder inside a generator, flushed afterwards."""

import codecs


def bytes_to_text(ids, tokens):
    return "".join(stream_text(ids, tokens))


def stream_text(ids, tokens):
    decoder = codecs.lookup("utf-8").incrementaldecoder("replace")
    strings = [decoder.decode(tokens[i]) for i in ids]
    if strings:
        strings[-1] += decoder.decode(b"", True)
    return strings
