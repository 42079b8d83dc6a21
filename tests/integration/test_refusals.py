"""What is refused, in which order, and what must look alike (rules.md 7)."""

import copy
from typing import Any, TypeAlias

import grpc
import pytest
from google.protobuf.message import Message
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.domain.generation import Row
from tests.integration.in_process import InProcess, World, in_process
from tests.simulators.skills import sha256, skill_row

NamedRequest: TypeAlias = pb.SkillBodyRequest | pb.ListAssetsRequest | pb.ReadAssetRequest | pb.ActivateRequest
CALLS: list[type[NamedRequest]] = [pb.SkillBodyRequest, pb.ListAssetsRequest, pb.ReadAssetRequest, pb.ActivateRequest]
EACH_CALL = pytest.mark.parametrize("kind", CALLS, ids=lambda kind: kind.__name__)


def naming(kind: type[NamedRequest], name: str, *, allow: list[str] | None = None) -> NamedRequest:
    """Return a request for a skill, narrowed to `allow` if that is given."""
    request = pb.ReadAssetRequest(skill=name, asset="a.txt") if kind is pb.ReadAssetRequest else kind(name=name)  # type: ignore[call-arg] # the others have a name
    if allow is not None:
        request.allow.SetInParent()
        request.allow.names.extend(allow)
    return request


@pytest.fixture
def world() -> World:
    return World()


def rows(world: World) -> list[Row]:
    return [
        skill_row(world.blobs, "a", body="Of one.", assets={"a.txt": b"one"}, source="one"),
        skill_row(world.blobs, "a", body="Of two.", assets={"a.txt": b"two"}, source="two", shadowed=True),
        skill_row(world.blobs, "b", body="Of two.", source="two"),
        skill_row(world.blobs, "bare", body=None, assets={"a.txt": b"bare"}, source="two"),
    ]


@EACH_CALL
async def test_unknown_and_not_allowed_are_one_answer_to_the_byte(world: World, kind: type[NamedRequest]) -> None:
    async with in_process(*rows(world), world=world) as server:
        refusals = [
            await server.refused(request)
            for request in (
                naming(kind, "unknown"),
                naming(kind, "a", allow=[]),
                naming(kind, "a", allow=["b"]),
                naming(kind, "one/a", allow=["b"]),
                naming(kind, "one/b"),
                naming(kind, "three/a"),
                naming(kind, "unknown", allow=["unknown"]),
            )
        ]
    assert {(refusal.code, refusal.reason) for refusal in refusals} == {(grpc.StatusCode.NOT_FOUND, "SKILL_NOT_FOUND")}
    statuses = {refusal.status.SerializeToString() for refusal in refusals if refusal.status is not None}
    assert len(statuses) == 1


@EACH_CALL
async def test_a_digest_that_matches_does_not_betray_a_skill_that_is_not_allowed(
    world: World, kind: type[NamedRequest]
) -> None:
    async with in_process(*rows(world), world=world) as server:
        request = naming(kind, "a", allow=["b"])
        if not isinstance(request, pb.SkillBodyRequest | pb.ReadAssetRequest):
            return
        request.if_none_match = sha256(b"Of one.") if isinstance(request, pb.SkillBodyRequest) else sha256(b"one")
        assert (await server.refused(request)).reason == "SKILL_NOT_FOUND"


@EACH_CALL
@pytest.mark.parametrize(
    "name",
    [
        "",
        "A",
        "a b",
        "a\n",
        "-a",
        "_a",
        "a/b/c",
        "a/",
        "/a",
        "../a",
        "a/../b",
        "é",
        "a" * 65,
        "a/" + "b" * 65,
        "a.md",
        "\0",
    ],
    ids=ascii,
)
async def test_what_is_no_name_is_malformed(world: World, kind: type[NamedRequest], name: str) -> None:
    async with in_process(*rows(world), world=world) as server:
        refusal = await server.refused(naming(kind, name))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "NAME_MALFORMED")
    assert refusal.metadata == {"field": "skill" if kind is pb.ReadAssetRequest else "name"}


@pytest.mark.parametrize(("name", "expected"), [("a", b"one"), ("one/a", b"one"), ("two/a", b"two")])
async def test_a_qualified_name_finds_that_sources_skill_shadowed_or_not(
    world: World, name: str, expected: bytes
) -> None:
    async with in_process(*rows(world), world=world) as server:
        asset = await server.call(pb.ReadAssetRequest(skill=name, asset="a.txt"), pb.ReadAssetResponse)
        body = await server.call(pb.SkillBodyRequest(name=name), pb.SkillBodyResponse)
        activation = await server.call(pb.ActivateRequest(name=name), pb.ActivateResponse)
        assert asset.data == expected
        assert body.body == f"Of {expected.decode()}."
        assert (activation.name, activation.text.endswith(body.body)) == ("a", True)
        assert [skill.name for skill in (await server.list()).skills] == ["a", "b", "bare"]


async def test_a_qualified_name_is_allowed_by_the_skills_name(world: World) -> None:
    async with in_process(*rows(world), world=world) as server:
        request = pb.SkillBodyRequest(name="two/a", allow={"names": ["a"]})
        assert (await server.call(request, pb.SkillBodyResponse)).body == "Of two."


async def test_a_skill_of_skill_yaml_alone_is_listed_and_has_no_body(world: World) -> None:
    async with in_process(*rows(world), world=world) as server:
        for request in (
            pb.SkillBodyRequest(name="bare"),
            pb.SkillBodyRequest(name="bare", form=pb.BODY_FORM_DOCUMENT),
            pb.SkillBodyRequest(name="bare", if_none_match=sha256(b"")),
            pb.ActivateRequest(name="bare"),
        ):
            refusal = await server.refused(request)
            assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "BODY_NOT_FOUND")
        inventory = await server.call(pb.ListAssetsRequest(name="bare"), pb.ListAssetsResponse)
        assert [asset.name for asset in inventory.assets] == ["a.txt"]


async def test_an_empty_body_is_found(world: World) -> None:
    async with in_process(skill_row(world.blobs, "a", body=""), world=world) as server:
        answer = await server.call(pb.SkillBodyRequest(name="a"), pb.SkillBodyResponse)
        assert (answer.body, answer.digest, answer.total_bytes) == ("", sha256(b""), 0)


async def test_an_asset_that_is_not_there_is_not_found(world: World) -> None:
    async with in_process(*rows(world), world=world) as server:
        for name in ("b.txt", "A.TXT", "a.txt/b", "SKILL.md", "skill.yaml"):
            refusal = await server.refused(pb.ReadAssetRequest(skill="a", asset=name))
            assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "ASSET_NOT_FOUND")


@pytest.mark.parametrize(
    "name",
    [
        "",
        "/",
        "/etc/passwd",
        "../a",
        "a/../b",
        "./a",
        "a//b",
        "a/",
        "a\\b",
        "a\0b",
        "a\nb",
        "\x7f",
        "\u2028",
        "a" * 513,
    ],
    ids=ascii,
)
async def test_what_is_no_asset_name_is_malformed(world: World, name: str) -> None:
    async with in_process(*rows(world), world=world) as server:
        refusal = await server.refused(pb.ReadAssetRequest(skill="a", asset=name))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "ASSET_NAME_MALFORMED")
    assert refusal.metadata == {"field": "asset"}


@pytest.mark.parametrize("digest", ["x", "0" * 63, "0" * 65, "A" * 64, "g" * 64, "0" * 63 + "\n"], ids=ascii)
@pytest.mark.parametrize(
    "request_",
    [pb.ListSkillsRequest(), pb.SkillBodyRequest(name="a"), pb.ReadAssetRequest(skill="a", asset="a.txt")],
    ids=lambda request: type(request).__name__,
)
async def test_what_is_no_digest_is_malformed(
    world: World, request_: pb.ListSkillsRequest | pb.SkillBodyRequest | pb.ReadAssetRequest, digest: str
) -> None:
    asked = copy.deepcopy(request_)
    asked.if_none_match = digest
    async with in_process(*rows(world), world=world) as server:
        refusal = await server.refused(asked)
    assert (refusal.reason, refusal.metadata) == ("ARGUMENT_MALFORMED", {"field": "if_none_match"})


ALLOWING: list[Any] = [pb.ListSkillsRequest, *CALLS]


@pytest.mark.parametrize("kind", ALLOWING, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (["a"] * 4_097, "ARGUMENT_OUT_OF_RANGE"),
        (["a", "A"], "NAME_MALFORMED"),
        ([""], "NAME_MALFORMED"),
        (["one/a"], "NAME_MALFORMED"),
        (["a" * 65], "NAME_MALFORMED"),
    ],
    ids=["too many", "upper case", "empty", "qualified", "too long"],
)
async def test_allow_holds_at_most_4096_names(world: World, kind: Any, names: list[str], reason: str) -> None:  # noqa: ANN401 - a kind of request
    request = kind(allow={"names": names})
    if kind is pb.ReadAssetRequest:
        request.skill, request.asset = "a", "a.txt"
    elif kind is not pb.ListSkillsRequest:
        request.name = "a"
    async with in_process(*rows(world), world=world) as server:
        refusal = await server.refused(request)
        assert (refusal.reason, refusal.metadata["field"]) == (reason, "allow.names")


async def test_4096_names_are_allowed(world: World) -> None:
    names = [f"s{number}" for number in range(4_095)] + ["a"]
    async with in_process(*rows(world), world=world) as server:
        assert [skill.name for skill in (await server.list(allow={"names": names})).skills] == ["a"]


@pytest.mark.parametrize(
    ("project", "reason"),
    [("p" * 257, "ARGUMENT_OUT_OF_RANGE"), ("e\u0301", "ARGUMENT_MALFORMED"), ("a\nb", "ARGUMENT_MALFORMED")],
)
async def test_what_is_no_project_is_refused(world: World, project: str, reason: str) -> None:
    async with in_process(*rows(world), world=world) as server:
        requests: list[Message] = [pb.ListSkillsRequest(project=project)]
        requests += [_in_project(naming(kind, "a"), project) for kind in CALLS]
        for request in requests:
            refusal = await server.refused(request)
            assert (refusal.reason, refusal.metadata["field"]) == (reason, "project")


async def test_not_modified_is_told_of_what_the_caller_holds_and_of_its_beginning_alone(world: World) -> None:
    async with in_process(*rows(world), world=world) as server:
        body, document = "Of one.", "---\nname: a\ndescription: Does what its name says.\n---\nOf one.\n"
        for form, text in ((pb.BODY_FORM_BODY, body), (pb.BODY_FORM_DOCUMENT, document)):
            digest = sha256(text.encode())
            held = await _body(server, form=form, if_none_match=digest)
            expected = pb.SkillBodyResponse(
                generation=held.generation, digest=digest, total_bytes=len(text), not_modified=True
            )
            assert held == expected
            assert (await _body(server, form=form, if_none_match=digest, offset=1)).body == text[1:]
            assert (await _body(server, form=form, if_none_match="0" * 64)).body == text
        request = pb.ReadAssetRequest(skill="a", asset="a.txt", if_none_match=sha256(b"one"))
        unchanged = await server.call(request, pb.ReadAssetResponse)
        assert (unchanged.not_modified, unchanged.data, unchanged.total_bytes) == (True, b"", 3)
        request.offset = 1
        assert (await server.call(request, pb.ReadAssetResponse)).data == b"ne"


async def _body(server: InProcess, **fields: Any) -> pb.SkillBodyResponse:  # noqa: ANN401 - any field
    return await server.call(pb.SkillBodyRequest(name="a", **fields), pb.SkillBodyResponse)


def _in_project(request: NamedRequest, project: str) -> NamedRequest:
    request.project = project
    return request
