"""Whole name, or what follows a dot."""


def decay_split(names, exempt=("bias", "norm.weight"), tied=None):
    tied = tied or {}
    matches = {e: [n for n in names if n == e or n.endswith("." + e)] for e in exempt}
    missing = [e for e, found in matches.items() if not found]
    if missing:
        raise ValueError(", ".join(missing))
    exempted = [n for found in matches.values() for n in found]
    groups = {True: [], False: []}
    for name in names:
        if name in tied:
            continue
        groups[name in exempted].append(name)
    return groups[False], groups[True]
