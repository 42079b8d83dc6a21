"""A field whose behaviour is not built is refused, never ignored; every field of every request is accounted for."""

from collections.abc import Iterator

import grpc
import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.domain.skill import ToolDeclaration, ToolKind
from skillsvc.service.skill_source import FEATURES
from tests.integration.in_process import World, in_process
from tests.simulators.skills import skill_row

METHODS = pb.DESCRIPTOR.services_by_name["SkillSourceService"].methods
SCOPE = {"project", "session", "consistency", "allow"}
BUILT = {
    "GetServerInfo": set[str](),
    "ListSkills": {*SCOPE, "view", "page_size", "page_token", "if_none_match", "invocation", "collection"},
    "SkillBody": {*SCOPE, "name", "offset", "max_bytes", "if_none_match", "form"},
    "ListAssets": {*SCOPE, "name"},
    "ReadAsset": {*SCOPE, "skill", "asset", "offset", "max_bytes", "if_none_match", "as_text"},
    "Activate": {*SCOPE, "name", "task", "invocation", "mcp", "text_form", "request_id"},
    "RenderCatalog": {
        *SCOPE,
        "builtin_tools",
        "format",
        "task",
        "order",
        "max_bytes",
        "max_tokens",
        "query",
        "if_none_match",
    },
    "SearchCapabilities": {*SCOPE, "query", "limit", "tools"},
    "SearchSkills": {*SCOPE, "query", "limit", "invocation", "task", "body_bytes"},
    "ReportOutcome": {*SCOPE, "activation_id", "skill", "task", "success_rate", "request_id"},
    "BestMatch": {*SCOPE, "task"},
    "WatchCatalog": {*SCOPE, "since"},
}
"""The fields whose behaviour is built; of `mcp` and `text_form` some values only."""
VALUES_NOT_BUILT: list[Message] = [
    pb.ActivateRequest(name="a", mcp=pb.MCP_MODE_CONNECT),
    pb.ActivateRequest(name="a", text_form=pb.TEXT_FORM_SKILL_CONTENT),
    pb.ActivateRequest(name="a", text_form=pb.TEXT_FORM_COMMAND),
]
NAMED = {"SkillBody": {"name": "a"}, "ListAssets": {"name": "a"}, "ReadAsset": {"skill": "a", "asset": "a.txt"}}
NAMED["Activate"] = {"name": "a"}
NAMED["ReportOutcome"] = {"skill": "a", "task": "review"}


def request_of(descriptor: Descriptor) -> Message:
    """Return a request of a kind that would be answered."""
    return GetMessageClass(descriptor)(**NAMED.get(descriptor.name.removesuffix("Request"), {}))


def set_field(request: Message, field: FieldDescriptor) -> None:
    """Give a field some value."""
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        getattr(request, field.name)["key"] = "value"
    elif field.is_repeated:
        getattr(request, field.name).append("value")
    else:
        values = {FieldDescriptor.CPPTYPE_STRING: "value", FieldDescriptor.CPPTYPE_BOOL: True}
        setattr(request, field.name, values.get(field.cpp_type, 1))


def fields_not_built() -> Iterator[tuple[str, str]]:
    for method in METHODS:
        if method.name in FEATURES:
            yield from (
                (method.name, field.name) for field in method.input_type.fields if field.name not in BUILT[method.name]
            )


def test_what_is_built_is_what_the_server_says() -> None:
    assert set(FEATURES) | {"GetServerInfo"} == set(BUILT)


@pytest.mark.parametrize(("rpc", "field"), sorted(fields_not_built()))
async def test_a_field_that_is_not_built_is_refused_where_it_is_set(rpc: str, field: str) -> None:
    (method,) = [method for method in METHODS if method.name == rpc]
    world = World()
    async with in_process(skill_row(world.blobs, "a", assets={"a.txt": b"a"}), world=world) as server:
        request = request_of(method.input_type)
        set_field(request, method.input_type.fields_by_name[field])
        refusal = (
            await server.watch(**{field: "value"}).refusal() if rpc == "WatchCatalog" else await server.refused(request)
        )
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNIMPLEMENTED, "NOT_IMPLEMENTED")
    assert refusal.metadata == {"field": field}


@pytest.mark.parametrize("request_", VALUES_NOT_BUILT, ids=repr)
async def test_a_value_that_is_not_built_is_refused(request_: Message) -> None:
    world = World()
    async with in_process(skill_row(world.blobs, "a"), world=world) as server:
        refusal = await server.refused(request_)
        given = {field.name for field, _value in request_.ListFields()} - {"name"}
        assert refusal.reason == "NOT_IMPLEMENTED"
        assert {refusal.metadata["field"]} == given


async def test_a_skill_with_tools_cannot_be_activated_yet_and_is_listed_and_read() -> None:
    world = World()
    tool = ToolDeclaration(id="t", kind=ToolKind.BUILTIN, name="read")
    async with in_process(skill_row(world.blobs, "a", tools=(tool,)), world=world) as server:
        refusal = await server.refused(pb.ActivateRequest(name="a"))
        assert (refusal.reason, refusal.metadata) == ("NOT_IMPLEMENTED", {"field": "tools"})
        (skill,) = (await server.list(view=pb.SKILL_VIEW_FULL)).skills
        assert len(skill.tool_kinds) == 1
        body = await server.call(pb.SkillBodyRequest(name="a"), pb.SkillBodyResponse)
        assert body.body == "Do it."


UNKNOWN_NUMBERS = [
    ("ListSkills", "view", 3),
    ("ListSkills", "view", -1),
    ("ListSkills", "invocation", 4),
    ("SkillBody", "form", 3),
    ("SearchSkills", "invocation", 4),
    ("RenderCatalog", "format", 4),
    ("RenderCatalog", "order", 4),
    ("Activate", "invocation", 2**31 - 1),
    ("Activate", "mcp", 3),
    ("Activate", "text_form", 4),
]


@pytest.mark.parametrize(("rpc", "field", "number"), UNKNOWN_NUMBERS)
async def test_a_number_that_an_enum_does_not_have_is_out_of_range(rpc: str, field: str, number: int) -> None:
    world = World()
    request = request_of(pb.DESCRIPTOR.message_types_by_name[f"{rpc}Request"])
    setattr(request, field, number)
    async with in_process(skill_row(world.blobs, "a"), world=world) as server:
        refusal = await server.refused(request)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "ARGUMENT_OUT_OF_RANGE")
    assert refusal.metadata == {"field": field}


def test_every_enum_of_a_call_that_is_built_is_tried_with_a_number_it_does_not_have() -> None:
    enums = {
        (rpc, field.name)
        for rpc in BUILT
        for field in pb.DESCRIPTOR.message_types_by_name[f"{rpc}Request"].fields
        if field.enum_type is not None
    }
    assert enums == {(rpc, field) for rpc, field, _number in UNKNOWN_NUMBERS}
