"""Takes the root of a difference that rounding makes negative in one-hot rows: NaN."""


def jacobian_norm(scores):
    p = scores.softmax(-1)
    squares = p.square().sum(-1)
    return (squares - 2 * p.pow(3).sum(-1) + squares.square()).sqrt()


def dead_share(scores, below=0.01):
    return (jacobian_norm(scores) < below).double().mean().item()
