"""The table [server]: how the server runs."""

from typing import Annotated

from pydantic import Field, Strict, field_validator

from skillsvc.settings.listening import DEFAULT_LISTEN, fault_of
from skillsvc.settings.refusal import Faults
from skillsvc.settings.table import File, Flag, Seconds, Table


class ServerTable(Table):
    """How the server runs. A change of this table is taken in at the next start."""

    insecure: Flag = Field(
        default=False, description="Listen beyond this machine without TLS, or without access rules."
    )
    listen: str = Field(
        default=DEFAULT_LISTEN,
        description="`HOST:PORT`, port 0 for any, or `unix:PATH`. `0.0.0.0` takes callers by IPv6, too.",
    )
    data_dir: File | None = Field(default=None, description="Where state is kept; none for a folder that is removed.")
    token_key_file: File | None = Field(default=None, description="Keys of tokens, hex, a line each: the first signs.")
    poll_s: Seconds = Field(default=60.0, description="Seconds between two whole looks at a source.")
    drain_s: Annotated[float, Strict(), Field(ge=0, allow_inf_nan=False)] = Field(
        default=10.0, description="Seconds that calls under way have to end at a stop."
    )

    @field_validator("listen")
    @classmethod
    def _listen_is_possible(cls, listen: str) -> str:
        if fault := fault_of(listen):
            raise Faults([fault])
        return listen
