"""Every error of this package, one class by what the caller should do.

    SkillsourceError
    ├── InvalidArgument       change the request
    ├── NotFound              stop asking for it
    │   ├── SkillNotFound
    │   ├── AssetNotFound     also where the skill itself is unknown to `read_asset`
    │   ├── BodyNotFound
    │   └── CollectionNotFound
    ├── PreconditionFailed    mend the state first
    │   └── GenerationExpired   names the present state as `current_token`
    ├── Unavailable           back off, and try again
    │   ├── GenerationNotYet
    │   ├── NotReady
    │   ├── Draining
    │   └── HandshakeFailed   mend what TLS is told; `fault` says what
    ├── Unauthenticated       log in
    ├── PermissionDenied      ask for rights or trust
    │   └── ToolRefused       names the tools as `refused`
    ├── Conflict              read again, then repeat
    ├── AlreadyExists         choose another name
    ├── Exhausted             ask for less, or later
    ├── DataLoss              report it
    ├── Unimplemented         this server cannot do that yet
    ├── Internal              report it with its `incident_id`
    ├── DeadlineExceeded      the time given was not enough
    ├── Cancelled             the call was given up
    ├── ProtocolError         the server broke its contract: do not believe the answer
    │   └── GenerationsMixed    the parts of one answer come from two generations
    ├── InsecureTarget        use TLS; raised before anything is sent; also a ValueError
    └── ClientClosed          the client was closed

The class is found by the reason where the server gives one that belongs to the status code, else by the code alone.
Text of a server reaches a message only on one line, without control characters and cut to a length. What the transport
says of itself is no message: it is the `__cause__` of an error that has no `reason`.
"""

from collections.abc import Mapping
from enum import Enum
from typing import ClassVar

from skillsource.values import Tool


class SkillsourceError(Exception):
    """What every error of this package is.

    Attributes:
        reason: The name of a value of the proto's ErrorReason without its prefix; "" where there is none.
        code: The name of the gRPC status code; "" where no call was answered.
        message: One sentence.
        metadata: What the proto documents with the reason.
        retry_after_s: When a repetition may do better, in seconds, where the server says so.
        pushback_ms: What the server says about repeating by itself, in milliseconds; negative for never.
    """

    default_code: ClassVar[str] = ""

    def __init__(
        self,
        message: str,
        *,
        reason: str = "",
        code: str | None = None,
        metadata: Mapping[str, str] | None = None,
        retry_after_s: float | None = None,
        pushback_ms: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.reason = reason
        self.code = self.default_code if code is None else code
        # A dict, because an error has to survive pickling on its way out of a process pool.
        self.metadata: Mapping[str, str] = dict(metadata or {})
        self.retry_after_s = retry_after_s
        self.pushback_ms = pushback_ms

    def __str__(self) -> str:
        return f"{self.reason or self.code}: {self.message}" if self.reason or self.code else self.message


class InvalidArgument(SkillsourceError):
    """Change the request (INVALID_ARGUMENT). Raised without a call where this side can tell."""

    default_code = "INVALID_ARGUMENT"


class NotFound(SkillsourceError):
    """Stop asking for it (NOT_FOUND). What is hidden looks exactly like what is absent."""

    default_code = "NOT_FOUND"


class SkillNotFound(NotFound):
    """The caller's view has no skill of this name."""


class AssetNotFound(NotFound):
    """The skill has no asset of this name, or there is no such skill: `reason` tells which."""


class BodyNotFound(NotFound):
    """The skill is listed, and has no body."""


class CollectionNotFound(NotFound):
    """The caller's view has no collection of this id."""


class PreconditionFailed(SkillsourceError):
    """Mend the state first (FAILED_PRECONDITION)."""

    default_code = "FAILED_PRECONDITION"


class GenerationExpired(PreconditionFailed):
    """The named state is no longer held. Start again from the present one."""

    @property
    def current_token(self) -> str:
        """Token of the present state; "" where the server does not say."""
        return self.metadata.get("current_token", "")


class Unavailable(SkillsourceError):
    """Back off, and try again (UNAVAILABLE)."""

    default_code = "UNAVAILABLE"


class GenerationNotYet(Unavailable):
    """The named state has not been seen by this server yet."""


class NotReady(Unavailable):
    """The server has not finished its first look at its sources."""


class Draining(Unavailable):
    """The server is about to stop."""


class HandshakeFault(Enum):
    """Why no connection came about, as far as it is for TLS; the value says it, of the address `{}`."""

    NOT_BELIEVED = "the certificate of {} is of no authority that is believed: TlsOptions(ca=…) holds those that are"
    NOT_YET_VALID = "the certificate of {} is not valid yet"
    EXPIRED = "the certificate of {} has expired"
    OF_ANOTHER_NAME = "the certificate of {} is not for that name"
    OF_ANOTHER_ADDRESS = "the certificate of {} is not for that address"
    CALLER_WANTED = "{} wants a client certificate that it believes: TlsOptions(cert=…, key=…) shows one"
    KEY_OF_ANOTHER = "the client's key is not that of its certificate, so that {} could be shown neither"
    SPEAKS_TLS = "what listens at {} speaks TLS: tls=TlsOptions(ca=…) says by whom it is believed"
    SPEAKS_NO_TLS = "what listens at {} does not speak TLS"


class HandshakeFailed(Unavailable):
    """TLS came to nothing. Mend what this side, or the server, is told of it; time alone mends little.

    Attributes:
        fault: What is to be mended.
    """

    fault = HandshakeFault.NOT_BELIEVED


class Unauthenticated(SkillsourceError):
    """Log in (UNAUTHENTICATED)."""

    default_code = "UNAUTHENTICATED"


class PermissionDenied(SkillsourceError):
    """Ask for rights or trust (PERMISSION_DENIED)."""

    default_code = "PERMISSION_DENIED"


class ToolRefused(PermissionDenied):
    """A tool of the skill was refused, and with it the activation.

    Attributes:
        refused: The first refused tools, each with its reason.
        refused_total: How many were refused in all.
    """

    refused: tuple[Tool, ...] = ()
    refused_total: int = 0


class Conflict(SkillsourceError):
    """Another writer was first: read again, then repeat (ABORTED)."""

    default_code = "ABORTED"


class AlreadyExists(SkillsourceError):
    """The name belongs to another skill (ALREADY_EXISTS)."""

    default_code = "ALREADY_EXISTS"


class Exhausted(SkillsourceError):
    """Ask for less, or later (RESOURCE_EXHAUSTED). An answer too large to be read is one of these."""

    default_code = "RESOURCE_EXHAUSTED"


class DataLoss(SkillsourceError):
    """The server's stored bytes are damaged: report it (DATA_LOSS)."""

    default_code = "DATA_LOSS"


class Unimplemented(SkillsourceError):
    """The server cannot do that yet (UNIMPLEMENTED). The builtin `NotImplemented` has the other name."""

    default_code = "UNIMPLEMENTED"


class Internal(SkillsourceError):
    """A fault of the server (INTERNAL, UNKNOWN): report it with its incident id."""

    default_code = "INTERNAL"

    @property
    def incident_id(self) -> str:
        """The id under which the server's log tells more; "" where there is none."""
        return self.metadata.get("incident_id", "")


class DeadlineExceeded(SkillsourceError):
    """The time given was not enough (DEADLINE_EXCEEDED)."""

    default_code = "DEADLINE_EXCEEDED"


class Cancelled(SkillsourceError):
    """The call was given up (CANCELLED)."""

    default_code = "CANCELLED"


class ProtocolError(SkillsourceError):
    """The server broke its contract: wrong digest, mixed generations, bytes that are no message, pages without end."""


class GenerationsMixed(ProtocolError):
    """The pages or ranges of one answer come from two generations."""


class InsecureTarget(SkillsourceError, ValueError):
    """Plaintext to anything but loopback or a unix socket. Nothing was sent, nothing connected."""


class ClientClosed(SkillsourceError):
    """The client was closed."""


CLASSES_BY_CODE: Mapping[str, type[SkillsourceError]] = {
    "INVALID_ARGUMENT": InvalidArgument,
    "OUT_OF_RANGE": InvalidArgument,
    "NOT_FOUND": NotFound,
    "FAILED_PRECONDITION": PreconditionFailed,
    "UNAVAILABLE": Unavailable,
    "UNAUTHENTICATED": Unauthenticated,
    "PERMISSION_DENIED": PermissionDenied,
    "ABORTED": Conflict,
    "ALREADY_EXISTS": AlreadyExists,
    "RESOURCE_EXHAUSTED": Exhausted,
    "DATA_LOSS": DataLoss,
    "UNIMPLEMENTED": Unimplemented,
    "INTERNAL": Internal,
    "UNKNOWN": Internal,
    "DEADLINE_EXCEEDED": DeadlineExceeded,
    "CANCELLED": Cancelled,
}
"""The class of each status code. Statuses made by the transport itself carry nothing else (contract.md, "Errors")."""

CLASSES_BY_REASON: Mapping[str, type[SkillsourceError]] = {
    "REQUEST_MALFORMED": InvalidArgument,
    "NAME_MALFORMED": InvalidArgument,
    "ASSET_NAME_MALFORMED": InvalidArgument,
    "ARGUMENT_MALFORMED": InvalidArgument,
    "ARGUMENT_OUT_OF_RANGE": InvalidArgument,
    "PAGE_TOKEN_MALFORMED": InvalidArgument,
    "TOKEN_MALFORMED": InvalidArgument,
    "REQUEST_ID_REUSED": InvalidArgument,
    "SKILL_NOT_FOUND": SkillNotFound,
    "ASSET_NOT_FOUND": AssetNotFound,
    "BODY_NOT_FOUND": BodyNotFound,
    "COLLECTION_NOT_FOUND": CollectionNotFound,
    "PARTITION_NOT_FOUND": NotFound,
    "SOURCE_NOT_FOUND": NotFound,
    "GENERATION_EXPIRED": GenerationExpired,
    "TRANSITION_NOT_ALLOWED": PreconditionFailed,
    "GENERATION_NOT_YET": GenerationNotYet,
    "NOT_READY": NotReady,
    "DRAINING": Draining,
    "SOURCE_UNREACHABLE": Unavailable,
    "STORE_UNREACHABLE": Unavailable,
    "MCP_SERVER_UNREACHABLE": Unavailable,
    "CREDENTIALS_MISSING": Unauthenticated,
    "CREDENTIALS_INVALID": Unauthenticated,
    "ROLE_MISSING": PermissionDenied,
    "PROJECT_NOT_ALLOWED": PermissionDenied,
    "TOOL_REFUSED": ToolRefused,
    "INVOCATION_NOT_ALLOWED": PermissionDenied,
    "REVISION_CONFLICT": Conflict,
    "NAME_TAKEN": AlreadyExists,
    "QUOTA_EXCEEDED": Exhausted,
    "RATE_LIMITED": Exhausted,
    "LIMIT_EXCEEDED": Exhausted,
    "DIGEST_MISMATCH": DataLoss,
    "NOT_IMPLEMENTED": Unimplemented,
    "INTERNAL_FAULT": Internal,
}
"""The class of each reason; it belongs to the class's own code, and a test compares the names with the proto's."""
