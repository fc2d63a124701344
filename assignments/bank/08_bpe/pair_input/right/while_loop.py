"""Cuts one token at a time, and remembers which text was longer."""


def pair_input(first, second, longest):
    if longest < 3:
        raise ValueError("too short")
    a, b = len(first), len(second)
    first_was_longer = a > b
    while a + b > longest - 3:
        if a > b or a == b and not first_was_longer:
            a -= 1
        else:
            b -= 1
    ids = [CLS] + first[:a] + [SEP] + second[:b] + [SEP]
    return {
        "input_ids": ids + [PAD for _ in range(longest - len(ids))],
        "token_type_ids": [int(a + 2 <= i < len(ids)) for i in range(longest)],
        "attention_mask": [int(i < len(ids)) for i in range(longest)],
    }
