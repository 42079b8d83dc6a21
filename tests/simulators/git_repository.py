"""A repository as a git server has it, made by git itself, which knows no configuration of this machine."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

PACKAGES = ("git", "lighttpd", "lighttpd-mod-openssl", "openssh-server")
"""What Debian calls the programs that the tests of git sources start."""


def run(*command: str | Path, cwd: Path | None = None, text: str | None = None) -> str:
    """Run a program that must succeed, and return what it wrote."""
    environment = {
        "PATH": f"{os.environ['PATH']}:/usr/sbin",
        "HOME": "/nonexistent",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "A",
        "GIT_COMMITTER_EMAIL": "a@example.org",
        "LC_ALL": "C.UTF-8",
    }
    try:
        done = subprocess.run(
            command, cwd=cwd, env=environment, input=text, capture_output=True, check=True, text=True, errors="replace"
        )
    except FileNotFoundError as error:
        message = f"{command[0]} is missing; on Debian: apt-get install {' '.join(PACKAGES)}"
        raise RuntimeError(message) from error
    except subprocess.CalledProcessError as error:
        message = f"{command}: {error.stderr}"
        raise RuntimeError(message) from error
    return done.stdout


class GitRepository:
    """A bare repository, and a work tree to commit from."""

    def __init__(self, bare: Path, work: Path) -> None:
        self.bare = bare
        self.work = work
        run("git", "init", "--quiet", "--bare", "--initial-branch=main", bare)
        run("git", "init", "--quiet", "--initial-branch=main", work)
        self.git("remote", "add", "origin", str(bare))

    def git(self, *arguments: str, text: str | None = None) -> str:
        """Run git in the work tree."""
        return run("git", *arguments, cwd=self.work, text=text).strip()

    def configure(self, name: str, value: str) -> None:
        """Configure the bare repository."""
        run("git", "config", name, value, cwd=self.bare)

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write files into the work tree."""
        for name, content in files.items():
            path = self.work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, files: Mapping[str, str | bytes] | None = None, *, branch: str = "main") -> str:
        """Write files, commit the work tree, push that as a branch, and return the commit's id."""
        self.write(files or {})
        self.git("add", "--all", "--force")
        self.git("commit", "--quiet", "--allow-empty", "--message=Change")
        self.push(f"HEAD:refs/heads/{branch}")
        return self.git("rev-parse", "HEAD")

    def push(self, *refspecs: str) -> None:
        """Push, whatever the bare repository had."""
        self.git("push", "--quiet", "--force", "origin", *refspecs)
