"""Calls itself for the next merge."""


def learn_merges(words, size):
    def go_on(split, vocabulary, merges):
        pair = (
            next_pair(pair_counts(split), vocabulary)
            if len(vocabulary) < size
            else None
        )
        if not pair:
            return vocabulary, merges
        token = pair[0] + pair[1]
        longer = {**vocabulary, token: len(vocabulary)}
        return go_on(join_in_words(split, pair), longer, [*merges, pair])

    letters = sorted(set().union(*words)) if words else []
    start = {tuple(word): n for word, n in words.items()}
    return go_on(start, {letter: i for i, letter in enumerate(letters)}, [])
