"""`--json` is the proto's JSON mapping with proto field names, though the client gives values and not messages."""

import base64
import dataclasses
import json
from datetime import UTC, datetime

import pytest
from google.protobuf.json_format import MessageToDict, ParseDict
from skillsource import (
    Activation,
    Asset,
    AssetContent,
    Body,
    Capabilities,
    Capability,
    CapabilityKind,
    CatalogEvent,
    Collection,
    CollectionListing,
    Diagnostic,
    Generation,
    Inventory,
    Invocation,
    Listing,
    Network,
    NetworkDeclaration,
    NetworkMode,
    NetworkSource,
    OmittedSkill,
    Readiness,
    ReadinessState,
    RenderedCatalog,
    Retention,
    SearchHit,
    SearchResult,
    ServerInfo,
    ServerLimits,
    Severity,
    SidecarState,
    Skill,
    SourceState,
    Tier,
    Tool,
    ToolKind,
    Trust,
    UnreachableSource,
)

from skillsvc.cli.messages import Answer, message_of, to_json

A = "a" * 64
TIME = datetime(2026, 3, 4, 5, 6, 7, 89_000, tzinfo=UTC)

GENERATION = Generation(
    token="dG9rZW4",  # noqa: S106 - names a state, and opens nothing
    sequence=2**53 + 1,
    digest=A,
    published_at=TIME,
    complete=False,
    unreachable_sources=(
        UnreachableSource(source="one", since=TIME, state=SourceState.STALE),
        UnreachableSource(source="two", since=None, state=SourceState.UNKNOWN),
    ),
)
GENERATION_JSON = {
    "token": "dG9rZW4",
    # JSON numbers lose digits beyond 2^53, so 64-bit integers are text.
    "sequence": "9007199254740993",
    "digest": A,
    "published_at": "2026-03-04T05:06:07.089Z",
    "unreachable_sources": [
        {"source": "one", "since": "2026-03-04T05:06:07.089Z", "state": "SOURCE_STATE_STALE"},
        {"source": "two"},
    ],
}

SKILL = Skill(
    name="csv-check",
    description="Looks at <tables>.",
    description_truncated=True,
    description_bytes=900,
    has_assets=True,
    origin=Tier.LEARNED,
    trust=Trust.UNTRUSTED,
    invocation=Invocation(model=True, user=False),
    digest=A,
    display_name="CSV Check",
    license="MIT",
    compatibility="Python",
    metadata={"b": "2", "a": "1"},
    allowed_tools=("Read",),
    when_to_use="When there is a table.",
    version="1.10",
    keywords=("csv", "tsv"),
    capabilities=("tables",),
    tool_kinds=(ToolKind.BUILTIN, ToolKind.MCP),
    collection="data",
    source="one",
    body_bytes=12,
    document_digest=A,
    document_bytes=34,
    asset_count=2,
    readiness=Readiness(
        state=ReadinessState.NEEDS_SETUP,
        missing=("m",),
        unverifiable=("u",),
        blocked_on=("b",),
        sidecar=SidecarState.BROKEN,
    ),
    network=Network(
        mode=NetworkMode.HOST_ONLY,
        domains=("example.org",),
        declared=True,
        digest=A,
        declaration=NetworkDeclaration.LEGACY,
        source=NetworkSource.INVENTORY,
    ),
    diagnostics=(Diagnostic(severity=Severity.WARNING, code="c", skill="s", source="one", message="m"),),
    diagnostics_omitted=3,
)
SKILL_JSON: dict[str, object] = {
    "name": "csv-check",
    "description": "Looks at <tables>.",
    "description_truncated": True,
    "description_bytes": 900,
    "has_assets": True,
    "origin": "TIER_LEARNED",
    "trust": "TRUST_UNTRUSTED",
    "invocation": {"model": True},
    "digest": A,
    "display_name": "CSV Check",
    "license": "MIT",
    "compatibility": "Python",
    "metadata": {"a": "1", "b": "2"},
    "allowed_tools": ["Read"],
    "when_to_use": "When there is a table.",
    "version": "1.10",
    "keywords": ["csv", "tsv"],
    "capabilities": ["tables"],
    "tool_kinds": ["TOOL_KIND_BUILTIN", "TOOL_KIND_MCP"],
    "collection": "data",
    "source": "one",
    "body_bytes": 12,
    "document_digest": A,
    "document_bytes": 34,
    "asset_count": 2,
    "readiness": {
        "state": "READINESS_STATE_NEEDS_SETUP",
        "missing": ["m"],
        "unverifiable": ["u"],
        "blocked_on": ["b"],
        "sidecar": "SIDECAR_STATE_BROKEN",
    },
    "network": {
        "mode": "NETWORK_MODE_HOST_ONLY",
        "domains": ["example.org"],
        "declared": True,
        "digest": A,
        "declaration": "NETWORK_DECLARATION_LEGACY",
        "source": "NETWORK_SOURCE_INVENTORY",
    },
    "diagnostics": [{"severity": "SEVERITY_WARNING", "code": "c", "skill": "s", "source": "one", "message": "m"}],
    "diagnostics_omitted": 3,
}
BASIC = Skill(
    name="b",
    description="",
    description_truncated=False,
    description_bytes=0,
    has_assets=False,
    origin=Tier.EXPLICIT,
    trust=Trust.ALLOWED,
    invocation=Invocation(model=False, user=False),
    digest=A,
)
BASIC_JSON: dict[str, object] = {
    "name": "b",
    "origin": "TIER_EXPLICIT",
    "trust": "TRUST_ALLOWED",
    "invocation": {},
    "digest": A,
}
ASSET = Asset(name="x/y.bin", size=3, executable=True, digest=A, media_type="application/octet-stream")
ASSET_JSON = {
    "name": "x/y.bin",
    "size": 3,
    "executable": True,
    "digest": A,
    "media_type": "application/octet-stream",
}
TOOL = Tool(
    id="t",
    kind=ToolKind.EXECUTABLE,
    target="run",
    server="s",
    asset="x",
    digest=A,
    trust=Trust.ASK,
    granted=True,
    reason="because",
    description="Runs.",
    input_schema="{}",
)
TOOL_JSON = {
    "id": "t",
    "kind": "TOOL_KIND_EXECUTABLE",
    "target": "run",
    "server": "s",
    "asset": "x",
    "digest": A,
    "trust": "TRUST_ASK",
    "granted": True,
    "reason": "because",
    "description": "Runs.",
    "input_schema": "{}",
}

CASES: list[tuple[Answer, dict[str, object]]] = [
    (SKILL, SKILL_JSON),
    (BASIC, BASIC_JSON),
    (
        CollectionListing(generation=GENERATION, collections=(Collection(id="data", line="All of it.", count=7),)),
        {"generation": GENERATION_JSON, "collections": [{"id": "data", "line": "All of it.", "count": 7}]},
    ),
    (
        Listing(
            generation=GENERATION,
            skills=(SKILL, BASIC),
            collections=(Collection(id="data", line="All of it.", count=7),),
            total_size=2,
        ),
        {
            "generation": GENERATION_JSON,
            "skills": [SKILL_JSON, BASIC_JSON],
            "collections": [{"id": "data", "line": "All of it.", "count": 7}],
            "total_size": 2,
        },
    ),
    (
        Body(generation=GENERATION, text="Grüße\n", digest=A),
        {"generation": GENERATION_JSON, "body": "Grüße\n", "digest": A, "total_bytes": 8},
    ),
    (Inventory(generation=GENERATION, assets=(ASSET,)), {"generation": GENERATION_JSON, "assets": [ASSET_JSON]}),
    (
        AssetContent(generation=GENERATION, data=b"\x00\xff\xfe", digest=A, media_type="image/png", executable=True),
        {
            "generation": GENERATION_JSON,
            "data": base64.b64encode(b"\x00\xff\xfe").decode(),
            "digest": A,
            "total_bytes": 3,
            "media_type": "image/png",
            "executable": True,
        },
    ),
    (
        Activation(
            generation=GENERATION,
            reference="one/csv-check",
            activation_id="id",
            name="csv-check",
            text="Do it.",
            body_digest=A,
            truncated=True,
            next_offset=5,
            assets=(ASSET,),
            tools=(TOOL,),
            notes=("note",),
            readiness=Readiness(state=ReadinessState.UNKNOWN),
            network=None,
        ),
        {
            "generation": GENERATION_JSON,
            "activation_id": "id",
            "name": "csv-check",
            "text": "Do it.",
            "body_digest": A,
            "truncated": True,
            "next_offset": 5,
            "assets": [ASSET_JSON],
            "tools": [TOOL_JSON],
            "notes": ["note"],
            "readiness": {"state": "READINESS_STATE_UNKNOWN"},
        },
    ),
    (
        SearchResult(
            generation=GENERATION,
            hits=(SearchHit(skill=BASIC, score=0.25, matched=("m",), snippet="s", body="b"),),
            engine="e",
        ),
        {
            "generation": GENERATION_JSON,
            "hits": [{"skill": BASIC_JSON, "score": 0.25, "matched": ["m"], "snippet": "s", "body": "b"}],
            "engine": "e",
        },
    ),
    (
        Capabilities(
            generation=GENERATION,
            results=(
                Capability(kind=CapabilityKind.COMMAND, name="n", description="d"),
                Capability(kind=CapabilityKind.UNKNOWN, name="m", description=""),
            ),
        ),
        {
            "generation": GENERATION_JSON,
            "results": [{"kind": "CAPABILITY_KIND_COMMAND", "name": "n", "description": "d"}, {"name": "m"}],
        },
    ),
    (
        RenderedCatalog(
            generation=GENERATION,
            text="<x/>",
            digest=A,
            entries_digest=A,
            shown=1,
            shortened=1,
            total=2,
            omitted=(OmittedSkill(name="b", reason="budget"),),
            omitted_total=1,
        ),
        {
            "generation": GENERATION_JSON,
            "text": "<x/>",
            "digest": A,
            "entries_digest": A,
            "shown": 1,
            "shortened": 1,
            "total": 2,
            "omitted": [{"name": "b", "reason": "budget"}],
            "omitted_total": 1,
        },
    ),
    (
        CatalogEvent(
            generation=GENERATION,
            added=(BASIC,),
            modified=(BASIC,),
            removed=("c",),
            resync=True,
            heartbeat=True,
            heartbeat_interval_ms=30_000,
            going_away=True,
        ),
        {
            "generation": GENERATION_JSON,
            "added": [BASIC_JSON],
            "modified": [BASIC_JSON],
            "removed": ["c"],
            "resync": True,
            "heartbeat": True,
            "heartbeat_interval_ms": 30_000,
            "going_away": True,
        },
    ),
    (
        ServerInfo(
            version="1",
            contract=2,
            features=("A", "B"),
            limits=ServerLimits(
                description_bytes=1,
                body_bytes=2,
                activation_text_bytes=3,
                assets=4,
                asset_bytes=5,
                range_bytes=6,
                layer_skills=7,
                page_skills=8,
                page_bytes=9,
                request_bytes=10,
            ),
            retention=Retention(generations=1, max_age_seconds=2, max_generations=3),
            now=None,
        ),
        {
            "version": "1",
            "contract": 2,
            "features": ["A", "B"],
            "limits": {
                "description_bytes": 1,
                "body_bytes": 2,
                "activation_text_bytes": 3,
                "assets": 4,
                "asset_bytes": 5,
                "range_bytes": 6,
                "layer_skills": 7,
                "page_skills": 8,
                "page_bytes": 9,
                "request_bytes": 10,
            },
            "retention": {"generations": 1, "max_age_seconds": 2, "max_generations": 3},
        },
    ),
]

IN_PARTS_ONLY = {"not_modified", "next_page_token", "next_offset", "offset"}
"""Fields of pages and ranges, which a whole answer does not have."""


@pytest.mark.parametrize(("answer", "expected"), CASES, ids=lambda case: type(case).__name__)
def test_an_answer_is_the_json_of_its_message(answer: Answer, expected: dict[str, object]) -> None:
    assert json.loads(to_json(answer)) == expected


@pytest.mark.parametrize(("answer", "expected"), CASES, ids=lambda case: type(case).__name__)
def test_protobuf_reads_the_json_as_the_same_message(answer: Answer, expected: dict[str, object]) -> None:
    message = message_of(answer)
    assert ParseDict(expected, type(message)()) == message
    assert MessageToDict(message, preserving_proto_field_name=True) == expected


IN_PART = (Skill, CollectionListing)
"""BASIC skills, and the collections of a listing without its skills."""


@pytest.mark.parametrize(
    "answer",
    [answer for answer, _expected in CASES if answer is SKILL or not isinstance(answer, IN_PART)],
    ids=type,
)
def test_no_field_of_a_message_is_forgotten(answer: Answer) -> None:
    message = message_of(answer)
    told = {field.name for field, _value in message.ListFields()}
    unset = {field.name for field in dataclasses.fields(answer) if getattr(answer, field.name) is None}
    assert told | IN_PARTS_ONLY | unset >= {field.name for field in message.DESCRIPTOR.fields}


def test_json_is_ascii_and_on_one_line_if_asked_for() -> None:
    text = to_json(Body(generation=GENERATION, text="\x1b[31m\u202eü\n", digest=A), one_line=True)
    assert text.isascii()
    assert text.isprintable()
