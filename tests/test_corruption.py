"""Corruption: exact budgets and structure, and shares within five standard deviations."""

import math
from collections import Counter
from functools import partial
from random import Random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib import losses
from course_lib.corruption import (
    Vocabulary,
    dynamic_masks,
    full_sentences,
    join_pair,
    mask_albert,
    mask_bert,
    mask_deberta,
    mask_distilbert,
    mask_spanbert,
    mask_whole_words,
    ngram_lengths,
    nsp_pairs,
    sbo_targets,
    sop_pairs,
    span_lengths,
    stack_sbo,
    static_masks,
    words_of,
)
from course_lib.losses import IGNORED

PAD, UNK, CLS, SEP, MASK = range(5)
SIZE = 1000
ENDINGS = frozenset(range(600, SIZE))  # ids from 600 on play WordPiece's ##…
VOCABULARY = Vocabulary(SIZE, PAD, UNK, CLS, SEP, MASK, ENDINGS)
WORDS = range(5, 600)


def text(length, rng, pieces=0.0):
    """[CLS] … [SEP] of random words; a share of the tokens continues the word before."""
    body = [rng.choice(WORDS)]
    while len(body) < length - 2:
        body.append(rng.randrange(600, SIZE) if rng.random() < pieces else rng.choice(WORDS))
    return [CLS, *body, SEP]


def chosen(masked):
    return [i for i, label in enumerate(masked.labels) if label != IGNORED]


def runs(positions):
    return [
        [i for i in positions if start <= i <= stop]
        for start in positions
        if start - 1 not in positions
        for stop in [next(j for j in range(start, max(positions) + 2) if j + 1 not in positions)]
    ]


def assert_share(hits, draws, p):
    """Within five standard deviations of the binomial law."""
    assert abs(hits - draws * p) <= 5 * math.sqrt(draws * p * (1 - p)), (hits / draws, p)


COUNTS = [1 + i for i in range(SIZE)]
MASKS = {
    "bert": mask_bert,
    "whole words": mask_whole_words,
    "albert": mask_albert,
    "deberta": mask_deberta,
    "distilbert": partial(mask_distilbert, counts=COUNTS),
    "spanbert": mask_spanbert,
}
every_mask = pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS.keys())

# --- what all have in common --------------------------------------------------------------------


@every_mask
@settings(max_examples=40, deadline=None, derandomize=True)
@given(ids=st.lists(st.integers(0, SIZE - 1), max_size=60), seed=st.integers(0, 10**6))
def test_specials_are_never_chosen_and_labels_are_the_originals(mask, ids, seed):
    masked = mask(ids, VOCABULARY, Random(seed))
    ordinary = [i for i, token in enumerate(ids) if token > MASK]
    assert len(masked.input_ids) == len(masked.labels) == len(ids)
    assert set(chosen(masked)) <= set(ordinary)
    assert bool(chosen(masked)) == bool(ordinary)
    for i, token in enumerate(ids):
        if i in chosen(masked):
            assert masked.labels[i] == token
        else:
            assert masked.input_ids[i] == token


@every_mask
def test_the_same_seed_draws_the_same_mask(mask):
    ids = text(60, Random(0), pieces=0.3)
    assert mask(ids, VOCABULARY, Random(1)) == mask(ids, VOCABULARY, Random(1))
    assert mask(ids, VOCABULARY, Random(1)) != mask(ids, VOCABULARY, Random(2))


@every_mask
def test_the_input_is_left_alone(mask):
    ids = text(40, Random(0))
    before = list(ids)
    mask(ids, VOCABULARY, Random(0))
    assert ids == before


@every_mask
def test_eighty_ten_ten(mask):
    rng, fates, total = Random(7), Counter(), 0
    for _ in range(250):
        masked = mask(text(102, rng), VOCABULARY, rng)
        for unit in units(mask, masked):
            total += 1
            fates[fate(masked, unit)] += 1
    # One random draw in SIZE is the original again, and one is [MASK]: far inside the tolerance.
    assert_share(fates["mask"], total, 0.8)
    assert_share(fates["kept"], total, 0.1)
    assert_share(fates["random"], total, 0.1)


def units(mask, masked):
    """What one draw decides: a token, or in SpanBERT a span."""
    if mask is mask_spanbert:
        return [range(first, last + 1) for first, last in masked.spans]
    return [[i] for i in chosen(masked)]


def fate(masked, unit):
    if all(masked.input_ids[i] == MASK for i in unit):
        return "mask"
    if all(masked.input_ids[i] == masked.labels[i] for i in unit):
        return "kept"
    return "random"


@every_mask
def test_ids_outside_the_vocabulary_are_named(mask):
    with pytest.raises(ValueError, match="id 1000 is not in the vocabulary"):
        mask([CLS, SIZE, SEP], VOCABULARY, Random(0))


# --- BERT and DistilBERT ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("length", "most", "expected"),
    [(3, None, 1), (10, None, 2), (50, None, 8), (128, 20, 19), (512, 20, 20), (512, None, 77)],
)
def test_berts_budget_counts_special_tokens(length, most, expected):
    masked = mask_bert(text(length, Random(0)), VOCABULARY, Random(0), max_predictions=most)
    assert len(chosen(masked)) == expected


def test_a_budget_of_nothing_is_refused():
    with pytest.raises(ValueError, match="max_predictions is 0"):
        mask_bert(text(9, Random(0)), VOCABULARY, Random(0), max_predictions=0)


def test_A17_twelve_percent_of_all_tokens_become_mask_not_fifteen():
    rng, tokens, hidden, asked = Random(3), 0, 0, 0
    for _ in range(400):
        masked = mask_bert(text(100, rng), VOCABULARY, rng)
        tokens += 100
        asked += len(chosen(masked))
        hidden += masked.input_ids.count(MASK)
    assert asked == 0.15 * tokens
    assert abs(hidden / tokens - 0.12) < 5 * math.sqrt(0.15 * 0.16 / tokens)


def test_every_position_is_as_likely():
    rng, hits = Random(5), Counter()
    for _ in range(3000):
        hits.update(chosen(mask_bert(text(22, rng), VOCABULARY, rng)))  # 3 of 20
    for i in range(1, 21):
        assert_share(hits[i], 3000, 3 / 20)


def test_random_replacements_come_from_the_whole_vocabulary():
    rng, small, drawn = Random(11), Vocabulary(8, PAD, UNK, CLS, SEP, MASK), Counter()
    for _ in range(4000):
        drawn.update(mask_bert([5], small, rng).input_ids)
    assert_share(drawn[MASK], 4000, 0.8 + 0.1 / 8)
    assert_share(drawn[5], 4000, 0.1 + 0.1 / 8)
    for token in (PAD, UNK, CLS, SEP, 6, 7):
        assert_share(drawn[token], 4000, 0.1 / 8)


def test_distilbert_prefers_rare_tokens_by_count_to_the_minus_point_seven():
    rng, counts = Random(13), [1] * SIZE
    common, rare = 5, 6
    counts[common] = 1000
    weights = 1.0, 1000**-0.7
    draws = 4000
    hits = sum(
        masked.labels[1] == IGNORED
        for _ in range(draws)
        for masked in [mask_distilbert([rare, common], VOCABULARY, rng, counts)]
    )
    assert_share(hits, draws, weights[0] / sum(weights))


def test_distilberts_budget_is_a_ceiling_and_a_batch_can_be_laid_end_to_end():
    batch = text(21, Random(0)) + text(30, Random(1))
    masked = mask_distilbert(batch, VOCABULARY, Random(0), COUNTS)
    assert len(chosen(masked)) == math.ceil(0.15 * 51) == 8
    with pytest.raises(ValueError, match="give one a token"):
        mask_distilbert(batch, VOCABULARY, Random(0), COUNTS[:-1])


# --- whole words --------------------------------------------------------------------------------


def test_words_are_read_off_the_pieces_or_given():
    ids = [CLS, 10, 600, 601, 11, SEP, 602, 12, PAD]
    assert words_of(ids, VOCABULARY) == [[1, 2, 3], [4], [6], [7]]
    given_ids = [None, 0, 0, 1, 1, None, 0, 0, None]
    assert words_of(ids, VOCABULARY, given_ids) == [[1, 2], [3, 4], [6, 7]]
    with pytest.raises(ValueError, match="give one a token"):
        words_of(ids, VOCABULARY, given_ids[:-1])


@pytest.mark.parametrize("mask", [mask_whole_words, mask_albert, mask_deberta])
@settings(max_examples=40, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), length=st.integers(3, 80))
def test_a_word_is_chosen_whole_or_not_at_all(mask, seed, length):
    rng = Random(seed)
    ids = text(length, rng, pieces=0.4)
    positions = set(chosen(mask(ids, VOCABULARY, rng)))
    for word in words_of(ids, VOCABULARY):
        assert positions.isdisjoint(word) or positions.issuperset(word)


@pytest.mark.parametrize("mask", [mask_whole_words, mask_albert])
def test_the_budget_is_kept_and_used_up(mask):
    rng = Random(17)
    for _ in range(200):
        ids = text(100, rng, pieces=0.4)
        assert 13 <= len(chosen(mask(ids, VOCABULARY, rng))) <= 15


def test_a_word_longer_than_the_budget_is_still_masked_whole():
    masked = mask_whole_words([CLS, 10, 600, 601, SEP], VOCABULARY, Random(0))
    assert chosen(masked) == [1, 2, 3]


def test_alberts_ngrams_have_probability_in_proportion_to_one_over_n():
    assert ngram_lengths() == pytest.approx([6 / 11, 3 / 11, 2 / 11])
    # With a budget of three tokens the first n-gram may have any length, the next ones fill up:
    # three words at once, two and one (in either order), or three times one.
    p1, p2, p3 = ngram_lengths()
    rng, shapes, draws = Random(19), Counter(), 3000
    ids = [CLS] + [9] * 400 + [SEP]
    for _ in range(draws):
        positions = chosen(mask_albert(ids, VOCABULARY, rng, max_predictions=3))
        shapes[len(runs(positions))] += 1
    touching = 0.02  # that n-grams drawn apart happen to touch among 400 words
    for count, p in {1: p3, 2: p2 + p1 * (p2 + p3), 3: p1 * p1}.items():
        sigma = math.sqrt(p * (1 - p) / draws)
        assert abs(shapes[count] / draws - p) < 5 * sigma + touching


def test_alberts_ngrams_stop_at_special_tokens():
    # Thirty words, each between separators: n-grams have one word, so two choices are independent
    # and fall on neighbours in 29 of 435 cases.
    rng, ids, draws = Random(23), [CLS, *[9, SEP] * 30], 2000
    pairs = [chosen(mask_albert(ids, VOCABULARY, rng, max_predictions=2)) for _ in range(draws)]
    assert_share(sum(b - a == 2 for a, b in pairs), draws, 29 / 435)


def test_debertas_windows():
    # Each n-gram sits somewhere in its window of 6n words. Seen from the left, the first run has
    # one word with p(1), unless the second n-gram touches it: 1/6 of the starts, times p(n)/6n.
    p = ngram_lengths()
    touching = (1 / 6) * sum(share / (6 * n) for n, share in enumerate(p, start=1))
    rng, draws = Random(29), 3000
    ids = [CLS] + [9] * 200 + [SEP]
    positions = [chosen(mask_deberta(ids, VOCABULARY, rng)) for _ in range(draws)]
    assert_share(sum(len(runs(each)[0]) == 1 for each in positions), draws, p[0] * (1 - touching))
    assert all(len(each) == 30 for each in positions)
    # The first start is uniform in its window: at the very front with p(n)/6n, beyond six words
    # only where the window is longer.
    starts = [each[0] - 1 for each in positions]
    front = sum(share / (6 * n) for n, share in enumerate(p, start=1))
    beyond = sum(share * (n - 1) / n for n, share in enumerate(p, start=1))
    assert_share(sum(start == 0 for start in starts), draws, front)
    assert_share(sum(start >= 6 for start in starts), draws, beyond)


def test_debertas_last_word_may_pass_the_budget():
    ids = [CLS] + [10, 600, 601, 602] * 10 + [SEP]  # ten words of four pieces, budget 6
    counts = {len(chosen(mask_deberta(ids, VOCABULARY, Random(seed)))) for seed in range(50)}
    assert counts <= {4, 8}
    assert 8 in counts


# --- spans --------------------------------------------------------------------------------------


def test_span_lengths_are_geometric_cut_at_ten():
    lengths = span_lengths()
    mean = sum(n * share for n, share in enumerate(lengths, start=1))
    assert len(lengths) == 10
    assert sum(lengths) == pytest.approx(1)
    assert lengths[3] / lengths[2] == pytest.approx(0.8)
    assert mean == pytest.approx(3.797, abs=1e-3)


def test_first_spans_follow_that_law():
    # Seven words have a budget of two tokens. They touch if the first span is longer than one word
    # and does not start at the end, or if the second token falls beside the first.
    one = span_lengths()[0]
    beside = (2 * 1 + 5 * 2) / (7 * 6)
    p = (1 - one) * (6 / 7 + 1 / 7 * 1 / 6) + one * beside
    rng, draws = Random(31), 50_000
    ids = [CLS] + [9] * 7 + [SEP]
    touching = sum(len(mask_spanbert(ids, VOCABULARY, rng).spans) == 1 for _ in range(draws))
    assert_share(touching, draws, p)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), length=st.integers(3, 90), pieces=st.sampled_from([0.0, 0.4]))
def test_spans_cover_the_budget_start_with_words_and_lie_apart(seed, length, pieces):
    rng = Random(seed)
    ids = text(length, rng, pieces)
    masked = mask_spanbert(ids, VOCABULARY, rng)
    covered = [i for first, last in masked.spans for i in range(first, last + 1)]
    assert covered == chosen(masked)
    assert len(covered) == math.ceil(0.15 * (length - 2))
    assert all(a[1] + 1 < b[0] for a, b in zip(masked.spans, masked.spans[1:], strict=False))
    starts = {word[0] for word in words_of(ids, VOCABULARY)}
    assert all(first in starts for first, _ in masked.spans)


def test_A49_one_draw_a_span():
    rng, mixed, long_spans = Random(37), 0, 0
    for _ in range(300):
        masked = mask_spanbert(text(100, rng), VOCABULARY, rng)
        for first, last in masked.spans:
            inside = [masked.input_ids[i] == MASK for i in range(first, last + 1)]
            long_spans += len(inside) > 2
            mixed += 0 < sum(inside) < len(inside)
    assert long_spans > 500
    assert mixed < 0.01 * long_spans  # only a random token that happens to be [MASK]


def test_A49_bert_draws_for_each_token_also_inside_a_run():
    rng, mixed, long_runs = Random(41), 0, 0
    for _ in range(300):
        masked = mask_deberta(text(100, rng), VOCABULARY, rng)
        for run in runs(chosen(masked)):
            inside = [masked.input_ids[i] == MASK for i in run]
            long_runs += len(inside) > 2
            mixed += len(inside) > 2 and 0 < sum(inside) < len(inside)
    p = 1 - 0.8**3 - 0.2**3
    assert mixed / long_runs > p - 5 * math.sqrt(p * (1 - p) / long_runs)


def test_A51_A52_sbo_targets_lie_inside_known_neighbours_and_fill_the_rows():
    rng = Random(43)
    ids = text(200, rng)
    masked = mask_spanbert(ids, VOCABULARY, rng)
    targets = sbo_targets(masked, VOCABULARY, rows=5)
    assert targets
    for (first, last), labels in targets:
        assert masked.labels[first - 1] == masked.labels[last + 1] == IGNORED
        length = min(5, last - first + 1)
        assert labels == ids[first : first + length] + [IGNORED] * (5 - length)
    assert len(sbo_targets(masked, VOCABULARY)[0].labels) == 15


@pytest.mark.parametrize(
    ("ids", "targets"),
    [
        pytest.param([CLS, 9, SEP], 0, id="between special tokens"),
        pytest.param([9], 0, id="the whole text"),
        pytest.param([7, 8, MASK, MASK, 8, 7], 0, id="nothing but the edges and masks"),
    ],
)
def test_spans_at_an_edge_have_no_sbo_target(ids, targets):
    for seed in range(20):
        masked = mask_spanbert(ids, VOCABULARY, Random(seed))
        at_edges = [span for span in masked.spans if span[0] in (0, 1) or span[1] >= len(ids) - 2]
        assert len(masked.spans) == len(at_edges)
        assert len(sbo_targets(masked, VOCABULARY)) == targets


def test_stacked_sbo_targets_give_the_mean_over_all_of_them():
    rng = Random(47)
    batch = [
        sbo_targets(mask_spanbert(text(n, rng), VOCABULARY, rng), VOCABULARY) for n in (90, 40, 3)
    ]
    spans, labels = stack_sbo(batch)
    n = max(map(len, batch))
    assert spans.shape == (3, n, 2)
    assert labels.shape == (3, n, 15)
    assert spans[0].tolist() == [list(target.span) for target in batch[0]]
    assert (labels[2] == IGNORED).all()
    logits = torch.randn(3, n, 15, SIZE, generator=torch.Generator().manual_seed(0))
    log_p = logits.log_softmax(-1)
    by_hand = [
        -log_p[b, s, r, token].item()
        for b, targets in enumerate(batch)
        for s, target in enumerate(targets)
        for r, token in enumerate(target.labels)
        if token != IGNORED
    ]
    assert losses.sbo(logits, labels).item() == pytest.approx(sum(by_hand) / len(by_hand), abs=1e-5)
    empty_spans, empty_labels = stack_sbo([[], []])
    assert empty_spans.shape == (2, 0, 2)
    assert empty_labels.shape == (2, 0, 15)


# --- static and dynamic -------------------------------------------------------------------------


def test_A28_dynamic_masking_redraws_the_input_at_every_pass():
    sequences = [text(40, Random(n)) for n in range(20)]
    mask = partial(mask_bert, vocabulary=VOCABULARY)
    passes = [list(dynamic_masks(sequences, mask, epoch)) for epoch in range(3)]
    assert passes[0] != passes[1] != passes[2]
    assert passes[0] == list(dynamic_masks(sequences, mask, epoch=0))
    assert list(dynamic_masks(sequences, mask, epoch=0, seed=1)) != passes[0]


def test_static_masks_are_made_once_in_several_copies():
    sequences = [text(40, Random(n)) for n in range(5)]
    copies = static_masks(sequences, partial(mask_bert, vocabulary=VOCABULARY), copies=4)
    assert len(copies) == 4
    assert all(len(copy) == 5 for copy in copies)
    assert all(a != b for a, b in zip(copies, copies[1:], strict=False))


def test_over_many_epochs_dynamic_masking_asks_for_more_of_the_text():
    sequence = [text(66, Random(0))]
    mask = partial(mask_bert, vocabulary=VOCABULARY)
    epochs = 40
    static = static_masks(sequence, mask, copies=10)
    seen = {i for epoch in range(epochs) for i in chosen(static[epoch % 10][0])}
    dynamic = {
        i
        for epoch in range(epochs)
        for masked in dynamic_masks(sequence, mask, epoch)
        for i in chosen(masked)
    }
    assert len(seen) < len(dynamic) <= 64


# --- pairs --------------------------------------------------------------------------------------

# Each token tells its document, and tokens count up: what follows what can be read off.
DOCUMENTS = [
    [[number * 10_000 + 10 * s + k for k in range(1 + s % 5)] for s in range(60)]
    for number in range(1, 21)
]


def document_of(segment):
    owners = {token // 10_000 for token in segment}
    assert len(owners) == 1
    return owners.pop()


@pytest.mark.parametrize("make", [nsp_pairs, sop_pairs])
def test_pairs_fit_and_have_two_sides(make):
    for pair in make(DOCUMENTS, 32, Random(0)):
        assert pair.a
        assert pair.b
        ids, segments = join_pair(pair, VOCABULARY)
        assert len(ids) == len(segments) <= 32


def test_A20_nsp_label_0_is_the_next_sentence_and_1_another_document():
    pairs = [pair for seed in range(15) for pair in nsp_pairs(DOCUMENTS, 32, Random(seed))]
    for a, b, label in pairs:
        assert (document_of(a) != document_of(b)) == bool(label)
        if label == 0:
            assert a[-1] < b[0]
    # One half, and a little more for chunks of a single sentence, which are few here.
    random = sum(pair.label for pair in pairs) / len(pairs)
    assert 0.5 - 5 * math.sqrt(0.25 / len(pairs)) < random < 0.58


def test_A20_the_input_is_cls_a_sep_b_sep():
    pairs = nsp_pairs([[[10, 11], [12]], [[20], [21]]], 32, Random(0))
    ids, segments = join_pair(pairs[0], VOCABULARY)
    a, b, _ = pairs[0]
    assert ids == [CLS, *a, SEP, *b, SEP]
    assert segments == [0] * (len(a) + 2) + [1] * (len(b) + 1)


def test_A37_sop_swaps_neighbours_of_one_document():
    pairs = [pair for seed in range(15) for pair in sop_pairs(DOCUMENTS, 32, Random(seed))]
    same = [pair for pair in pairs if document_of(pair.a) == document_of(pair.b)]
    for a, b, label in same:
        assert (a[0] > b[0]) == bool(label)
    assert_share(sum(pair.label for pair in same), len(same), 0.5)
    elsewhere = [pair for pair in pairs if document_of(pair.a) != document_of(pair.b)]
    assert all(pair.label == 1 for pair in elsewhere)
    assert len(elsewhere) < 0.1 * len(pairs)


@pytest.mark.parametrize("make", [nsp_pairs, sop_pairs])
def test_no_sentence_is_lost(make):
    # Unless truncated, every token stands in some A, or in a B that follows.
    pairs = make(DOCUMENTS, 64, Random(5), short=0.0)
    used = {token for pair in pairs for token in pair.a + pair.b}
    everything = {token for document in DOCUMENTS for sentence in document for token in sentence}
    assert len(used) > 0.97 * len(everything)


def test_a_share_of_documents_is_cut_into_shorter_pairs():
    always = nsp_pairs(DOCUMENTS, 64, Random(6), short=1.0)
    never = nsp_pairs(DOCUMENTS, 64, Random(6), short=0.0)
    mean = [sum(len(p.a) + len(p.b) for p in pairs) / len(pairs) for pairs in (always, never)]
    assert mean[0] < 0.75 * mean[1]


@pytest.mark.parametrize("make", [nsp_pairs, sop_pairs])
@pytest.mark.parametrize(
    ("documents", "max_length", "message"),
    [
        pytest.param([[[5], [6]]], 32, "at least two", id="one document"),
        pytest.param([[[5]], [], [[]]], 32, "at least two", id="empty documents"),
        pytest.param([[[5]], [[6]]], 4, "no space", id="no space"),
    ],
)
def test_pairs_that_cannot_be_made_are_refused(make, documents, max_length, message):
    with pytest.raises(ValueError, match=message):
        make(documents, max_length, Random(0))


def test_full_sentences_pack_across_documents_with_an_extra_separator():
    documents = [[[10, 11], [12]], [[], [20, 21, 22]], [[30] * 9]]
    packed = full_sentences(documents, 9, VOCABULARY)
    assert packed == [
        [CLS, 10, 11, 12, SEP, 20, 21, 22, SEP],
        [CLS, *[30] * 7, SEP],
        [CLS, 30, 30, SEP],
    ]
    with pytest.raises(ValueError, match="no space"):
        full_sentences(documents, 2, VOCABULARY)


# --- the vocabulary -----------------------------------------------------------------------------


def test_a_wordpiece_vocabulary_is_read_off_its_pieces():
    pieces = ["[PAD]", "un", "##ha", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "##pp"]
    vocabulary = Vocabulary.from_wordpiece(pieces)
    assert (vocabulary.size, vocabulary.mask) == (8, 6)
    assert vocabulary.special == {0, 3, 4, 5, 6}
    assert vocabulary.continuations == {2, 7}
    with pytest.raises(ValueError, match=r"\[MASK\]"):
        Vocabulary.from_wordpiece(pieces[:6])
