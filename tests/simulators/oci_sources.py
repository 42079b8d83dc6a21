"""Sources of registries on the loopback, and the artifacts that they find."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Protocol

from skillsvc.content.blobs import BlobStore
from skillsvc.domain.diagnostics import DiagnosticCode, Severity
from skillsvc.domain.limits import Limits
from skillsvc.domain.trust import Tier
from skillsvc.sources.discovery import Layout
from skillsvc.sources.oci.source import OciSettings, OciSource
from skillsvc.sources.reading import ReadingSettings
from skillsvc.sources.source import Observation, Outcome
from tests.patience import PATIENCE_S
from tests.simulators.oci_registry import Pushed
from tests.simulators.packing import skill_file, tar_gz_of, tarred

LOOPBACK = frozenset({"127.0.0.0/8"})


class MakeOci(Protocol):
    """Makes sources of references."""

    def __call__(
        self,
        reference: str,
        *,
        layout: Layout = Layout.FLAT,
        own: dict[str, Any] | None = None,
        **settings: Any,  # noqa: ANN401 - those of OciSettings
    ) -> OciSource:
        """Make one; `own` are further arguments of OciSource."""


@contextmanager
def making_sources(blobs: BlobStore) -> Iterator[MakeOci]:
    """Make sources that live as long as the context."""
    with ExitStack() as opened:

        def make(
            reference: str,
            *,
            layout: Layout = Layout.FLAT,
            own: dict[str, Any] | None = None,
            **settings: Any,  # noqa: ANN401 - those of OciSettings
        ) -> OciSource:
            reading = ReadingSettings(label="harbor", tier=Tier.REGISTERED, layout=layout)
            defaults = {"plain_http": True, "allow_addresses": LOOPBACK, "timeout_s": PATIENCE_S}
            source = OciSource(
                OciSettings(reference=reference, reading=reading, **{**defaults, **settings}),
                limits=Limits(),
                blobs=blobs,
                **(own or {}),
            )
            opened.callback(source.close)
            return source

        yield make


def folder(name: str, description: str = "Says so.", *more: bytes) -> Pushed:
    """Return a layer with one skill, and `more` members."""
    return Pushed(data=tar_gz_of(tarred(f"{name}/SKILL.md", skill_file(name, description)), *more))


def said(seen: Observation) -> tuple[DiagnosticCode, str]:
    """Return what a look that failed says, which is one thing."""
    assert (seen.outcome, seen.found) == (Outcome.FAILED, ())
    [diagnostic] = seen.diagnostics
    assert (diagnostic.severity, diagnostic.source) == (Severity.ERROR, "harbor")
    return diagnostic.code, diagnostic.message
