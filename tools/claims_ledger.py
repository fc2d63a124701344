"""The ledger of claims: what the executed chapters measured, gathered from their outputs.

`course_lib.claims.claim` leaves one record in the outputs of the cell that calls it. Nothing else
is written, so a chapter that comes from the execution cache counts like one that just ran.
The common claims themselves stand in `book/claims.json`: id, sentence, verdict, and for those that
no cell can decide the chapter that speaks of them and the reason.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from course_lib.tables import spelled

CLAIM_MIME = "application/vnd.course.claim+json"


@dataclass(frozen=True)
class Claim:
    """One measurement, and what was expected of it."""

    docname: str
    key: str
    value: Any
    expected: str
    holds: bool
    ledger: str


def claims_in(docname: str, notebook: nbformat.NotebookNode) -> Iterator[Claim]:
    """Yield the claims that an executed notebook's cells recorded, in reading order."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            record = output.get("data", {}).get(CLAIM_MIME)
            if record is not None:
                yield Claim(
                    docname=docname,
                    key=record["key"],
                    value=record["value"],
                    expected=record["expected"],
                    holds=record["holds"],
                    ledger=record.get("ledger") or "",
                )


class ClaimsLedger(SphinxDirective):
    """`{claims-ledger}`: all claims of the book, with a link to where each is measured."""

    def run(self) -> list[nodes.Node]:
        """Render the table, claims with a ledger number first and in its order."""
        self.env.note_reread()  # other pages decide what stands here
        claims = sorted(
            self.env.app.course_claims, key=lambda claim: (not claim.ledger, claim.ledger)
        )
        rows = "\n".join(
            f"| {claim.ledger or '–'} | {{doc}}`{claim.key} </{claim.docname}>` "
            f"| {spelled(claim.value)} | {claim.expected} "
            f"| {'holds' if claim.holds else '**off**'} |"
            for claim in claims
        )
        head = "| Claim | Measurement | Measured | Expected | Verdict |\n|---|---|---|---|---|\n"
        return classed(self.parse_text_to_nodes(head + rows), "ledger")


class CommonClaims(SphinxDirective):
    """`{common-claims} claims.json`: each common claim, the verdict, and what decided it."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Render the table; measurements link to their page, the rest says why there is none."""
        relative, path = self.env.relfn2path(self.arguments[0])
        self.env.note_dependency(relative)
        self.env.note_reread()
        measured = defaultdict(list)
        for claim in self.env.app.course_claims:
            measured[claim.ledger].append(claim)
        rows = [
            f"| {number} | {escaped(entry['claim'])} | {entry['verdict']} "
            f"| {evidence(entry, measured[number])} |"
            for number, entry in json.loads(Path(path).read_text(encoding="utf-8")).items()
        ]
        head = "| No. | Claim | Verdict | What decided it |\n|---|---|---|---|\n"
        return classed(self.parse_text_to_nodes(head + "\n".join(rows)), "common-claims")


def classed(made: list[nodes.Node], name: str) -> list[nodes.Node]:
    """The same nodes, their tables with a class for the style sheet."""
    for node in made:
        for table in node.findall(nodes.table):
            table["classes"].append(name)
    return made


def evidence(entry: dict[str, str], measured: list[Claim]) -> str:
    """The measurements of a common claim with links, or the reason why there is none."""
    if measured:
        return " · ".join(f"{{doc}}`{claim.key} </{claim.docname}>`" for claim in measured)
    if "reason" not in entry:
        return "not measured in this build"
    return f"{entry['reason']} {{doc}}`→ </book/{entry['chapter']}>`"


def escaped(text: str) -> str:
    """Text that a Markdown table shows as it is."""
    for mark in "\\|*_[]<>$#`":
        text = text.replace(mark, f"\\{mark}")
    return text
