from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.tokenizers import WordPiece
from course_lib.tokenizers.wordpiece import SPECIAL
from course_lib.tokenizers.wordpiece_training import learn_pieces, symbols


def learn_slowly(words: Counter[str], size: int, at_least: int) -> list[str]:
    """The same rule with everything counted anew for each piece."""
    split = {word: symbols(word) for word in words}
    pieces = sorted({symbol for parts in split.values() for symbol in parts})
    while len(pieces) < size:
        seen: Counter[str] = Counter()
        pairs: Counter[tuple[str, str]] = Counter()
        for word, parts in split.items():
            for part in parts:
                seen[part] += words[word]
            for pair in zip(parts, parts[1:], strict=False):
                pairs[pair] += words[word]
        frequent = [pair for pair, count in pairs.items() if count >= at_least]
        if not frequent:
            break

        def order(pair, seen=seen, pairs=pairs):
            score = Fraction(pairs[pair], seen[pair[0]] * seen[pair[1]])
            return -score, pieces.index(pair[0]), pieces.index(pair[1])

        first, second = min(frequent, key=order)
        joined = first + second.removeprefix("##")
        if joined not in pieces:
            pieces.append(joined)
        for word, parts in split.items():
            merged: list[str] = []
            for part in parts:
                if merged and (merged[-1], part) == (first, second) and part is not None:
                    merged[-1] = joined
                else:
                    merged.append(part)
            split[word] = merged
    return pieces


@settings(max_examples=80, deadline=None, derandomize=True)
@given(
    st.dictionaries(st.text("abc", min_size=1, max_size=7), st.integers(1, 9), min_size=1),
    st.integers(1, 3),
)
def test_incremental_training_equals_counting_anew(words, at_least):
    fast = learn_pieces(Counter(words), [], 40, at_least, progress=False)
    assert fast == learn_slowly(Counter(words), 40, at_least)


def test_real_text_equals_counting_anew(wordpiece, english):
    words = Counter(wordpiece._spell(english[:4000]).split())
    assert learn_pieces(words, [], 160, 3, progress=False) == learn_slowly(words, 160, 3)


def test_the_surprising_pair_is_joined_before_the_frequent_one():
    # "ab" occurs 10 times but so do a and b elsewhere; q is always followed by u.
    text = "ab " * 10 + "ac " * 10 + "cb " * 10 + "qu " * 3
    pieces = list(WordPiece.train(text, 20, progress=False).vocabulary)
    alphabet = 5 + len({"a", "c", "q", "##b", "##c", "##u"})
    assert pieces[alphabet] == "qu"


def test_a_trained_tokenizer_spells_its_own_text(english, tmp_path, capfd):
    tokenizer = WordPiece.train(iter(english[:20_000].splitlines()), 600)
    shown = capfd.readouterr().err
    assert "counting words" in shown and "joining pieces" in shown
    assert len(tokenizer) == 600
    assert list(tokenizer.vocabulary)[:5] == list(SPECIAL)
    assert "[UNK]" not in tokenizer.tokens(english[:20_000])
    tokenizer.save(tmp_path)
    assert WordPiece.load(tmp_path).encode(english[:2000]) == tokenizer.encode(english[:2000])


def test_more_characters_than_places_is_refused():
    with pytest.raises(ValueError, match="size=6, but characters and special tokens are 8"):
        WordPiece.train("abc", 6)


def test_rare_pairs_are_left_apart():
    assert WordPiece.train("ab", 50, progress=False).tokens("ab") == ["a", "##b"]
    assert WordPiece.train("ab", 50, at_least=1, progress=False).tokens("ab") == ["ab"]
