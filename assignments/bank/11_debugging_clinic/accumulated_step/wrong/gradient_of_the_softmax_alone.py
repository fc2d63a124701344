"""Forgets to subtract the right class."""


def accumulated_step(weight, passes, lr):
    rows = max(sum(len(labels) for _, labels in passes), 1)
    gradient = sum(x.T @ (x @ weight).softmax(-1) for x, _ in passes) / rows
    return weight - lr * gradient
