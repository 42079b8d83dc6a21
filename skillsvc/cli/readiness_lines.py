"""What is told of readiness without a server: a line for a person, fields of the proto's mapping for a script."""

from typing import Any

from google.protobuf.json_format import MessageToDict

from skillsvc.catalog.told import Told
from skillsvc.domain.readiness import ReadinessState
from skillsvc.service import readiness_wire


def line_of(told: Told) -> str:
    """Return why a skill is not ready, "" where it is."""
    readiness = told.readiness
    if readiness.state is ReadinessState.READY:
        return ""
    why = (
        ("missing: ", readiness.missing),
        ("cannot be checked: ", readiness.unverifiable),
        ("blocked on: ", readiness.blocked_on),
    )
    said = "; ".join(f"{what}{', '.join(words)}" for what, words in why if words)
    return f"{'needs setup' if readiness.state is ReadinessState.NEEDS_SETUP else 'readiness unknown'}; {said}"


def fields_of(told: Told) -> dict[str, Any]:
    """Return `readiness`, and `network` where anything is told of it."""
    messages = {
        "readiness": readiness_wire.readiness(told.readiness),
        "network": readiness_wire.network(told.network),
    }
    return {
        name: MessageToDict(message, preserving_proto_field_name=True)
        for name, message in messages.items()
        if message is not None
    }
