"""Takes an entry without numbers for broken."""

import math

import torch


def first_broken(activations):
    for name, x in activations.items():
        if not x.is_floating_point():
            continue
        dead_row = (torch.atleast_1d(x) == -math.inf).all(-1).any()
        if x.isnan().any() or (x == math.inf).any() or dead_row:
            return name
    return None
