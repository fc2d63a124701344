"""A loop over heads in float64."""


def one_wide_head(weights):
    total = 0
    for head in weights.double().unbind(1):
        total = total + head.log()
    total = total / len(weights[0]) ** 0.5
    powers = (total - total.max(-1, keepdim=True).values).exp()
    return (powers / powers.sum(-1, keepdim=True)).to(weights.dtype)
