"""How BERT and GPT work inside: ten variants of BERT and a GPT from the same bricks."""

from course_lib.model import Transformer, assemble, build, grow_vocabulary
from course_lib.spec import Spec, diff
from course_lib.variants import VARIANTS

ALPHABET = {
    "b": "batch: sequences at once",
    "t": "tokens of a sequence",
    "q": "query tokens, where queries and keys differ in number",
    "k": "key tokens, where queries and keys differ in number",
    "h": "heads",
    "c": "width of one head (the literature's d_k)",
    "d": "width of the model (the literature's d_model or H)",
    "e": "width of the embedding tables",
    "f": "width inside the feed-forward network",
    "v": "vocabulary",
    "r": "rows for relative positions",
    "l": "layers",
    "w": "columns of a window",
    "g": "global tokens",
    "n": "blocks or spans",
    "p": "packed tokens: the real ones of all sequences in one row",
}

__all__ = [
    "ALPHABET",
    "VARIANTS",
    "Spec",
    "Transformer",
    "assemble",
    "build",
    "diff",
    "grow_vocabulary",
]
