"""Tidy an assignment's source notebook after it was edited in JupyterLab.

Outputs go. A graded cell's id becomes its `grade_id`, and the text above a part becomes
`<part>_text`: by these names the bank, the tests and the feedback find a part.
"""

import sys
from pathlib import Path

import nbformat


def tidy(notebook: nbformat.NotebookNode) -> None:
    """Change the notebook in place."""
    cells = notebook.cells
    for cell in cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        marks = cell.metadata.pop("nbgrader", {})
        cell.metadata = {}
        if not any(marks.get(role) for role in ("solution", "grade", "locked")):
            continue
        if "points" in marks:
            marks["points"] = float(marks["points"])
        cell.metadata["nbgrader"] = marks
        cell.id = marks["grade_id"]
    taken = {cell.id for cell in cells}
    for above, cell in zip(cells, cells[1:], strict=False):
        name = f"{cell.id}_text"
        if cell.metadata.get("nbgrader", {}).get("solution") and name not in taken:
            above.id = name
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    notebook.metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}


def main(paths: list[str]) -> int:
    """Tidy the notebooks at these paths."""
    for path in map(Path, paths):
        notebook = nbformat.read(path, as_version=4)
        tidy(notebook)
        nbformat.write(nbformat.from_dict(notebook), path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
