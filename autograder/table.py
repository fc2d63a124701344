"""Plain tables for the terminal."""

from collections.abc import Sequence

from autograder.bank import Trial
from autograder.outcome import Outcome, Part, Record

VISIBLE_CHECKS_PASS = "The checks you can see pass."


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as their longest entry; numbers to the right.

    >>> print(table(["part", "points"], [["add", "2"], ["double", "10"]]))
    part    points
    add          2
    double      10
    """
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    right = [
        all(row[i].replace(".", "").replace("-", "").isdigit() for row in rows if row[i])
        for i in range(len(head))
    ]
    return "\n".join(
        "  ".join(
            text.rjust(width) if to_the_right else text.ljust(width)
            for text, width, to_the_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in [head, *rows]
    )


def parts_table(record: Record) -> str:
    """A learner's table: part, points, what to look at."""
    rows = [
        [
            part.grade_id,
            f"{part.score:g}" if part.score is not None else "",
            f"{part.points:g}",
            "" if part.outcome is Outcome.PASSED else what_to_look_at(part),
        ]
        for part in record.parts
    ]
    return table(["part", "points", "of", "what to look at"], rows)


def class_table(records: Sequence[Record]) -> str:
    """An instructor's table: how often each part ended in each way."""
    outcomes = [one for one in Outcome if any(p.outcome is one for r in records for p in r.parts)]
    counts: dict[str, dict[Outcome, int]] = {}
    for record in records:
        for part in record.parts:
            row = counts.setdefault(part.grade_id, dict.fromkeys(outcomes, 0))
            if not part.by_hand:
                row[part.outcome] += 1
    rows = [[name, *(str(row[one]) for one in outcomes)] for name, row in counts.items()]
    return table(["part", *outcomes], rows)


def bank_table(trials: Sequence[Trial]) -> str:
    """An author's table: wrong answers rejected, right ones accepted, seconds."""
    rows = []
    for part in dict.fromkeys(trial.part for trial in trials):
        mine = [trial for trial in trials if trial.part == part]
        wrong = [trial for trial in mine if not trial.should_pass]
        right = [trial for trial in mine if trial.should_pass]
        seconds = sum(trial.record.timings.get("all", 0.0) for trial in mine)
        rows.append([part, _share(wrong), _share(right), f"{seconds:.1f}"])
    return table(["part", "wrong rejected", "right accepted", "seconds"], rows)


def _share(trials: Sequence[Trial]) -> str:
    return f"{sum(trial.as_it_should for trial in trials)} of {len(trials)}"


def what_to_look_at(part: Part) -> str:
    """The known mistake a part looks like, else the first thing that was said against it."""
    if part.looks_like:
        return f"looks like: {part.looks_like}"
    lines = [line for line in part.message.strip().splitlines() if line != VISIBLE_CHECKS_PASS]
    return lines[0][:100] if lines else str(part.outcome)
