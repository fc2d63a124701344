"""One pass over the characters; a breadth-first search for the fewest."""


def words_in(text):
    word = ""
    for char in text + " ":
        if char.isalnum() and not 0x4E00 <= ord(char) <= 0x9FFF:
            word += char
            continue
        if word:
            yield word
            word = ""
        if not char.isspace():
            yield char


def split(word, vocabulary):
    pieces, rest = [], word
    while rest:
        piece = rest if not pieces else "##" + rest
        least = 0 if not pieces else 2
        while len(piece) > least and piece not in vocabulary:
            piece = piece[:-1]
        if len(piece) == least:
            return ["[UNK]"]
        pieces.append(piece)
        rest = rest[len(piece) - least :]
    return pieces


def text_pieces(text, vocabulary):
    return [piece for word in words_in(text) for piece in split(word, vocabulary)]


def fewest_pieces(word, vocabulary):
    reached, steps = {0}, 0
    seen = set()
    while reached:
        if len(word) in reached:
            return steps
        seen |= reached
        steps += 1
        reached = {
            end
            for start in reached
            for end in range(start + 1, len(word) + 1)
            if (word[:end] if start == 0 else "##" + word[start:end]) in vocabulary
        } - seen
    return None
