"""Says how many tokens each text keeps by minima."""


def pair_input(first, second, longest):
    room = longest - 3
    if room < 0:
        raise ValueError("no room for [CLS] and two [SEP]")
    half, odd = divmod(room, 2)
    extra = odd if len(first) > len(second) else 0
    keep_first = min(len(first), max(half + extra, room - len(second)))
    keep_second = min(len(second), room - keep_first)
    parts = [(CLS, 0), *((i, 0) for i in first[:keep_first]), (SEP, 0)]
    parts += [*((i, 1) for i in second[:keep_second]), (SEP, 1)]
    fill = longest - len(parts)
    return {
        "attention_mask": [1] * len(parts) + [0] * fill,
        "token_type_ids": [segment for _, segment in parts] + [0] * fill,
        "input_ids": [token for token, _ in parts] + [PAD] * fill,
    }
