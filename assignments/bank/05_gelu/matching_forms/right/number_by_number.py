"""A Python loop that strikes out what does not fit."""

import math

FORMS = {
    "tanh": lambda n: (
        n / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (n + 0.044715 * n**3)))
    ),
    "exact": lambda n: n * math.erfc(-n / math.sqrt(2)) / 2,
    "sigmoid": lambda n: n / (1 + math.exp(min(-1.702 * n, 700))),
    "relu": lambda n: max(n, 0.0),
}


def matching_forms(x, y, within=1e-5):
    left = set(FORMS)
    for n, out in zip(x.flatten().tolist(), y.flatten().tolist(), strict=True):
        left = {name for name in left if abs(FORMS[name](n) - out) <= within}
    return sorted(left)
