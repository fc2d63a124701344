"""Find numbers in chapters that look measured but were typed.

A measured number is glued from the page's own run, a published one stands in a sentence with a
citation, and one that is true by definition is marked: `[15 %]{.defined}`. Looked at are decimals
and numbers with a unit, in prose. Whole numbers without a unit, formulas, code, versions and
section numbers are not.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

NOT_PROSE = {"code-cell", "code-block", "math", "bibliography", "claims-ledger", "raw", "mermaid"}
FENCE = re.compile(r"^\s*(`{3,}|:{3,}|~{3,})(?:\{([\w:-]+)\})?")
OPTION = re.compile(r"^\s*:[\w-]+:")
SENTENCE_END = re.compile(r"(?<=[.!?:])\s+(?=[A-Z{`*\[$])")
HARMLESS = re.compile(
    r"\[[^\]]*\]\{[^}]*\.defined[^}]*\}"  # marked as a definition
    r"|\{[\w:-]+\}`[^`]*`"  # roles: glue, doc, ref
    r"|(`+).+?\1"  # code
    r"|\]\([^)]*\)|<https?:[^>]*>"  # addresses
    r"|\b\d+(?:\.\d+){2,}\w*"  # versions: 1.0.4
    r"|\b(?:Python|PyTorch|torch|CUDA|NumPy)[\s~]\d+(?:\.\d+)*"
    r"|(?i:\b(?:version|section|figure|table|equation|chapter|appendix)s?|§)[\s~]?\d+(?:\.\d+)*"
)
NOT_OURS = re.compile(r"\$\$.+?\$\$|\$[^$]+\$|“[^”]*”", re.DOTALL)  # formulas, quoted claims
UNIT = (
    r"%|percent\b|×|times\b|fold\b|[mµn]s\b|s\b|seconds?\b|minutes?\b|hours?\b"
    r"|[kKMGT]i?B\b|bytes\b|points?\b|[GT]?FLOPs?\b"
)
MEASURED = re.compile(
    rf"(?<![\w.])(?<!\w[-−])[-−]?\d[\d,]*(?:\.\d+\b|(?:\.\d+)?\s?(?:{UNIT}))(?:\s?(?:{UNIT}))?"
)


def typed_numbers(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and number for each measured-looking number that nothing vouches for."""
    for line, paragraph in paragraphs(text):
        paragraph = NOT_OURS.sub(blank, paragraph)
        start = 0
        for sentence in SENTENCE_END.split(paragraph):
            start = paragraph.index(sentence, start)
            if "{cite" not in sentence:
                for match in MEASURED.finditer(HARMLESS.sub(blank, sentence)):
                    yield line + paragraph.count("\n", 0, start + match.start()), match[0]


def blank(match: re.Match[str]) -> str:
    """Spaces in place of what was found, so that nothing else moves."""
    return re.sub(r"\S", " ", match[0])


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Yield the prose of a MyST page, paragraph by paragraph, with the line each starts on."""
    block: list[str] = []
    skip_until = "---" if text.startswith("---") else ""
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        fence = FENCE.match(line)
        if skip_until:
            if number > 1 and line.strip() == skip_until:
                skip_until = ""
            continue
        if fence or not line.strip() or OPTION.match(line):
            if block:
                yield number - len(block), "\n".join(block)
                block = []
            opens = fence and line.strip() != fence[1]
            if opens and (fence[2] is None or fence[2] in NOT_PROSE):
                skip_until = fence[1]
        else:
            block.append(line)


def main(pages: list[str]) -> int:
    """Report the typed numbers of these pages."""
    found = [
        f"{page}:{line}: {number!r} looks measured: glue, cite or mark it"
        for page in pages
        for line, number in typed_numbers(Path(page).read_text(encoding="utf-8"))
    ]
    print("\n".join(found))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
