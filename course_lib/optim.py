"""How weights move: optimizers in rising complexity, each the one before plus one idea.

SGD → Momentum → Adam → AdamL2 → AdamW → BertAdam → LAMB, then what surrounds a step: which weights
decay, the learning rate over time, clipping, a guard against spikes, and the initial weights.

The optimizers subclass `torch.optim.Optimizer`, so gradient scalers, schedulers and checkpoints
work with them as with PyTorch's own, whose steps they repeat. They visit one tensor after the
other, which is easy to read and slower than PyTorch's fused kernels. Left out: Nesterov, AMSGrad,
sparse gradients, closures.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.optim.optimizer import ParamsT

Group = dict[str, Any]  # the hyper-parameters of some parameters: lr, betas, eps, weight_decay
State = dict[str, Any]  # what an optimizer remembers of one parameter

# ---------------------------------------------------------------------------------------------
# Optimizers


class Optimizer(torch.optim.Optimizer):
    """Goes through all parameters that have a gradient; a subclass says how one of them moves.

    `hyper` holds the hyper-parameters of a class with their defaults. Each can be given by name,
    for all parameters or for one group. An unknown name or a value out of range is a ValueError.
    """

    hyper: ClassVar[Group] = {}

    def __init__(self, params: ParamsT, **given: Any) -> None:
        unknown = given.keys() - self.hyper.keys()
        if unknown:
            raise ValueError(
                f"{type(self).__name__} has no hyper-parameter {', '.join(sorted(unknown))}; "
                f"it has {', '.join(self.hyper)}"
            )
        super().__init__(params, self.hyper | given)

    def add_param_group(self, param_group: Group) -> None:
        """Take in a group of parameters, once its hyper-parameters are in range."""
        settings = self.defaults | param_group
        for name in self.hyper:
            value = settings[name]
            below = 1.0 if name in ("betas", "momentum") else math.inf
            if not all(0 <= number < below for number in (value if name == "betas" else [value])):
                raise ValueError(f"{name} is {value}; it has to be at least 0 and below {below:g}")
        super().add_param_group(param_group)

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]
        """Move every parameter once."""
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    self._update(p, p.grad, self.state[p], group)

    def _update(self, p: Tensor, grad: Tensor, state: State, group: Group) -> None:
        """Move one parameter in place."""
        raise NotImplementedError


class SGD(Optimizer):
    """θ ← θ − lr · g: downhill, in proportion to the slope."""

    hyper = {"lr": 1e-3}

    def _update(self, p: Tensor, grad: Tensor, state: State, group: Group) -> None:
        p -= group["lr"] * grad


class Momentum(SGD):
    """SGD along u ← momentum · u + g: what keeps its sign adds up, what flips cancels."""

    hyper = SGD.hyper | {"momentum": 0.9}

    def _update(self, p: Tensor, grad: Tensor, state: State, group: Group) -> None:
        if not state:
            state["velocity"] = torch.zeros_like(p)
        velocity = state["velocity"].mul_(group["momentum"]).add_(grad)
        super()._update(p, velocity, state, group)


class Adam(Optimizer):
    """θ ← θ − lr · m̂ / (√v̂ + ε): each weight steps by about lr, however large its gradient.

    m and v are moving averages of g and g². Both start at 0, so early on they are too small by
    1 − βᵗ; m̂ and v̂ divide by that (Kingma & Ba 2015, algorithm 1).
    """

    hyper = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8}

    def _update(self, p: Tensor, grad: Tensor, state: State, group: Group) -> None:
        p -= group["lr"] * self._direction(grad, state, group)

    def _direction(self, grad: Tensor, state: State, group: Group) -> Tensor:
        """Where Adam wants to go, before the learning rate."""
        m, v = self._moments(grad, state, group)
        beta1, beta2 = group["betas"]
        m_hat = m / (1 - beta1 ** state["step"])
        v_hat = v / (1 - beta2 ** state["step"])
        return m_hat / (v_hat.sqrt() + group["eps"])

    def _moments(self, grad: Tensor, state: State, group: Group) -> tuple[Tensor, Tensor]:
        """The moving averages of the gradient and of its square, brought up to date."""
        if not state:
            state.update(step=0, m=torch.zeros_like(grad), v=torch.zeros_like(grad))
        state["step"] += 1
        beta1, beta2 = group["betas"]
        m = state["m"].mul_(beta1).add_(grad, alpha=1 - beta1)
        v = state["v"].mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        return m, v


class AdamL2(Adam):
    """Adam with the penalty ½ · weight_decay · ‖θ‖² added to the loss: not what one wants.

    The decay term joins the gradient, so Adam divides it by √v̂ with the rest: weights with large
    gradients hardly decay. Here for comparison with AdamW (Loshchilov & Hutter 2019, §2).
    """

    hyper = Adam.hyper | {"weight_decay": 0.01}

    def _update(self, p: Tensor, grad: Tensor, state: State, group: Group) -> None:
        super()._update(p, grad + group["weight_decay"] * p, state, group)


class AdamW(Adam):
    """Adam, and beside it θ shrinks by lr · weight_decay: every weight at the same rate.

    The paper writes θ ← θ − η · (α · m̂/(√v̂ + ε) + λ · θ), where η is the schedule and α the
    learning rate; there the decay is *not* multiplied by α. PyTorch, and this class, compute
    θ ← θ − lr · (m̂/(√v̂ + ε) + weight_decay · θ). The two agree when η = lr, α = 1 and
    λ = weight_decay. Reading lr as α and setting η = 1 leaves a decay 1/lr times too strong
    (Loshchilov & Hutter 2019, algorithm 2).
    """

    hyper = Adam.hyper | {"weight_decay": 0.01}

    def _update(self, p: Tensor, grad: Tensor, state: State, group: Group) -> None:
        p *= 1 - group["lr"] * group["weight_decay"]
        super()._update(p, grad, state, group)


class BertAdam(AdamW):
    """AdamW without bias correction and with ε = 1e-6, as BERT was trained.

    Under a steady gradient, step t is (1 − β₁ᵗ)/√(1 − β₂ᵗ) times AdamW's: 3.2 times at first, 6.6
    times at the twelfth step, and near 1 again after some thousand. Warm-up keeps that harmless
    (google-research/bert, optimization.py).
    """

    hyper = AdamW.hyper | {"lr": 1e-4, "eps": 1e-6}

    def _direction(self, grad: Tensor, state: State, group: Group) -> Tensor:
        m, v = self._moments(grad, state, group)
        return m / (v.sqrt() + group["eps"])


class LAMB(AdamW):
    """AdamW whose step is rescaled tensor by tensor to lr · ‖θ‖: made for very large batches.

    The ratio ‖θ‖ / ‖step‖ is 1 where either norm is 0, and in groups without decay: norms and
    biases take a plain Adam step, as in Google's code (You et al. 2020, algorithm 2). The version
    that trained ALBERT leaves out the bias correction.
    """

    hyper = AdamW.hyper | {"eps": 1e-6}

    def _update(self, p: Tensor, grad: Tensor, state: State, group: Group) -> None:
        step = self._direction(grad, state, group) + group["weight_decay"] * p
        if group["weight_decay"] > 0 and p.any() and step.any():
            step *= p.norm() / step.norm()
        p -= group["lr"] * step


def decay_groups(model: nn.Module, weight_decay: float = 0.01) -> list[Group]:
    """Two named parameter groups for an optimizer: matrices decay, norms and biases do not.

    Every norm and bias is a vector, everything else (Linear weights, embedding tables) has at least
    two axes. Frozen parameters are left out; a model with nothing to train is a ValueError.
    """
    named = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
    if not named:
        raise ValueError("no parameter has requires_grad=True: there is nothing to train")
    matrices = [(name, p) for name, p in named if p.ndim >= 2]
    vectors = [(name, p) for name, p in named if p.ndim < 2]
    return [
        {"name": "decay", "params": matrices, "weight_decay": weight_decay},
        {"name": "no decay", "params": vectors, "weight_decay": 0.0},
    ]


# ---------------------------------------------------------------------------------------------
# Schedules: a function from the step to the factor that multiplies the learning rate
#
# Steps count from 0, and factor(step) belongs to the update that comes next. So with warm-up the
# first update has factor 0 and moves nothing, the peak is reached at step = warmup, and the factor
# becomes 0 at step = total, one after the last update. All of this is as in `transformers`.
# BERT's own code differs in one point: there the decay counts from step 0, so that the factor jumps
# to 1 − warmup/total when the warm-up ends.

Schedule = Callable[[int], float]


def warmup_constant(warmup: int) -> Schedule:
    """Linear warm-up, then 1."""
    if warmup < 0:
        raise ValueError(f"warm-up takes {warmup} steps; it has to be at least 0")
    return lambda step: min(1.0, step / warmup) if warmup else 1.0


def warmup_linear(warmup: int, total: int) -> Schedule:
    """Linear warm-up, then a straight line down to 0 at `total`: BERT's schedule."""
    return _warmup_then_decay(warmup, total, lambda done: 1.0 - done)


def warmup_cosine(warmup: int, total: int) -> Schedule:
    """Linear warm-up, then half a cosine wave down to 0 at `total` and 0 beyond: GPT's schedule."""
    return _warmup_then_decay(
        warmup, total, lambda progress: (1 + math.cos(math.pi * progress)) / 2
    )


def _warmup_then_decay(warmup: int, total: int, decay: Callable[[float], float]) -> Schedule:
    if not 0 <= warmup < total:
        raise ValueError(
            f"warm-up takes {warmup} of {total} steps; it has to be at least 0 and end before the "
            "last step"
        )
    rise = warmup_constant(warmup)

    def factor(step: int) -> float:
        if step < warmup:
            return rise(step)
        progress = min(1.0, (step - warmup) / (total - warmup))
        return decay(progress)

    return factor


# ---------------------------------------------------------------------------------------------
# Gradients: clipping and spikes


def clip_gradients_(parameters: Iterable[Tensor], max_norm: float) -> Tensor:
    """Scale all gradients in place so that their joint norm is at most `max_norm`; return the norm.

    The norm returned is the one before clipping. The direction of the step stays, since every
    gradient is multiplied by the same min(1, max_norm / norm). PyTorch adds 1e-6 to that norm, and
    so do we. A norm that is not finite can't be repaired by scaling: skip such a step.
    """
    gradients = [p.grad for p in parameters if p.grad is not None]
    if not gradients:
        raise ValueError("no parameter has a gradient to clip; call backward() first")
    norm = torch.stack([gradient.norm() for gradient in gradients]).norm()
    scale = (max_norm / (norm + 1e-6)).clamp(max=1.0)
    for gradient in gradients:
        gradient *= scale
    return norm


@dataclass
class SpikeGuard:
    """Says which steps to skip: those whose gradient norm is not finite or far above its average.

    Ask `accepts(norm)` before every step. The average starts as a plain mean and becomes an
    exponential one with the given `decay`; the first `grace` norms are accepted unseen. A spike
    moves the average too, but only as much as the largest norm still allowed: one spike hardly
    counts, and a lasting change of scale is accepted after some steps.

    The fields are the whole state: `SpikeGuard(**vars(guard))` resumes it.
    """

    factor: float = 5.0
    decay: float = 0.99
    grace: int = 20
    average: float = 0.0
    seen: int = 0  # finite norms
    spikes: int = 0
    not_finite: int = 0

    def accepts(self, norm: float | Tensor) -> bool:
        """Whether a step with this gradient norm should be taken."""
        norm = float(norm)
        if not math.isfinite(norm):
            self.not_finite += 1
            return False
        limit = self.factor * self.average if self.seen >= self.grace else math.inf
        self.seen += 1
        weight = max(1 - self.decay, 1 / self.seen)
        self.average += weight * (min(norm, limit) - self.average)
        self.spikes += norm > limit
        return norm <= limit

    def report(self) -> str:
        """One line on what was skipped."""
        total = self.seen + self.not_finite
        return (
            f"skipped {self.spikes + self.not_finite} of {total} steps: {self.spikes} spikes above "
            f"{self.factor:g} times the average gradient norm, {self.not_finite} not finite"
        )


# ---------------------------------------------------------------------------------------------
# Initial weights


@torch.no_grad()
def normal_init_(module: nn.Module, std: float = 0.02) -> None:
    """Matrices and tables from N(0, std²), biases 0, gains of norms 1, in all submodules.

    0.02 is BERT's and GPT-2's. BERT's own code draws from a normal cut off at 2 std; this is the
    plain one, as in `transformers`.
    """
    for name, p in module.named_parameters():
        if p.ndim >= 2:
            p.normal_(0.0, std)
        else:
            p.fill_(0.0 if name.endswith("bias") else 1.0)


@torch.no_grad()
def xavier_init_(module: nn.Module) -> None:
    """Weights of every Linear from N(0, 2 / (fan-in + fan-out)), biases 0; the rest stays.

    This keeps the variance of signal and gradient near constant through linear layers
    (Glorot & Bengio 2010, §4.2.1).
    """
    for linear in module.modules():
        if isinstance(linear, nn.Linear):
            nn.init.xavier_normal_(linear.weight)
            if linear.bias is not None:
                linear.bias.zero_()


@torch.no_grad()
def residual_init_(projections: Iterable[nn.Linear], layers: int, std: float = 0.02) -> None:
    """Weights from N(0, std² / 2L) for the Linears that write into the residual stream.

    Those are the last ones of attention and of feed-forward, two a layer. A Pre-LN stream adds up
    2L such terms, so without this its variance grows with depth (GPT-2: Radford et al. 2019, §2.3).
    """
    for projection in projections:
        projection.weight.normal_(0.0, std / math.sqrt(2 * layers))
