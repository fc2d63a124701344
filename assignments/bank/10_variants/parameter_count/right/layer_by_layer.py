"""Adds up in loops."""


def parameter_count(sizes):
    e, d, f = sizes["narrow"], sizes["width"], sizes["feedforward"]
    total = 2 * e
    for table in ("vocabulary", "positions", "segments"):
        total += sizes[table] * e
    if e - d:
        total += d * (e + 1)
    for _ in range(sizes["blocks"]):
        for inputs, outputs in ((d, d), (d, d), (d, d), (d, d), (d, f), (f, d)):
            total += inputs * outputs + outputs
        for _ in range(2):
            total += d + d
    return total


def operation_count(sizes, tokens):
    e, d, f = sizes["narrow"], sizes["width"], sizes["feedforward"]
    total = 0 if e == d else 2 * tokens * e * d
    for _ in range(sizes["layers"]):
        total += 2 * tokens * d * (4 * d + 2 * f + 2 * tokens)
    return total
