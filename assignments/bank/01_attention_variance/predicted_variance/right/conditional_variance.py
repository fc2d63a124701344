"""The law of total variance: first given q, then over q."""


def predicted_variance(c, mean_q=0.0, std_q=1.0, mean_k=0.0, std_k=1.0):
    mean_of_variance = (std_q**2 + mean_q**2) * std_k**2
    variance_of_mean = mean_k**2 * std_q**2
    return c * (mean_of_variance + variance_of_mean)
