"""Print the parity table: `python -m tests.parity` or `make parity`."""

import torch
from tqdm import tqdm

from course_lib import VARIANTS
from tests.parity.cases import CASES
from tests.parity.compare import TOLERANCE, Differences, differences
from tests.parity.counts import BUILD, PUBLISHED, parameters

KINDS = ("hidden", "head", "gradients")


def measure(progress: tqdm) -> dict[str, dict[torch.dtype, Differences]]:
    """The largest differences of each variant over its heads, in both precisions."""
    worst = {name: dict.fromkeys(TOLERANCE, Differences()) for name in CASES}
    for name, case in CASES.items():
        for head in case.heads:
            for dtype in TOLERANCE:
                progress.set_postfix_str(f"{name} {head or 'backbone'}")
                worst[name][dtype] |= differences(case, head, dtype)
                progress.update()
    return worst


def rows(worst: dict[str, dict[torch.dtype, Differences]]) -> list[list[str]]:
    """The table, headings first."""
    headings = [f"{kind} {bits}" for bits in (32, 64) for kind in KINDS]
    table = [["variant", *headings, "parameters", "published", "as"]]
    for name, by_dtype in worst.items():
        numbers = [f"{getattr(by_dtype[t], kind):.1e}" for t in TOLERANCE for kind in KINDS]
        exact = PUBLISHED[name]["parameters"]
        column = 0 if exact[0] else 1  # the backbone, with a pooler where there is one
        computed = parameters(VARIANTS[name], **BUILD[column])
        counts = [f"{computed:,}", f"{exact[column]:,}", PUBLISHED[name]["published"]]
        table.append([name, *numbers, *counts])
    return table


def main() -> int:
    """Measure, print, and say by the exit status whether all is within the tolerance."""
    total = sum(len(case.heads) for case in CASES.values()) * len(TOLERANCE)
    with tqdm(total=total, unit="model") as progress:
        worst = measure(progress)
    table = rows(worst)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    print("Largest absolute difference from the reference, in float32 and float64; exact counts\n")
    for row in table:
        first, *others = (f"{x:>{w}}" for x, w in zip(row, widths, strict=True))
        print(row[0].ljust(len(first)), *others, sep="  ")
    failures = 0
    for name, by_dtype in worst.items():
        for dtype, difference in by_dtype.items():
            try:
                difference.check(dtype)
            except AssertionError as error:
                failures += 1
                print(f"{name}, {dtype}: {error}")
    wrong = [row[0] for row in table[1:] if row[-3] != row[-2]]
    if wrong:
        print(f"The numbers of parameters are off: {', '.join(wrong)}")
    return 1 if failures or wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
