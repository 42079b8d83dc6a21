"""Activating a skill, and telling what came of it: the calls that leave a trace, each known by its `request_id`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from skillsource import wire
from skillsource.answers import Activation, AssetContent, Body, InvocationFilter, McpMode, TextForm
from skillsource.errors import InvalidArgument, ProtocolError
from skillsource.methods import ACTIVATE, REPORT_OUTCOME, Operation
from skillsource.reading import sorted_assets
from skillsource.retrying import Throttle, ask_again
from skillsource.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What an activation is asked for. None leaves the choice to the server's contract."""

    name: str
    task: str = ""
    builtin_tools: Sequence[str] = ()
    invocation: InvocationFilter | None = None
    mcp: McpMode | None = None
    allow_partial: bool = False
    text_form: TextForm | None = None
    arguments: Mapping[str, str] | None = None
    request_id: str = ""

    def fields(self) -> dict[str, object]:
        """Return the fields of the request, without those that are unset."""
        fields: dict[str, object] = {"name": self.name}
        if self.task:
            fields["task"] = self.task
        if self.builtin_tools:
            fields["builtin_tools"] = tuple(self.builtin_tools)
        if self.invocation is not None:
            fields["invocation"] = f"INVOCATION_FILTER_{self.invocation}"
        if self.mcp is not None:
            fields["mcp"] = f"MCP_MODE_{self.mcp}"
        if self.allow_partial:
            fields["allow_partial"] = True
        if self.text_form is not None:
            fields["text_form"] = f"TEXT_FORM_{self.text_form}"
        if self.arguments:
            fields["arguments"] = dict(self.arguments)
        return fields


class Traces:
    """Calls of one scope that leave a trace, repeated by the client alone."""

    def __init__(
        self, scope: Scope, throttle: Throttle, chance: Callable[[], float], new_request_id: Callable[[], str]
    ) -> None:
        self._scope = scope
        self._throttle = throttle
        self._chance = chance
        self._new_request_id = new_request_id

    def activate(self, request: Request) -> Operation[Activation]:
        """Begin the use of a skill."""
        fields = {
            **self._scope.fields(builtin_tools=True),
            **request.fields(),
            "request_id": request.request_id or self._new_request_id(),
        }
        answer = yield from ask_again(ACTIVATE, fields, self._throttle, self._chance)
        values = answer.values
        if values["name"] != request.name.rpartition("/")[2]:
            raise ProtocolError("Activate: the answer is of another skill")
        return Activation(
            generation=wire.generation(values),
            activation_id=wire.identifier(values.get("activation_id", "")),
            name=values["name"],
            reference=request.name,
            text=values.get("text", ""),
            body_digest=values["body_digest"],
            truncated=values.get("truncated", False),
            next_offset=values.get("next_offset", 0),
            assets=sorted_assets(values, answer.drops),
            tools=wire.each(values.get("tools", ()), wire.tool),
            notes=tuple(values.get("notes", ())),
            readiness=wire.optional(values.get("readiness"), wire.readiness),
            network=wire.optional(values.get("network"), wire.network),
            dropped=answer.drops.told(),
        )

    def report(
        self, success_rate: float, *, activation_id: str, skill: str, task: str, request_id: str
    ) -> Operation[bool]:
        """Tell how something turned out; return whether it was recorded."""
        if not 0 <= success_rate <= 1:  # NaN neither
            raise InvalidArgument(
                "ReportOutcome: success_rate is not from 0 to 1",
                reason="ARGUMENT_OUT_OF_RANGE",
                metadata={"field": "success_rate"},
            )
        said = {"activation_id": activation_id, "skill": skill, "task": task}
        fields = {
            **self._scope.fields(),
            **{name: value for name, value in said.items() if value},
            "success_rate": success_rate,
            "request_id": request_id or self._new_request_id(),
        }
        answer = yield from ask_again(REPORT_OUTCOME, fields, self._throttle, self._chance)
        wire.generation(answer.values)
        return bool(answer.values.get("recorded", False))


def rest_of_body(activation: Activation, body: Body) -> str:
    """Return what the text of an activation leaves out of the skill's body.

    Args:
        activation: The activation.
        body: The whole body, read from the activation's generation.

    Raises:
        ProtocolError: The body is another one, or the text was cut inside a character.
    """
    if body.digest != activation.body_digest:
        raise ProtocolError("the body is not the one that was activated")
    if not activation.truncated:
        return ""
    encoded = body.text.encode()
    if activation.next_offset > len(encoded):
        raise ProtocolError("the text of the activation was cut beyond the end of the body")
    try:
        return encoded[activation.next_offset :].decode()
    except UnicodeDecodeError:
        raise ProtocolError("the text of the activation was cut inside a character") from None


def of_inventory(activation: Activation, name: str, content: AssetContent) -> AssetContent:
    """Return what was read from the activation's generation, if it is what the activation's inventory names.

    Raises:
        ProtocolError: It has another digest, or the inventory does not name it.
    """
    if all(asset.name != name or asset.digest != content.digest for asset in activation.assets):
        raise ProtocolError("the asset is not the one that the activation names")
    return content
