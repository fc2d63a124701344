"""Decodes every prefix anew and cuts off what a later byte could change."""

import codecs


def bytes_to_text(ids, tokens):
    return bytes(byte for i in ids for byte in tokens[i]).decode("utf-8", "replace")


def stream_text(ids, tokens):
    texts = [""]
    for n in range(1, len(ids) + 1):
        data = b"".join(tokens[i] for i in ids[:n])
        text, used = codecs.utf_8_decode(data, "replace", False)
        texts.append(text if n < len(ids) else bytes_to_text(ids, tokens))
    return [new[len(old) :] for old, new in zip(texts, texts[1:], strict=False)]
