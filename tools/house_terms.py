"""Find second names for things that have one: the glossary's term is the only one we use.

Looked at is prose: chapters, README and CONTRIBUTING, the assignments' text, and docstrings. Left
out are code, formulas, and what stands in quotation marks, such as the claims of others.
"""

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from prose_numbers import HARMLESS, NOT_OURS, blank, paragraphs

TERMS = {
    "model width": ["hidden size", "hidden dimension", "model dimension", "embedding dimension"],
    "head width": ["head dimension", "head size", "dimension per head"],
    "feed-forward network": ["feedforward", "feed forward", "FFN", "intermediate size"],
    "attention weights": ["attention probabilities", "attention coefficients"],
    "score": ["attention logits", "attention energies"],
    "segment": ["token type embedding", "token-type embedding", "sentence embedding table"],
    "LayerNorm": ["layer norm", "layer-norm", "layer normalization", "layer normalisation"],
    "Post-LN": ["post-norm", "post-layernorm"],
    "Pre-LN": ["pre-norm", "pre-layernorm"],
    "KV cache": ["KV-cache", "key-value cache", "key/value cache"],
    "masked language model": ["masked LM", "masked-LM"],
    "next-sentence prediction": ["next sentence prediction"],
    "pre-training": ["pretraining", "pre training"],
    "pre-trained": ["pretrained"],
    "fine-tuning": ["finetuning", "fine tuning"],
    "warm-up": ["warmup"],
    "optimizer": ["optimiser"],
    "tokenizer": ["tokeniser"],
    "subword": ["sub-word"],
    "cross-entropy": ["cross entropy"],
    "encoder–decoder": ["encoder-decoder", "seq2seq model"],
    "gradient norm": ["grad norm", "grad-norm"],
    "residual stream": ["skip connection", "shortcut connection"],
    "hidden test": ["secret test"],
}
TWINS = re.compile(
    r"(?<![\w\"/-])(?<!/ )(?:"
    + "|".join(re.escape(twin) for twins in TERMS.values() for twin in twins)
    + r")s?(?![\w\"-]|\.\w|\(|=| −)",
    re.IGNORECASE,
)
HOUSE = {twin.lower(): term for term, twins in TERMS.items() for twin in twins}


def twins(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, banned name and our name for each second name in the prose of a MyST text."""
    for line, paragraph in paragraphs(text):
        paragraph = HARMLESS.sub(blank, NOT_OURS.sub(blank, paragraph))
        for match in TWINS.finditer(paragraph):
            found = match[0].lower()
            ours = HOUSE.get(found) or HOUSE.get(found.removesuffix("s")) or ""
            yield line + paragraph.count("\n", 0, match.start()), match[0], ours


def prose_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts of a file that readers read, each with the line before its first."""
    content = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        for cell in json.loads(content)["cells"]:
            if cell["cell_type"] == "markdown":
                yield 0, "".join(cell["source"])
    elif path.suffix == ".py":
        for node in ast.walk(ast.parse(content)):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                text = ast.get_docstring(node, clean=False)
                if text:
                    yield node.body[0].lineno - 1, text
    else:
        yield 0, content


def main(names: list[str]) -> int:
    """Report the second names in these files."""
    found = [
        f"{name}:{before + line}: {twin!r}; we say {ours!r}"
        for name in names
        for before, text in prose_of(Path(name))
        for line, twin, ours in twins(text)
    ]
    print("\n".join(found))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
