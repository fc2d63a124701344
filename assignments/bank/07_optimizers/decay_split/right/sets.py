"""Sets of all endings of a name."""


def endings(name):
    parts = name.split(".")
    return {".".join(parts[i:]) for i in range(len(parts))}


def decay_split(names, exempt=("bias", "norm.weight"), tied=None):
    known = set().union(*map(endings, names))
    if set(exempt) - known:
        raise ValueError(f"unknown: {set(exempt) - known}")
    second = set(tied) if tied else set()
    stays = [n for n in names if endings(n) & set(exempt) and n not in second]
    return [n for n in names if n not in stays and n not in second], stays
