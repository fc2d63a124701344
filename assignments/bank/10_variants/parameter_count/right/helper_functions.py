"""Has a function for a Linear, one for a norm and one for a product."""


def linear(inputs, outputs):
    return (inputs + 1) * outputs


def norm(width):
    return 2 * width


def product(rows, inner, columns):
    return 2 * rows * inner * columns


def parameter_count(sizes):
    e, d, f = sizes["narrow"], sizes["width"], sizes["feedforward"]
    total = e * (sizes["vocabulary"] + sizes["positions"] + sizes["segments"]) + norm(e)
    if e != d:
        total += linear(e, d)
    return total + sizes["blocks"] * (
        4 * linear(d, d) + linear(d, f) + linear(f, d) + 2 * norm(d)
    )


def operation_count(sizes, tokens):
    t, e, d, f = tokens, sizes["narrow"], sizes["width"], sizes["feedforward"]
    layer = 4 * product(t, d, d) + 2 * product(t, d, f) + 2 * product(t, d, t)
    return sizes["layers"] * layer + (0 if e == d else product(t, e, d))
