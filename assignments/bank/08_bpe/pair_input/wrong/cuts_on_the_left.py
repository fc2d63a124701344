"""Cuts the beginnings."""


def pair_input(first, second, longest):
    room = longest - 3
    if room < 0:
        raise ValueError(f"longest={longest} has no room for the three special tokens")
    shorter = min(len(first), len(second))
    if len(first) + len(second) > room:
        if 2 * shorter <= room:
            keep = room - shorter
            first, second = (
                first[-keep:] if keep else [],
                second[-keep:] if keep else [],
            )
        else:
            keep = room // 2 + (room % 2 if len(first) > len(second) else 0)
            first, second = (
                first[len(first) - keep :],
                second[len(second) - room + keep :],
            )
    ids = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    padding = [0] * (longest - len(ids))
    return {
        "input_ids": ids + [PAD] * len(padding),
        "token_type_ids": segments + padding,
        "attention_mask": [1] * len(ids) + padding,
    }
