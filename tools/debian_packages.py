"""Install the Debian packages in a list, where that is allowed; else say what to type and fail."""

import os
import shutil
import subprocess
import sys
from pathlib import Path


def installed(package: str) -> bool:
    """Whether dpkg knows the package as installed."""
    query = ["dpkg-query", "--show", "--showformat=${db:Status-Status}", package]
    return subprocess.run(query, capture_output=True, text=True).stdout == "installed"


def main(path: str) -> int:
    """Bring every package in the file onto this machine."""
    packages = Path(path).read_text().split()
    if shutil.which("dpkg-query") is None:
        print(f"The tests run on Debian and Ubuntu, with these packages: {' '.join(packages)}")
        return 1
    missing = [package for package in packages if not installed(package)]
    if not missing:
        return 0
    can_sudo = (
        shutil.which("sudo")
        and not subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode
    )
    if os.geteuid() and not can_sudo:
        print("The tests need Debian packages that are not installed. Type this, then try again:")
        print(f"  sudo apt-get install -y {' '.join(missing)}")
        return 1
    print(f"Installing Debian packages: {' '.join(missing)}")
    prefix = ["sudo", "-n"] if os.geteuid() else []
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run([*prefix, "apt-get", "update", "-qq"], check=True, env=quiet)
    install = [*prefix, "apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing]
    return subprocess.run(install, env=quiet).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
