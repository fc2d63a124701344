"""How a WordPiece vocabulary is learned: join the pair that its parts make most surprising.

A pair scores count(ab) / (count(a) · count(b)): how much likelier the text becomes when it is one
token (Schuster and Nakajima 2012). Frequent pairs of frequent parts, which BPE joins first, wait.
BERT's own trainer was never published, and the reference library's "WordPiece" trainer counts
pairs as BPE does.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from tqdm.auto import tqdm

from course_lib.tokenizers.pairs import IdPair, PairCounts


def symbols(word: str) -> list[str]:
    """The characters of a word, all but the first marked as continuing it.

    >>> symbols("cat")
    ['c', '##a', '##t']
    """
    return [word[:1], *("##" + char for char in word[1:])]


def learn_pieces(
    words: Counter[str], special: Sequence[str], size: int, at_least: int, progress: bool
) -> list[str]:
    """A vocabulary of at most ``size`` tokens: special ones, characters, then joined pieces.

    Pairs seen fewer than ``at_least`` times are not joined: two characters that occur once, side by
    side, would score highest of all. Equal scores: the pair whose first, then whose second part is
    older. Raises ValueError when the characters alone are more than ``size``.
    """
    alphabet = sorted({symbol for word in words for symbol in symbols(word)})
    pieces = [*special, *alphabet]
    if len(pieces) > size:
        raise ValueError(f"size={size}, but characters and special tokens are {len(pieces)}")
    ids = {piece: i for i, piece in enumerate(pieces)}
    split = [([ids[symbol] for symbol in symbols(word)], count) for word, count in words.items()]
    pairs = PairCounts(split)
    seen: Counter[int] = Counter()
    for tokens, count in split:
        for token in tokens:
            seen[token] += count
    partners: defaultdict[int, set[IdPair]] = defaultdict(set)  # pairs that hold a token

    def entry(pair: IdPair) -> tuple[float, IdPair]:
        return -pairs.counts[pair] / (seen[pair[0]] * seen[pair[1]]), pair

    def watch(pair: IdPair) -> None:
        partners[pair[0]].add(pair)
        partners[pair[1]].add(pair)

    for pair, count in pairs.counts.items():
        if count >= at_least:
            watch(pair)
    heap = [entry(pair) for pair, count in pairs.counts.items() if count >= at_least]
    heapify(heap)
    with tqdm(total=size - len(pieces), desc="joining pieces", disable=not progress) as bar:
        while heap and len(pieces) < size:
            best = heappop(heap)
            pair = best[1]
            if pairs.counts[pair] < at_least or best != entry(pair):
                continue  # out of date: the right entry was pushed when the counts changed
            first, second = pair
            piece = pieces[first] + pieces[second].removeprefix("##")
            new = ids.setdefault(piece, len(pieces))
            if new == len(pieces):
                pieces.append(piece)
                bar.update()
            merged, made = pairs.merge(pair, new)
            seen[first] -= merged
            seen[second] -= merged
            seen[new] += merged
            for other in made:
                watch(other)
            # Fewer of a part that is left: every other pair with it scores higher now.
            for other in {*partners[first], *partners[second], *partners[new]}:
                if pairs.counts[other] >= at_least:
                    heappush(heap, entry(other))
                else:
                    partners[other[0]].discard(other)
                    partners[other[1]].discard(other)
    return pieces
