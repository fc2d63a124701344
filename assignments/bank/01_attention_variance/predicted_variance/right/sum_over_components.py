"""A loop that adds one component's variance at a time."""


def second_moment(mean, deviation):
    return mean * mean + deviation * deviation


def predicted_variance(c, mean_q=0.0, std_q=1.0, mean_k=0.0, std_k=1.0):
    total = 0.0
    for _ in range(c):
        total += second_moment(mean_q, std_q) * second_moment(mean_k, std_k)
        total -= (mean_q * mean_k) ** 2
    return total
