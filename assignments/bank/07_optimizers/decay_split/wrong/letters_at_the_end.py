"""Compares letters, not parts."""


def decay_split(names, exempt=("bias", "norm.weight"), tied=None):
    def ends_in(name, entry):
        return name.endswith(entry)

    for entry in exempt:
        if not any(ends_in(name, entry) for name in names):
            raise ValueError(f"no weight is called {entry}")
    decays, stays = [], []
    for name in names:
        if name not in (tied or {}):
            (stays if any(ends_in(name, entry) for entry in exempt) else decays).append(
                name
            )
    return decays, stays
