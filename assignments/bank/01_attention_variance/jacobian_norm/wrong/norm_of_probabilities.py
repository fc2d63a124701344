"""Takes the norm of p itself."""


def jacobian_norm(scores):
    p = scores.softmax(-1)
    return p.norm(dim=-1)


def dead_share(scores, below=0.01):
    return (jacobian_norm(scores) < below).double().mean().item()
