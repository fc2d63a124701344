"""The earlier parts, put together."""

import torch


def stack_gradients(x, weights, layout, grad):
    d = x.shape[-1]
    one, nil = torch.ones(d, dtype=x.dtype), torch.zeros(d, dtype=x.dtype)
    states = stream_states(x, weights, layout)
    result = torch.empty_like(weights)
    if layout == "pre":
        grad = layer_norm_gradients(states[-1], one, grad)["x"]
    for i in range(len(weights))[::-1]:
        read = layer_norm(states[i], one, nil) if layout == "pre" else states[i]
        z = read @ weights[i]
        if layout == "post":
            grad = layer_norm_gradients(states[i] + z.tanh(), one, grad)["x"]
        dz = grad / z.cosh() ** 2
        result[i] = (read[..., :, None] * dz[..., None, :]).reshape(-1, d, d).sum(0)
        side = torch.matmul(dz, weights[i].transpose(0, 1))
        grad = grad + (
            layer_norm_gradients(states[i], one, side)["x"] if layout == "pre" else side
        )
    return {"weights": result, "x": grad}
