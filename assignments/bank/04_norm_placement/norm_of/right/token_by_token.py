"""A loop over tokens."""


def norm_of(states, within=1e-3):
    centred = True
    for token in states.reshape(-1, states.shape[-1]).tolist():
        square = sum(n * n for n in token) / len(token)
        if not 1 - within <= square <= 1 + within:
            return "none"
        centred = centred and abs(sum(token) / len(token)) <= within
    return "layer" if centred else "rms"
