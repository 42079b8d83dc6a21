"""Real git servers on loopback: `git http-backend` behind lighttpd, and sshd without rights of its own."""

import getpass
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.patience import PATIENCE_S
from tests.simulators.git_repository import run
from tests.simulators.ports import own_port
from tests.simulators.web_server import TLS

USERNAME, PASSWORD = "reader", "open-sesame"  # of servers that live as long as a test
_SBIN = "/usr/sbin"


@contextmanager
def serving_http(root: Path, folder: Path, *, certificate: str = "") -> Iterator[str]:
    """Serve the bare repositories below `root`, with a `certificate` of the folder `TLS` over TLS; yield the origin.

    `/open/NAME` is for everybody, `/closed/NAME` asks for `USERNAME` and `PASSWORD`, `/moved/NAME` redirects to that
    under another name of the host, `/renamed/NAME` to the open one, and `/page/page.git` is a page for people.
    """
    folder.mkdir()
    (folder / "users").write_text(f"{USERNAME}:{PASSWORD}\n")
    backend = Path(run("git", "--exec-path").strip()) / "git-http-backend"
    scheme = "https" if certificate else "http"
    tls = ""
    if certificate:
        tls = f'''ssl.engine = "enable"
ssl.pemfile = "{TLS / certificate}.pem"
ssl.privkey = "{TLS / certificate}-key.pem"'''
    page = folder / "page" / "page.git" / "info"
    page.mkdir(parents=True)
    (page / "refs").write_text("<html>Welcome to our forge.</html>")
    with own_port() as port:
        (folder / "lighttpd.conf").write_text(
            f"""
server.modules = ("mod_alias", "mod_auth", "mod_authn_file", "mod_setenv", "mod_redirect", "mod_cgi", "mod_openssl")
server.document-root = "{folder}"
server.bind = "127.0.0.1"
server.port = {port}
server.errorlog = "{folder / "errors"}"
server.upload-dirs = ("{folder}")
{tls}
auth.backend = "plain"
auth.backend.plain.userfile = "{folder / "users"}"
url.redirect = (
  "^/moved/(.*)" => "{scheme}://localhost:{port}/closed/$1",
  "^/renamed/(.*)" => "/open/$1",
)
$HTTP["url"] =~ "^/(open|closed)/" {{
  alias.url = ("/open" => "{backend}", "/closed" => "{backend}")
  cgi.assign = ("" => "")
  setenv.add-environment = ("GIT_PROJECT_ROOT" => "{root}", "GIT_HTTP_EXPORT_ALL" => "1")
}}
$HTTP["url"] =~ "^/closed/" {{
  auth.require = ("" => ("method" => "basic", "realm" => "git", "require" => "valid-user"))
}}
$HTTP["url"] =~ "^/page/" {{
  mimetype.assign = ("" => "text/html")
  alias.url = ("/page" => "{folder}/page")
}}
"""
        )
        with _process([f"{_SBIN}/lighttpd", "-D", "-f", str(folder / "lighttpd.conf")], port, folder / "output"):
            yield f"{scheme}://127.0.0.1:{port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SshServer:
    """An sshd that lets one key in."""

    origin: str
    """`ssh://user@127.0.0.1:port`; an absolute path of this machine follows."""
    port: int
    key: Path
    """The private key that is let in."""
    other_key: Path
    known_hosts: Path
    wrong_known_hosts: Path
    """Says that the host has another key than it has."""


@contextmanager
def serving_ssh(folder: Path) -> Iterator[SshServer]:
    """Serve whatever the user of the tests may read."""
    folder.mkdir()
    for name in ("host", "other-host", "key", "other-key"):
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", folder / name)
    with own_port() as port:
        (folder / "authorized_keys").write_text((folder / "key.pub").read_text())
        for name, host in (("known_hosts", "host"), ("wrong_known_hosts", "other-host")):
            (folder / name).write_text(f"[127.0.0.1]:{port} {(folder / f'{host}.pub').read_text()}")
        (folder / "sshd_config").write_text(
            f"""
ListenAddress 127.0.0.1
Port {port}
HostKey {folder / "host"}
AuthorizedKeysFile {folder / "authorized_keys"}
AuthenticationMethods publickey
PermitRootLogin yes
StrictModes no
UsePAM no
PidFile none
"""
        )
        if os.getuid() == 0:
            # Where it runs as root, sshd wants to lock a part of itself up there.
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        command = [f"{_SBIN}/sshd", "-D", "-e", "-f", str(folder / "sshd_config")]
        with _process(command, port, folder / "output"):
            yield SshServer(
                origin=f"ssh://{getpass.getuser()}@127.0.0.1:{port}",
                port=port,
                key=folder / "key",
                other_key=folder / "other-key",
                known_hosts=folder / "known_hosts",
                wrong_known_hosts=folder / "wrong_known_hosts",
            )


@contextmanager
def _process(command: list[str], port: int, output: Path) -> Iterator[None]:
    with output.open("w") as writing:
        process = subprocess.Popen(command, stdout=writing, stderr=writing, start_new_session=True)
    try:
        end = time.monotonic() + PATIENCE_S
        while not _listens(port):
            if process.poll() is not None or time.monotonic() > end:
                message = f"{command[0]} does not serve: {output.read_text()}"
                raise RuntimeError(message)
        yield
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(PATIENCE_S)


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S).close()
    except OSError:
        return False
    return True
