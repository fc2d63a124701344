"""What one forward pass of a backbone costs, by formula: two operations a multiply-add.

Matrix products only, as `torch.utils.flop_counter` counts them; sums, norms, softmax and look-ups
are small beside them. Heads are left out: `trace.py` measures whatever runs.
"""

from course_lib.bricks.disentangled import Disentangled
from course_lib.bricks.embeddings import Relative
from course_lib.bricks.longformer import SlidingWindow
from course_lib.spec import Spec


def flops(spec: Spec, tokens: int, global_tokens: int = 0) -> int:
    """The operations of one sequence's forward pass."""
    return sum(flops_by_part(spec, tokens, global_tokens).values())


def flops_by_part(spec: Spec, tokens: int, global_tokens: int = 0) -> dict[str, int]:
    """The operations by part, all layers together.

    Sharing weights between layers (ALBERT) saves none. A causal mask saves none either: all pairs
    are computed, and those in the future hidden. Raises `ValueError` for more tokens than fit.
    """
    if spec.longest is not None and tokens > spec.longest:
        raise ValueError(f"{tokens} tokens, but {spec.name} has positions for {spec.longest}.")
    t, d, e, f, l = tokens, spec.width, spec.embedding_width, spec.feedforward, spec.layers  # noqa: E741
    keys = t
    if isinstance(spec.attention, SlidingWindow):
        radius = spec.attention.window // 2
        t = -(-t // radius) * radius  # whole blocks
        keys = 3 * radius + global_tokens  # a block's queries meet three blocks of keys
    parts = {
        "embedding projection": 0 if e == d else linear(tokens, e, d),
        "query, key, value, output": l * 4 * linear(t, d, d),
        "scores and mixing": l * 2 * linear(t, d, keys),
        "relative positions": 0,
        "global tokens": 0,
        "feed-forward": l * 2 * linear(tokens, d, f),
    }
    if isinstance(spec.attention, Disentangled):
        assert isinstance(spec.embeddings.positions, Relative)
        r = 2 * min(t, spec.embeddings.positions.distance)
        parts["relative positions"] = l * (2 * linear(r, d, d) + 2 * linear(t, d, r))
    if global_tokens:
        parts["global tokens"] = l * (3 * linear(t, d, d) + 2 * linear(global_tokens, d, t))
    return parts


def linear(rows: int, width: int, columns: int) -> int:
    """The operations of a matrix product, rows × width times width × columns."""
    return 2 * rows * width * columns
