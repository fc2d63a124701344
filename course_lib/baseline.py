"""The baseline to beat: TF-IDF of character n-grams and logistic regression.

It trains in seconds, needs no tokenizer and no pre-training, and is hard to beat on short texts.
"""

import math
from collections import Counter
from collections.abc import Sequence

import torch
from torch import Tensor

from course_lib import losses


def ngrams(text: str, longest: int = 2) -> list[str]:
    """All character n-grams of a text, n from 1 to `longest`.

    >>> ngrams("天气好")
    ['天', '气', '好', '天气', '气好']
    """
    return [text[i : i + n] for n in range(1, longest + 1) for i in range(len(text) - n + 1)]


class TfIdf:
    """Texts as rows of weights, one column for each n-gram that occurs in `rarest` texts or more.

    A weight is (1 + ln count) · (1 + ln((1 + texts) / (1 + texts with it))), and each row has
    length 1. These are scikit-learn's formulas with `sublinear_tf=True`.
    """

    def __init__(self, texts: Sequence[str], longest: int = 2, rarest: int = 2) -> None:
        found = Counter(gram for text in texts for gram in set(ngrams(text, longest)))
        self.longest = longest
        self.column = {
            gram: i for i, gram in enumerate(sorted(g for g in found if found[g] >= rarest))
        }
        if not self.column:
            raise ValueError(f"no n-gram occurs in {rarest} of the {len(texts)} texts")
        self.idf = torch.tensor(
            [1 + math.log((1 + len(texts)) / (1 + found[gram])) for gram in self.column]
        )

    def __call__(self, texts: Sequence[str]) -> Tensor:
        """A sparse matrix with a row for each text."""
        places, values = [], []
        for row, text in enumerate(texts):
            counts = Counter(g for g in ngrams(text, self.longest) if g in self.column)
            places += [(row, self.column[gram]) for gram in counts]
            values += [1 + math.log(count) for count in counts.values()]
        index = torch.tensor(places, dtype=torch.long).reshape(-1, 2).T
        weights = torch.tensor(values) * self.idf[index[1]]
        squares = torch.zeros(len(texts)).index_add(0, index[0], weights**2)
        weights = weights / squares.sqrt()[index[0]]
        size = (len(texts), len(self.column))
        return torch.sparse_coo_tensor(index, weights, size, check_invariants=False).coalesce()


class LogisticRegression:
    """TF-IDF, then one weight for each n-gram and class; called on texts, it returns their logits.

    The penalty on all weights is ½‖W‖²/strength, as in scikit-learn with more than two classes.
    """

    def __init__(
        self, texts: Sequence[str], labels: Sequence[int], strength: float = 1.0, steps: int = 100
    ) -> None:
        self.features = TfIdf(texts)
        rows, classes = self.features(texts), max(labels) + 1
        self.weight = torch.zeros(len(self.features.column), classes, requires_grad=True)
        self.bias = torch.zeros(classes, requires_grad=True)
        target = torch.tensor(labels)
        optimizer = torch.optim.LBFGS(
            [self.weight, self.bias], max_iter=steps, line_search_fn="strong_wolfe"
        )

        def closure() -> Tensor:
            optimizer.zero_grad()
            error = losses.cross_entropy(rows @ self.weight + self.bias, target)
            penalty = self.weight.square().sum() / (2 * strength * len(texts))
            loss = error + penalty
            torch.autograd.backward(loss)
            return loss

        optimizer.step(closure)  # type: ignore[no-untyped-call]

    @torch.no_grad()
    def __call__(self, texts: Sequence[str]) -> Tensor:
        """Logits, a row for each text."""
        return self.features(texts) @ self.weight + self.bias
