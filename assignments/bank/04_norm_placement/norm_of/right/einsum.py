"""Products with ones."""

import torch


def norm_of(states, within=1e-3):
    d = states.shape[-1]
    square = torch.einsum("...d,...d->...", states, states) / d
    mean = states @ torch.full((d,), 1 / d, dtype=states.dtype)
    fits = bool(torch.all((square - 1).abs() <= within))
    centred = bool(torch.all(mean.abs() <= within))
    return {(True, True): "layer", (True, False): "rms"}.get((fits, centred), "none")
