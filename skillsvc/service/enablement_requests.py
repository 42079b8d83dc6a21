"""What SetEnablement and ListEnablement ask into values: every field is checked once, here."""

from dataclasses import dataclass
from typing import Final

from skillsource.v1 import admin_pb2 as pb

from skillsvc.domain import caps
from skillsvc.domain.enablement import Audience, State
from skillsvc.domain.errors import ErrorReason, InvalidInput
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import parse_session
from skillsvc.service.admin_requests import PageAsk, check_count, malformed, page_of, partition_of
from skillsvc.service.requests import unknown_number

STATES: Final = {
    pb.ENABLEMENT_STATE_ENABLED: State.ENABLED,
    pb.ENABLEMENT_STATE_DISABLED: State.DISABLED,
    pb.ENABLEMENT_STATE_INHERITED: State.INHERITED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAsk:
    """What is to be said, of which names, to whom."""

    audience: Audience
    names: tuple[str, ...]
    state: State


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsAsk:
    """What is said to an audience, to any label of its partition where it names none; or what decides for it."""

    audience: Audience
    deciding: bool
    page: PageAsk


def parse_set_enablement(request: pb.SetEnablementRequest, _limits: Limits) -> SetAsk:
    """Return what a SetEnablement request says."""
    audience = Audience(partition_of(request.partition), parse_session(request.session))
    check_count("names", len(request.names), caps.CAPS["SetEnablementRequest.names"].max_items)
    if not request.names:
        raise malformed("names", "names holds none")
    for at, name in enumerate(request.names):
        if not caps.fits_skill_name(name):
            raise InvalidInput(
                ErrorReason.NAME_MALFORMED,
                f"names[{at}] is no skill name: a lower-case letter or digit, then up to 63 of those, `_` or `-`",
                metadata={"field": f"names[{at}]"},
            )
    if request.state == pb.ENABLEMENT_STATE_UNSPECIFIED:
        raise malformed(
            "state", "state must say whether the names are on, off, or left to what is said to more callers"
        )
    if request.state not in STATES:
        raise unknown_number("state", request.state)
    return SetAsk(audience=audience, names=tuple(request.names), state=STATES[request.state])


def parse_list_enablement(request: pb.ListEnablementRequest, limits: Limits) -> WordsAsk:
    """Return what a ListEnablement request asks for."""
    return WordsAsk(
        audience=Audience(partition_of(request.partition), parse_session(request.session)),
        deciding=request.deciding,
        page=page_of(request, limits),
    )
