"""Multiplied out: noise times noise, and each mean times the other side's noise."""


def predicted_variance(c, mean_q=0.0, std_q=1.0, mean_k=0.0, std_k=1.0):
    return c * ((std_q * std_k) ** 2 + (mean_q * std_k) ** 2 + (mean_k * std_q) ** 2)
