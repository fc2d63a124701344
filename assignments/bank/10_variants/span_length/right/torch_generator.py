"""Uses PyTorch's generator and a closed formula for the length."""

import math

import torch


def span_length(u, p=0.2, longest=10):
    if p == 1:
        return 1
    total = 1 - (1 - p) ** longest
    return min(1 + int(math.log1p(-u * total) / math.log1p(-p)), longest)


def mask_spans(words, mask, vocabulary, seed):
    generator = torch.Generator().manual_seed(seed)

    def chance():
        return torch.rand((), generator=generator, dtype=torch.float64).item()

    def whole(n):
        return torch.randint(n, (), generator=generator).item()

    ids = sum((list(word) for word in words), [])
    begin_of, word_of = [], []
    for n, word in enumerate(words):
        begin_of.append(len(word_of))
        word_of += [n] * len(word)
    begin_of.append(len(word_of))
    labels = [-100] * len(ids)
    missing = math.ceil(0.15 * len(ids))
    while missing:
        length, token = span_length(chance()), whole(len(ids))
        if labels[token] != -100:
            continue
        first = word_of[token]
        for i in range(begin_of[first], begin_of[min(first + length, len(words))]):
            if missing and labels[i] == -100:
                labels[i] = ids[i]
                missing -= 1
    fate = None
    for i, label in enumerate(labels):
        if label == -100:
            fate = None
            continue
        fate = chance() if fate is None else fate
        if fate < 0.8:
            ids[i] = mask
        elif fate < 0.9:
            ids[i] = whole(vocabulary)
    return ids, labels
