"""Regular expressions on characters set apart."""

import re


def encode_word(word, merges):
    text = "\n".join(word)
    for a, b in merges:
        pattern = rf"(?m)^{re.escape(a)}\n{re.escape(b)}$"
        text = re.sub(pattern, lambda _, token=a + b: token, text)
    return text.split("\n") if text else []
