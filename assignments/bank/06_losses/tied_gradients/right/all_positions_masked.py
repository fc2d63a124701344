"""Carries all positions along, with a weight of 0 where nothing is asked."""

import torch


def tied_gradients(table, weight, ids, labels):
    asked = (labels != -100).to(table.dtype)
    share = asked / asked.sum()
    x = table[ids]
    h = x @ weight
    log_p = torch.log_softmax(h @ table.T, -1)
    index = labels.clamp(min=0)[..., None]
    loss = -(log_p.gather(-1, index)[..., 0] * share).sum()
    back = (
        log_p.exp().scatter_add(-1, index, -torch.ones_like(log_p[..., :1]))
        * share[..., None]
    )
    by_h = back @ table
    by_table = torch.einsum("btv,btd->vd", back, h)
    by_x = by_h @ weight.T
    by_table.index_put_((ids,), by_x, accumulate=True)
    return {
        "loss": loss,
        "table": by_table,
        "weight": torch.einsum("btd,bte->de", x, by_h),
    }
