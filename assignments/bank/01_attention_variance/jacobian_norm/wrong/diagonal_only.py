"""Takes the diagonal pᵢ(1 - pᵢ) and forgets the products pᵢpⱼ."""


def jacobian_norm(scores):
    p = scores.softmax(-1)
    return (p * (1 - p)).norm(dim=-1)


def dead_share(scores, below=0.01):
    return (jacobian_norm(scores) < below).double().mean().item()
