"""The place of every number, computed."""


def unfuse(w, heads, by_head=False):
    c = w.shape[-1] // (3 * heads)
    found = []
    for part in range(3):
        if by_head:
            places = [(3 * i + part) * c + j for i in range(heads) for j in range(c)]
        else:
            places = list(range(part * heads * c, (part + 1) * heads * c))
        found.append(w[..., places])
    return tuple(found)
