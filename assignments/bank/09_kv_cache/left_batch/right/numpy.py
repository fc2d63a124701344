"""NumPy arrays."""

import numpy as np
import torch


def left_batch(prompts, fill=0):
    width = max(map(len, prompts))
    ids = np.full((len(prompts), width), fill, dtype=np.int64)
    keep = np.zeros_like(ids, dtype=bool)
    places = np.zeros_like(ids)
    for i, prompt in enumerate(prompts):
        n = len(prompt)
        ids[i, width - n :], keep[i, width - n :] = prompt, True
        places[i, width - n :] = np.arange(n)
    return tuple(map(torch.from_numpy, (ids, keep, places)))
