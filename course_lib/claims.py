"""claim(): measure, compare with what is expected, and hand the number to the prose.

A page never types a number it can measure. It claims one: the check runs with the page, the value
is glued under its key, and the ledger of all claims is collected from the executed pages.
"""

import html
import math
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from course_lib.tables import spelled

MIME = "application/vnd.course.claim+json"


class ClaimError(AssertionError):
    """A claim that does not hold, where that must stop the build."""


@dataclass(frozen=True)
class Claim:
    """One measured statement: its key, what came out, what was expected, and whether it holds."""

    key: str
    value: float | int | str
    expected: str
    holds: bool
    ledger: str | None = None

    def __str__(self) -> str:
        mark = "✓" if self.holds else "✗"
        source = f" [{self.ledger}]" if self.ledger else ""
        return f"{mark} {self.key} = {spelled(self.value)} (expected {self.expected}){source}"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        kind = "course-claim" if self.holds else "course-claim course-claim-off admonition warning"
        text = html.escape(str(self))
        if not self.holds:
            text = f'<p class="admonition-title">This page measured something else here</p>{text}'
        return {
            MIME: asdict(self),
            "text/html": f'<div class="{kind}">{text}</div>',
            "text/plain": str(self),
        }


def plain(value: Any) -> float | int | str:
    """A plain Python number or text: array scalars would render blank in the prose."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(value, int | float | str):
        raise ValueError(
            f"A claim holds one number or text, got {type(value).__name__}. Reduce it first."
        )
    return value


def claim(
    key: str,
    value: Any,
    *,
    expect: float | int | str | None = None,
    within: float | None = None,
    above: float | None = None,
    below: float | None = None,
    raises: type[BaseException] | None = None,
    ledger: str | None = None,
) -> float | int | str:
    """Check a measured value, glue it under `key` for the prose, and return it.

    One check a claim: equal to `expect` (to the relative tolerance `within`, exactly without one),
    `above` and/or `below` a bound, or `raises`, where `value` is a function and the glued text is
    the error's name. `ledger` is the id of the common claim it decides. A claim that is off shows a
    warning on the page; with CI or COURSE_STRICT set it raises `ClaimError`, which stops the build.
    Raises `ValueError` where no check or a contradictory one is given.
    """
    bounds = above is not None or below is not None
    if (expect is not None) + bounds + (raises is not None) != 1:
        raise ValueError(f"Claim {key!r}: give exactly one of expect=, above=/below=, raises=.")
    if within is not None and (expect is None or isinstance(expect, str)):
        raise ValueError(f"Claim {key!r}: within= is a relative tolerance on a number in expect=.")

    if raises is not None:
        number: float | int | str = error_name(value)
        expected, holds = raises.__name__, number == raises.__name__
    else:
        number = plain(value)
        if expect is not None:
            expected, holds = near(number, expect, within)
        else:
            expected, holds = between(key, number, above, below)

    result = Claim(key, number, expected, holds, ledger)
    publish(result)
    if not holds and (os.environ.get("CI") or os.environ.get("COURSE_STRICT")):
        raise ClaimError(str(result))
    return number


def error_name(function: Callable[[], Any]) -> str:
    """The name of the error a function raises, or "no error"."""
    try:
        function()
    except Exception as error:  # whichever it is, its name is the measurement
        return type(error).__name__
    return "no error"


def near(value: Any, expect: float | int | str, within: float | None) -> tuple[str, bool]:
    """What was expected, in words, and whether the value is that close to it."""
    if within is None:
        return spelled(expect), value == expect
    assert not isinstance(expect, str)
    return f"{spelled(expect, 6)} within {within:.2g} of it", math.isclose(
        value, expect, rel_tol=0, abs_tol=within * abs(expect)
    )


def between(key: str, value: Any, above: float | None, below: float | None) -> tuple[str, bool]:
    """What was expected, in words, and whether the value lies between the bounds."""
    if isinstance(value, str):
        raise ValueError(f"Claim {key!r}: above= and below= compare numbers, got {value!r}.")
    words = [f"above {spelled(above, 6)}"] if above is not None else []
    words += [f"below {spelled(below, 6)}"] if below is not None else []
    low = -math.inf if above is None else above
    high = math.inf if below is None else below
    return " and ".join(words), low < value < high


def report(key: str, value: Any) -> float | int | str:
    """Glue a number that the prose needs but that decides nothing, such as a count."""
    number = plain(value)
    if in_notebook():
        glue(key, number)
    return number


def in_notebook() -> bool:
    """Whether the code runs in a kernel that shows outputs."""
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return get_ipython() is not None


def glue(key: str, value: float | int | str) -> None:
    """Make a value available to the page's prose as {glue}`key`."""
    from myst_nb import glue as myst_glue

    myst_glue(key, value, display=False)


def publish(result: Claim) -> None:
    """Show a claim and glue its value; outside a notebook, print it where it is off."""
    if in_notebook():
        from IPython.display import display

        display(result)  # type: ignore[no-untyped-call]
        glue(result.key, result.value)
    elif not result.holds:
        print(result)
