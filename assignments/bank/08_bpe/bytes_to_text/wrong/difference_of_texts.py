"""Shows what is longer in the replaced text, half characters included."""


def bytes_to_text(ids, tokens):
    return b"".join(tokens[i] for i in ids).decode(errors="replace")


def stream_text(ids, tokens):
    strings, before = [], ""
    for n in range(len(ids)):
        text = bytes_to_text(ids[: n + 1], tokens)
        strings.append(text[len(before) :])
        before = text
    return strings
