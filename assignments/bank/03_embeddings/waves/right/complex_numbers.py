"""Places as complex numbers on a circle."""

import torch


def circle(places, d):
    pace = torch.tensor(
        [10_000 ** (-2 * i / d) for i in range(d // 2)], dtype=torch.float64
    )
    return torch.exp(1j * places[..., None].double() * pace)


def waves(places, d):
    if d % 2:
        raise ValueError("an odd width")
    z = circle(places, d)
    return torch.view_as_real(z).flip(-1).reshape(*places.shape, d)


def turned(rows, steps):
    d = rows.shape[-1]
    z = torch.complex(rows[..., 1::2].contiguous(), rows[..., 0::2].contiguous())
    z = z * circle(torch.tensor(steps), d)
    return torch.view_as_real(z).flip(-1).reshape(rows.shape)
