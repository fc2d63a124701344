"""Decodes each token of the stream by itself."""


def bytes_to_text(ids, tokens):
    return b"".join(tokens[i] for i in ids).decode(errors="replace")


def stream_text(ids, tokens):
    return [tokens[i].decode(errors="replace") for i in ids]
