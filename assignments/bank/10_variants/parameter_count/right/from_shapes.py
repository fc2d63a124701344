"""Lists all shapes and multiplies."""

import math


def parameter_count(sizes):
    e, d, f = sizes["narrow"], sizes["width"], sizes["feedforward"]
    shapes = [(sizes[table], e) for table in ("vocabulary", "positions", "segments")]
    shapes += [(e,), (e,)]
    if e != d:
        shapes += [(e, d), (d,)]
    linears = [(d, d), (d, d), (d, d), (d, d), (d, f), (f, d)]
    for _ in range(sizes["blocks"]):
        shapes += linears + [shape[1:] for shape in linears] + 4 * [(d,)]
    return sum(map(math.prod, shapes))


def operation_count(sizes, tokens):
    e, d, f = sizes["narrow"], sizes["width"], sizes["feedforward"]
    c = d // sizes["heads"]
    products = [(tokens, e, d)] if e != d else []
    for _ in range(sizes["layers"]):
        products += 4 * [(tokens, d, d)] + [(tokens, d, f), (tokens, f, d)]
        products += sizes["heads"] * [(tokens, c, tokens), (tokens, tokens, c)]
    return 2 * sum(map(math.prod, products))
