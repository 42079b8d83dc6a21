"""Starting a server at the command line: what is warned of before it serves, and what a failed start comes to."""

import logging
import sys
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from functools import partial
from pathlib import Path
from typing import TextIO

import typer

from skillsvc.cli.hang_ups import HangUps
from skillsvc.cli.logs import log_to_stderr
from skillsvc.cli.output import USAGE, complain, fail, print_line
from skillsvc.cli.serving import serve
from skillsvc.domain.errors import SkillsvcError
from skillsvc.domain.partition import ANONYMOUS_PRINCIPAL
from skillsvc.service.listening import CannotListen
from skillsvc.settings.listening import is_of_both_families
from skillsvc.settings.refusal import SettingsRefused
from skillsvc.settings.settings import Settings

_log = logging.getLogger(__name__)


def start(settings: Settings, log_level: str, *, read_anew: Callable[[], Settings], hang_ups: HangUps) -> None:
    """Serve until SIGTERM or SIGINT; end the command with one line where that is not possible (see `serve`)."""
    log_to_stderr(log_level)
    _warn(settings)
    announce = partial(_announce, sys.stdout)
    try:
        # What else a program prints, as providers may, goes where logs go: a full pipe would keep from serving.
        with redirect_stdout(sys.stderr):
            serve(settings, announce, read_anew=read_anew, hang_ups=hang_ups)
    except SettingsRefused as refused:
        for fault in refused.faults:
            complain(fault)
        raise typer.Exit(USAGE) from None
    except CannotListen as error:
        fail(str(error))
    except SkillsvcError as error:
        fail(f"{error.message} ({error.reason})")
    finally:
        hang_ups.ignore()


def _warn(settings: Settings) -> None:
    if settings.is_open_to_anybody():
        everybody = {"everybody": ANONYMOUS_PRINCIPAL} if settings.asks_nobody() else {}
        _log.warning(
            "listening beyond this machine without TLS and access rules",
            extra={"listen": settings.server.listen, **everybody},
        )
    for listen in (settings.server.listen, settings.admin.listen, settings.health.listen):
        if listen is not None and is_of_both_families(listen):
            _log.info("callers come by IPv4 and by IPv6, where this machine has it", extra={"listen": listen})
    for source in settings.directories():
        if _is_known_to_be_missing(Path(source.path)):
            _log.warning(
                "a directory is not there; it counts as empty until it comes",
                extra={"source": source.label, "path": source.path},
            )


def _is_known_to_be_missing(path: Path) -> bool:
    """Tell whether no directory is there; what lies where nobody may look is told of by the look itself."""
    try:
        return not path.is_dir()
    except OSError:
        return False


def _announce(out: TextIO, address: str) -> None:
    """Say where the server listens; it goes on where nobody reads that."""
    with suppress(typer.Exit), redirect_stdout(out):
        print_line(f"listening on {address}")
