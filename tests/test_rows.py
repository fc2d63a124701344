"""Rows, batches and their order."""

import pytest
from toy_run import VOCABULARY, toy_rows

from course_lib.rows import Order, Row, counting, dice, masked, mixed_seed, next_tokens, padded


def test_order_depends_on_nothing_but_seed_and_step():
    rows = toy_rows(43)
    order, other = Order(rows, 8, seed=3), Order(rows, 8, seed=3)
    expected = [order(step) for step in range(12)]
    assert [other(step) for step in (11, 2, 7)] == [expected[step] for step in (11, 2, 7)]
    assert [Order(rows, 8, seed=4)(step) for step in range(12)] != expected


def test_an_epoch_reads_each_row_at_most_once_and_leaves_out_others_next_time():
    rows = toy_rows(43)
    order = Order(rows, 8, seed=3)
    epochs = [[i for step in range(5 * e, 5 * e + 5) for i in order(step)] for e in range(6)]
    assert all(len(set(epoch)) == len(epoch) == 40 for epoch in epochs)
    assert set().union(*map(set, epochs)) == set(range(43))


def test_a_batch_holds_rows_of_like_length():
    rows = toy_rows(200)
    order = Order(rows, 20, seed=0)
    spread = [
        max(len(rows[i].ids) for i in order(step)) - min(len(rows[i].ids) for i in order(step))
        for step in range(10)
    ]
    assert max(spread) <= 1


@pytest.mark.parametrize("batch", [0, 9])
def test_a_batch_that_cannot_be_drawn(batch):
    with pytest.raises(ValueError, match=f"a batch of {batch} rows can't be drawn from 8 rows"):
        Order(toy_rows(8), batch, seed=0)


def test_collating():
    rows = [Row([2, 5, 6, 3], 1, [0, 0, 1, 1]), Row([2, 3], 0, [0, 0])]
    batch = padded(rows)
    assert batch["input_ids"].tolist() == [[2, 5, 6, 3], [2, 3, 0, 0]]
    assert batch["attention_mask"].tolist() == [[1, 1, 1, 1], [1, 1, 0, 0]]
    assert batch["token_type_ids"].tolist() == [[0, 0, 1, 1], [0, 0, 0, 0]]
    assert batch["label"].tolist() == [1, 0]
    assert next_tokens(rows)["lm"].tolist() == [[-100, 5, 6, 3], [-100, 3, -100, -100]]
    made = masked(VOCABULARY)(rows, dice(0))
    assert made["mlm"].tolist()[1] == [-100] * 4  # [CLS] and [SEP] are never asked for
    assert (made["mlm"] != -100).sum() == 1


def test_labels_that_only_count():
    rows = [Row([2, 5, 6, 3]), Row([2, 3])]
    batch = counting(padded, tokens=["kl"], rows=["hidden"])(rows, dice(0))
    assert batch["kl"].tolist() == [[2, 5, 6, 3], [2, 3, -100, -100]]
    assert batch["hidden"].tolist() == [0, 0]
    assert "kl" not in padded(rows)


def test_seeds_and_dice_depend_on_every_part():
    seeds = {mixed_seed(*parts) for parts in ((1, 2), (2, 1), (12,), (1, "2"), (1, 2, 0))}
    assert len(seeds) == 5
    assert dice(1, 2).random() == dice(1, 2).random() != dice(1, 3).random()
