"""log Σ exp(x − x_label), with the label's logit taken off first."""

import torch


def token_prices(logits, labels):
    asked = labels != -100
    chosen = logits[asked].to(torch.promote_types(logits.dtype, torch.float32))
    apart = chosen - chosen.gather(1, labels[asked].unsqueeze(1))
    out = torch.zeros_like(labels, dtype=chosen.dtype)
    return out.masked_scatter(asked, apart.logsumexp(1))
