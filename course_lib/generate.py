"""Generation: one token after another, with the keys and values of the past kept.

The chapter on the cache measures what it saves and what it costs. Left out: beam search, and paging
the cache in blocks.
"""

from collections.abc import Callable, Collection, Iterator

import torch
from torch import Tensor

from course_lib.bricks.attention import SelfAttention
from course_lib.bricks.patterns import Causal
from course_lib.heads import CausalLM, WithHead
from course_lib.spec import Spec


class KVCache:
    """Each layer's keys and values, b h t c, in memory reserved once for `longest` tokens.

    Only a causal model may keep them: there a new token changes no earlier one. `reset` empties the
    cache for the next batch of the same size without giving the memory back. Gradients end here.
    """

    def __init__(
        self,
        spec: Spec,
        batch: int,
        longest: int,
        dtype: torch.dtype | None = None,
        device: torch.device | None = None,
    ) -> None:
        if not is_causal(spec):
            raise ValueError(
                f"{spec.name} sees both sides of a token, so each new token changes all earlier "
                "states and there is nothing to keep. A cache needs a causal model such as gpt2."
            )
        shape = (batch, spec.heads, longest, spec.head_width)
        self.keys, self.values = (
            [torch.empty(shape, dtype=dtype, device=device) for _ in range(spec.layers)]
            for _ in ("keys", "values")
        )
        self.longest = longest
        self.length = 0

    def append(self, layer: int, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Store a layer's new keys and values, b h t c, and return all so far, b h k c.

        Raises `ValueError` where they no longer fit.
        """
        end = self.length + key.size(2)
        if end > self.longest:
            raise ValueError(
                f"The cache was made for {self.longest} tokens and holds {self.length}: "
                f"{key.size(2)} more do not fit. Make it longer, or reset it before a new text."
            )
        keys, values = self.keys[layer], self.values[layer]
        keys[:, :, self.length : end] = key.detach()
        values[:, :, self.length : end] = value.detach()
        if layer == len(self.keys) - 1:
            self.length = end
        return keys[:, :, :end], values[:, :, :end]

    def reset(self) -> None:
        """Forget everything, so that the next token is the first."""
        self.length = 0

    @property
    def bytes(self) -> int:
        """The memory reserved."""
        return sum(x.nbytes for x in [*self.keys, *self.values])


def cache_bytes(spec: Spec, tokens: int, batch: int = 1, bytes_a_number: int = 2) -> int:
    """What keys and values cost: 2 · l · d numbers a token, here of two bytes (float16) each."""
    return 2 * spec.layers * spec.width * tokens * batch * bytes_a_number


def is_causal(spec: Spec) -> bool:
    """Whether a token sees only itself and the past."""
    return isinstance(spec.attention, SelfAttention) and spec.attention.pattern == Causal()


def greedy(logits: Tensor) -> Tensor:
    """The likeliest token of each sequence, b v → b; the lowest id where several are equal."""
    return logits.argmax(dim=-1)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    """Logits with all but the k largest at −∞; what equals the k-th stays too (Fan et al. 2018)."""
    if k < 1:
        raise ValueError(f"top_k={k} keeps nothing. Give at least 1, or None to keep all.")
    kth = logits.topk(min(k, logits.size(-1)), dim=-1).values[..., -1:]
    return logits.masked_fill(logits < kth, -torch.inf)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    """Logits of the fewest likeliest tokens whose probabilities reach p, the rest at −∞.

    The likeliest always stays (nucleus sampling, Holtzman et al. 2020, §3.1).
    """
    if not 0 < p <= 1:
        raise ValueError(f"top_p={p} is no share of the probability. Give 0 < top_p ≤ 1.")
    ordered, index = logits.sort(dim=-1, descending=True, stable=True)
    probability = ordered.softmax(dim=-1)
    before = probability.cumsum(dim=-1) - probability
    drop = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, index, before >= p)
    return logits.masked_fill(drop, -torch.inf)


def distribution(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The probabilities a token is drawn from, b v: softmax(z / T), then cut to the top.

    Temperature 0 is the limit of ever colder ones: all on the likeliest token. Raises `ValueError`
    for a negative temperature.
    """
    if temperature < 0:
        raise ValueError(f"temperature={temperature}: give 0 (greedy) or more.")
    if temperature == 0:
        return torch.nn.functional.one_hot(greedy(logits), logits.size(-1)).to(logits.dtype)
    # The largest becomes 0 before the division: no quotient grows beyond all numbers.
    logits = (logits - logits.amax(dim=-1, keepdim=True)) / temperature
    logits = logits if top_k is None else keep_top_k(logits, top_k)
    logits = logits if top_p is None else keep_top_p(logits, top_p)
    return logits.softmax(dim=-1)


@torch.no_grad()
def stream(
    model: WithHead,
    input_ids: Tensor,
    attention_mask: Tensor | None = None,
    new_tokens: int = 20,
    temperature: float = 0.0,
    top_k: int | None = None,
    top_p: float | None = None,
    stop: Collection[int] = (),
    generator: torch.Generator | None = None,
    cached: bool = True,
    fast: bool = False,
) -> Iterator[Tensor]:
    """Yield each new token as it is found, b, for prompts, b t, short ones padded on the left.

    `attention_mask`, b t, is 0 at that padding. A sequence that reached a token of `stop` repeats
    it; once all have, the stream ends. Without the cache every step computes everything anew: the
    same tokens, slower. With `fast` they come from `course_lib.fast.Decoder`. Raises `ValueError`
    for a model that cannot generate, for right-padded prompts, and where prompt and new tokens
    exceed the model's positions.
    """
    keep = torch.ones_like(input_ids) if attention_mask is None else attention_mask.long()
    check_prompt(model, input_ids, keep, new_tokens)
    if fast and not cached:
        raise ValueError("The fast way always keeps a cache: leave out cached=False.")
    total = input_ids.size(1) + new_tokens
    predict = predictor(model, len(input_ids), total, cached, fast)
    stops = torch.tensor(sorted(stop), dtype=input_ids.dtype, device=input_ids.device)
    done = torch.zeros(len(input_ids), dtype=torch.bool, device=input_ids.device)
    unseen = input_ids
    last = input_ids[:, -1]  # b
    for _ in range(new_tokens):
        logits = predict(unseen, keep)  # b v
        if temperature == 0:
            token = greedy(logits)  # b
        else:
            chances = distribution(logits, temperature, top_k, top_p)  # b v
            token = torch.multinomial(chances, 1, generator=generator)[:, 0]  # b
        last = torch.where(done, last, token)  # b
        yield last
        done = done | torch.isin(last, stops)
        if done.all():
            return
        keep = torch.cat([keep, torch.ones_like(keep[:, :1])], dim=1)  # b t
        new = last[:, None]  # b 1
        unseen = new if cached else torch.cat([unseen, new], dim=1)


def predictor(
    model: WithHead, batch: int, longest: int, cached: bool, fast: bool
) -> Callable[[Tensor, Tensor], Tensor]:
    """What gives the next token's logits, b v, from the unseen ids, b t, and the mask, b k."""
    if fast:
        from course_lib.fast import Decoder  # here, so that who reads this file needs no other

        return Decoder(model, batch, longest)
    weight = model.backbone.embeddings.token.weight
    cache = KVCache(model.spec, batch, longest, weight.dtype, weight.device) if cached else None
    return lambda unseen, keep: model(unseen, keep, cache=cache)[:, -1]


def generate(
    model: WithHead,
    input_ids: Tensor,
    attention_mask: Tensor | None = None,
    new_tokens: int = 20,
    temperature: float = 0.0,
    top_k: int | None = None,
    top_p: float | None = None,
    stop: Collection[int] = (),
    generator: torch.Generator | None = None,
    cached: bool = True,
    fast: bool = False,
) -> Tensor:
    """The prompts, b t, with what the model writes after them: `stream`, collected."""
    tokens = stream(
        model,
        input_ids,
        attention_mask,
        new_tokens=new_tokens,
        temperature=temperature,
        top_k=top_k,
        top_p=top_p,
        stop=stop,
        generator=generator,
        cached=cached,
        fast=fast,
    )
    return torch.cat([input_ids, *(token[:, None] for token in tokens)], dim=1)


def check_prompt(model: WithHead, input_ids: Tensor, keep: Tensor, new_tokens: int) -> None:
    """Raise `ValueError` for a model, a prompt or a length from which nothing can be generated."""
    if not is_causal(model.spec) or not isinstance(model.head, CausalLM):
        raise ValueError(
            f"{model.spec.name} cannot generate: it needs a causal model with the head 'lm', "
            "such as build('gpt2', head='lm')."
        )
    if new_tokens < 1:
        raise ValueError(f"new_tokens={new_tokens}: give at least 1.")
    longest = model.spec.longest
    if longest is not None and input_ids.size(1) + new_tokens > longest:
        raise ValueError(
            f"{input_ids.size(1)} prompt tokens and {new_tokens} new ones exceed the {longest} "
            f"positions of {model.spec.name}. Shorten the prompt or ask for fewer."
        )
    if keep.shape == input_ids.shape and not bool(keep[:, -1].all()):
        raise ValueError(
            "A prompt ends in padding, so its next token would follow the padding. Pad short "
            "prompts on the left."
        )
