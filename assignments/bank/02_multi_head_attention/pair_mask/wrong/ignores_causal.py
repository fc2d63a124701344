"""Lets every query look ahead."""


def pair_mask(keep, queries, causal=False):
    b, keys = keep.shape
    return keep[:, None, None, :].expand(b, 1, queries, keys)
