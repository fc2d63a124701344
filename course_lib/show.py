"""What pages show: the source of what they call, and plain tables.

Left out: figures, which each chapter draws for itself.
"""

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from course_lib.tables import spelled


def fenced(text: str, language: str = "python") -> str:
    """Text as a Markdown code block."""
    return f"```{language}\n{text.rstrip()}\n```"


def source(thing: Callable[..., Any] | type) -> Any:
    """A function or class as its file spells it, for a page that is about to call it."""
    from IPython.display import Markdown

    module = inspect.getmodule(thing)
    assert module is not None
    where = f"`{module.__name__.replace('.', '/')}.py`"
    return Markdown(f"From {where}:\n\n{fenced(inspect.getsource(thing))}")  # type: ignore[no-untyped-call]


def table(head: Iterable[str], rows: Iterable[Iterable[Any]]) -> Any:
    """A Markdown table; floats get three significant digits, thousands all of theirs.

    A number that names something, such as an id, is given as text: it gets no comma.
    """
    from IPython.display import Markdown

    def line(cells: Iterable[Any]) -> str:
        return "| " + " | ".join(cells) + " |"

    def spell(cell: Any) -> str:
        return spelled(cell, 3) if isinstance(cell, int | float) else str(cell)

    names = list(head)
    lines = [line(names), line("---" for _ in names), *(line(map(spell, row)) for row in rows)]
    return Markdown("\n".join(lines))  # type: ignore[no-untyped-call]
