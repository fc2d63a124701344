"""An iterator that looks one symbol ahead."""

from collections import defaultdict


def join_in_words(words, pair):
    def joined(word):
        rest = list(word)
        while rest:
            if tuple(rest[:2]) == tuple(pair):
                yield rest.pop(0) + rest.pop(0)
            else:
                yield rest.pop(0)

    result = defaultdict(int)
    for word, n in words.items():
        result[tuple(joined(word))] += n
    return dict(result)
