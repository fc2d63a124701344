"""Takes the underscore for a letter."""


def text_pieces(text, vocabulary):
    spaced = ""
    for char in text:
        alone = (
            not (char.isalnum() or char == "_" or char.isspace())
            or "\u4e00" <= char <= "\u9fff"
        )
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
    fewest = [0]  # for the first 0, 1, 2, … letters
    for end in range(1, len(word) + 1):
        counts = [
            count + 1
            for start, count in enumerate(fewest)
            if count is not None
            and ("##" if start else "") + word[start:end] in vocabulary
        ]
        fewest.append(min(counts, default=None))
    return fewest[-1]
