"""Fetching from git remotes in a process of its own, which is killed when it is late or the look is stopped.

The library that speaks to the remote cannot be interrupted, holds what strangers send in memory, and may die of it.
None of that happens here. Credentials go over by a pipe: arguments and environment are for everybody to read.
"""

import logging
import os
import selectors
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Final

from skillsvc.content.faults import symbol_of
from skillsvc.content.stopping import Abandoned, never
from skillsvc.sources.git.exchange import MOST_ANSWER_BYTES, FetchAnswer, FetchRequest, FetchStatus, parse_answer

_CHILD: Final = (sys.executable, "-I", "-m", "skillsvc.sources.git.fetch_child")
_POLL_S: Final = 0.25
_MOST_REQUEST_BYTES: Final = 64 * 1024
"""What a pipe takes at once, whether or not it is read."""

_log = logging.getLogger(__name__)


class FileUnreadable(Exception):
    """A configured file cannot be read. The message names the setting, and why."""

    def __init__(self, setting: str, error: OSError) -> None:
        super().__init__(f"the file of {setting} cannot be read ({symbol_of(error)})")


class GitFetching:
    """Fetches for one source, one fetch at a time."""

    def __init__(
        self,
        home: Path,
        *,
        known_hosts_file: str = "",
        ca_file: str = "",
        command: Sequence[str] = _CHILD,
        stopped: Callable[[], bool] = never,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Prepare.

        Args:
            home: The home of the process, a folder that nothing else is in; made at need.
            known_hosts_file: The host keys that are trusted; none without it.
            ca_file: The authorities that are trusted instead of the system's.
            command: The process.
            stopped: Asked while waiting, every quarter of a second.
            clock: Seconds.
        """
        self._home = home
        self._known_hosts_file = known_hosts_file
        self._ca_file = ca_file
        self._command = command
        self._stopped = stopped
        self._clock = clock

    def fetch(self, request: FetchRequest) -> FetchAnswer:
        """Fetch, within the request's time.

        Raises:
            FileUnreadable: A configured file cannot be read.
            Abandoned: The look was stopped.
            OSError: The process cannot be started.
        """
        environment = self._make_home()
        if request.ssh_key_file:
            request = replace(request, ssh_key_file=_absolute("ssh_key_file", request.ssh_key_file))
        with subprocess.Popen(  # noqa: S603 - our own program; nothing of the request is in the command
            self._command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._home,
            env=environment,
            # A process group of its own, so that nothing it started outlives it.
            start_new_session=True,
        ) as process:
            try:
                answer = self._converse(process, request)
            finally:
                # Nobody has waited for it yet, so this number is still its own.
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
        if answer.detail:
            _log.info("a fetch from git ended with %s: %s", answer.status, _printable(answer.detail))
        return answer

    def _make_home(self) -> Mapping[str, str]:
        """Put into the home what the library looks for there, and return the environment that leads to it."""
        ssh = self._home / ".ssh"
        authorities = self._home / "authorities"
        ssh.mkdir(mode=0o700, parents=True, exist_ok=True)
        authorities.mkdir(exist_ok=True)
        known_hosts = ssh / "known_hosts"
        if self._known_hosts_file:
            _copy("known_hosts_file", self._known_hosts_file, known_hosts)
        else:
            known_hosts.unlink(missing_ok=True)
        environment = {"HOME": str(self._home), "LC_ALL": "C.UTF-8"}
        if self._ca_file:
            ca_file = _absolute("ca_file", self._ca_file)
            # Both, so that the authorities of the system are none.
            environment |= {"SSL_CERT_FILE": ca_file, "SSL_CERT_DIR": str(authorities)}
        return environment

    def _converse(self, process: "subprocess.Popen[bytes]", request: FetchRequest) -> FetchAnswer:
        assert process.stdin is not None
        assert process.stdout is not None
        deadline = self._clock() + request.timeout_s
        text = request.to_json()
        if len(text) > _MOST_REQUEST_BYTES:
            return FetchAnswer(status=FetchStatus.CREDENTIALS_REFUSED, detail="they are too long to be handed over")
        # A process that is dead by now gives no answer, which is told below.
        with suppress(BrokenPipeError):
            process.stdin.write(text)
            process.stdin.close()
        return self._listen(process.stdout, deadline)

    def _listen(self, stdout: IO[bytes], deadline: float) -> FetchAnswer:
        told = b""
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            while True:
                if self._stopped():
                    raise Abandoned
                left = deadline - self._clock()
                if left <= 0:
                    return FetchAnswer(status=FetchStatus.LATE)
                if not selector.select(min(left, _POLL_S)):
                    continue
                piece = os.read(stdout.fileno(), MOST_ANSWER_BYTES)
                told += piece
                if not piece or len(told) > MOST_ANSWER_BYTES:
                    return parse_answer(told) or FetchAnswer(status=FetchStatus.NO_ANSWER)


def _copy(setting: str, source: str, target: Path) -> None:
    try:
        shutil.copyfile(source, target)
    except OSError as error:
        raise FileUnreadable(setting, error) from error


def _absolute(setting: str, path: str) -> str:
    """Return where a file is, that the process with its own folder to work in is to read."""
    try:
        Path(path).open("rb").close()
    except OSError as error:
        raise FileUnreadable(setting, error) from error
    return str(Path(path).absolute())


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else " " for character in text)
