"""torch.logsumexp minus the label's logit."""

import torch


def token_prices(logits, labels):
    high = logits if logits.dtype == torch.float64 else logits.float()
    asked = labels != -100
    high = high.masked_fill(~asked.unsqueeze(-1), 0.0)
    index = torch.where(asked, labels, 0)
    price = high.logsumexp(dim=-1) - torch.take_along_dim(
        high, index[..., None], -1
    ).squeeze(-1)
    return price * asked
