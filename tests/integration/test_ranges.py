"""Ranges of bodies, documents and assets (contract.md, "Sizes and ranges")."""

import hashlib
from typing import Any

import grpc
import pytest
from skillsource.v1 import skill_source_pb2 as pb

from skillsvc.domain.generation import Row
from skillsvc.domain.limits import Limits
from tests.integration.in_process import InProcess, World, in_process
from tests.simulators.skills import skill_row

MIB = 1024 * 1024
BODY = "aé世😀z"  # 1 + 2 + 3 + 4 + 1 bytes
ASSET = bytes(range(11))


@pytest.fixture
def world() -> World:
    return World()


def a_skill(world: World) -> Row:
    return skill_row(
        world.blobs,
        "a",
        body=BODY,
        assets={
            "data.bin": ASSET,
            "empty.txt": b"",
            "text.md": BODY.encode(),
            "latin.txt": b"caf\xe9",
            "nul.txt": b"a\0b",
            "run.sh": b"#!",
        },
        executable=frozenset({"run.sh"}),
    )


async def body(server: InProcess, name: str = "a", **fields: Any) -> pb.SkillBodyResponse:  # noqa: ANN401 - any field
    return await server.call(pb.SkillBodyRequest(name=name, **fields), pb.SkillBodyResponse)


async def asset(server: InProcess, name: str, **fields: Any) -> pb.ReadAssetResponse:  # noqa: ANN401 - any field
    return await server.call(pb.ReadAssetRequest(skill="a", asset=name, **fields), pb.ReadAssetResponse)


@pytest.mark.parametrize(
    ("offset", "max_bytes", "text", "next_offset"),
    [
        (0, 0, "aé世😀z", 0),
        (0, 11, "aé世😀z", 0),
        (0, 2**32 - 1, "aé世😀z", 0),
        (0, 4, "aé", 3),
        (0, 5, "aé", 3),
        (0, 6, "aé世", 6),
        (0, 9, "aé世", 6),
        (0, 10, "aé世😀", 10),
        (1, 4, "é", 3),
        (3, 4, "世", 6),
        (6, 4, "😀", 10),
        (6, 5, "😀z", 0),
        (10, 4, "z", 0),
        (11, 0, "", 0),
        (11, 4, "", 0),
    ],
)
async def test_a_body_is_read_in_whole_characters(
    world: World, offset: int, max_bytes: int, text: str, next_offset: int
) -> None:
    async with in_process(a_skill(world), world=world) as server:
        answer = await body(server, offset=offset, max_bytes=max_bytes)
        assert (answer.body, answer.next_offset, answer.total_bytes) == (text, next_offset, 11)
        assert answer.digest == hashlib.sha256(BODY.encode()).hexdigest()
        assert await body(server, offset=offset, max_bytes=max_bytes) == answer


@pytest.mark.parametrize("max_bytes", [1, 2, 3])
@pytest.mark.parametrize(
    "request_",
    [
        pb.SkillBodyRequest(name="a"),
        pb.SkillBodyRequest(name="a", form=pb.BODY_FORM_DOCUMENT),
        pb.ReadAssetRequest(skill="a", asset="data.bin"),
    ],
    ids=repr,
)
async def test_less_than_any_one_character_is_out_of_range(
    world: World, request_: pb.SkillBodyRequest | pb.ReadAssetRequest, max_bytes: int
) -> None:
    async with in_process(a_skill(world), world=world) as server:
        asked = type(request_)()
        asked.MergeFromString(request_.SerializeToString())
        asked.max_bytes = max_bytes
        refusal = await server.refused(asked)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "ARGUMENT_OUT_OF_RANGE")
    assert refusal.metadata["field"] == "max_bytes"


@pytest.mark.parametrize("offset", [2, 4, 5, 7, 8, 9, 12, 13, 2**32 - 1])
async def test_an_offset_inside_a_character_or_beyond_the_end_of_a_body_is_out_of_range(
    world: World, offset: int
) -> None:
    async with in_process(a_skill(world), world=world) as server:
        refusal = await server.refused(pb.SkillBodyRequest(name="a", offset=offset))
    assert (refusal.reason, refusal.metadata["field"]) == ("ARGUMENT_OUT_OF_RANGE", "offset")


@pytest.mark.parametrize("letter", ["a", "é", "世", "😀"])
@pytest.mark.parametrize("max_bytes", [4, 5, 6, 7, 64])
async def test_ranges_put_together_are_the_body(world: World, letter: str, max_bytes: int) -> None:
    whole = "x" + letter * 50 + "é" + letter * 50
    async with in_process(skill_row(world.blobs, "a", body=whole), world=world) as server:
        read, offset = "", 0
        while True:
            answer = await body(server, offset=offset, max_bytes=max_bytes)
            assert 0 < len(answer.body.encode()) <= max_bytes
            read, offset = read + answer.body, answer.next_offset
            if not offset:
                break
    assert read == whole


@pytest.mark.parametrize(("over", "next_offset"), [(0, 0), (1, MIB - 2), (9, MIB - 2)])
async def test_one_answer_has_at_most_1_mib_of_a_document(world: World, over: int, next_offset: int) -> None:
    """The largest body has 1 MiB, a document 64 KiB more; the last character of the first range has 3 bytes."""
    head = "---\nname: a\ndescription: d\n---\n"
    text = "x" * (MIB - len(head) - (2 if over else 0)) + ("世" + "x" * (over - 1) if over else "")
    document = (head + text).encode()
    row = skill_row(world.blobs, "a", body=text, document=document)
    async with in_process(row, world=world) as server:
        answer = await body(server, form=pb.BODY_FORM_DOCUMENT, max_bytes=2 * MIB)
        assert (answer.next_offset, answer.total_bytes) == (next_offset, MIB + over)
        assert len(answer.body.encode()) == (next_offset or MIB)


@pytest.mark.parametrize(
    ("document", "served"),
    [
        (b"---\nname: a\n---\nBody.\n", "---\nname: a\n---\nBody.\n"),
        (b"\xef\xbb\xbf---\r\nname: a\r\n---\r\n\r\nBody.  \r\n", "\ufeff---\r\nname: a\r\n---\r\n\r\nBody.  \r\n"),
        (b"---\nname: \xff\n---\nBody.", "---\nname: \ufffd\n---\nBody."),
    ],
)
async def test_a_document_is_served_as_it_was_read(world: World, document: bytes, served: str) -> None:
    async with in_process(skill_row(world.blobs, "a", body="Body.", document=document), world=world) as server:
        answer = await body(server, form=pb.BODY_FORM_DOCUMENT)
        assert (answer.body, answer.total_bytes) == (served, len(served.encode()))
        assert (await body(server)).body == "Body."


@pytest.mark.parametrize(
    ("offset", "max_bytes", "data", "next_offset"),
    [
        (0, 0, ASSET, 0),
        (0, 4, ASSET[:4], 4),
        (4, 4, ASSET[4:8], 8),
        (8, 4, ASSET[8:], 0),
        (7, 4, ASSET[7:], 0),
        (11, 0, b"", 0),
        (11, 4, b"", 0),
    ],
)
async def test_an_asset_is_cut_anywhere(
    world: World, offset: int, max_bytes: int, data: bytes, next_offset: int
) -> None:
    async with in_process(a_skill(world), world=world) as server:
        answer = await asset(server, "data.bin", offset=offset, max_bytes=max_bytes)
        expected = pb.ReadAssetResponse(
            generation=answer.generation,
            data=data,
            offset=offset,
            total_bytes=11,
            next_offset=next_offset,
            digest=hashlib.sha256(ASSET).hexdigest(),
            media_type="application/octet-stream",
        )
        assert answer == expected
        assert await asset(server, "data.bin", offset=offset, max_bytes=max_bytes) == expected


@pytest.mark.parametrize("offset", [12, 2**32 - 1])
async def test_an_offset_beyond_the_end_of_an_asset_is_out_of_range(world: World, offset: int) -> None:
    async with in_process(a_skill(world), world=world) as server:
        refusal = await server.refused(pb.ReadAssetRequest(skill="a", asset="data.bin", offset=offset))
    assert (refusal.reason, refusal.metadata["field"]) == ("ARGUMENT_OUT_OF_RANGE", "offset")


async def test_an_empty_asset_has_no_bytes_and_no_next_range(world: World) -> None:
    async with in_process(a_skill(world), world=world) as server:
        answer = await asset(server, "empty.txt")
        assert (answer.data, answer.total_bytes, answer.next_offset) == (b"", 0, 0)
        assert answer.digest == hashlib.sha256(b"").hexdigest()
        refusal = await server.refused(pb.ReadAssetRequest(skill="a", asset="empty.txt", offset=1))
        assert refusal.reason == "ARGUMENT_OUT_OF_RANGE"


async def test_one_answer_has_at_most_1_mib_of_an_asset(world: World) -> None:
    data = bytes(range(256)) * 5_000
    async with in_process(skill_row(world.blobs, "a", assets={"large.bin": data}), world=world) as server:
        first = await asset(server, "large.bin")
        assert (len(first.data), first.next_offset) == (MIB, MIB)
        second = await asset(server, "large.bin", offset=first.next_offset, max_bytes=2**32 - 1)
        assert (first.data + second.data, second.next_offset) == (data, 0)


async def test_an_operator_lowers_what_one_answer_holds(world: World) -> None:
    world.limits = Limits(range_bytes=4)
    async with in_process(a_skill(world), world=world) as server:
        assert (await asset(server, "data.bin", max_bytes=9)).data == ASSET[:4]
        assert (await body(server)).body == "aé"


@pytest.mark.parametrize(
    ("name", "is_text"),
    [("text.md", True), ("empty.txt", True), ("data.bin", False), ("latin.txt", False), ("nul.txt", False)],
)
@pytest.mark.parametrize("offset", [0, 1])
async def test_as_text_refuses_an_asset_that_is_none(world: World, name: str, is_text: bool, offset: int) -> None:  # noqa: FBT001 - a column of a table
    async with in_process(a_skill(world), world=world) as server:
        offset = min(offset, (await asset(server, name)).total_bytes)
        for _ in range(2):
            if is_text:
                answer = await asset(server, name, as_text=True, offset=offset)
                assert answer == await asset(server, name, offset=offset)
            else:
                request = pb.ReadAssetRequest(skill="a", asset=name, as_text=True, offset=offset)
                refusal = await server.refused(request)
                assert (refusal.reason, refusal.metadata) == ("ARGUMENT_MALFORMED", {"field": "as_text"})


async def test_an_executable_asset_is_said_to_be_one(world: World) -> None:
    async with in_process(a_skill(world), world=world) as server:
        assert (await asset(server, "run.sh")).executable
        assert not (await asset(server, "text.md")).executable


async def test_an_inventory_comes_in_byte_order_and_whole(world: World) -> None:
    async with in_process(a_skill(world), world=world) as server:
        answer = await server.call(pb.ListAssetsRequest(name="a"), pb.ListAssetsResponse)
        assert [(each.name, each.size, each.executable, each.media_type) for each in answer.assets] == [
            ("data.bin", 11, False, "application/octet-stream"),
            ("empty.txt", 0, False, "text/plain"),
            ("latin.txt", 4, False, "text/plain"),
            ("nul.txt", 3, False, "text/plain"),
            ("run.sh", 2, True, "application/x-sh"),
            ("text.md", 11, False, "text/markdown"),
        ]
        assert answer.assets[0].digest == hashlib.sha256(ASSET).hexdigest()
