"""The process that fetches from git: killed when it is late or stopped, and not believed whatever it says."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from skillsvc.content.stopping import Abandoned
from skillsvc.sources.git.exchange import FetchAnswer, FetchRequest, FetchStatus
from skillsvc.sources.git.fetching import FileUnreadable, GitFetching
from tests.patience import PATIENCE_S

COMMIT = "a" * 40
ANSWER = json.dumps({"status": "fetched", "commit": COMMIT, "received": 7, "detail": ""})
SECRET = "open-sesame"  # noqa: S105 - a test has none


def fetching(
    home: Path, program: str, *, stopped: Callable[[], bool] = lambda: False, known_hosts_file: str = ""
) -> GitFetching:
    """Return a fetching whose process is a program of the test."""
    command = [sys.executable, "-I", "-c", f"import os, sys, time\n{program}"]
    return GitFetching(home, command=command, stopped=stopped, known_hosts_file=known_hosts_file)


def request(timeout_s: float = PATIENCE_S, **more: str) -> FetchRequest:
    return FetchRequest(
        url="https://git.example/a",
        cache="c",
        max_bytes=1,
        timeout_s=timeout_s,
        memory_bytes=1,
        password=SECRET,
        **more,
    )


def test_an_answer_is_taken(tmp_path: Path) -> None:
    asked = fetching(tmp_path / "home", f"sys.stdin.read(); print('{ANSWER}')").fetch(request())
    assert asked == FetchAnswer(status=FetchStatus.FETCHED, commit=COMMIT, received=7)


@pytest.mark.parametrize(
    "program",
    [
        "",
        "sys.exit(1)",
        "os.kill(os.getpid(), 9)",
        "os.kill(os.getpid(), 11)",
        "raise MemoryError",
        f"print('{ANSWER}' * 2)",
        f"print('{ANSWER}'[:-1])",
        "print('Hello.')",
        "os.write(1, bytes(range(256)))",
        "while True: os.write(1, b'x' * 65536)",
        "print('[' * 10000)",
        "os.close(1); time.sleep(600)",
    ],
)
def test_a_process_that_dies_or_babbles_is_no_answer(tmp_path: Path, program: str) -> None:
    assert fetching(tmp_path / "home", program).fetch(request()).status is FetchStatus.NO_ANSWER


def test_a_process_that_is_late_is_killed_with_all_that_it_started(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    program = f"""
other = os.fork()
if other:
    with open({str(pids)!r}, 'w') as file: file.write(f'{{os.getpid()}} {{other}}')
time.sleep(600)
"""
    began = time.monotonic()
    assert fetching(tmp_path / "home", program).fetch(request(timeout_s=6.0)).status is FetchStatus.LATE
    assert time.monotonic() - began < PATIENCE_S
    for pid in map(int, pids.read_text().split()):
        assert wait_until_gone(pid)


def test_a_look_that_is_stopped_kills_its_process(tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    program = f"""
with open({str(mark)!r}, 'w') as file: file.write(str(os.getpid()))
time.sleep(600)
"""
    began = time.monotonic()
    with pytest.raises(Abandoned):
        fetching(tmp_path / "home", program, stopped=lambda: mark.exists() and bool(mark.read_text())).fetch(request())
    assert time.monotonic() - began < PATIENCE_S / 2
    assert wait_until_gone(int(mark.read_text()))


def test_the_process_knows_nothing_of_this_one_but_the_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example")
    monkeypatch.setenv("SSH_AUTH_SOCK", "/agent")
    told = tmp_path / "told"
    program = f"""
import json
open({str(told)!r}, 'w').write(json.dumps([dict(os.environ), sys.argv, os.getcwd(), sys.stdin.read()]))
"""
    home = tmp_path / "home"
    fetching(home, program).fetch(request())
    environment, arguments, folder, sent = json.loads(told.read_text())
    assert environment.items() <= {"HOME": str(home), "LC_ALL": "C.UTF-8", "LC_CTYPE": "C.UTF-8"}.items()
    assert SECRET not in str(arguments)
    assert folder == str(home)
    assert FetchRequest.from_json(sent.encode()) == request()


def test_a_request_that_does_not_fit_is_not_sent(tmp_path: Path) -> None:
    answer = fetching(tmp_path / "home", "time.sleep(600)").fetch(request(username="x" * 70_000))
    assert answer.status is FetchStatus.CREDENTIALS_REFUSED


def test_the_trusted_host_keys_are_those_of_the_look(tmp_path: Path) -> None:
    known = tmp_path / "known_hosts"
    home = tmp_path / "home"
    program = "sys.exit(not os.path.exists('.ssh/known_hosts'))"
    for text in ("one", "two"):
        known.write_text(text)
        fetching(home, program, known_hosts_file=str(known)).fetch(request())
        assert (home / ".ssh" / "known_hosts").read_text() == text
    fetching(home, program).fetch(request())
    assert not (home / ".ssh" / "known_hosts").exists()


@pytest.mark.parametrize("setting", ["known_hosts_file", "ca_file", "ssh_key_file"])
def test_a_file_that_cannot_be_read_is_named_by_its_setting(tmp_path: Path, setting: str) -> None:
    missing = str(tmp_path / "missing")
    files = dict.fromkeys(("known_hosts_file", "ca_file", "ssh_key_file"), "") | {setting: missing}
    source = GitFetching(tmp_path / "home", known_hosts_file=files["known_hosts_file"], ca_file=files["ca_file"])
    with pytest.raises(FileUnreadable) as refused:
        source.fetch(request(ssh_key_file=files["ssh_key_file"]))
    assert str(refused.value) == f"the file of {setting} cannot be read (ENOENT)"


def wait_until_gone(pid: int) -> bool:
    """Tell whether a process ends in time; one that nobody has waited for yet counts as ended."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state in "ZX":
            return True
    os.kill(pid, signal.SIGKILL)
    return False
