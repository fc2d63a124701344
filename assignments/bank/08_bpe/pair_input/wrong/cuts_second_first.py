"""Cuts the second text, whichever is longer."""


def pair_input(first, second, longest):
    room = longest - 3
    if room < 0:
        raise ValueError("no room")
    first = first[:room]
    second = second[: room - len(first)]
    ids = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    padding = [0] * (longest - len(ids))
    return {
        "input_ids": ids + padding,
        "token_type_ids": segments + padding,
        "attention_mask": [1] * len(ids) + padding,
    }
