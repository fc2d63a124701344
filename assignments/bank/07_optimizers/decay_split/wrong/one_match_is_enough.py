"""Is content when any entry matches."""


def decay_split(names, exempt=("bias", "norm.weight"), tied=None):
    def ends_in(name, entry):
        return f".{name}".endswith(f".{entry}")

    if exempt and not any(ends_in(name, e) for name in names for e in exempt):
        raise ValueError("no weight is exempt")
    decays, stays = [], []
    for name in names:
        if name not in (tied or {}):
            (stays if any(ends_in(name, entry) for entry in exempt) else decays).append(
                name
            )
    return decays, stays
