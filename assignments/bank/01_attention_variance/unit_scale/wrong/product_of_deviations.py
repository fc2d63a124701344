"""Predicts from q's and k's own deviations, as if they had mean 0 and were independent."""


def unit_scale(q, k, keep=None):
    q, k = q.transpose(0, 1), k.transpose(0, 1)
    if keep is not None:
        k = k[:, keep]
    std_q, std_k = (x.flatten(1).std(-1, correction=0) for x in (q, k))
    return 1 / (std_q * std_k * q.shape[-1] ** 0.5)
