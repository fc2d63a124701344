"""Reads what a student handed in, without running any of it.

The only thing taken is the text of solution cells. It is found by grade_id, else by the cell's id,
else by the names it defines, so that damage to a notebook costs at most the cell concerned. What
was mended becomes a note. Nothing here raises because of what a file contains.
"""

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from autograder.outcome import Note
from autograder.skeleton import Cell, Role, Skeleton, bound_names

MAX_NOTEBOOK_BYTES = 10 * 2**20  # outputs with figures are large; more is an accident or an attack
MAX_ANSWER_CHARACTERS = 200_000
MAX_CELLS = 2_000
MAX_FOLDER_BYTES = 40 * 2**20
SALVAGE_ATTEMPTS = 400
VERSIONS_CELL = "versions"  # id of the cell that `releasing` puts first


@dataclass(frozen=True)
class Submission:
    """The answers of one student by notebook and grade_id, and what had to be mended."""

    answers: dict[str, dict[str, str]] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    @property
    def digest(self) -> str:
        """Changes only when an answer changes."""
        return hashlib.sha256(json.dumps(self.answers, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class _FoundCell:
    """A cell of a handed-in notebook, with nothing believed but its text."""

    cell_type: str
    source: str
    grade_id: str
    cell_id: str
    claims_to_be_answer: bool


def read_submission(folder: Path, skeletons: Mapping[str, Skeleton]) -> Submission:
    """Read `submitted/<student>/<assignment>/`."""
    answers: dict[str, dict[str, str]] = {}
    notes: list[Note] = []
    files = dict(_readable_notebooks(folder, notes))
    for name, skeleton in skeletons.items():
        file = f"{name}.ipynb"
        if file not in files:
            file = _renamed(skeleton, files, skeletons)
            if file:
                notes.append(Note(f"{file} was read as {name}.ipynb", name))
        if not file:
            notes.append(Note(f"{name}.ipynb was not handed in", name))
            answers[name] = {}
            continue
        found = _parse(files.pop(file), notes, name)
        answers[name] = _match(found, skeleton, notes)
    for file in files:
        notes.append(Note(f"{file[:80]} is not a notebook of this assignment and was not read"))
    return Submission(answers, tuple(notes))


def read_notebook(path: Path, skeleton: Skeleton) -> Submission:
    """Read one notebook from anywhere, as `autograder check` does."""
    notes: list[Note] = []
    data = read_plain_file(path)
    answers = _match(_parse(data, notes, skeleton.name), skeleton, notes)
    return Submission({skeleton.name: answers}, tuple(notes))


def rebuild(skeleton: Skeleton, answers: Mapping[str, str]) -> NotebookNode:
    """The instructor's notebook with the student's answers in it, for formgrader and feedback."""
    cells = []
    for number, cell in enumerate(skeleton.cells):
        fields: dict[str, Any] = {
            "cell_type": cell.cell_type,
            "id": cell.cell_id or f"cell-{number}",
            "metadata": {"nbgrader": dict(cell.marks)} if cell.marks else {},
            "source": answers.get(cell.grade_id, cell.stub) if cell.is_answer else cell.source,
        }
        if cell.cell_type == "code":
            fields |= {"execution_count": None, "outputs": []}
        cells.append(fields)
    metadata = {"language_info": {"name": "python"}}
    notebook = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return nbformat.from_dict(notebook)  # type: ignore[no-untyped-call]


# --- files ---------------------------------------------------------------------------------------


def read_plain_file(path: Path) -> bytes:
    """The bytes of a regular file; a link, device, pipe or overlong file is a `ValueError`."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        what = "is a link" if path.is_symlink() else f"cannot be read ({error.strerror})"
        raise ValueError(f"{path.name[:80]} {what} and was refused") from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise ValueError(f"{path.name[:80]} is not an ordinary file and was refused")
    with os.fdopen(handle, "rb") as file:
        data = file.read(MAX_NOTEBOOK_BYTES + 1)
    if len(data) > MAX_NOTEBOOK_BYTES:
        megabytes = MAX_NOTEBOOK_BYTES // 2**20
        raise ValueError(f"{path.name[:80]} is larger than {megabytes} MB and was refused")
    return data


def _readable_notebooks(folder: Path, notes: list[Note]) -> Iterator[tuple[str, bytes]]:
    if folder.is_symlink() or not folder.is_dir():
        notes.append(Note(f"{folder.name} is not a folder and was refused"))
        return
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        notes.append(Note(f"the folder cannot be read: {error.strerror}"))
        return
    total = 0
    for path in paths:
        if path.suffix.lower() != ".ipynb":
            continue
        try:
            data = read_plain_file(path)
        except ValueError as refusal:
            notes.append(Note(str(refusal)))
            continue
        total += len(data)
        if total > MAX_FOLDER_BYTES:
            notes.append(Note(f"{path.name[:80]} and later files were not read: too much in all"))
            return
        yield path.name, data


def _renamed(
    skeleton: Skeleton, files: Mapping[str, bytes], skeletons: Mapping[str, Skeleton]
) -> str:
    """The file that holds most of the skeleton's cells and belongs to no other notebook."""
    own = {cell.grade_id for cell in skeleton.cells if cell.is_answer}
    best, most = "", 0
    for file, data in files.items():
        if Path(file).stem in skeletons:
            continue
        hits = sum(cell.grade_id in own for cell in _parse(data, [], skeleton.name))
        if hits > most:
            best, most = file, hits
    return best


# --- from bytes to cells -------------------------------------------------------------------------


def _parse(data: bytes, notes: list[Note], name: str) -> list[_FoundCell]:
    text = _decode(data, notes, name)
    try:
        notebook = json.loads(text)
        raw = _cells_of(notebook)
    except (ValueError, RecursionError):
        raw = None
    if raw is None:
        raw = _salvage(text)
        notes.append(Note(f"the file is damaged; {len(raw)} cells could be read from it", name))
    if len(raw) > MAX_CELLS:
        notes.append(Note(f"only the first {MAX_CELLS} cells were read", name))
    return [cell for item in raw[:MAX_CELLS] if (cell := _found_cell(item))]


def _decode(data: bytes, notes: list[Note], name: str) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encodings = ["utf-16"]
    elif data[1:2] == b"\0":
        encodings = ["utf-16-le"]
    else:
        encodings = ["utf-8-sig"]
    for encoding in [*encodings, "gb18030", "latin-1"]:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if encoding != "utf-8-sig":
            notes.append(Note(f"the file was not in UTF-8; it was read as {encoding}", name))
        return text
    raise AssertionError("latin-1 decodes everything")


def _cells_of(notebook: Any) -> list[Any] | None:
    """The cells of nbformat 4 and later, or of the worksheets of nbformat 3."""
    if not isinstance(notebook, dict):
        return None
    cells = notebook.get("cells")
    if cells is None and isinstance(sheets := notebook.get("worksheets"), list):
        cells = []
        for sheet in sheets:
            if isinstance(sheet, dict) and isinstance(sheet.get("cells"), list):
                cells += sheet["cells"]
    return cells if isinstance(cells, list) else None


def _salvage(text: str) -> list[Any]:
    """Every cell that is whole, from a file that is not."""
    decoder = json.JSONDecoder()
    cells: list[Any] = []
    position, attempts = 0, 0
    opening = re.compile(r'\{\s*"(?:attachments|cell_type|execution_count|id|metadata|source)"')
    while attempts < SALVAGE_ATTEMPTS and (match := opening.search(text, position)):
        attempts += 1
        position = match.start() + 1
        try:
            item, end = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(item, dict) and "cell_type" in item:
            cells.append(item)
            position = end
    return cells


def _found_cell(item: Any) -> _FoundCell | None:
    if not isinstance(item, dict):
        return None
    source = item.get("source", item.get("input", ""))  # nbformat 3 says input
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    if not isinstance(source, str):
        return None
    metadata = item.get("metadata")
    marks = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    marks = marks if isinstance(marks, dict) else {}
    return _FoundCell(
        cell_type=str(item.get("cell_type", "")),
        source=source.encode("utf-8", "replace").decode(),  # a lone surrogate cannot be stored
        grade_id=grade_id if isinstance(grade_id := marks.get("grade_id"), str) else "",
        cell_id=cell_id if isinstance(cell_id := item.get("id"), str) else "",
        claims_to_be_answer=bool(marks.get("solution")),
    )


# --- from cells to answers -----------------------------------------------------------------------


def _match(found: list[_FoundCell], skeleton: Skeleton, notes: list[Note]) -> dict[str, str]:
    """The answer for every solution cell that can be found."""
    known = {cell.grade_id for cell in skeleton.cells if cell.grade_id}
    wanted = [cell for cell in skeleton.cells if cell.is_answer]
    by_grade_id = {
        cell.grade_id: [c for c in found if c.grade_id == cell.grade_id] for cell in wanted
    }
    stray = [c for c in found if c.grade_id not in known and c.source.strip()]
    answers: dict[str, str] = {}

    def note(text: str, cell: Cell) -> None:
        notes.append(Note(text, skeleton.name, cell.grade_id))

    for cell in wanted:
        copies = by_grade_id[cell.grade_id]
        if not copies and (twin := _adopt(cell, stray, skeleton)):
            stray.remove(twin)
            copies = [twin]
            note("the cell had lost its mark and was recognised by its id or the names in it", cell)
        if not copies:
            note("the cell is missing", cell)
            continue
        if any(copy.cell_type != cell.cell_type for copy in copies):
            note(f"the cell's type had been changed; it was read as {cell.cell_type}", cell)
        answer = _joined(copies, cell)
        if len(copies) > 1:
            note(
                f"the cell occurs {len(copies)} times; the copies were read one after another", cell
            )
        if len(answer) > MAX_ANSWER_CHARACTERS:
            note(
                f"the cell has more than {MAX_ANSWER_CHARACTERS:,} characters and was refused", cell
            )
            continue
        answers[cell.grade_id] = answer

    _note_other_changes(found, stray, skeleton, notes)
    return answers


def _joined(copies: list[_FoundCell], cell: Cell) -> str:
    """Copies of a cell (pasted or split by the student) as the notebook would have run them."""
    texts = list(dict.fromkeys(copy.source for copy in copies))
    changed = [text for text in texts if text.strip() and text.strip() != cell.stub.strip()]
    return "\n".join(changed or texts[:1])


def _adopt(cell: Cell, stray: list[_FoundCell], skeleton: Skeleton) -> _FoundCell | None:
    """The unmarked cell that can only be this answer."""
    if cell.cell_id:
        same_id = [c for c in stray if c.cell_id == cell.cell_id]
        if len(same_id) == 1:
            return same_id[0]
    if cell.role is not Role.SOLUTION:
        return None
    names = set(bound_names(cell.source))
    defining = [c for c in stray if c.cell_type == "code" and names & set(bound_names(c.source))]
    return defining[0] if names and len(defining) == 1 else None


def _note_other_changes(
    found: list[_FoundCell], stray: list[_FoundCell], skeleton: Skeleton, notes: list[Note]
) -> None:
    own = {cell.grade_id: cell for cell in skeleton.cells if cell.grade_id}
    order = list(dict.fromkeys(c.grade_id for c in found if c.grade_id in own))
    if order != [grade_id for grade_id in own if grade_id in set(order)]:
        notes.append(Note("cells had been moved; they were put back in order", skeleton.name))
    for cell in found:
        mine = own.get(cell.grade_id)
        if mine and not mine.is_answer and cell.claims_to_be_answer:
            notes.append(Note("the cell's marks had been changed", skeleton.name, cell.grade_id))
    extra = [
        c
        for c in stray
        if c.cell_type == "code" and c.cell_id != VERSIONS_CELL and not _in_skeleton(c, skeleton)
    ]
    if extra:
        notes.append(
            Note(
                f"{len(extra)} added code cell(s) do not count: only solution cells are graded, "
                "so move what they define into one",
                skeleton.name,
            )
        )


def _in_skeleton(found: _FoundCell, skeleton: Skeleton) -> bool:
    return any(
        cell.source == found.source or (cell.cell_id and cell.cell_id == found.cell_id)
        for cell in skeleton.cells
    )
