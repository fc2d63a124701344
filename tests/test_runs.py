"""Every run works from end to end on a handful of texts and steps, and leaves a record."""

import sys
from dataclasses import replace

import pytest
import torch

from course_lib import data, records
from course_lib.runs import __main__ as program
from course_lib.runs import distillation, gpt, language, reviews, texts
from course_lib.runs.__main__ import RUNS


@pytest.fixture(scope="module")
def shipped():
    return data.reviews(), data.chinese_news(150), texts.english_parts()


@pytest.fixture
def small(monkeypatch, shipped):
    """A few texts and two steps a training."""
    full, news, paragraphs = shipped
    few = full._replace(train=full.train[:96], validation=full.validation[:30], test=full.test[:30])
    monkeypatch.setattr(data, "reviews", lambda: few)
    monkeypatch.setattr(data, "chinese_news", lambda: news)
    monkeypatch.setattr(texts, "REVIEW_TOKENS", 24)
    monkeypatch.setattr(texts, "CHINESE_VOCABULARY", 400)
    for module in (texts, language, gpt):
        monkeypatch.setattr(
            module, "english_parts", lambda: (paragraphs[0][:400], paragraphs[1][:20])
        )
    for module, name in (
        (language, "ENGLISH"), (language, "CHINESE"), (gpt, "RECIPE"), (reviews, "FINE_TUNING"),
        (distillation, "GENERAL"), (distillation, "TASK"),
    ):  # fmt: skip
        recipe = replace(getattr(module, name), steps=2, batch=8, every=1, precision="float32")
        monkeypatch.setattr(module, name, recipe)
    yield
    for cached in (texts.english_words, texts.english_bytes, texts.chinese_words):
        cached.cache_clear()


@pytest.fixture(autouse=True)
def forget_vocabularies():
    for cached in (texts.english_words, texts.english_bytes, texts.chinese_words):
        cached.cache_clear()


@pytest.mark.parametrize("name", RUNS)
def test_a_run_leaves_a_record(name, small, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(
        sys, "argv", ["runs", name, "--work", str(tmp_path), "--records", str(tmp_path / "made")]
    )
    program.main()
    record = records.recorded(name, tmp_path / "made")
    assert record.command == f"python -m course_lib.runs {name} --seed 0"
    assert record.numbers
    assert all(points for points in record.curves.values())
    assert str(record) in capsys.readouterr().out
    assert (tmp_path / name).is_dir()
    if "last held-out loss" in record.numbers:
        guess = record.numbers["loss of a uniform guess"]
        assert record.numbers["last held-out loss"] == pytest.approx(guess, rel=0.1)


def test_the_pre_training_of_another_run_is_used_again(small, tmp_path):
    first, history = language.chinese_model(0, tmp_path)
    again, same = language.chinese_model(0, tmp_path)
    assert same == history  # read from the checkpoint, with its times
    assert all(
        torch.equal(a, b) for a, b in zip(first.parameters(), again.parameters(), strict=True)
    )


def test_pre_training_sees_no_review_of_validation_or_test(small):
    seen = {data.fingerprint(text) for text in texts.chinese_texts()}
    parts = data.reviews()
    assert seen & {data.fingerprint(example.text) for example in parts.train}
    assert not [e for e in [*parts.validation, *parts.test] if data.fingerprint(e.text) in seen]


def test_an_augmented_row_keeps_frame_length_and_label(small):
    rows = texts.labelled(data.reviews().train[:20])
    torch.manual_seed(0)
    model = texts.chinese_encoder()
    model = language.assemble(replace(model, layers=1), head="mlm")
    copies = distillation.augmented(rows, model, distillation.dice(1))
    changed = 0
    for row, copy in zip(rows, copies, strict=True):
        assert len(copy.ids) == len(row.ids)
        assert (copy.ids[0], copy.ids[-1], copy.label) == (row.ids[0], row.ids[-1], row.label)
        changed += sum(a != b for a, b in zip(row.ids, copy.ids, strict=True))
    tokens = sum(len(row.ids) - 2 for row in rows)
    assert 0.1 * tokens < changed < 0.3 * tokens


def test_a_student_starts_from_every_second_layer_of_its_teacher(small):
    torch.manual_seed(0)
    teacher = language.assemble(replace(texts.chinese_encoder(), layers=4), head="mlm")
    student = distillation.every_other_layer(teacher)
    assert len(student.backbone.layers) == 2
    for mine, theirs in ((0, 0), (1, 2)):
        ours = student.backbone.layers[mine].state_dict()
        wanted = teacher.backbone.layers[theirs].state_dict()
        assert all(torch.equal(ours[name], x) for name, x in wanted.items())
    assert torch.equal(student.head.bias, teacher.head.bias)


def test_positions_start_as_waves_that_neighbours_share(small):
    model = language.new_model(texts.chinese_encoder(), "mlm", 0)
    table = model.backbone.embeddings.position.weight
    assert table.std().item() == pytest.approx(0.02 * (768 / 128) ** 0.5, rel=0.2)
    near, far = (torch.cosine_similarity(table[:-n], table[n:]).mean() for n in (1, 40))
    assert near > 0.9 > far


def test_senses_are_compared_at_the_word_itself(small):
    class Fixed(torch.nn.Module):
        """The last states are one direction for each id, so that cosines are known."""

        def states(self, ids):
            return type("States", (), {"last": torch.eye(500)[ids]})

    tokenizer = texts.chinese_words()
    model = type("Model", (), {"backbone": Fixed()})
    one, other = tokenizer.ids("的")[0], tokenizer.ids("一")[0]
    assert one != other
    same, between = language.senses_apart(model, tokenizer, "的", [["的", "a的"], ["b的", "的c"]])
    assert (same, between) == (1.0, 1.0)
