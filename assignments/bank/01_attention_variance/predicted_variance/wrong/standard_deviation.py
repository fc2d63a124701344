"""Takes the square root at the end: that is the standard deviation."""


def predicted_variance(c, mean_q=0.0, std_q=1.0, mean_k=0.0, std_k=1.0):
    return (
        c * ((std_q**2 + mean_q**2) * (std_k**2 + mean_k**2) - (mean_q * mean_k) ** 2)
    ) ** 0.5
