"""Settings of the nbgrader course in this folder: run nbgrader's commands from here.

nbgrader_step/student_id/assignment_id, gradebook.db and everything else keep nbgrader's defaults.
"""

import os
import sys
from pathlib import Path

c = get_config()  # noqa: F821  (traitlets puts it there)

root = Path(__file__).resolve().parent
c.CourseDirectory.course_id = "inside_bert_and_gpt"
# Also when Jupyter starts in a folder above: formgrader then finds the course.
c.CourseDirectory.root = str(root)
# Where `nbgrader release_assignment` puts and `nbgrader collect` looks, on one shared machine.
c.Exchange.root = str(root / "exchange")
(root / "exchange").mkdir(exist_ok=True)
c.Execute.timeout = 60  # seconds for one cell
# Where students find the book, for example "https://example.org/course/": feedback then links to
# the sections that `chapters.json` names.
c.Autograder.book_url = ""

# nbgrader makes a gradebook by calling `alembic` by name; it lies beside the Python that runs this.
os.environ["PATH"] = os.pathsep.join(
    [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
)
