"""Logs: one JSON object a line on standard error."""

import json
import logging
import sys
from datetime import UTC, datetime

from typing_extensions import override

_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_GRPC_ITSELF = "grpc._cython.cygrpc"


class JsonFormatter(logging.Formatter):
    """Writes a record with its extra fields; an exception's traceback is the field `exception`."""

    @override
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line.update((key, value) for key, value in vars(record).items() if key not in _OWN)
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def log_to_stderr(level: str) -> None:
    """Send all logs of at least a level to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    # What it says of exchanges at `debug` has their headers, and so where a signed URL redirects to.
    logging.getLogger("httpcore").setLevel(logging.WARNING)
    logging.getLogger(_GRPC_ITSELF).addFilter(_tells_no_header)


def _tells_no_header(record: logging.LogRecord) -> bool:
    """Tell whether a record is anything but a header that is no UTF-8.

    gRPC writes each such header down whole, as an error with a traceback, twice a call and before anybody is asked who
    they are: whoever spoils a token has it in the log, and headers of a few bytes, by HPACK, fill a disk.
    """
    return record.exc_info is None or not isinstance(record.exc_info[1], UnicodeDecodeError)
