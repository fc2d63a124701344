"""Lets shared layers run once."""


def parameter_count(sizes):
    e, d, f = sizes["narrow"], sizes["width"], sizes["feedforward"]
    rows = sizes["vocabulary"] + sizes["positions"] + sizes["segments"]
    projection = e * d + d if e != d else 0
    block = 4 * (d * d + d) + (2 * d * f + f + d) + 4 * d
    return rows * e + 2 * e + projection + sizes["blocks"] * block


def operation_count(sizes, tokens):
    e, d, f = sizes["narrow"], sizes["width"], sizes["feedforward"]
    projection = 2 * tokens * e * d if e != d else 0
    linears = 2 * tokens * (4 * d * d + 2 * d * f)
    pairs = 2 * 2 * tokens * tokens * d  # scores and mixing, all heads together
    return projection + sizes["blocks"] * (linears + pairs)
