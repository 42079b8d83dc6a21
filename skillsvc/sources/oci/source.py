"""An artifact in an OCI registry as a source: its layers are the tree, its manifest's digest is the revision."""

import hashlib
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from skillsvc.content.addresses import AddressGuard
from skillsvc.content.archive_paths import ArchiveLimits, ArchiveRefused
from skillsvc.content.blobs import BlobStore
from skillsvc.content.credentials import CredentialsMissing, CredentialsOf, no_credentials
from skillsvc.content.faults import symbol_of
from skillsvc.content.fetching import Fetcher, FetchFailed, FetchReason
from skillsvc.content.stopping import never
from skillsvc.content.stored_tree import StoredTree
from skillsvc.content.transport import Authorities
from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.errors import Unavailable
from skillsvc.domain.limits import Limits
from skillsvc.domain.skill import Found
from skillsvc.domain.trust import Admission
from skillsvc.parsing.oci_manifest import Descriptor, Manifest, ManifestRefused, parse_manifest
from skillsvc.parsing.oci_reference import parse_reference
from skillsvc.sources.oci.layers import ContentWrong, Layers
from skillsvc.sources.oci.registry import Registry, digest_said
from skillsvc.sources.reading import ReadingSettings, TreeReading
from skillsvc.sources.source import Observation, Outcome

_NOT_FOUND: Final = 404
_NOT_LET_IN: Final = frozenset({401, 403})


@dataclass(frozen=True, slots=True, kw_only=True)
class OciSettings:
    """An artifact and how it is read."""

    reference: str
    """As `parse_reference` takes it."""
    reading: ReadingSettings
    plain_http: bool = False
    timeout_s: float = 60.0
    """Seconds that a look may take as a whole."""
    ca_file: str = ""
    """The authorities trusted instead of the system's."""
    allow_addresses: frozenset[str] = frozenset()
    """Hosts, addresses and networks that may be connected to though they are not public."""
    redirect_hosts: frozenset[str] = frozenset()
    """Hosts that the registry may redirect to; they never get credentials."""
    token_hosts: frozenset[str] = frozenset()
    """Hosts beside the registry's own whose token server may get the credentials."""
    credentials: CredentialsOf = no_credentials

    def __post_init__(self) -> None:
        """Refuse what is no reference (ReferenceRefused), or no network (ValueError)."""
        parse_reference(self.reference)
        AddressGuard(self.allow_addresses)

    @property
    def label(self) -> str:
        """The source's label."""
        return self.reading.label


@dataclass(frozen=True, slots=True, kw_only=True)
class _Refusal:
    """Why the artifact of a digest was refused: nothing of that changes as long as the digest does not."""

    digest: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Artifact:
    """An artifact that was taken."""

    digest: str
    tree: StoredTree
    notes: tuple[Diagnostic, ...]
    blobs: frozenset[str]


class OciSource:
    """An artifact by tag or by digest.

    A tag is asked for at each look, and nothing is fetched where it has the digest that it had. An artifact by digest
    cannot change: once it is wholly taken, nothing is asked again.
    """

    def __init__(
        self,
        settings: OciSettings,
        *,
        limits: Limits,
        blobs: BlobStore,
        folder: Path | None = None,
        archive_limits: ArchiveLimits | None = None,
        authorities: Authorities | None = None,
        stopped: Callable[[], bool] = never,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Prepare; nothing is asked before the first look.

        Args:
            settings: What to look at, and how.
            limits: The limits in force.
            blobs: Where the bytes go.
            folder: For this source alone, made at need: what is known of layers is kept there, and they pass through
                it. None keeps nothing.
            archive_limits: How much the artifact may hold, packed and unpacked.
            authorities: Where TLS contexts are shared with other sources.
            stopped: Asked often; as soon as it says so, the look is abandoned.
            clock: Seconds that only grow.
        """
        self._settings = settings
        self._reference = parse_reference(settings.reference)
        self._blobs = blobs
        self._clock = clock
        self._reading = TreeReading(settings.reading, limits=limits, blobs=blobs, stopped=stopped)
        self._fetcher = Fetcher(
            guard=AddressGuard(settings.allow_addresses),
            ca_file=settings.ca_file or None,
            timeout_s=settings.timeout_s,
            redirect_hosts=settings.redirect_hosts,
            stopped=stopped,
            clock=clock,
            authorities=authorities,
        )
        self._registry = Registry(
            self._reference,
            fetcher=self._fetcher,
            plain_http=settings.plain_http,
            token_hosts=settings.token_hosts,
            clock=clock,
        )
        self._layers = Layers(
            self._registry, folder=folder, limits=archive_limits or ArchiveLimits(), blobs=blobs, stopped=stopped
        )
        self._artifact: _Artifact | None = None
        self._refusal: _Refusal | None = None
        self._last: Observation | None = None

    @property
    def label(self) -> str:
        """The name by which callers and diagnostics know it."""
        return self._reading.label

    @property
    def admission(self) -> Admission:
        """The tier and the trust that it is declared with."""
        return self._reading.admission

    def close(self) -> None:
        """Close the connections. Nobody may be looking."""
        self._fetcher.close()

    def observe(self, changed: Collection[str] | None = None, *, held: Sequence[Found] = ()) -> Observation:
        """See `Source`. Nobody knows paths that changed in a registry; every look asks for the whole."""
        del changed
        try:
            self._last = self._look(held)
        except (FetchFailed, CredentialsMissing) as error:
            message = _said(error) if isinstance(error, FetchFailed) else str(error)
            self._last = self._reading.failed(DiagnosticCode.SOURCE_UNREACHABLE, message)
        except (ManifestRefused, ArchiveRefused, ContentWrong) as error:
            self._last = self._reading.failed(DiagnosticCode.ARTIFACT_REFUSED, str(error))
        except (Unavailable, OSError) as error:
            # OSError is of the source's folder alone: all others are translated where they are raised.
            why = f": {error.message}" if isinstance(error, Unavailable) else f" ({symbol_of(error)})"
            self._last = self._reading.failed(DiagnosticCode.STORE_UNREACHABLE, f"could not be taken in{why}")
        return self._last

    def _look(self, held: Sequence[Found]) -> Observation:
        artifact = self._artifact if self._is_kept() else None
        if artifact is None or not self._reference.digest:
            self._registry.begin(self._settings.credentials(), self._clock() + self._settings.timeout_s)
            digest = self._reference.digest or self._registry.digest_of(self._reference.wanted)
            if self._refusal is not None and self._refusal.digest == digest:
                raise ManifestRefused(self._refusal.message)
            if artifact is None or artifact.digest != digest:
                artifact = self._take(artifact)
            if artifact is not self._artifact:
                self._artifact, self._last = artifact, None
        if self._last is not None and self._last.outcome is Outcome.WHOLE:
            return self._last
        return self._reading.read(artifact.tree, held=held, revision=f"sha256:{artifact.digest}", notes=artifact.notes)

    def _is_kept(self) -> bool:
        """Tell whether all is there that the artifact last taken stands on.

        After a look that saw less than all each blob is looked for: one that no skill stood on may have been swept.
        """
        if self._artifact is None:
            return False
        if self._last is not None and self._last.outcome is Outcome.WHOLE:
            return self._blobs.lost().isdisjoint(self._artifact.blobs)
        return all(map(self._blobs.has, self._artifact.blobs))

    def _take(self, before: _Artifact | None) -> _Artifact:
        """Fetch the manifest, and all layers that are not kept; return `before` where it is that after all."""
        self._refusal = None
        data, digest = self._manifest_of_reference()
        if before is not None and before.digest == digest:
            return before
        try:
            manifest = parse_manifest(data)
            if isinstance(manifest, Descriptor):
                manifest = self._manifest_of_index(manifest)
            contents = self._layers.gather(manifest)
        except (ManifestRefused, ArchiveRefused) as error:
            self._refusal = _Refusal(digest=digest, message=str(error))
            raise
        return _Artifact(
            digest=digest,
            tree=StoredTree(contents.files, links=contents.links, blobs=self._blobs),
            notes=tuple(
                Diagnostic(
                    severity=Severity.WARNING,
                    code=DiagnosticCode.NOT_A_REGULAR_FILE,
                    message=note,
                    source=self.label,
                )
                for note in contents.notes
            ),
            blobs=frozenset(file.digest for file in contents.files.values()),
        )

    def _manifest_of_reference(self) -> tuple[bytes, str]:
        found = self._registry.manifest(self._reference.wanted)
        digest = hashlib.sha256(found.data).hexdigest()
        if digest != (self._reference.digest or digest_said(found) or digest):
            raise ContentWrong("the manifest that came has another digest than it should have")
        return found.data, digest

    def _manifest_of_index(self, where: Descriptor) -> Manifest:
        data = self._registry.manifest(f"sha256:{where.digest}").data
        if hashlib.sha256(data).hexdigest() != where.digest or len(data) != where.size:
            raise ContentWrong("the manifest that came has another digest or size than the index says")
        manifest = parse_manifest(data)
        if isinstance(manifest, Descriptor):
            raise ManifestRefused("is an index of an index")
        return manifest


def _said(error: FetchFailed) -> str:
    if error.reason is FetchReason.STATUS and error.status == _NOT_FOUND:
        return f"{error.message}: it has no such artifact, or not all of it"
    if error.reason is FetchReason.STATUS and error.status in _NOT_LET_IN:
        return f"{error.message}: it wants other credentials"
    return error.message
