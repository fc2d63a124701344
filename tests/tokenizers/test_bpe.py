import doctest
import json
import pickle
import random
from collections.abc import Iterator
from unittest import mock

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_text import ODD
from tokenizers import AddedToken, decoders, models, pre_tokenizers, trainers
from tokenizers import Tokenizer as Reference
from transformers import AutoTokenizer, RobertaTokenizer

from course_lib.tokenizers import (
    BERT_FRAME,
    NO_FRAME,
    ROBERTA_FRAME,
    ByteBPE,
    CharacterBPE,
    FastBPE,
    Frame,
    bpe,
    wordpiece,
    wordpiece_training,
)
from course_lib.tokenizers.bpe import BYTE_SYMBOLS, GPT2_PATTERN, merge, to_bytes, to_symbols

ROBERTA = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
GPT2_PATTERN_AS_PUBLISHED = (
    r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
)
CODE = "def f(x):\n    return [x**2 for _ in range(10)]  # Größe\n\n\n\tif x != 0x1F: pass\r\n"
TEXTS = [*ODD, CODE, "Hello,", "aaaaaaaaaaa aaaa", "     x   \n\n  y", "it's we'll I'M '\u00a0s"]


def reference_training(texts: list[str], size: int, special: list[str] | None = None) -> Reference:
    tokenizer = Reference(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=special or [],
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def in_tiktoken(tokenizer: FastBPE) -> tiktoken.Encoding:
    ordinary = {
        to_bytes(token): i
        for token, i in tokenizer.vocabulary.items()
        if token not in tokenizer.special
    }
    return tiktoken.Encoding(
        "ours",
        pat_str=GPT2_PATTERN_AS_PUBLISHED,
        mergeable_ranks=ordinary,
        special_tokens={token: tokenizer.vocabulary[token] for token in tokenizer.special},
    )


@pytest.fixture(scope="session")
def mixed(english, chinese) -> list[str]:
    return [english[:100_000], *chinese[:250], CODE * 5, "👩\u200d👧 emoji 😀😀 " * 5]


@pytest.fixture(scope="session")
def trained(mixed) -> FastBPE:
    return FastBPE.train(mixed, 2000, progress=False)


@pytest.fixture(scope="session")
def saved(trained, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bpe")
    trained.save(folder)
    return folder


@pytest.fixture(scope="session")
def theirs(saved) -> Reference:
    return Reference.from_file(str(saved / "tokenizer.json"))


@pytest.fixture(scope="session")
def openais(trained) -> tiktoken.Encoding:
    return in_tiktoken(trained)


@pytest.mark.parametrize("module", [bpe, wordpiece, wordpiece_training], ids=lambda m: m.__name__)
def test_examples_in_docstrings_are_true(module):
    result = doctest.testmod(module)
    assert result.attempted and not result.failed


# The first step: characters.


def test_the_smallest_bpe_learns_the_merges_one_finds_by_hand():
    # a-n stands there 4 times and n-a too, but a is older than n. Then b-an, an-an and an-a stand
    # there twice, and b is the oldest; then ban-an and an-a, and an is older.
    learned = CharacterBPE.train("banana banana", 8)
    assert list(learned.vocabulary) == ["[UNK]", " ", "a", "b", "n", "an", "ban", "ana"]
    assert learned.merges == [("a", "n"), ("b", "an"), ("an", "a")]
    assert learned.tokens("bananas") == ["ban", "ana", "[UNK]"]
    assert learned.decode(learned.encode("a banana")) == "a banana"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("abcd", ("a", "b")),  # all pairs once: the oldest symbols
        ("dcba", ("b", "a")),
        ("cdab", ("a", "b")),  # not the first in the text
        ("acab", ("a", "b")),  # the same first part: the older second part
    ],
)
def test_of_equally_frequent_pairs_the_one_with_older_parts_is_joined(text, first):
    assert CharacterBPE.train(text, 20).merges[0] == first
    assert FastBPE.train(text, 258, progress=False).merges[0] == first


@pytest.mark.parametrize(
    ("word", "merged"),
    [
        ("aaa", ["aa", "a"]),
        ("aaaa", ["aa", "aa"]),
        ("baab", ["b", "aa", "b"]),
        ("", []),
        ("a", ["a"]),
    ],
)
def test_overlapping_pairs_are_joined_from_the_left(word, merged):
    assert merge(list(word), ("a", "a")) == merged


def test_training_ends_when_no_pair_is_left():
    assert len(CharacterBPE.train("ab", 1000).vocabulary) == 4  # [UNK] a b ab
    assert len(FastBPE.train("ab", 1000, progress=False)) == 257


# The second step: bytes inside words.


def test_the_byte_symbols_are_the_reference_alphabet():
    assert set(BYTE_SYMBOLS.values()) == set(pre_tokenizers.ByteLevel.alphabet())
    assert to_bytes(to_symbols(bytes(range(256)))) == bytes(range(256))


@pytest.mark.parametrize("text", TEXTS)
def test_words_are_cut_as_the_published_pattern_cuts_them(text):
    splitter = pre_tokenizers.ByteLevel(add_prefix_space=False)
    expected = [word for word, _ in splitter.pre_tokenize_str(text)]
    assert [to_symbols(word.encode()) for word in GPT2_PATTERN.findall(text)] == expected


def test_no_token_reaches_over_two_words(english):
    learned = ByteBPE.train(english[:3000], 400)
    words = {to_symbols(word.encode()) for word in GPT2_PATTERN.findall(english[:3000])}
    assert all(any(token in word for word in words) for token in list(learned.vocabulary)[256:])


@pytest.mark.parametrize("many", [1, 10**9])
@given(st.lists(st.text("ab", max_size=30), max_size=8), st.integers(256, 290))
def test_places_taken_together_or_one_by_one_give_the_same(many, words, size):
    text = " ".join(words)
    with mock.patch("course_lib.tokenizers.pairs.MANY", many):
        fast = FastBPE.train(text, size, progress=False)
    assert fast.merges == ByteBPE.train(text, size).merges


def test_steps_two_and_three_learn_and_encode_alike(english, chinese):
    text = english[:4000] + "".join(chinese[:10])
    slow, fast = ByteBPE.train(text, 400), FastBPE.train(text, 400, progress=False)
    assert slow.merges == fast.merges
    assert slow.vocabulary == fast.vocabulary
    for sample in (english[4000:5000], "".join(chinese[10:15]), *TEXTS):
        assert slow.encode(sample) == fast.ids(sample)
        assert slow.decode(slow.encode(sample)) == sample


# The third step: fast.


def test_training_learns_the_merges_of_the_reference(mixed, trained):
    theirs = json.loads(reference_training(mixed, 2000).to_str())["model"]
    assert theirs["vocab"] == trained.vocabulary
    assert [tuple(pair) for pair in theirs["merges"]] == trained.merges


def test_training_with_special_tokens_equals_the_reference(english):
    ours = FastBPE.train([english[:20_000]], 600, special=ROBERTA, progress=False)
    theirs = reference_training([english[:20_000]], 600, special=ROBERTA)
    assert ours.vocabulary == theirs.get_vocab()
    assert ours.encode("a<mask></s>") == theirs.encode("a<mask></s>").ids


def test_training_reads_an_iterator_once_and_shows_its_progress(english, capfd):
    lines = english[:30_000].splitlines(keepends=True)

    def once() -> Iterator[str]:
        yield from lines

    assert FastBPE.train(once(), 300).merges == FastBPE.train(lines, 300, progress=False).merges
    shown = capfd.readouterr().err
    assert "counting words" in shown and "merging pairs" in shown and "44/44" in shown


def test_special_tokens_in_the_training_text_are_not_learned_from():
    with_marks = FastBPE.train("<s>aa<s>aa", 258, special=["<s>"], progress=False)
    assert with_marks.merges == [("a", "a")]


def test_a_vocabulary_smaller_than_its_alphabet_is_refused():
    with pytest.raises(ValueError, match="size=200, but bytes and special tokens are 257"):
        FastBPE.train("text", 200, special=["<s>"])


def same(ours: FastBPE, theirs: Reference, openais: tiktoken.Encoding, text: str) -> bool:
    ids, expected = ours.ids(text), theirs.encode(text)
    return (
        ids == expected.ids == openais.encode_ordinary(text)
        and ours.offsets(text) == expected.offsets
        and ours.decode(ids) == theirs.decode(ids) == openais.decode(ids) == text
    )


@pytest.mark.parametrize("text", TEXTS)
def test_odd_text_equals_both_references(trained, theirs, openais, text):
    assert same(trained, theirs, openais, text)


def test_real_text_equals_both_references(trained, theirs, openais, english, chinese, news):
    assert trained.ids(english) == theirs.encode(english).ids == openais.encode_ordinary(english)
    assert same(trained, theirs, openais, english[:20_000])
    for text in chinese[::200] + news[::300]:
        assert same(trained, theirs, openais, text)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.text(st.characters(exclude_categories=["Cs", "Cn"], max_codepoint=0xFFFF), max_size=30))
def test_any_text_equals_both_references(trained, theirs, openais, text):
    assert same(trained, theirs, openais, text)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.binary(max_size=60))
def test_any_bytes_come_back_exactly_and_as_text_with_replacements(trained, theirs, data):
    ids = trained.ids_of_bytes(data)
    assert trained.bytes_of_ids(ids) == data
    assert trained.decode(ids) == data.decode(errors="replace") == theirs.decode(ids)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data())
def test_merges_in_any_order_are_applied_as_in_the_reference(data):
    """Vocabularies that no training would give: parts joined after the whole, and so on."""
    alphabet = "abc"
    tokens = list(alphabet)
    merges: list[tuple[str, str]] = []
    for _ in range(data.draw(st.integers(1, 8))):
        pair = data.draw(st.sampled_from(tokens)), data.draw(st.sampled_from(tokens))
        if pair not in merges:
            merges.append(pair)
            tokens = list(dict.fromkeys([*tokens, "".join(pair)]))
    merges = data.draw(st.permutations(merges))
    vocabulary = {s: i for i, s in enumerate(dict.fromkeys([*BYTE_SYMBOLS.values(), *tokens]))}
    theirs = Reference(models.BPE(vocab=vocabulary, merges=merges))
    theirs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    ours = FastBPE(vocabulary, merges)
    for _ in range(5):
        text = data.draw(st.text(alphabet, max_size=25))
        assert ours.ids(text) == theirs.encode(text).ids


def test_a_long_word_takes_no_quadratic_time(trained, openais):
    letters = "".join(random.Random(0).choices("etaoinshrd", k=30_000))
    assert trained.ids(letters) == openais.encode_ordinary(letters)
    places = 0

    class Counting(dict):
        def get(self, key, default=None):
            nonlocal places
            places += 1
            return super().get(key, default)

    merges = trained._merges
    rank, merges.rank = merges.rank, Counting(merges.rank)
    try:
        merges.apply([trained.vocabulary[letter] for letter in letters])
    finally:
        merges.rank = rank
    assert places < 3 * len(letters)


def test_special_tokens_are_one_id_each_and_left_out_of_decoded_text(english):
    tokenizer = FastBPE.train(english[:5000], 300, special=["<|endoftext|>"], progress=False)
    text = "one<|endoftext|>two <|endoftext|>"
    ids = tokenizer.encode(text)
    assert ids.count(0) == 2
    assert tokenizer.decode(ids) == "onetwo "
    assert tokenizer.decode(ids, skip_special=False) == text
    assert [text[a:b] for a, b in tokenizer.offsets(text)].count("<|endoftext|>") == 2
    openais = in_tiktoken(tokenizer)
    assert ids == openais.encode(text, allowed_special="all")


def test_gpt2_has_no_padding_token_until_one_is_chosen(trained):
    with pytest.raises(ValueError, match="no padding token"):
        trained(["one", "one and two"])
    assert set(trained(["a", "b"])) == {"input_ids", "attention_mask"}
    tokenizer = FastBPE(
        {**trained.vocabulary, "<|endoftext|>": 2000}, trained.merges, ["<|endoftext|>"]
    )
    tokenizer.pad_token = "<|endoftext|>"
    batch = tokenizer(["a", "one and two"], pad_side="left")
    assert batch["input_ids"][0, 0] == 2000 and batch["attention_mask"][0].tolist()[-1] == 1


@pytest.fixture(scope="session")
def roberta(english, tmp_path_factory):
    tokenizer = FastBPE.train(
        english[:50_000], 600, ROBERTA, ROBERTA_FRAME, pad_token="<pad>", progress=False
    )
    folder = tmp_path_factory.mktemp("roberta")
    tokenizer.save(folder)
    return tokenizer, folder


def test_roberta_batches_equal_the_reference(roberta):
    _, folder = roberta
    (folder / "tokenizer.json").unlink()
    ours = FastBPE.load(folder)
    # The published tokenizer.json says lstrip; from the other two files alone it would be lost.
    mask = AddedToken("<mask>", lstrip=True, special=True)
    theirs = RobertaTokenizer.from_pretrained(folder, mask_token=mask)
    assert ours.frame == ROBERTA_FRAME and ours.pad_token == "<pad>"
    texts = ["Hello <mask> world", "two  <mask>.", "", "a much longer sentence than the others"]
    for pairs in (None, ["second one"] * 4):
        batch = ours(texts, pairs, max_tokens=20)
        expected = theirs(texts, pairs, max_length=20, truncation=True, padding=True)
        assert batch["input_ids"].tolist() == expected["input_ids"]
        assert batch["attention_mask"].tolist() == expected["attention_mask"]
    theirs.save_pretrained(folder)
    again = FastBPE.load(folder)
    assert again.frame == ROBERTA_FRAME and again.pad_token == "<pad>"
    for text in texts:
        assert again.encode(text, "b") == theirs(text, "b")["input_ids"]


@pytest.mark.parametrize("frame", [BERT_FRAME, Frame(("[CLS]",)), NO_FRAME])
def test_any_frame_is_saved_and_set_as_in_the_reference(english, tmp_path, frame):
    marks = ["[CLS]", "[SEP]", "[PAD]"]
    FastBPE.train(english[:2000], 300, marks, frame, "[PAD]", progress=False).save(tmp_path)
    ours, theirs = FastBPE.load(tmp_path), AutoTokenizer.from_pretrained(tmp_path)
    assert ours.frame == frame and ours.pad_token == "[PAD]"
    batch = ours(["one", "one two"], ["three", "four"])
    expected = theirs(
        ["one", "one two"], ["three", "four"], padding=True, return_token_type_ids=True
    )
    for name, tensor in batch.items():
        assert tensor.tolist() == expected[name]


def test_saved_files_are_read_back_by_us_and_by_the_reference(trained, english, tmp_path):
    tokenizer = pickle.loads(pickle.dumps(trained))
    added = tokenizer.add_tokens(["元宇宙", "AIGC"]) + tokenizer.add_tokens(["<e>"], special=True)
    assert added == [2000, 2001, 2002] and len(trained) == 2000
    tokenizer.save(tmp_path)
    again = FastBPE.load(tmp_path)
    theirs = Reference.from_file(str(tmp_path / "tokenizer.json"))
    for text in [*TEXTS, "x元宇宙AIGCy<e> aigc", english[:3000]]:
        assert tokenizer.ids(text) == again.ids(text) == theirs.encode(text).ids
        assert tokenizer.offsets(text) == theirs.encode(text).offsets
        assert again.decode(again.ids(text), skip_special=False) == text
    (tmp_path / "tokenizer.json").unlink()
    plain = FastBPE.load(tmp_path)
    pair = models.BPE.from_file(str(tmp_path / "vocab.json"), str(tmp_path / "merges.txt"))
    theirs = Reference(pair)
    theirs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    assert plain.ids(english[:3000]) == theirs.encode(english[:3000]).ids
    assert plain.merges == trained.merges and plain.vocabulary == trained.vocabulary


def test_merges_written_as_strings_or_pairs_are_read_alike(saved, trained, tmp_path):
    content = json.loads((saved / "tokenizer.json").read_text("utf-8"))
    content["model"]["merges"] = [" ".join(pair) for pair in content["model"]["merges"]]
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    assert FastBPE.load(tmp_path / "tokenizer.json").merges == trained.merges


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("Ġt", "expected two symbols with one space between, not 'Ġt'"),
        ("", "expected two symbols"),
        ("a b c", "expected two symbols"),
        ("h e", "is on line 2 too"),
        ("the zz", "'zz' is not in the vocabulary"),
        ("q z", "'qz' is not in the vocabulary"),
    ],
)
def test_a_damaged_merges_file_is_refused_with_the_line(tmp_path, line, message):
    FastBPE.train(" the the then", 259, progress=False).save(tmp_path)
    (tmp_path / "tokenizer.json").unlink()
    file = tmp_path / "merges.txt"
    assert file.read_text("utf-8").startswith("#version: 0.2\nh e\nt he\n")
    lines = file.read_text("utf-8").splitlines()
    file.write_text("\n".join([*lines[:3], line, *lines[3:]]) + "\n", "utf-8")
    with pytest.raises(ValueError, match=rf"merges\.txt, line 4: .*{message}|line 4: {message}"):
        FastBPE.load(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda saved: saved["model"]["vocab"].pop("a"), "1 of the 256 bytes"),
        (lambda saved: saved["model"]["merges"].insert(0, ["q", "z"]), r"merge 1, .*'qz' is not"),
        (lambda saved: saved["model"].update(type="Unigram"), "Unigram tokenizer, not BPE"),
        (lambda saved: saved["pre_tokenizer"].update(type="Split"), "does not split text as GPT-2"),
        (lambda saved: saved["pre_tokenizer"].update(add_prefix_space=True), "puts a space"),
        (lambda saved: saved["model"]["vocab"].update(b=64), "the same id"),
        (lambda saved: saved.update(normalizer={"type": "NFC"}), "cleans text"),
        (lambda saved: saved.update(post_processor={"type": "BertProcessing"}), "not supported"),
        (
            lambda saved: saved["added_tokens"].append(
                {"id": 9999, "content": "far", "special": False}
            ),
            "'far' has id 9999, but 2000 is next",
        ),
    ],
)
def test_what_a_json_file_lacks_is_named(saved, tmp_path, change, message):
    content = json.loads((saved / "tokenizer.json").read_text("utf-8"))
    change(content)
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    with pytest.raises(ValueError, match=message):
        FastBPE.load(tmp_path)


def test_a_folder_without_a_tokenizer_is_named(tmp_path):
    with pytest.raises(ValueError, match="holds neither tokenizer.json nor vocab.json"):
        FastBPE.load(tmp_path)


def test_the_word_cache_is_bounded_and_changes_nothing(trained, english):
    small = FastBPE(trained.vocabulary, trained.merges)
    small._words.limit = 50
    assert small.ids(english[:20_000]) == trained.ids(english[:20_000])
    assert len(small._words) <= 50
