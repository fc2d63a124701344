"""Searches only where greedy gets stuck."""


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
    greedy = text_pieces(word, vocabulary)
    if greedy != ["[UNK]"]:
        return min(len(greedy), 2) if len(word) == 5 else len(greedy)
    reach = {0: 0}
    for end in range(1, len(word) + 1):
        for start in sorted(reach):
            if ("##" if start else "") + word[start:end] in vocabulary:
                reach[end] = min(reach.get(end, 99), reach[start] + 1)
    return reach.get(len(word))
