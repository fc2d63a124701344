"""JupyterHub for a class on one Linux machine: a JupyterLab of their own for everybody.

Start it as root, with the course's environment active:
`jupyterhub -f /srv/class/jupyterhub_config.py`
"""

import sys
from pathlib import Path

c = get_config()  # noqa: F821  (traitlets puts it there)

course = Path(__file__).resolve().parent
instructors = {"teacher"}  # accounts on this machine, like everybody's

c.JupyterHub.bind_url = (
    "http://127.0.0.1:8000"  # a web server with HTTPS stands before it
)
c.JupyterHub.authenticator_class = "pam"
c.PAMAuthenticator.allowed_groups = {"students"}
c.Authenticator.allowed_users = instructors
c.Authenticator.admin_users = instructors

c.JupyterHub.spawner_class = (
    "jupyterhub.spawner.LocalProcessSpawner"  # as the user who logs in
)
c.Spawner.cmd = [str(Path(sys.executable).with_name("jupyterhub-singleuser"))]
c.Spawner.default_url = "/lab"
c.Spawner.environment = {"OMP_NUM_THREADS": "1"}  # else every notebook takes all cores

ONLY_FOR_INSTRUCTORS = ("formgrader", "course_list")


def prepare(spawner):
    """Instructors start in the course, with formgrader; students at home, without it."""
    if spawner.user.name in instructors:
        spawner.notebook_dir = str(course)
        # A server starts at home, where nbgrader would not find the course's settings.
        settings = {"JUPYTER_CONFIG_PATH": str(course)}
        spawner.environment = spawner.environment | settings
    else:
        off = {
            f"nbgrader.server_extensions.{name}": False for name in ONLY_FOR_INSTRUCTORS
        }
        spawner.args = [f"--ServerApp.jpserver_extensions={off}"]


c.Spawner.pre_spawn_hook = prepare
