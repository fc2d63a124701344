"""Rows of text as a table, in a terminal and in a notebook."""

from collections.abc import Iterable, Sequence
from html import escape


def aligned(
    headings: Sequence[str],
    rows: Iterable[str | Sequence[str]],
    left: int = 1,
    shrink: int | None = None,
    width: int | None = None,
) -> str:
    """Rows of text in columns: the first `left` flush left, the rest flush right.

    A row that is one text runs across. With `width`, column `shrink` is cut so that lines fit.
    """
    rows = list(rows)
    grid = [headings, *(row for row in rows if not isinstance(row, str))]
    widths = [max(len(row[i]) for row in grid) for i in range(len(headings))]
    if shrink is not None and width is not None:
        rest = sum(widths) + 2 * (len(widths) - 1) - widths[shrink]
        widths[shrink] = min(widths[shrink], max(16, width - rest))

    def line(row: Sequence[str]) -> str:
        fields = []
        for i, (text, w) in enumerate(zip(row, widths, strict=True)):
            fields.append(f"{cut(text, w):{'<' if i < left else '>'}{w}}")
        return "  ".join(fields).rstrip()

    return "\n".join([line(headings), *(r if isinstance(r, str) else line(r) for r in rows)])


def spelled(value: float | int | str, digits: int = 4) -> str:
    """A value as people read it: large numbers whole, with commas, others to so many digits."""
    if isinstance(value, str | bool):
        return str(value)
    if isinstance(value, int) or 10**digits <= abs(value) < 1e15:
        return f"{round(value):,}"
    return f"{value:.{digits}g}"


def cut(text: str, width: int) -> str:
    """A text that fits, with … where something is left out."""
    return text if len(text) <= width else text[: width - 1] + "…"


def html_table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Rows of text as an HTML table."""
    head = "".join(f'<th scope="col">{escape(h)}</th>' for h in headings)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
