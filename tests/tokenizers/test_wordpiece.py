import json
import sys
import unicodedata
from itertools import islice
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_text import ODD
from tokenizers import Tokenizer as Reference
from tokenizers import normalizers, pre_tokenizers
from transformers import BertTokenizer

from course_lib.tokenizers import WordPiece
from course_lib.tokenizers.wordpiece import spell, split

# Unicode has changed its mind about these since the reference's tables were made.
RECLASSIFIED = {"\u166d", "\u1734", "\u1885", "\u1886"}


def same(ours: WordPiece, reference: Reference, text: str) -> bool:
    theirs = reference.encode(text, add_special_tokens=False)
    return ours.ids(text) == theirs.ids and ours.offsets(text) == theirs.offsets


@pytest.mark.parametrize("text", ODD)
def test_odd_text_gives_the_ids_offsets_and_text_of_the_reference(wordpiece, reference, text):
    assert same(wordpiece, reference, text)
    ids = wordpiece.encode(text)
    assert ids == reference.encode(text).ids
    assert wordpiece.decode(ids) == reference.decode(ids)
    assert wordpiece.decode(ids, skip_special=False) == reference.decode(
        ids, skip_special_tokens=False
    )


def test_english_is_equal_to_the_reference(wordpiece, reference, english):
    assert wordpiece.ids(english) == reference.encode(english, add_special_tokens=False).ids
    assert same(wordpiece, reference, english[:40_000])


def test_chinese_is_equal_to_the_reference(wordpiece, reference, chinese, news):
    lines = chinese[::40] + news[::100]
    theirs = reference.encode_batch(lines)
    assert [wordpiece.encode(line) for line in lines] == [encoding.ids for encoding in theirs]
    assert all(same(wordpiece, reference, line) for line in lines[::10])


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(st.characters(max_codepoint=0x5FF, exclude_categories=["Cs", "Cn"]), max_size=40))
def test_any_text_in_old_scripts_is_equal_to_the_reference(wordpiece, reference, text):
    assert same(wordpiece, reference, text)


@pytest.mark.parametrize("lowercase", [True, False])
def test_every_character_is_cleaned_as_in_the_reference(lowercase):
    normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    splitter = pre_tokenizers.BertPreTokenizer()
    differing = set()
    for char in map(chr, range(sys.maxunicode + 1)):
        if unicodedata.ucd_3_2_0.category(char) in ("Cn", "Cs"):
            continue  # newer characters depend on the version of Python
        theirs = [w for w, _ in splitter.pre_tokenize_str(normalizer.normalize_str(f"a{char}b"))]
        if f"a{spell(char, lowercase)}b".split() != theirs:
            differing.add(char)
    assert differing <= RECLASSIFIED


def test_cased_keeps_capitals_and_accents(wordpiece):
    cased = WordPiece(wordpiece.vocabulary, lowercase=False)
    assert cased.tokens("café Paris") == ["[UNK]", "[UNK]"]
    assert wordpiece.tokens("café Paris") == ["cafe", "paris"]


def test_split_is_greedy_even_where_that_fails():
    vocabulary = {token: i for i, token in enumerate(["ab", "a", "##bc", "##c"])}
    assert split("abc", vocabulary) == ["ab", "##c"]
    assert split("abcd", vocabulary) == ["[UNK]"]
    assert split("abbc", vocabulary) == ["ab", "##bc"]
    del vocabulary["##c"]
    assert split("abc", vocabulary) == ["[UNK]"]  # though a + ##bc would spell it


@pytest.mark.parametrize("text", ["", "   ", "\x00\u200b"])
def test_empty_text_is_only_its_frame(wordpiece, text):
    batch = wordpiece(text)
    assert wordpiece.tokens(text) == [] and wordpiece.offsets(text) == []
    assert batch["input_ids"].tolist() == [[101, 102]]
    assert batch["attention_mask"].tolist() == [[1, 1]]


def test_text_of_unknown_characters_only_is_unknown_tokens(wordpiece):
    assert wordpiece.tokens("麙 😀 麙") == ["[UNK]"] * 3
    assert wordpiece.decode(wordpiece.encode("😀"), skip_special=True) == ""


@pytest.mark.parametrize("pair", [True, False])
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("pad_to", ["longest", 128])
@pytest.mark.parametrize("truncation", ["longest_first", "only_first"])
def test_batches_are_equal_to_the_reference(
    minilm, wordpiece, chinese, pair, side, pad_to, truncation
):
    theirs = BertTokenizer.from_pretrained(minilm, padding_side=side)
    texts = ["one", "", *chinese[:3], "[MASK] " * 70, "word " * 200]
    pairs = ["second text here"] * len(texts) if pair else None
    if pair and truncation == "only_first":
        texts[1] = "not empty"
    ours = wordpiece(
        texts, pairs, max_tokens=60, truncation=truncation, pad_to=pad_to, pad_side=side
    )
    expected = theirs(
        texts, pairs, max_length=60, truncation=truncation, padding="longest", return_tensors="pt"
    )
    if pad_to == 128:
        expected = theirs.pad(expected, padding="max_length", max_length=128, return_tensors="pt")
    assert set(ours) == set(expected)
    for name in ours:
        assert torch.equal(ours[name], expected[name]), name


@settings(max_examples=60, deadline=None, derandomize=True)
@given(first=st.integers(1, 9), second=st.integers(1, 9), room=st.integers(4, 20))
@pytest.mark.parametrize("truncation", ["longest_first", "only_first", "only_second"])
def test_pairs_are_cut_as_in_the_reference(wordpiece, reference, first, second, room, truncation):
    texts = " ".join("abcdefghi"[:first]), " ".join("qrstuvwxy"[:second])
    reference.enable_truncation(room, strategy=truncation)
    try:
        expected = reference.encode(*texts).ids
    except Exception as error:
        assert "too short" in str(error)
        with pytest.raises(ValueError, match="can't make room"):
            wordpiece.encode(*texts, max_tokens=room, truncation=truncation)
    else:
        assert wordpiece.encode(*texts, max_tokens=room, truncation=truncation) == expected
    finally:
        reference.no_truncation()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"texts": []}, "no text"),
        ({"texts": ["a"], "pairs": ["b", "c"]}, "1 texts but 2 pairs"),
        ({"texts": ["a"], "max_tokens": 1}, "no room for the 2 special"),
        ({"texts": ["a b"], "max_tokens": 3, "truncation": "longest"}, "unknown"),
        ({"texts": ["a b"], "max_tokens": 3, "truncation": "only_second"}, "only one"),
        ({"texts": ["a b"], "pad_to": 2}, "more than pad_to=2"),
        ({"texts": ["a b"], "pad_side": "both"}, "unknown"),
    ],
)
def test_bad_calls_say_what_is_wrong(wordpiece, arguments, message):
    with pytest.raises(ValueError, match=message):
        wordpiece(**arguments)


def test_an_id_outside_the_vocabulary_is_named(wordpiece):
    with pytest.raises(ValueError, match="id 30522 is not"):
        wordpiece.decode([101, 30522])


def test_bucketed_batches_hold_every_text_once_and_pad_less(wordpiece, chinese):
    texts = chinese[:200]
    seen, padded = [], 0
    for places, batch in wordpiece.batches(texts, size=16, max_tokens=256):
        for row, place in enumerate(places):
            real = batch["attention_mask"][row].bool()
            assert batch["input_ids"][row][real].tolist() == wordpiece.encode(
                texts[place], max_tokens=256
            )
        seen += places
        padded += int((batch["attention_mask"] == 0).sum())
    in_order = sum(
        int((wordpiece(texts[i : i + 16], max_tokens=256)["attention_mask"] == 0).sum())
        for i in range(0, 200, 16)
    )
    assert sorted(seen) == list(range(200))
    assert padded < in_order / 5


def test_a_generator_shuffles_batches_the_same_way_each_time(wordpiece, chinese):
    def order(seed):
        batches = wordpiece.batches(
            chinese[:60], size=8, generator=torch.Generator().manual_seed(seed)
        )
        return [places for places, _ in batches]

    assert order(1) == order(1) != order(2)
    assert sorted(sum(order(2), [])) == list(range(60))


def test_added_words_are_found_as_the_reference_finds_them(minilm, wordpiece):
    ours, theirs = WordPiece.load(minilm), BertTokenizer.from_pretrained(minilm)
    words = ["AIGC", "元宇宙", "c++", "c"]
    assert ours.add_tokens(words) == [30522, 30523, 30524, wordpiece.vocabulary["c"]]
    theirs.add_tokens(words[:3])
    for text in [
        "maigcx 我们元宇宙！ c++, c + + aigc",
        "元 宇 宙",
    ]:
        assert ours.encode(text) == theirs(text)["input_ids"]
    assert ours.add_tokens("AIGC") == [30522] and len(ours) == 30525
    assert len(wordpiece) == 30522 and "aigc" not in wordpiece.tokens("aigc")
    text = "AIGC 元宇宙"
    assert [text[a:b] for a, b in ours.offsets(text)] == text.split()
    assert ours.decode(ours.encode(text)) == text


def test_added_special_tokens_are_matched_as_written_and_dropped_when_decoding(minilm):
    tokenizer = WordPiece.load(minilm)
    tokenizer.add_tokens(["[E1]"], special=True)
    assert tokenizer.tokens("[E1]paris [e1]")[:2] == ["[E1]", "paris"]
    assert "[E1]" not in tokenizer.tokens("[e1]")
    assert tokenizer.decode(tokenizer.encode("[E1] paris")) == "paris"


@pytest.mark.parametrize("word", ["", " ", "\u200b"])
def test_a_word_of_nothing_cannot_be_added(minilm, word):
    tokenizer = WordPiece.load(minilm)
    with pytest.raises(ValueError, match="added word"):
        tokenizer.add_tokens(["fine", word])
    assert len(tokenizer) == 30522


@pytest.mark.parametrize("lowercase", [True, False])
def test_saved_files_are_read_back_by_us_and_by_the_reference(
    minilm, chinese, english, tmp_path, lowercase
):
    tokenizer = WordPiece.load(minilm, lowercase=lowercase)
    tokenizer.add_tokens(["AIGC", "元宇宙"])
    tokenizer.add_tokens(["[E1]"], special=True)
    tokenizer.save(tmp_path)
    again = WordPiece.load(tmp_path)
    theirs = Reference.from_file(str(tmp_path / "tokenizer.json"))
    plain = WordPiece.load(tmp_path / "vocab.txt")
    for text in [*ODD, "AIGC元宇宙[E1]", *chinese[:50], english[:5000]]:
        assert tokenizer.encode(text) == again.encode(text) == theirs.encode(text).ids
        assert tokenizer.encode(text, "b") == theirs.encode(text, "b").ids
    assert plain.lowercase == again.lowercase == lowercase
    assert len(plain) == 30522


def test_vocab_txt_and_tokenizer_json_agree(minilm, wordpiece):
    assert WordPiece.load(minilm / "vocab.txt").vocabulary == wordpiece.vocabulary


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "neither tokenizer.json nor vocab.txt"),
        ({"vocab.txt": "[PAD]\n[UNK]\na\na\n"}, r"line 4: 'a' is on line 3 too"),
        ({"vocab.txt": "[PAD]\n[UNK]\n[CLS]\n[SEP]\n"}, r"'\[MASK\]' is not in the vocabulary"),
        (
            {"tokenizer.json": json.dumps({"model": {"type": "BPE"}})},
            "a BPE tokenizer, not",
        ),
    ],
)
def test_bad_files_are_named(tmp_path: Path, files, message):
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=message):
        WordPiece.load(tmp_path)


def test_the_word_cache_is_bounded_and_changes_nothing(wordpiece, english):
    small = WordPiece(wordpiece.vocabulary)
    small._words.limit = 50
    assert small.ids(english[:20_000]) == wordpiece.ids(english[:20_000])
    assert len(small._words) <= 50
    assert list(islice(small._words, 1))
