"""Counts the pieces of greedy splitting."""


def text_pieces(text, vocabulary):
    spaced = ""
    for char in text:
        alone = not (char.isalnum() or char.isspace()) or "\u4e00" <= char <= "\u9fff"
        spaced += f" {char} " if alone else char
    pieces = []
    for word in spaced.split():
        found = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            ends = range(len(word), start, -1)
            end = next((e for e in ends if mark + word[start:e] in vocabulary), None)
            if end is None:
                found = ["[UNK]"]
                break
            found.append(mark + word[start:end])
            start = end
        pieces += found
    return pieces


def fewest_pieces(word, vocabulary):
    pieces = text_pieces(word, vocabulary)
    return None if pieces == ["[UNK]"] else len(pieces)
