"""The bearer token of a call: of one header `authorization`, of the one scheme, of bounded size."""

import re
from collections.abc import Sequence
from typing import Final

from skillsvc.service.identities.credentials import CredentialRefused

HEADER: Final = "authorization"
MAX_BYTES: Final = 8 * 1024
_BEARER: Final = re.compile(r"(?i:bearer) ([A-Za-z0-9._~+/-]+=*)")


def bearer_of(headers: Sequence[str | bytes]) -> str:
    """Return the token of the one header among all of the name.

    Raises:
        CredentialRefused: There are several, of which one reader takes the first and another the last, or there is
            none; or it is too long, or no bearer token.
    """
    if len(headers) != 1:
        raise CredentialRefused("there is not one header authorization")
    (header,) = headers
    if not isinstance(header, str) or len(header) > MAX_BYTES:
        raise CredentialRefused(f"the header authorization is longer than {MAX_BYTES} bytes, or no text")
    found = _BEARER.fullmatch(header)
    if found is None:
        raise CredentialRefused("the header authorization holds no bearer token")
    return found[1]
