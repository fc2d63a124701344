"""Adds the two variances as if q·k were a sum of q and k."""


def predicted_variance(c, mean_q=0.0, std_q=1.0, mean_k=0.0, std_k=1.0):
    return c * (std_q**2 + std_k**2)
