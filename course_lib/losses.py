"""What the models are trained on: every loss as a pure function of outputs and targets.

Each returns a mean over the targets that count, so losses of different batches can be compared.
Several models train on a plain sum of two of them: BERT on `mlm + nsp`, ALBERT on `mlm + sop`,
SpanBERT on `mlm + sbo`.

Before it computes, a loss checks what PyTorch would let pass: a batch without a single target gives
NaN there, a wrong label gives an IndexError on a CPU and kills the process on a GPU.

Left out: the heads that make the logits and the projections that bring a student to the width of
its teacher (`heads`), and the choice of what is masked (`corruption`).
"""

from collections.abc import Sequence

import torch
from torch import Tensor

IGNORED = -100  # the label of a position that asks for no prediction

# ---------------------------------------------------------------------------------------------
# Cross-entropy and the objectives made of it


def cross_entropy(logits: Tensor, labels: Tensor) -> Tensor:
    """The mean of −log p(label) over all labels except −100.

    Logits are `... v`, labels `...`: one label a row of logits, whatever the leading axes.
    Half precision is raised to float32 first. Raises ValueError for shapes that do not fit, labels
    outside 0…v−1, logits that are not finite, and a batch in which every label is −100.
    """
    _check(logits, labels)
    counted = labels != IGNORED
    rows = _at_least_float32(logits[counted])  # one row a label that counts
    log_p = rows.log_softmax(-1)
    return -log_p.gather(-1, labels[counted].long().unsqueeze(-1)).mean()


def mlm(logits: Tensor, labels: Tensor) -> Tensor:
    """Masked language model: logits b t v, labels b t with −100 wherever nothing was masked.

    A mean over the masked positions, not a sum (Devlin et al. 2019, §3.1).
    """
    return cross_entropy(logits, labels)


def causal_lm(logits: Tensor, labels: Tensor) -> Tensor:
    """Language model: logits b t v, labels b t, where labels are the input ids themselves.

    The shift happens in here: position i is asked for token i + 1. So the last row of logits and
    the first label are never used. Padding needs the label −100.
    """
    if logits.ndim != 3 or labels.ndim != 2 or labels.shape[1] < 2:
        raise ValueError(
            f"logits are {tuple(logits.shape)} and labels {tuple(labels.shape)}; causal_lm takes "
            "b t v and b t with at least two tokens, since the first token predicts the second"
        )
    return cross_entropy(logits[:, :-1], labels[:, 1:])


def nsp(logits: Tensor, labels: Tensor) -> Tensor:
    """Next-sentence prediction: logits b 2, labels b, 0 = B follows A, 1 = B is random.

    The logits come from the pooled `[CLS]` vector (Devlin et al. 2019, §3.1).
    """
    return cross_entropy(logits, labels)


def sop(logits: Tensor, labels: Tensor) -> Tensor:
    """Sentence order prediction: logits b 2, labels b, 0 = in order, 1 = swapped.

    Both segments are neighbours in one document (Lan et al. 2020, §3.1).
    """
    return cross_entropy(logits, labels)


def sbo(logits: Tensor, labels: Tensor) -> Tensor:
    """Span boundary objective: logits b n r v, labels b n r with −100 beyond the end of a span.

    Spans at the edge of the text have no outer neighbour and get no target. A batch may therefore
    hold none at all: its loss is 0 (Joshi et al. 2020, §3.2).
    """
    if labels.numel() == 0 or bool((labels == IGNORED).all()):
        return logits.sum() * 0.0  # still part of the graph, so that backward works
    return cross_entropy(logits, labels)


def question_answering(logits: Tensor, starts: Tensor, ends: Tensor) -> Tensor:
    """Extractive answers: logits b t 2, the first and the last token of each answer b.

    The mean of two cross-entropies over the t positions. −100 leaves a question out.
    """
    if logits.ndim != 3 or logits.shape[-1] != 2:
        raise ValueError(f"logits are {tuple(logits.shape)}; question answering takes b t 2")
    return (cross_entropy(logits[..., 0], starts) + cross_entropy(logits[..., 1], ends)) / 2


# ---------------------------------------------------------------------------------------------
# DistilBERT: three losses (Sanh et al. 2019, §2–3, and the released distiller)

DISTILBERT_LAYERS = (0, 2, 4, 7, 9, 11)  # teacher layers the student starts from, counted from 0


def distilbert(kl: Tensor, mlm: Tensor, cosine: Tensor) -> Tensor:
    """5 · KL + 2 · MLM + 1 · cosine, the weights of the published training command."""
    return 5.0 * kl + 2.0 * mlm + 1.0 * cosine


def distillation_kl(
    student: Tensor, teacher: Tensor, mask: Tensor, temperature: float = 2.0
) -> Tensor:
    """KL(teacher ‖ student) of softened distributions, times T².

    Logits are b t v, the mask b t; the mean runs over the tokens whose mask is not 0. Softening
    divides the gradient by T², and the factor T² puts it back (Hinton et al. 2015, §2). The
    teacher gets no gradient.
    """
    student, teacher = _real_rows(student, teacher, mask)
    log_p = (teacher / temperature).log_softmax(-1)
    log_q = (student / temperature).log_softmax(-1)
    return (log_p.exp() * (log_p - log_q)).sum(-1).mean() * temperature**2


def distillation_cosine(student: Tensor, teacher: Tensor, mask: Tensor) -> Tensor:
    """1 − cos(student, teacher), the mean over the tokens whose mask is not 0.

    States are b t d, of the same width, and the mask b t. The teacher gets no gradient.
    """
    student, teacher = _real_rows(student, teacher, mask)
    return 1.0 - torch.cosine_similarity(student, teacher, dim=-1).mean()


# ---------------------------------------------------------------------------------------------
# TinyBERT: four losses (Jiao et al. 2020, §3.1, and the released code)
#
# The first stage sums embedding, hidden and attention losses. So does the first half of the second
# stage; its second half trains on the prediction loss alone.

MASKED_SCORE = -100.0  # a score this low can only come from a mask


def layer_map(student_layers: int, teacher_layers: int) -> list[int]:
    """The teacher layer that each student layer learns from: g(m) = m · teacher/student.

    Layer 0 is the embedding, so `layer_map(4, 12)` is `[0, 3, 6, 9, 12]`.
    """
    if student_layers < 1 or teacher_layers % student_layers:
        raise ValueError(
            f"{teacher_layers} teacher layers can't be shared out evenly among {student_layers} "
            "student layers; take a student whose depth divides the teacher's"
        )
    stride = teacher_layers // student_layers
    return [layer * stride for layer in range(student_layers + 1)]


def tinybert_embedding(student: Tensor, teacher: Tensor) -> Tensor:
    """Mean squared error of two embedding outputs b t d, the student's already projected.

    Padding counts too, as in the released code. The teacher gets no gradient.
    """
    return _mean_squared_error(student, teacher)


def tinybert_hidden(student: Sequence[Tensor], teacher: Sequence[Tensor]) -> Tensor:
    """The mean squared error of each pair of layers b t d, summed over the pairs.

    Both sequences hold the layers to be compared, in order: choose the teacher's with `layer_map`.
    """
    _check_pairs(student, teacher)
    pairs = zip(student, teacher, strict=True)
    return torch.stack([_mean_squared_error(ours, theirs) for ours, theirs in pairs]).sum()


def tinybert_attention(student: Sequence[Tensor], teacher: Sequence[Tensor]) -> Tensor:
    """The mean squared error of attention scores b h q k before the softmax, summed over layers.

    The mean over the axis h makes it the paper's average over heads, so both models need the same
    number of heads. Scores of −100 and below are masked pairs and count as 0 on both sides.
    """
    _check_pairs(student, teacher)
    pairs = zip(student, teacher, strict=True)
    return torch.stack(
        [_mean_squared_error(_unmasked(ours), _unmasked(theirs)) for ours, theirs in pairs]
    ).sum()


def tinybert_prediction(student: Tensor, teacher: Tensor, temperature: float = 1.0) -> Tensor:
    """Cross-entropy of the student's logits with the teacher's probabilities, mean over the batch.

    Logits are `... v`. The released code also divides by v, which only rescales the gradient.
    """
    _check_same(student, teacher)
    p = (_at_least_float32(teacher.detach()) / temperature).softmax(-1)
    log_q = (_at_least_float32(student) / temperature).log_softmax(-1)
    return -(p * log_q).sum(-1).mean()


# ---------------------------------------------------------------------------------------------
# Helpers


def _at_least_float32(x: Tensor) -> Tensor:
    return x.to(torch.promote_types(x.dtype, torch.float32))


def _unmasked(scores: Tensor) -> Tensor:
    return torch.where(scores <= MASKED_SCORE, 0.0, scores)


def _mean_squared_error(student: Tensor, teacher: Tensor) -> Tensor:
    _check_same(student, teacher)
    return (_at_least_float32(student) - _at_least_float32(teacher.detach())).square().mean()


def _real_rows(student: Tensor, teacher: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    _check_same(student, teacher)
    if mask.shape != student.shape[:-1]:
        raise ValueError(
            f"the mask is {tuple(mask.shape)}; it needs one entry a token, "
            f"{tuple(student.shape[:-1])}"
        )
    real = mask.bool()
    if not real.any():
        raise ValueError("the mask is 0 everywhere: there is no token to compare")
    return _at_least_float32(student[real]), _at_least_float32(teacher.detach()[real])


def _check(logits: Tensor, labels: Tensor) -> None:
    if logits.ndim == 0 or logits.shape[:-1] != labels.shape:
        raise ValueError(
            f"logits are {tuple(logits.shape)} and labels {tuple(labels.shape)}; labels need the "
            "shape of the logits without the last axis, one label a row"
        )
    if labels.is_floating_point() or labels.dtype == torch.bool:
        raise ValueError(f"labels are {labels.dtype}; they have to be whole numbers (torch.long)")
    counted = labels[labels != IGNORED]
    if counted.numel() == 0:
        raise ValueError(
            f"every label is {IGNORED}, so there is nothing to average (PyTorch would return NaN); "
            "each batch needs at least one label that counts"
        )
    classes = logits.shape[-1]
    wrong = counted[(counted < 0) | (counted >= classes)]
    if wrong.numel() > 0:
        raise ValueError(
            f"label {int(wrong[0])} is out of range: {classes} logits a row allow 0…{classes - 1}, "
            f"and {IGNORED} for a position that does not count"
        )
    _check_finite(logits, "logits")


def _check_same(student: Tensor, teacher: Tensor) -> None:
    if student.shape != teacher.shape:
        raise ValueError(
            f"the student's tensor is {tuple(student.shape)}, the teacher's "
            f"{tuple(teacher.shape)}; they are compared entry by entry: bring the "
            "student to the teacher's width first, and take as many heads as the teacher has"
        )
    if student.numel() == 0:
        raise ValueError("there is nothing to compare: the tensors are empty")
    _check_finite(student, "values of the student")
    _check_finite(teacher, "values of the teacher")


def _check_pairs(student: Sequence[Tensor], teacher: Sequence[Tensor]) -> None:
    if len(student) != len(teacher) or not student:
        raise ValueError(
            f"{len(student)} student layers face {len(teacher)} teacher layers; choose one teacher "
            "layer for each student layer, for example with layer_map"
        )


def _check_finite(x: Tensor, what: str) -> None:
    smallest, largest = x.detach().aminmax()  # NaN comes through both; no copy of x is made
    if not (smallest.isfinite() and largest.isfinite()):
        raise ValueError(
            f"the {what} hold NaN or infinity: the model broke before the loss; look for the first "
            "module whose output is not finite"
        )
