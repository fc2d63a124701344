"""Cuts the framed pair at its end."""


def pair_input(first, second, longest):
    if longest < 3:
        raise ValueError("no room")
    ids = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    rows = {
        "input_ids": ids,
        "token_type_ids": segments,
        "attention_mask": [1] * len(ids),
    }
    return {name: (row + [0] * longest)[:longest] for name, row in rows.items()}
