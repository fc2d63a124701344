"""One prompt after the other."""

import torch


def write(weights, heads, prompts, new, stop=None):
    if max(map(len, prompts)) + new > weights["position"].shape[0]:
        raise ValueError("too long")

    def one(prompt):
        logits, state = step(weights, heads, torch.tensor([prompt]))
        text = []
        while True:
            text.append(logits[0, -1].argmax().item())
            if len(text) == new or (stop and text[-1] in stop):
                return text
            logits, state = step(weights, heads, torch.tensor([text[-1:]]), state)

    return [one(prompt) for prompt in prompts]
