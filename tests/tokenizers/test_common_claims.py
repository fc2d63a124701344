"""What is commonly said about tokenizers, each claim put to the test with its ledger id."""

import json
import unicodedata
from collections import Counter

import pytest
import torch
from odd_text import ODD
from torch import nn

from course_lib.tokenizers import ByteBPE, CharacterBPE, FastBPE, WordPiece, grow_embeddings
from course_lib.tokenizers.bpe import count_pairs, merge
from course_lib.tokenizers.wordpiece import split


def test_b42_bpe_joins_the_most_frequent_pair_each_time(english):
    learned = ByteBPE.train(english[:3000], 300)
    words = ByteBPE.words(english[:3000])
    assert len(learned.merges) == 44
    for pair in learned.merges:
        counts = count_pairs(words)
        assert counts[pair] == max(counts.values())
        words = [merge(word, pair) for word in words]


def test_b42_bert_does_not_replay_merges_but_takes_the_longest_piece():
    merges = [("b", "c"), ("a", "b")]
    pieces = {"a": 0, "b": 1, "c": 2, "bc": 3, "ab": 4, "##c": 5, "##bc": 6}
    assert CharacterBPE(pieces, merges).tokens("abc") == ["a", "bc"]
    assert split("abc", pieces) == ["ab", "##c"]


def test_b43_characters_and_wordpiece_still_have_unknown_words(wordpiece):
    characters = CharacterBPE.train("only these letters", 30)
    assert characters.tokens("x") == ["[UNK]"] and characters.decode(characters.encode("x")) != "x"
    assert wordpiece.tokens("😀") == ["[UNK]"]


@pytest.mark.parametrize("text", ODD)
def test_b43_bytes_have_none(english, text):
    tokenizer = FastBPE.train(english[:2000], 300, progress=False)
    assert tokenizer.decode(tokenizer.ids(text)) == text
    assert not any("unk" in token.lower() for token in tokenizer.vocabulary)


def test_c44_bert_splits_at_spaces_and_punctuation_first(wordpiece, english):
    text = english[:3000]
    assert wordpiece.ids(text) == wordpiece.ids("\n \t".join(text.split()))
    assert wordpiece.tokens("new york") != wordpiece.tokens("newyork")
    assert wordpiece.tokens("state-of-the-art") == ["state", "-", "of", "-", "the", "-", "art"]
    assert wordpiece.tokens("新書") == wordpiece.tokens("新 書")
    assert all(not any(map(str.isspace, text[a:b])) for a, b in wordpiece.offsets(text))


def test_c45_unhappiness_has_another_split_and_the_claimed_one_is_misspelt(wordpiece):
    assert wordpiece.tokens("unhappiness") == ["un", "##ha", "##pp", "##iness"]
    assert "##happy" not in wordpiece.vocabulary
    assert wordpiece._join(["un", "##happy", "##ness"]) == "unhappyness"


def test_c46_the_mark_says_that_the_word_goes_on(wordpiece, english):
    text = english[:5000]
    spans = wordpiece.offsets(text)
    for token, (start, _), (_, before) in zip(
        wordpiece.tokens(text)[1:], spans[1:], spans, strict=False
    ):
        if token.startswith("##"):
            assert start == before  # nothing between it and the piece before
    assert wordpiece.tokens("unhappiness")[1] == "##ha"  # neither the later half nor a root


def test_c47_frames_of_one_text_and_of_two(wordpiece):
    one, two = wordpiece.encode("a b"), wordpiece.encode("a b", "c")
    names = [wordpiece.names[i] for i in two]
    assert [wordpiece.names[i] for i in one] == ["[CLS]", "a", "b", "[SEP]"]
    assert names == ["[CLS]", "a", "b", "[SEP]", "c", "[SEP]"]
    assert Counter(two)[102] == Counter(one)[102] + 1


def test_c48_a_real_model_for_whole_sentences_does_without_cls(minilm):
    pooling = json.loads((minilm / "1_Pooling" / "config.json").read_text())
    assert pooling["pooling_mode_mean_tokens"] and not pooling["pooling_mode_cls_token"]


def test_c49_padding_gets_mask_zero(wordpiece):
    batch = wordpiece(["one", "one two three"])
    assert torch.equal(batch["attention_mask"], (batch["input_ids"] != 0).long())
    assert batch["attention_mask"].tolist() == [[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]


def test_c52_uncased_bert_keeps_iphone_whole(wordpiece):
    assert wordpiece.tokens("iPhone") == ["iphone"]


def test_c53_one_sentence_is_segment_zero_and_a_row_of_128(wordpiece):
    batch = wordpiece("A headline.", max_tokens=128, pad_to=128)
    assert [tuple(tensor.shape) for tensor in batch.values()] == [(1, 128)] * 3
    assert not batch["token_type_ids"].any()
    assert wordpiece("one", "two")["token_type_ids"].tolist() == [[0, 0, 0, 1, 1]]


def test_c56_tags_cost_tokens_but_leave_the_vocabulary_alone(wordpiece):
    before = dict(wordpiece.vocabulary)
    tokens = wordpiece.tokens("<font>title</font>")
    assert tokens == ["<", "font", ">", "title", "<", "/", "font", ">"]
    assert wordpiece.vocabulary == before


@pytest.mark.parametrize("text", ODD)
def test_c57_ids_and_mask_always_have_one_length(wordpiece, text):
    batch = wordpiece([text, "short"])
    assert batch["input_ids"].shape == batch["attention_mask"].shape
    assert batch["attention_mask"][0].sum() == len(wordpiece.encode(text))


@pytest.mark.parametrize("invisible", ["\u200b", "\u00ad", "\ufeff"])
def test_c58_nfkc_keeps_invisible_characters_and_bert_drops_them(wordpiece, invisible):
    assert invisible in unicodedata.normalize("NFKC", f"ti{invisible}tle")
    assert wordpiece.tokens(f"ti{invisible}tle") == ["title"]


def test_c58_nfkc_turns_the_wide_space_into_a_space():
    assert unicodedata.normalize("NFKC", "\u3000") == " "


def test_c69_a_new_word_is_spelled_from_known_pieces_where_there_are_any(wordpiece):
    assert wordpiece.tokens("AIGC") == ["ai", "##gc"]
    assert wordpiece.tokens("元宇宙") == ["元", "宇", "[UNK]"]  # the English vocabulary lacks 宙


def test_c70_training_again_renumbers_words_and_adding_does_not(minilm, english):
    tokenizer = WordPiece.load(minilm)
    before = dict(tokenizer.vocabulary)
    again = WordPiece.train([english[:20_000], "元宇宙 " * 50], 500, progress=False)
    shared = before.keys() & again.vocabulary.keys()
    moved = [token for token in shared if before[token] != again.vocabulary[token]]
    assert len(moved) > 0.9 * len(shared)

    added = tokenizer.add_tokens(["元宇宙", "AIGC"])
    assert added == [30522, 30523]
    assert all(tokenizer.vocabulary[token] == i for token, i in before.items())
    embedding = nn.Embedding(30522, 4)
    old = embedding.weight.detach().clone()
    grow_embeddings(embedding, len(tokenizer))
    assert torch.equal(embedding.weight[:30522], old)
    assert embedding(torch.tensor(tokenizer.encode("AIGC"))).shape == (3, 4)


@pytest.mark.parametrize("bad", ["\x00", "\ufffd"])
def test_c76_bert_deletes_what_is_said_to_crash_it(wordpiece, bad):
    assert wordpiece.tokens(f"ti{bad}tle") == ["title"]
    assert wordpiece.encode(bad) == [101, 102]
    assert f"a{bad}".encode(errors="ignore").decode() == f"a{bad}"  # removes nothing
