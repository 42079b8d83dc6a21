"""Lies in bodies, assets, activations and the other single answers: digests, totals, ranges, limits."""

# ruff: noqa: ANN401 - a table of answers of all kinds

import math
from collections.abc import Callable, Iterator
from typing import Any

from skillsource import BodyForm
from skillsource.v1 import skill_pb2
from skillsource.v1 import skill_source_pb2 as pb

from tests.hostile.honest import sha256
from tests.hostile.lie import FIRST, Lie, answering, changed
from tests.hostile.lies_of_lists import GENERATION, asset, embedded, entry

BODY_BYTES = len(FIRST.body)
ASSET = FIRST.assets[0]

Body = pb.SkillBodyResponse
BodyRequest = pb.SkillBodyRequest


def of_body(name: str, change: Callable[[Body, BodyRequest], None], **rest: Any) -> Lie:
    """Return a lie told in the ranges, of 500 bytes each, of an honest body."""
    return Lie(
        name=f"body-{name}",
        script=lambda: changed("SkillBody", BodyRequest, change, ranges=500),
        call="skill_body",
        arguments={"name": "first"},
        **{"error": "" if "holds" in rest else "ProtocolError", **rest},
    )


def of_whole_body(name: str, answer: Body | bytes, **rest: Any) -> Lie:
    """Return a lie told in one answer."""
    return Lie(
        name=f"body-{name}",
        script=lambda: answering("SkillBody", answer),
        call="skill_body",
        **{"arguments": {"name": "first"}, "error": "" if "holds" in rest else "ProtocolError", **rest},
    )


def of_asset(name: str, change: Callable[[pb.ReadAssetResponse, pb.ReadAssetRequest], None], **rest: Any) -> Lie:
    """Return a lie told in the ranges, of 500 bytes each, of an honest asset."""
    return Lie(
        name=f"asset-{name}",
        script=lambda: changed("ReadAsset", pb.ReadAssetRequest, change, ranges=500),
        call="read_asset",
        **{
            "arguments": {"name": "first", "asset": ASSET.name},
            "error": "" if "holds" in rest else "ProtocolError",
            **rest,
        },
    )


def of_activation(name: str, change: Callable[[pb.ActivateResponse, pb.ActivateRequest], None], **rest: Any) -> Lie:
    """Return a lie told in an honest activation."""
    return Lie(
        name=f"activation-{name}",
        script=lambda: changed("Activate", pb.ActivateRequest, change),
        call="activate",
        arguments={"name": "first"},
        **{"error": "" if "holds" in rest else "ProtocolError", **rest},
    )


def of_answer(method: str, call: str, answer: Any, arguments: dict[str, Any], **rest: Any) -> Lie:
    """Return a lie told in the one answer of a method."""
    return Lie(
        script=lambda: answering(method, answer),
        call=call,
        arguments=arguments,
        **{"error": "" if "holds" in rest else "ProtocolError", **rest},
    )


def setting(**fields: Any) -> Callable[[Any, Any], None]:
    """Return a change that sets fields, whatever they were."""

    def change(answer: Any, request: Any) -> None:
        del request
        for name, value in fields.items():
            setattr(answer, name, value)

    return change


def after_the_first(**fields: Any) -> Callable[[Any, Any], None]:
    """Return a change that sets fields of every range but the first."""
    change = setting(**fields)
    return lambda answer, request: change(answer, request) if request.offset else None


def whole(text: str, **fields: Any) -> Body:
    """Return a body that comes at once, right but for these fields."""
    data = text.encode()
    return Body(**{"generation": GENERATION, "body": text, "digest": sha256(data), "total_bytes": len(data), **fields})


def moves(answer: Any, request: Any) -> None:
    """Name another generation in every range but the first."""
    if request.offset:
        answer.generation.digest = sha256(b"elsewhere")


def crawls(answer: Body, request: BodyRequest) -> None:
    """Send one byte at a time, of a megabyte."""
    answer.body = "x"
    answer.total_bytes = 1 << 20
    answer.next_offset = request.offset + 1


def crawls_without_end(answer: pb.ReadAssetResponse, request: pb.ReadAssetRequest) -> None:
    """Send one byte at a time, of 64 MiB."""
    answer.data = b"x"
    answer.offset = request.offset
    answer.total_bytes = 64 << 20
    answer.next_offset = request.offset + 1


def floods(answer: pb.ReadAssetResponse, request: pb.ReadAssetRequest) -> None:
    """Send a mebibyte where 3,000 bytes were announced."""
    del request
    answer.data = bytes(1 << 20)


def _bodies() -> Iterator[Lie]:
    yield of_body("wrong-digest", setting(digest=sha256(b"other")))
    yield of_body("no-digest", setting(digest=""))
    yield of_body("digest-in-capitals", setting(digest=sha256(b"other").upper()))
    yield of_body("digest-changes", after_the_first(digest=sha256(b"other")))
    yield of_body("total-too-small", setting(total_bytes=BODY_BYTES - 1))
    yield of_body("total-too-large", setting(total_bytes=BODY_BYTES + 1))
    yield of_body("total-changes", after_the_first(total_bytes=BODY_BYTES + 1))
    yield of_body("total-over-the-cap", setting(total_bytes=2**32 - 1))
    yield of_body("offset-stays", after_the_first(next_offset=500))
    yield of_body("offset-goes-back", after_the_first(next_offset=1))
    yield of_body("offset-jumps", setting(next_offset=2**32 - 1))
    yield of_body("offset-beyond-the-end", setting(next_offset=BODY_BYTES + 1))
    yield of_body("ends-early", setting(next_offset=0))
    yield of_body("empty-range", after_the_first(body=""))
    yield of_body("generation-moves", moves, error="GenerationsMixed")
    yield of_body("crawls", crawls)
    yield of_body("not-modified-unasked", setting(not_modified=True))
    yield of_body("not-modified-between", after_the_first(not_modified=True))
    yield of_whole_body("over-a-mebibyte", whole("x" * ((1 << 20) + 1)))
    yield of_whole_body("no-generation", whole("x", generation=None))
    yield of_whole_body("cut-inside-a-character", whole("x").SerializeToString() + embedded(2, "é".encode()[:1]))
    yield of_whole_body("garbage", b"\xff" * 1_000)
    yield of_whole_body(
        "document-of-other-bytes",
        whole("a\ufffdb", digest=sha256(b"a\xffb")),
        arguments={"name": "first", "form": BodyForm.DOCUMENT},
        holds=lambda it: it.text == "a\ufffdb" and not it.verified,
    )
    yield of_whole_body(
        "document-wrong-digest",
        whole("ab", digest=sha256(b"ba")),
        arguments={"name": "first", "form": BodyForm.DOCUMENT},
    )
    yield of_whole_body("empty", whole(""), holds=lambda it: it.text == "" and it.digest == sha256(b""))


def _assets() -> Iterator[Lie]:
    yield of_asset("wrong-digest", setting(digest=sha256(b"other")))
    yield of_asset("digest-changes", after_the_first(digest=sha256(b"other")))
    yield of_asset("total-too-small", setting(total_bytes=2_999))
    yield of_asset("total-too-large", setting(total_bytes=3_001))
    yield of_asset("total-over-the-cap", setting(total_bytes=(64 << 20) + 1))
    yield of_asset("another-offset", setting(offset=500))
    yield of_asset("offset-stays", after_the_first(next_offset=500))
    yield of_asset("offset-jumps", setting(next_offset=2_000))
    yield of_asset("empty-range", after_the_first(data=b""))
    yield of_asset("ends-early", setting(next_offset=0))
    yield of_asset("generation-moves", moves, error="GenerationsMixed")
    yield of_asset("crawls-without-end", crawls_without_end, error="DeadlineExceeded", options={"read_timeout": 1.0})
    yield of_asset("floods", floods)
    yield of_asset("range-over-a-mebibyte", setting(data=bytes((1 << 20) + 1)))
    yield of_asset("not-modified-unasked", setting(not_modified=True))
    yield of_asset(
        "no-text",
        setting(),
        arguments={"name": "first", "asset": "b.bin", "as_text": True},
    )
    yield of_asset(
        "long-media-type",
        setting(media_type="m\n" * 1_000),
        holds=lambda it: len(it.media_type) <= 128 and "\n" not in it.media_type,
    )


def _refused_tool(**fields: Any) -> Callable[[Any, Any], None]:
    return lambda answer, _: answer.tools.add(**{"id": "t", "target": "t", **fields})


def _activations() -> Iterator[Lie]:
    yield of_activation("of-another-skill", setting(name="second"))
    yield of_activation("unfit-name", setting(name="First"))
    yield of_activation("text-too-long", setting(text="x" * 25_001))
    yield of_activation("no-body-digest", setting(body_digest=""))
    yield of_activation("id-of-escapes", setting(activation_id="\x1b]0;title\x07"))
    yield of_activation("unfit-asset", lambda answer, _: answer.assets.extend([asset("../x")]))
    yield of_activation("tool-outside", _refused_tool(asset="../../bin/sh", digest=sha256(b"")))
    yield of_activation("tool-without-digest", _refused_tool(asset="run.sh"))
    yield of_activation("too-many-tools", lambda answer, _: answer.tools.extend([skill_pb2.Tool(id="t")] * 65))
    yield of_activation("huge-schema", _refused_tool(input_schema="x" * 16_385))
    yield of_activation(
        "unknown-tool-numbers",
        _refused_tool(kind=99, trust=99),
        holds=lambda it: it.tools[0].kind == "unknown" and it.tools[0].trust == "untrusted" and not it.tools[0].granted,
    )
    yield of_activation(
        "many-notes", lambda answer, _: answer.notes.extend(["n\n" * 600] * 33), holds=lambda it: len(it.notes) == 32
    )
    yield of_activation("no-generation", lambda answer, _: answer.ClearField("generation"))


def _others() -> Iterator[Lie]:
    hits = pb.SearchSkillsResponse(
        generation=GENERATION,
        hits=[
            {"skill": entry("first"), "score": 1.0, "snippet": "s\n" * 1_000, "matched": ["m"] * 65},
            {"skill": entry("first"), "score": 0.5},
            {"skill": entry("second"), "score": math.nan},
            {"skill": entry("third"), "score": math.inf},
            {"skill": entry("Fourth"), "score": 0.1},
            {"score": 0.1},
        ],
    )
    yield of_answer(
        "SearchSkills",
        "search_skills",
        hits,
        {"query": "q"},
        name="search-hits",
        holds=lambda it: (
            [hit.skill.name for hit in it.hits] == ["first"]
            and len(it.hits[0].snippet.encode()) <= 512
            and len(it.hits[0].matched) == 64
            and len(it.dropped) >= 6
        ),
    )
    many = pb.SearchSkillsResponse(generation=GENERATION, hits=[{"skill": entry(f"s-{n}")} for n in range(500)])
    yield of_answer(
        "SearchSkills", "search_skills", many, {"query": "q"}, name="search-many", holds=lambda it: len(it.hits) == 50
    )
    text = "catalog"
    rendered = pb.RenderCatalogResponse(generation=GENERATION, text=text, digest=sha256(text.encode()))
    yield of_answer(
        "RenderCatalog", "render_catalog", rendered, {}, name="render-honest", holds=lambda it: it.text == text
    )
    yield of_answer("RenderCatalog", "render_catalog", rendered, {"max_bytes": 6}, name="render-over-bytes")
    yield of_answer("RenderCatalog", "render_catalog", rendered, {"max_tokens": 1}, name="render-over-tokens")
    rendered = pb.RenderCatalogResponse(generation=GENERATION, text=text, digest=sha256(b"other"))
    yield of_answer("RenderCatalog", "render_catalog", rendered, {}, name="render-wrong-digest")
    rendered = pb.RenderCatalogResponse(generation=GENERATION, not_modified=True, digest=sha256(b"other"))
    yield of_answer("RenderCatalog", "render_catalog", rendered, {}, name="render-not-modified-unasked")
    for name, fields in (
        ("nan", {"skill": "first", "success_rate": math.nan}),
        ("beyond-one", {"skill": "first", "success_rate": 1.5}),
        ("no-skill", {"success_rate": 0.5}),
        ("unfit-skill", {"skill": "../first", "success_rate": 0.5}),
    ):
        match = pb.BestMatchResponse(generation=GENERATION, found=True, **fields)
        yield of_answer("BestMatch", "best_match", match, {"task": "t"}, name=f"best-match-{name}")
    results = pb.SearchCapabilitiesResponse(
        generation=GENERATION, results=[{"name": "n", "kind": 99, "description": "d" * 2_000}, {"kind": 1}] * 30
    )
    yield of_answer(
        "SearchCapabilities",
        "search_capabilities",
        results,
        {"query": "q"},
        name="capabilities",
        holds=lambda it: (
            len(it.results) == 25 and it.results[0].kind == "unknown" and len(it.results[0].description) <= 1_024
        ),
    )
    info = pb.GetServerInfoResponse(version="v\n" * 1_000, features=["f"] * 1_000, contract=2**32 - 1)
    yield of_answer(
        "GetServerInfo",
        "server_info",
        info,
        {},
        name="server-info",
        holds=lambda it: len(it.version) <= 128 and "\n" not in it.version and len(it.features) == 256,
    )
    yield of_answer("GetServerInfo", "server_info", b"\x0a\xff", {}, name="server-info-garbage")


LIES = (*_bodies(), *_assets(), *_activations(), *_others())
