"""The instructor's page about an assignment: what failed and why, and where to look.

It quotes tests and student code, so it is for the instructor's eyes only. Everything from a
submission is escaped, and a content security policy forbids scripts.
"""

import io
import keyword
import math
import tokenize
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import mean, median

from autograder.batch import read_record, write_whole
from autograder.course import Course, CourseError
from autograder.feedback import STYLE, safe
from autograder.outcome import Outcome, Part, Record
from autograder.skeleton import Skeleton, titles_of_parts
from autograder.table import what_to_look_at

ALIKE = 0.9  # share of token runs two answers have in common before they are shown
RUN = 5  # tokens in a run
MIN_RUNS = 25  # shorter answers are alike by necessity
BINS = 10

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}
body {{ max-width: 70rem }}
h2 {{ margin: 2rem 0 .5rem }} h3 {{ font-size: 1rem; margin: 1rem 0 .3rem }}
.wide {{ overflow-x: auto }}
table {{ border-collapse: collapse }}
td, th {{ border: 1px solid var(--line); padding: .2rem .6rem; text-align: left }}
td.number {{ text-align: right; white-space: nowrap }}
.pair {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: 1rem }}
</style>
</head>
<body><main>
<h1>{title}</h1>
{body}
</main></body>
</html>
"""


def write_report(course: Course, assignment: str) -> Path:
    """Write `autograded/report-<assignment>.html` from the records."""
    found = (read_record(course, assignment, name) for name in course.submissions(assignment))
    records = [record for record in found if record]
    if not records:
        raise CourseError(f"nothing of {assignment} is graded yet")
    folder = course.root / str(course.directories.autograded_directory)
    path = folder / f"report-{assignment}.html"
    write_whole(path, page(records, course.skeletons(assignment)))
    return path


def page(records: Sequence[Record], skeletons: Mapping[str, Skeleton]) -> str:
    """The report as HTML."""
    titles = titles_of_parts(skeletons)
    sections = [
        _distribution(records),
        _parts(records, titles),
        _reasons(records, titles),
        _mended(records, titles),
        _slowest(records),
        _copies(records, skeletons, titles),
    ]
    return PAGE.format(
        style=STYLE, title=safe(f"Report: {records[0].assignment}"), body="\n".join(sections)
    )


def _distribution(records: Sequence[Record]) -> str:
    shares = [record.score / (_decided(record) or 1.0) for record in records]
    counts = Counter(min(int(share * BINS), BINS - 1) for share in shares)
    unit = max(1.0, max(counts.values()) / 30)  # submissions that a block of a bar stands for
    rows = [
        [
            f"{100 * n // BINS}–{100 * (n + 1) // BINS} %",
            str(counts[n]),
            "▇" * math.ceil(counts[n] / unit),
        ]
        for n in range(BINS)
    ]
    scores = [record.score for record in records]
    text = f"{len(records)} submissions; mean {mean(scores):.2f}, median {median(scores):.2f} "
    text += f"of {records[0].points:g} points"
    if any(part.by_hand for record in records for part in record.parts):
        text += "; written answers that a person grades are not in these numbers"
    return f"<h2>Scores</h2><p>{text}</p>{_table(['share of points', 'submissions', ''], rows)}"


def _decided(record: Record) -> float:
    return sum(part.points for part in record.parts if part.score is not None)


def _parts(records: Sequence[Record], titles: Mapping[str, str]) -> str:
    rows = []
    seen = [one for one in Outcome if any(p.outcome is one for r in records for p in r.parts)]
    for key, parts in _by_part(records):
        if parts[0].by_hand:
            continue
        counts = Counter(part.outcome for part in parts)
        passed = counts[Outcome.PASSED]
        sign = {0: "nobody passes", len(parts): "everybody passes"}.get(passed, "")
        share = mean((part.score or 0.0) / part.points if part.points else 0.0 for part in parts)
        rows.append(
            [titles.get(key, key), f"{share:.0%}", *(str(counts[one]) for one in seen), sign]
        )
    rows.sort(key=lambda row: int(row[1][:-1]))
    head = ["part", "points earned", *seen, ""]
    if not any(row[-1] for row in rows):  # a column without a word in it
        head, rows = head[:-1], [row[:-1] for row in rows]
    return "<h2>Parts, hardest first</h2>" + _table(head, rows)


def _reasons(records: Sequence[Record], titles: Mapping[str, str]) -> str:
    """The most frequent mistakes, else first lines of what the tests said."""
    pieces = ["<h2>What was said most often</h2>"]
    for key, parts in _by_part(records):
        said = Counter(
            what_to_look_at(part)
            for part in parts
            if part.outcome not in (Outcome.PASSED, Outcome.NOT_RUN) and part.message.strip()
        )
        if said:
            rows = [[text[:200], str(count)] for text, count in said.most_common(5)]
            title = safe(titles.get(key, key))
            pieces.append(f"<h3>{title}</h3>{_table(['message', 'submissions'], rows)}")
    return "".join(pieces)


def _mended(records: Sequence[Record], titles: Mapping[str, str]) -> str:
    rows = [
        [record.student, titles.get(note.grade_id, note.grade_id) or note.notebook, note.text]
        for record in records
        for note in record.notes
    ]
    return "<h2>Mended or odd</h2>" + _table(["student", "where", "note"], rows)


def _slowest(records: Sequence[Record]) -> str:
    slow = sorted(records, key=lambda record: -record.timings.get("all", 0.0))[:5]
    rows = [[record.student, f"{record.timings.get('all', 0.0):.1f}"] for record in slow]
    return "<h2>Slowest</h2>" + _table(["student", "seconds"], rows)


def _copies(
    records: Sequence[Record], skeletons: Mapping[str, Skeleton], titles: Mapping[str, str]
) -> str:
    stubs = {
        (name, cell.grade_id): cell.stub
        for name, skeleton in skeletons.items()
        for cell in skeleton.cells
        if cell.is_answer
    }
    pieces = ["<h2>Answers that are much alike</h2>"]
    pairs = sorted(similar_answers(records, stubs), key=lambda pair: (-pair[0], pair[1]))
    for share, key, first, second in pairs[:50]:
        title = f"{titles.get(key[1], key[1])}: {first.student} and {second.student}, {share:.0%}"
        texts = [safe(record.answers[key[0]][key[1]]) for record in (first, second)]
        columns = "".join(f"<pre>{text}</pre>" for text in texts)
        pieces.append(
            f"<details><summary>{safe(title)}</summary><div class='pair'>{columns}</div></details>"
        )
    if not pairs:
        pieces.append("<p>None. Short answers are not compared: they are alike by necessity.</p>")
    return "".join(pieces)


def similar_answers(
    records: Sequence[Record], stubs: dict[tuple[str, str], str]
) -> Iterable[tuple[float, tuple[str, str], Record, Record]]:
    """Pairs of answers that share most runs of tokens, names and comments apart."""
    for key, stub in stubs.items():
        common = runs(stub)
        prints = [
            (record, runs(record.answers.get(key[0], {}).get(key[1], "")) - common)
            for record in records
        ]
        long = [(record, own) for record, own in prints if len(own) >= MIN_RUNS]
        for (first, a), (second, b) in combinations(long, 2):
            if (share := len(a & b) / len(a | b)) >= ALIKE:
                yield share, key, first, second


def runs(source: str) -> frozenset[tuple[str, ...]]:
    """Runs of tokens with every name made equal, so that renaming hides nothing."""
    words: list[str] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.NAME:
                words.append(token.string if keyword.iskeyword(token.string) else "name")
            elif token.type in (tokenize.NUMBER, tokenize.STRING, tokenize.OP):
                words.append(token.string)
    except (tokenize.TokenError, SyntaxError):
        pass  # what was read so far still counts
    return frozenset(tuple(words[n : n + RUN]) for n in range(len(words) - RUN + 1))


def _by_part(records: Sequence[Record]) -> list[tuple[str, list[Part]]]:
    found: dict[str, list[Part]] = {}
    for record in records:
        for part in record.parts:
            found.setdefault(part.grade_id, []).append(part)
    return list(found.items())


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return "<p>None.</p>"
    cells = "".join(f"<th>{safe(text)}</th>" for text in head)
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    return f'<div class="wide"><table><tr>{cells}</tr>{body}</table></div>'


def _cell(text: str) -> str:
    number = text.rstrip(" %").replace(".", "").isdigit()
    return f'<td class="number">{safe(text)}</td>' if number else f"<td>{safe(text)}</td>"
