"""Leaves out the square root."""


def jacobian_norm(scores):
    p = scores.softmax(-1)
    return p.square().sum(-1) - 2 * p.pow(3).sum(-1) + p.square().sum(-1).square()


def dead_share(scores, below=0.01):
    return (jacobian_norm(scores) < below).double().mean().item()
