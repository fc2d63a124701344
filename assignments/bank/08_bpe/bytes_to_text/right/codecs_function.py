"""The decoder's function, which says how many bytes it used."""

import codecs


def bytes_to_text(ids, tokens):
    text, _ = codecs.utf_8_decode(b"".join([tokens[i] for i in ids]), "replace", True)
    return text


def stream_text(ids, tokens):
    rest, strings = b"", []
    for n, i in enumerate(ids, 1):
        rest += tokens[i]
        text, used = codecs.utf_8_decode(rest, "replace", n == len(ids))
        rest = rest[used:]
        strings.append(text)
    return strings
