"""Shows everything with the last token."""


def bytes_to_text(ids, tokens):
    return b"".join(tokens[i] for i in ids).decode(errors="replace")


def stream_text(ids, tokens):
    if not ids:
        return []
    return [""] * (len(ids) - 1) + [bytes_to_text(ids, tokens)]
