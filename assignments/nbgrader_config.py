"""Settings of the nbgrader course in this folder: run nbgrader's commands from here.

nbgrader_step/student_id/assignment_id, gradebook.db and everything else keep nbgrader's defaults.
"""

import os
import sys
from pathlib import Path

c = get_config()  # noqa: F821  (traitlets puts it there)

c.CourseDirectory.course_id = "inside_bert_and_gpt"
# Also when Jupyter starts in a folder above: formgrader then finds the course.
c.CourseDirectory.root = str(Path(__file__).resolve().parent)
c.Execute.timeout = 60  # seconds for one cell

# nbgrader makes a gradebook by calling `alembic` by name; it lies beside the Python that runs this.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
