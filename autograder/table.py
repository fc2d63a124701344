"""Plain tables for the terminal."""

import shutil
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence

from autograder.bank import Trial
from autograder.chapters import Place
from autograder.mend_first import mend_first
from autograder.outcome import Outcome, Part, Record
from autograder.own_work import Standing
from autograder.skeleton import Skeleton, titles_of_parts

WAITS = "for a person"  # a written answer
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


def parts_table(
    record: Record, skeletons: Mapping[str, Skeleton], where: Mapping[str, Place]
) -> str:
    """A learner's table: part, points, and under a part that is not right what to look at."""
    titles, first = titles_of_parts(skeletons), mend_first(record, skeletons)
    rows = [
        [
            titles.get(part.grade_id, part.grade_id),
            f"{part.score:g}" if part.score is not None else "",
            f"{part.points:g}",
        ]
        for part in record.parts
    ]
    head, *lines = table(["part", "points", "of"], rows).splitlines()
    width = max(40, shutil.get_terminal_size().columns - 4)
    for part, line in zip(record.parts, lines, strict=True):
        head += f"\n{line}"
        if part.outcome is not Outcome.PASSED:
            hints = [what_to_look_at(part)]
            if part.grade_id in first:
                hints.insert(0, f"First mend what it calls: {titles[first[part.grade_id]]}")
            if part.grade_id in where and not part.by_hand:
                hints.append(f"Read again: {where[part.grade_id].words}")
            for hint in hints:
                head += "\n" + textwrap.fill(
                    hint, width, initial_indent="    ", subsequent_indent="    "
                )
    return head


def progress_table(standings: Sequence[Standing]) -> str:
    """A learner's table over all assignments, and a line that sums it up."""
    rows = [
        [
            one.assignment,
            f"{one.parts - len(one.missing) if one.record else 0} of {one.parts}",
            f"{one.score:g}",
            f"{one.points:g}",
            textwrap.shorten(one.problem or _next(one), 100, placeholder=" …"),
        ]
        for one in standings
    ]
    done = sum(bool(one.record) and not one.missing for one in standings)
    total = f"{sum(one.score for one in standings):g} of {sum(one.points for one in standings):g}"
    lines = [
        table(["assignment", "done", "points", "of", "next"], rows),
        f"{total} points; {done} of {len(standings)} assignments done",
    ]
    if waiting := sum(one.waiting for one in standings):
        lines.append(f"{waiting:g} more points are for texts that a person grades.")
    return "\n".join(lines)


def _next(standing: Standing) -> str:
    """The first part that is not done, and what to look at."""
    if not standing.record:
        return "not begun"
    if not standing.missing:
        return ""
    part = standing.missing[0]
    title = titles_of_parts(standing.skeletons).get(part.grade_id, part.grade_id)
    return f"{title}: {'still to be written' if part.by_hand else what_to_look_at(part)}"


def class_table(records: Sequence[Record], titles: Mapping[str, str]) -> str:
    """An instructor's table: how often each part ended in each way, or waits for a person."""
    ended = [(part.grade_id, _ended(part)) for record in records for part in record.parts]
    counts = Counter(ended)
    columns = [one for one in (*Outcome, WAITS) if any(one == end for _, end in ended)]
    parts = dict.fromkeys(name for name, _ in ended)
    rows = [
        [titles.get(name, name), *(str(counts[name, one]) for one in columns)] for name in parts
    ]
    return table(["part", *columns], rows)


def _ended(part: Part) -> str:
    return WAITS if part.by_hand else part.outcome


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
    return textwrap.shorten(lines[0], 300, placeholder=" …") if lines else str(part.outcome)
