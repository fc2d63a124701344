"""Takes the longest token that fits, as WordPiece does."""


def encode_word(word, merges):
    tokens = {a + b for a, b in merges}
    found, start = [], 0
    while start < len(word):
        end = len(word)
        while end > start + 1 and word[start:end] not in tokens:
            end -= 1
        found.append(word[start:end])
        start = end
    return found
