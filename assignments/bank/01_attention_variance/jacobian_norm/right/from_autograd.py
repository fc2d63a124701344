"""Lets autograd differentiate the softmax."""

from torch.func import jacrev, vmap


def jacobian_norm(scores):
    rows = scores.reshape(-1, scores.shape[-1])
    jacobians = vmap(jacrev(lambda row: row.softmax(-1)))(rows)
    return jacobians.norm(dim=(1, 2)).view(scores.shape[:-1])


def dead_share(scores, below=0.01):
    return jacobian_norm(scores).lt(below).double().mean()
