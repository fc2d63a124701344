"""The library from a terminal: `python -m course_lib variants | diff | parameters | trace`."""

import argparse
import shutil
import sys
from collections.abc import Sequence

import torch

from course_lib import losses
from course_lib.data import weights_folder
from course_lib.flops import flops
from course_lib.heads import CausalLM
from course_lib.ledger import compare, ledger
from course_lib.model import build, choose
from course_lib.spec import Spec, diff
from course_lib.tables import aligned
from course_lib.tokenizers import WordPiece
from course_lib.trace import trace
from course_lib.variants import VARIANTS

FIRST_BYTE = 4  # the ids before it are special tokens in most vocabularies


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status: 2 where a name or a text is no good."""
    chosen = parser().parse_args(arguments)
    try:
        print(chosen.run(chosen))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    top = argparse.ArgumentParser(prog="python -m course_lib", description=__doc__)
    commands = top.add_subparsers(title="commands", required=True)

    command = commands.add_parser("variants", help="all variants with their sizes")
    command.set_defaults(run=show_variants)

    command = commands.add_parser("diff", help="what one variant changes against another")
    command.add_argument("a")
    command.add_argument("b")
    command.set_defaults(run=show_diff)

    command = commands.add_parser("parameters", help="where a variant's parameters are")
    command.add_argument("name", nargs="?", help="leave out to compare all with published figures")
    command.set_defaults(run=show_parameters)

    command = commands.add_parser("trace", help="a text through a model, line by line")
    command.add_argument("name")
    command.add_argument("--text", default="Time flies like an arrow.")
    command.add_argument("--seed", type=int, default=0, help="of the random weights")
    command.add_argument("--every-layer", action="store_true", help="all layers line by line")
    command.set_defaults(run=show_trace)
    return top


def known(name: str) -> Spec:
    """A variant by name. Raises `ValueError` with the nearest names for an unknown one."""
    choose("variant", name, list(VARIANTS))
    return VARIANTS[name]


def show_variants(chosen: argparse.Namespace) -> str:
    """The variants' sizes, their parameters, and their cost for 128 tokens."""
    headings = ("variant", "l", "d", "h", "f", "e", "v", "longest", "parameters", "GFLOPs")
    rows = [
        (
            name,
            *(f"{n:,}" for n in (spec.layers, spec.width, spec.heads, spec.feedforward)),
            *(f"{n:,}" for n in (spec.embedding_width, spec.vocabulary)),
            f"{spec.longest:,}" if spec.longest else "any",
            f"{ledger(name, 'backbone').total:,}",
            f"{flops(spec, 128) / 1e9:.2f}",
        )
        for name, spec in VARIANTS.items()
    ]
    legend = (
        "l layers, d width, h heads, f feed-forward width, e embedding width, v vocabulary,\n"
        "longest text in tokens; parameters of the backbone; operations for 128 tokens"
    )
    return f"{aligned(headings, rows)}\n\n{legend}"


def show_diff(chosen: argparse.Namespace) -> str:
    """The slots in which two variants differ."""
    return str(diff(known(chosen.a), known(chosen.b)))


def show_parameters(chosen: argparse.Namespace) -> str:
    """One variant's parameters by module, or all published figures beside the exact counts."""
    if chosen.name is None:
        return str(compare())
    return f"{ledger(known(chosen.name).name)}\n\n{compare([chosen.name])}"


def show_trace(chosen: argparse.Namespace) -> str:
    """A model with random weights reads a text, predicts its tokens, and goes back through it."""
    spec = known(chosen.name)
    ids, reading = read(chosen.text, spec)
    causal = CausalLM in spec.pretraining
    torch.manual_seed(chosen.seed)
    model = build(chosen.name, head="lm" if causal else "mlm").eval()
    result = trace(model, ids)
    loss = (losses.causal_lm if causal else losses.mlm)(result.output, ids)
    result.backward(loss)
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    task = "each token from those before it" if causal else "each token of the text"
    return (
        f"{chosen.name}, random weights (seed {chosen.seed}), {ids.size(1)} tokens\n{reading}\n\n"
        f"{result.table(chosen.every_layer, width)}\n\n"
        f"loss {loss.item():.3f} nats, predicting {task}; the gradients are this loss's"
    )


def read(text: str, spec: Spec) -> tuple[torch.Tensor, str]:
    """A text as ids, 1 t, and a line that says how it was read.

    The one vocabulary that a package ships is the uncased one; for variants with another, bytes
    stand in for tokens.
    """
    if not text.strip():
        raise ValueError("The text is empty. Give some words with --text.")
    tokenizer = WordPiece.load(weights_folder())
    if len(tokenizer) == spec.vocabulary:
        ids = tokenizer.encode(text)
        return torch.tensor([ids]), " ".join(tokenizer.names[i] for i in ids)
    ids = [FIRST_BYTE + byte for byte in text.encode()]
    why = f"No package ships the vocabulary of {spec.name}: each byte of the text stands in for a"
    return torch.tensor([ids]), f"{why} token, with the id byte + {FIRST_BYTE}."


if __name__ == "__main__":
    sys.exit(main())
