"""The bearer token of a call: of one header `authorization`, of the one scheme, of bounded size."""

import re
from collections.abc import Iterable
from typing import Final

from skillsvc.service.identities.credentials import CredentialRefused

HEADER: Final = "authorization"
MAX_BYTES: Final = 8 * 1024
_BEARER: Final = re.compile(r"(?i:bearer) ([A-Za-z0-9._~+/-]+=*)")


def bearer_of(values: Iterable[str | bytes]) -> str | None:
    """Return the token of all values of the header, None where there is no such header.

    Raises:
        CredentialRefused: There are several, of which one reader takes the first and another the last; or it is too
            long, or no bearer token.
    """
    headers = tuple(values)
    if not headers:
        return None
    if len(headers) > 1:
        raise CredentialRefused("there are several headers authorization")
    (header,) = headers
    if not isinstance(header, str) or len(header) > MAX_BYTES:
        raise CredentialRefused(f"the header authorization is longer than {MAX_BYTES} bytes, or no text")
    found = _BEARER.fullmatch(header)
    if found is None:
        raise CredentialRefused("the header authorization holds no bearer token")
    return found[1]
