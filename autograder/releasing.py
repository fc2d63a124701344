"""Makes the students' version of an assignment with nbgrader itself."""

from pathlib import Path

from nbgrader.apps import NbGraderAPI

from autograder.course import Course, CourseError
from autograder.gradebook import open_gradebook


def release_assignment(course: Course, assignment: str) -> Path:
    """Write `release/<assignment>/` and enter the assignment in the gradebook.

    nbgrader takes out answers and hidden tests. The result is searched for both before it counts.
    """
    with open_gradebook(course.db_url, str(course.directories.course_id)):
        pass  # creates it where there is none, with the PATH that nbgrader needs for that
    result = NbGraderAPI(course.directories, config=course.config).generate_assignment(
        assignment, force=True, create=True
    )
    if not result["success"]:
        reason = result.get("error") or result.get("log") or "nbgrader gave no reason"
        raise CourseError(
            f"nbgrader could not release {assignment}: {str(reason).strip()[-2_000:]}"
        )
    folder = course.path("release", ".", assignment)
    for path in folder.glob("*.ipynb"):
        text = path.read_text("utf-8")
        for mark in ("BEGIN SOLUTION", "BEGIN HIDDEN TESTS"):
            if mark in text:
                raise CourseError(f"{path} still holds {mark}: do not hand it out")
    return folder
