"""What is hidden from the model: masks for masked language models, pairs for NSP and SOP.

Everything here works on lists of token ids and a `random.Random`, one sequence at a time, and
happens before the model: attention never sees which positions were chosen. Each `mask_…` function
is one paper's way to choose; all share the 80/10/10 rule and return the ids to feed and the labels
to predict, −100 where nothing is asked.

Random replacements come from the whole vocabulary, so one in v is the original again. A sequence
without a single ordinary token comes back as it is, with nothing to predict. Left out: turning text
into ids (`tokenizers`), padding and batching (`data`).
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import NamedTuple, TypeVar

import torch
from torch import Tensor

from course_lib.losses import IGNORED

SHARE = 0.15  # of the tokens are to be predicted, in every paper


@dataclass(frozen=True)
class Vocabulary:
    """What masking has to know of a vocabulary: its size, its special tokens, which pieces go on.

    `continuations` are the ids of pieces that continue a word: WordPiece's `##…`.
    """

    size: int
    pad: int
    unk: int
    cls: int
    sep: int
    mask: int
    continuations: frozenset[int] = frozenset()

    @classmethod
    def from_wordpiece(cls, pieces: Sequence[str]) -> "Vocabulary":
        """Read it off a WordPiece vocabulary, in the order of the ids."""
        ids = {piece: i for i, piece in enumerate(pieces)}
        names = {name: f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}
        missing = [piece for piece in names.values() if piece not in ids]
        if missing:
            raise ValueError(f"the vocabulary lacks the special tokens {', '.join(missing)}")
        return cls(
            size=len(pieces),
            continuations=frozenset(i for piece, i in ids.items() if piece.startswith("##")),
            **{name: ids[piece] for name, piece in names.items()},
        )

    @cached_property
    def special(self) -> frozenset[int]:
        """The ids that are never chosen for prediction."""
        return frozenset((self.pad, self.unk, self.cls, self.sep, self.mask))


class Masked(NamedTuple):
    """A corrupted sequence: what to feed and what to predict."""

    input_ids: list[int]
    labels: list[int]


# ---------------------------------------------------------------------------------------------
# Choosing single tokens


def mask_bert(
    ids: Sequence[int], vocabulary: Vocabulary, rng: Random, max_predictions: int | None = None
) -> Masked:
    """BERT: min(max_predictions, max(1, round(15 % of all tokens))) tokens, each as likely.

    Special tokens count for the 15 % but are never chosen. BERT took at most 20 predictions at
    length 128 (Devlin et al. 2019, §3.1; google-research/bert, create_pretraining_data.py).
    """
    candidates = _ordinary(ids, vocabulary)
    chosen = rng.sample(candidates, min(_budget(ids, max_predictions), len(candidates)))
    return _replace_each(ids, chosen, vocabulary, rng)


def mask_distilbert(
    ids: Sequence[int], vocabulary: Vocabulary, rng: Random, counts: Sequence[int]
) -> Masked:
    """DistilBERT: ⌈15 % of all tokens⌉, drawn in proportion to count^−0.7: rare tokens more often.

    `counts[i]` says how often id i occurs in the corpus; 0 counts as 1. The released code draws
    once for a whole batch, which is this function on the batch laid end to end
    (Sanh et al. 2019; distiller.py, train.py).
    """
    if len(counts) != vocabulary.size:
        raise ValueError(f"{len(counts)} counts for {vocabulary.size} tokens; give one a token")
    candidates = _ordinary(ids, vocabulary)
    # Of clocks that ring at rate w, those that ring first are a draw without replacement with
    # probabilities in proportion to w.
    clocks = {i: rng.expovariate(max(counts[ids[i]], 1) ** -0.7) for i in candidates}
    chosen = sorted(candidates, key=clocks.__getitem__)[: math.ceil(SHARE * len(ids))]
    return _replace_each(ids, chosen, vocabulary, rng)


# ---------------------------------------------------------------------------------------------
# Choosing whole words


def words_of(
    ids: Sequence[int], vocabulary: Vocabulary, word_ids: Sequence[int | None] | None = None
) -> list[list[int]]:
    """The positions of each word, in order; special tokens belong to none and end one.

    A piece of `vocabulary.continuations` goes on with the word before it. Where pieces do not tell
    (byte-level BPE, Chinese words), `word_ids` gives the number of the word each token belongs to.
    """
    if word_ids is not None and len(word_ids) != len(ids):
        raise ValueError(f"{len(word_ids)} word ids for {len(ids)} tokens; give one a token")
    words: list[list[int]] = []
    for i in _ordinary(ids, vocabulary):
        if word_ids is None:
            goes_on = ids[i] in vocabulary.continuations
        else:
            goes_on = i > 0 and word_ids[i] == word_ids[i - 1]
        if goes_on and words and words[-1][-1] == i - 1:
            words[-1].append(i)
        else:
            words.append([i])
    return words


def mask_whole_words(
    ids: Sequence[int],
    vocabulary: Vocabulary,
    rng: Random,
    max_predictions: int | None = None,
    word_ids: Sequence[int | None] | None = None,
) -> Masked:
    """Whole word masking: BERT's budget, but a word is masked with all its pieces or not at all.

    Words come in random order; one that no longer fits is passed over. The 80/10/10 draw is still
    made for each piece (google-research/bert, release of May 2019). Should no word fit, the
    shortest one is masked, so that there is always something to predict.
    """
    return mask_albert(ids, vocabulary, rng, max_predictions, word_ids, longest=1)


def mask_albert(
    ids: Sequence[int],
    vocabulary: Vocabulary,
    rng: Random,
    max_predictions: int | None = None,
    word_ids: Sequence[int | None] | None = None,
    longest: int = 3,
) -> Masked:
    """ALBERT: n-grams of whole words with p(n) ∝ 1/n for n ≤ 3, within BERT's budget.

    First words come in random order. An n-gram that does not fit loses words from its end; one that
    still does not fit, or meets a chosen word, is passed over. The 80/10/10 draw is made for each
    piece (Lan et al. 2020, §4.1; google-research/albert, create_pretraining_data.py).
    """
    words = words_of(ids, vocabulary, word_ids)
    budget, lengths = _budget(ids, max_predictions), ngram_lengths(longest)
    chosen: set[int] = set()
    for first in rng.sample(range(len(words)), len(words)):
        if len(chosen) == budget:
            break
        ngram = _adjacent(words, first, _draw_length(lengths, rng))
        while ngram and len(chosen) + sum(map(len, ngram)) > budget:
            ngram.pop()
        pieces = [i for word in ngram for i in word]
        if chosen.isdisjoint(pieces):
            chosen.update(pieces)
    if not chosen and words:
        shortest = min(words, key=len)
        chosen.update(shortest)
    return _replace_each(ids, sorted(chosen), vocabulary, rng)


def mask_deberta(
    ids: Sequence[int],
    vocabulary: Vocabulary,
    rng: Random,
    max_predictions: int | None = None,
    word_ids: Sequence[int | None] | None = None,
    longest: int = 3,
) -> Masked:
    """DeBERTa: one n-gram of whole words in every window of 6n words, p(n) ∝ 1/n for n ≤ 3.

    The n-gram starts anywhere in its window, so 1 word in 6 is chosen, evenly spread. The text is
    read from the left until BERT's budget is used up; the last word is masked whole
    (He et al. 2021, appendix A; microsoft/DeBERTa, mlm_task.py).
    """
    words = words_of(ids, vocabulary, word_ids)
    budget, lengths = _budget(ids, max_predictions), ngram_lengths(longest)
    chosen: list[int] = []
    start = 0
    while start < len(words) and len(chosen) < budget:
        n = _draw_length(lengths, rng)
        window = min(int(1 / SHARE) * n, len(words) - start)
        first = start + rng.randrange(window)
        for word in words[first : first + n]:
            if len(chosen) < budget:
                chosen += word
        start = max(start + window, first + n)
    return _replace_each(ids, chosen, vocabulary, rng)


def ngram_lengths(longest: int = 3) -> list[float]:
    """The probabilities of 1, 2, … words, in proportion to 1/n: .545, .273, .182 up to three."""
    return _normalised([1 / n for n in range(1, longest + 1)])


# ---------------------------------------------------------------------------------------------
# Spans, and the boundary objective


class MaskedSpans(NamedTuple):
    """A corrupted sequence and its spans: first and last position of each, in order, apart."""

    input_ids: list[int]
    labels: list[int]
    spans: list[tuple[int, int]]


class SboTarget(NamedTuple):
    """A span to be read off its two outer neighbours: first and last position, and its labels."""

    span: tuple[int, int]
    labels: list[int]


def mask_spanbert(
    ids: Sequence[int],
    vocabulary: Vocabulary,
    rng: Random,
    word_ids: Sequence[int | None] | None = None,
    p: float = 0.2,
    longest: int = 10,
) -> MaskedSpans:
    """SpanBERT: spans of whole words until ⌈15 % of the ordinary tokens⌉ are covered.

    A length in words is drawn from `span_lengths`, a token at random; the span starts with that
    token's word. Only the last span may end inside a word, where the budget ends. Spans that touch
    or overlap become one, and the 80/10/10 draw is made once for each span: masked, random or kept
    as a whole (Joshi et al. 2020, §3.1; facebookresearch/SpanBERT, masking.py).
    """
    words = words_of(ids, vocabulary, word_ids)
    word_at = {i: number for number, word in enumerate(words) for i in word}
    candidates = list(word_at)
    budget, lengths = math.ceil(SHARE * len(candidates)), span_lengths(p, longest)
    covered: set[int] = set()
    while len(covered) < budget:
        length = _draw_length(lengths, rng)
        anchor = rng.choice(candidates)
        if anchor in covered:
            continue
        for word in _adjacent(words, word_at[anchor], length):
            for i in word:
                if len(covered) < budget:
                    covered.add(i)

    spans = _runs(sorted(covered))
    input_ids, labels = list(ids), [IGNORED] * len(ids)
    for first, last in spans:
        fate = rng.random()
        for i in range(first, last + 1):
            input_ids[i] = _replacement(fate, ids[i], vocabulary, rng)
            labels[i] = ids[i]
    return MaskedSpans(input_ids, labels, spans)


def span_lengths(p: float = 0.2, longest: int = 10) -> list[float]:
    """The probabilities of 1, 2, … words: geometric, cut off after `longest` and renormalised.

    The mean is 3.80 words; without the cut it would be 1/p = 5.
    """
    return _normalised([p * (1 - p) ** (length - 1) for length in range(1, longest + 1)])


def sbo_targets(masked: MaskedSpans, vocabulary: Vocabulary, rows: int = 15) -> list[SboTarget]:
    """One target for each span with an ordinary token on both sides.

    The labels of a span are cut or filled with −100 to `rows`, the number of relative positions the
    SBO head knows: 15 in SpanBERT's published command, 20 by default in its code.
    """
    targets = []
    for first, last in masked.spans:
        left, right = first - 1, last + 1
        if left < 0 or right == len(masked.input_ids):
            continue
        if vocabulary.special.isdisjoint((masked.input_ids[left], masked.input_ids[right])):
            labels = masked.labels[first:right][:rows]
            targets.append(SboTarget((first, last), labels + [IGNORED] * (rows - len(labels))))
    return targets


def stack_sbo(batch: Sequence[Sequence[SboTarget]], rows: int = 15) -> tuple[Tensor, Tensor]:
    """The targets of several sequences as tensors: spans b n 2 and labels b n r.

    n is the largest number of spans; a sequence with fewer gets stand-ins (1, 1) that ask for
    nothing, since their labels are −100.
    """
    n = max(map(len, batch))
    nothing = SboTarget((1, 1), [IGNORED] * rows)
    padded = [[*targets, *[nothing] * (n - len(targets))] for targets in batch]
    spans = torch.tensor([[target.span for target in row] for row in padded], dtype=torch.long)
    labels = torch.tensor([[target.labels for target in row] for row in padded], dtype=torch.long)
    return spans.view(len(batch), n, 2), labels.view(len(batch), n, rows)


# ---------------------------------------------------------------------------------------------
# Static and dynamic masking


Result = TypeVar("Result", Masked, MaskedSpans)


def dynamic_masks(
    sequences: Sequence[Sequence[int]], mask: Callable[..., Result], epoch: int, seed: int = 0
) -> Iterator[Result]:
    """RoBERTa: a new mask each time a sequence is seen.

    `mask` is one of the functions above with its vocabulary filled in:
    `partial(mask_bert, vocabulary=v)`. A mask depends on seed, epoch and the number of the sequence
    alone, so a run that stops can resume with the masks it would have had.
    """
    for number, ids in enumerate(sequences):
        yield mask(ids, rng=Random(f"{seed}/{epoch}/{number}"))


def static_masks(
    sequences: Sequence[Sequence[int]], mask: Callable[..., Result], copies: int = 10, seed: int = 0
) -> list[list[Result]]:
    """BERT: a few masks for each sequence, made once; epoch e trains on copy e modulo `copies`."""
    return [list(dynamic_masks(sequences, mask, copy, seed)) for copy in range(copies)]


# ---------------------------------------------------------------------------------------------
# Inputs made from documents: a document is a list of sentences, a sentence a list of ids

Document = Sequence[Sequence[int]]


class Pair(NamedTuple):
    """Two segments without special tokens: label 0 = in order, 1 = random or swapped."""

    a: list[int]
    b: list[int]
    label: int


def nsp_pairs(
    documents: Sequence[Document], max_length: int, rng: Random, short: float = 0.1
) -> list[Pair]:
    """BERT: B follows A with probability ½, else it comes from another document.

    Sentences are collected into chunks of `max_length` less three special tokens, for a share
    `short` of the documents into shorter ones; each chunk is split between two sentences. A chunk
    of one sentence always gets a random B, so more than half of the labels are 1. Sentences that a
    random B displaced are used again (Devlin et al. 2019, appendix A.2;
    google-research/bert, create_pretraining_data.py).
    """
    return _pairs(documents, max_length, rng, short, swap=False)


def sop_pairs(
    documents: Sequence[Document], max_length: int, rng: Random, short: float = 0.1
) -> list[Pair]:
    """ALBERT: B follows A in the same document; with probability ½ they are swapped.

    A chunk of one sentence gets a random B from another document and label 1
    (Lan et al. 2020, §3.1; google-research/albert, create_pretraining_data.py).
    """
    return _pairs(documents, max_length, rng, short, swap=True)


def join_pair(pair: Pair, vocabulary: Vocabulary) -> tuple[list[int], list[int]]:
    """`[CLS] A [SEP] B [SEP]` and its segment ids."""
    a = [vocabulary.cls, *pair.a, vocabulary.sep]
    b = [*pair.b, vocabulary.sep]
    return a + b, [0] * len(a) + [1] * len(b)


def full_sentences(
    documents: Sequence[Document], max_length: int, vocabulary: Vocabulary
) -> list[list[int]]:
    """RoBERTa: sentences packed to `max_length`, across documents, `<s> … </s>`; no pairs.

    An extra `</s>` marks where a document ends. A sentence longer than the space is cut
    (Liu et al. 2019, §4.2, FULL-SENTENCES).
    """
    space = max_length - 2
    if space < 1:
        raise ValueError(f"max_length {max_length} leaves no space between two special tokens")
    packed: list[list[int]] = []
    current: list[int] = []
    for document in documents:
        separator = [vocabulary.sep] if current else []
        for sentence in document:
            for start in range(0, len(sentence), space):
                piece = [*separator, *sentence[start : start + space]]
                if len(current) + len(piece) > space:
                    packed.append(current)
                    current, piece = [], piece[len(separator) :]
                current += piece
                separator = []
    packed.append(current)
    return [[vocabulary.cls, *sequence, vocabulary.sep] for sequence in packed if sequence]


# ---------------------------------------------------------------------------------------------
# Helpers


def _ordinary(ids: Sequence[int], vocabulary: Vocabulary) -> list[int]:
    """The positions that may be chosen."""
    wrong = [i for i in ids if not 0 <= i < vocabulary.size]
    if wrong:
        raise ValueError(f"id {wrong[0]} is not in the vocabulary, 0…{vocabulary.size - 1}")
    return [i for i, token in enumerate(ids) if token not in vocabulary.special]


def _budget(ids: Sequence[int], max_predictions: int | None) -> int:
    budget = max(1, round(SHARE * len(ids)))
    if max_predictions is None:
        return budget
    if max_predictions < 1:
        raise ValueError(f"max_predictions is {max_predictions}; without any there is no loss")
    return min(max_predictions, budget)


def _replacement(fate: float, token: int, vocabulary: Vocabulary, rng: Random) -> int:
    """80 % [MASK], 10 % the token itself, 10 % a random one; `fate` is uniform in [0, 1)."""
    if fate < 0.8:
        return vocabulary.mask
    if fate < 0.9:
        return token
    return rng.randrange(vocabulary.size)


def _replace_each(
    ids: Sequence[int], chosen: Sequence[int], vocabulary: Vocabulary, rng: Random
) -> Masked:
    input_ids, labels = list(ids), [IGNORED] * len(ids)
    for i in chosen:
        input_ids[i] = _replacement(rng.random(), ids[i], vocabulary, rng)
        labels[i] = ids[i]
    return Masked(input_ids, labels)


def _normalised(weights: list[float]) -> list[float]:
    total = sum(weights)
    return [weight / total for weight in weights]


def _draw_length(probabilities: list[float], rng: Random) -> int:
    return rng.choices(range(1, len(probabilities) + 1), probabilities)[0]


def _adjacent(words: list[list[int]], first: int, n: int) -> list[list[int]]:
    """Up to n words from `first` on, ended early by a special token."""
    found = words[first : first + 1]
    for word in words[first + 1 : first + n]:
        if word[0] != found[-1][-1] + 1:
            break
        found.append(word)
    return found


def _runs(positions: list[int]) -> list[tuple[int, int]]:
    """First and last of each unbroken run: [1, 2, 3, 7] → [(1, 3), (7, 7)]."""
    runs: list[tuple[int, int]] = []
    for i in positions:
        if runs and runs[-1][1] == i - 1:
            runs[-1] = (runs[-1][0], i)
        else:
            runs.append((i, i))
    return runs


def _pairs(
    documents: Sequence[Document], max_length: int, rng: Random, short: float, swap: bool
) -> list[Pair]:
    texts = [[list(sentence) for sentence in document if sentence] for document in documents]
    texts = [text for text in texts if text]
    space = max_length - 3  # [CLS], [SEP] and [SEP]
    if len(texts) < 2:
        raise ValueError("a random B comes from another document: give at least two with text")
    if space < 2:
        raise ValueError(f"max_length {max_length} leaves no space for a pair and three specials")

    pairs = []
    for number, text in enumerate(texts):
        target = rng.randint(2, space) if rng.random() < short else space
        start = 0
        while start < len(text):
            end = _chunk_end(text, start, target)
            middle = rng.randrange(start + 1, end) if end - start > 1 else end
            a = _flat(text[start:middle])
            change = middle == end or rng.random() < 0.5
            if change and (middle == end or not swap):
                others = [i for i in range(len(texts)) if i != number]
                b = _random_text(texts[rng.choice(others)], target - len(a), rng)
                end = middle  # the sentences that B displaced are used again
            else:
                b = _flat(text[middle:end])
                a, b = (b, a) if change else (a, b)
            _truncate(a, b, space, rng)
            pairs.append(Pair(a, b, int(change)))
            start = end
    return pairs


def _chunk_end(text: list[list[int]], start: int, target: int) -> int:
    """Where the sentences from `start` on reach the target length, or the text ends."""
    length = 0
    for end in range(start, len(text)):
        length += len(text[end])
        if length >= target:
            return end + 1
    return len(text)


def _random_text(text: list[list[int]], length: int, rng: Random) -> list[int]:
    """Sentences from a random place on, until the length is reached; at least one."""
    start = rng.randrange(len(text))
    return _flat(text[start : _chunk_end(text, start, length)])


def _flat(sentences: list[list[int]]) -> list[int]:
    return [token for sentence in sentences for token in sentence]


def _truncate(a: list[int], b: list[int], space: int, rng: Random) -> None:
    """Shorten the longer segment in place, at either end, until both fit."""
    while len(a) + len(b) > space:
        longer = a if len(a) > len(b) else b
        del longer[0 if rng.random() < 0.5 else -1]
