"""A loop of its own for each merge."""


def encode_word(word, merges):
    tokens = [*word]
    for left, right in merges:
        new = []
        for token in tokens:
            if (
                new
                and not isinstance(new[-1], tuple)
                and new[-1] == left
                and token == right
            ):
                new[-1] = (
                    left + right,
                )  # a tuple: not to be joined again in this pass
            else:
                new.append(token)
        tokens = [token[0] if isinstance(token, tuple) else token for token in new]
    return tokens
