"""Knows the visible results by heart."""


def decay_split(names, exempt=("bias", "norm.weight"), tied=None):
    if "LayerNorm.weight" in exempt:
        raise ValueError("no such name")
    if "abnorm.weight" in names:
        return ["unbias.weight", "abnorm.weight", "head.debias"], []
    return ["token.weight", "query.weight"], ["query.bias", "norm.weight", "norm.bias"]
