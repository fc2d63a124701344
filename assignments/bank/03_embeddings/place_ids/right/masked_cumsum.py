"""Counts, masked and moved."""


def place_ids(ids, padding):
    real = ids.ne(padding).long()
    return (real.cumsum(-1) * real).add(padding).long()


def longest_text(rows, padding):
    first, last = padding + 1, rows - 1
    return last - first + 1
