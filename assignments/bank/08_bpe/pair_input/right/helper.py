"""A helper that cuts, and tuples."""


def cut(first, second, room):
    spare = len(first) + len(second) - room
    gap = abs(len(first) - len(second))
    if spare <= 0:
        return first, second
    off_longer = min(spare, gap)
    first_longer = len(first) > len(second)
    a = len(first) - off_longer * first_longer
    b = len(second) - off_longer * (not first_longer)
    spare -= off_longer
    a, b = a - spare // 2, b - spare // 2
    if spare % 2:
        a, b = (a, b - 1) if first_longer else (a - 1, b)
    return first[:a], second[:b]


def pair_input(first, second, longest):
    if longest < 3:
        raise ValueError(f"{longest} < 3")
    first, second = cut(first, second, longest - 3)
    one, two = (CLS, *first, SEP), (*second, SEP)
    real = len(one) + len(two)
    return {
        "input_ids": (*one, *two) + (PAD,) * (longest - real),
        "token_type_ids": (0,) * len(one) + (1,) * len(two) + (0,) * (longest - real),
        "attention_mask": (1,) * real + (0,) * (longest - real),
    }
