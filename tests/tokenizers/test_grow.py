import pytest
import torch
from torch import nn

from course_lib.tokenizers import grow_embeddings


@pytest.mark.parametrize("init", ["mean", "random"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_old_rows_are_untouched_and_new_rows_are_near_them(init, dtype):
    torch.manual_seed(0)
    embedding = nn.Embedding(500, 8, padding_idx=0, dtype=dtype)
    old = embedding.weight.detach().clone()
    grown = grow_embeddings(embedding, 1500, init, torch.Generator().manual_seed(1))
    assert grown is embedding
    assert grown.weight.shape == (1500, 8) and grown.num_embeddings == 1500
    assert grown.weight.dtype == dtype and grown.weight.requires_grad
    assert torch.equal(grown.weight[:500], old)
    new = grown.weight[500:].detach()
    if init == "mean":
        assert torch.equal(new, old.mean(0).expand_as(new))
    else:
        assert (new.float().mean(0) - old.float().mean(0)).abs().max() < 0.2
        assert (new.float().std(0) / old.float().std(0) - 1).abs().max() < 0.15
    grown(torch.tensor([1499])).sum().backward()
    assert grown.weight.grad[1499].abs().sum() > 0


def test_a_frozen_table_stays_frozen_and_nothing_may_be_lost():
    embedding = nn.Embedding(5, 2).requires_grad_(False)
    assert not grow_embeddings(embedding, 6).weight.requires_grad
    assert grow_embeddings(embedding, 6).num_embeddings == 6
    with pytest.raises(ValueError, match="has 6 rows already: 5 would lose some"):
        grow_embeddings(embedding, 5)
    with pytest.raises(ValueError, match="'zeros' is unknown"):
        grow_embeddings(embedding, 7, "zeros")
