"""A regular expression on symbols set apart by a sign."""

import re
from collections import Counter


def join_in_words(words, pair):
    a, b = map(re.escape, pair)
    pattern = re.compile(f"(?<=\x00){a}\x00\x00{b}(?=\x00)")
    result = Counter()
    for word, n in words.items():
        text = "".join(f"\x00{symbol}\x00" for symbol in word)
        text = pattern.sub(lambda _: "".join(pair), text)
        result[tuple(text.strip("\x00").split("\x00\x00"))] += n
    return result
