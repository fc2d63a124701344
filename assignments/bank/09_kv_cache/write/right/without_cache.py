"""Everything anew for every token: slow and the same."""

import torch


def write(weights, heads, prompts, new, stop=None):
    stop = stop or set()
    if any(len(prompt) + new > len(weights["position"]) for prompt in prompts):
        raise ValueError("no positions left")
    texts = [[] for _ in prompts]
    for prompt, text in zip(prompts, texts, strict=False):
        while len(text) < new and not stop.intersection(text):
            logits, _ = step(weights, heads, torch.tensor([prompt + text]))
            text.append(int(logits[0, -1].argmax()))
    return texts
