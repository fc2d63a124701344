"""Compares lists of parts."""


def decay_split(names, exempt=("bias", "norm.weight"), tied=None):
    entries = [entry.split(".") for entry in exempt]
    used = [False] * len(entries)
    lists = ([], [])
    for name in names:
        parts = name.split(".")
        hits = [parts[-len(entry) :] == entry for entry in entries]
        used = [a or b for a, b in zip(used, hits, strict=True)]
        if tied is None or name not in tied:
            lists[any(hits)].append(name)
    if not all(used):
        raise ValueError("an entry that matches nothing")
    return lists
