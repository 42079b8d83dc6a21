"""Lies in listings and inventories: names, order, sizes, totals, pages, generations."""

# ruff: noqa: ANN401, S106 - a table of answers of all kinds, with tokens that are none

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Any

from skillsource import SkillView, Tier, Trust
from skillsource.v1 import skill_pb2
from skillsource.v1 import skill_source_pb2 as pb

from tests.hostile.honest import sha256
from tests.hostile.lie import Lie, answering, changed
from tests.hostile.playing import Script

GENERATION = pb.Generation(token="token", sequence=7, digest=sha256(b"view"), complete=True)
UNFIT_NAMES = (
    "",
    " first",
    "First",
    "fi rst",
    "first\n",
    "fi\nrst",
    "fi\u2028rst",
    "../first",
    "a/b",
    "-a",
    "é",
    "a" * 65,
)
UNFIT_ASSETS = (
    "",
    "/a",
    "a/",
    "a//b",
    "./a",
    "a/../b",
    "..",
    "a\\b",
    "a\nb",
    "a\x00b",
    "a\x85b",
    "a\u2029b",
    "x" * 513,
)
DESCRIPTION_BYTES, TEXT_BYTES = 800, 1_024


def listed(*skills: skill_pb2.Skill, **fields: Any) -> pb.ListSkillsResponse:
    """Return a page."""
    return pb.ListSkillsResponse(**{"generation": GENERATION, "skills": skills, "total_size": len(skills), **fields})


def entry(name: str = "first", **fields: Any) -> skill_pb2.Skill:
    """Return an entry that is right but for these fields."""
    return skill_pb2.Skill(**{"name": name, "digest": sha256(name.encode()), **fields})


def names(listing: Any) -> list[str]:
    """Return the names that were listed."""
    return [skill.name for skill in listing.skills]


def only(listing: Any) -> Any:
    """Return the one skill that was listed."""
    (skill,) = listing.skills
    return skill


def of_listing(name: str, *pages: pb.ListSkillsResponse | bytes, **rest: Any) -> Lie:
    """Return a lie told in pages of a listing."""
    full = {"view": SkillView.FULL}
    return Lie(
        name=name,
        script=lambda: answering("ListSkills", *pages),
        call="list_skills",
        **{"arguments": full, **rest},
    )


def of_paging(name: str, change: Callable[[pb.ListSkillsResponse, pb.ListSkillsRequest], None], **rest: Any) -> Lie:
    """Return a lie told on the pages of an honest listing, of one skill each."""
    return Lie(
        name=name, script=lambda: changed("ListSkills", pb.ListSkillsRequest, change), call="list_skills", **rest
    )


def of_inventory(name: str, *assets: skill_pb2.Asset, **rest: Any) -> Lie:
    """Return a lie told in an inventory."""
    return Lie(
        name=name,
        script=lambda: answering("ListAssets", pb.ListAssetsResponse(generation=GENERATION, assets=assets)),
        call="list_assets",
        arguments={"name": "first"},
        **rest,
    )


def asset(name: str, **fields: Any) -> skill_pb2.Asset:
    """Return an asset that is right but for these fields."""
    return skill_pb2.Asset(**{"name": name, "digest": sha256(name.encode()), "size": 1, **fields})


def embedded(field: int, inner: bytes) -> bytes:
    """Return the wire form of a field with a length."""
    return _varint(field << 3 | 2) + _varint(len(inner)) + inner


def _varint(number: int) -> bytes:
    return bytes([number]) if number < 0x80 else bytes([number & 0x7F | 0x80]) + _varint(number >> 7)


def settle_after(turns: int) -> Callable[[pb.ListSkillsResponse, pb.ListSkillsRequest], None]:
    """Return a change that names another generation in each of the first answers."""
    numbers = count()

    def change(answer: pb.ListSkillsResponse, request: pb.ListSkillsRequest) -> None:
        del request
        number = next(numbers)
        if number < turns:
            answer.generation.digest = sha256(b"%d" % number)

    return change


def another_skill_each_time() -> Script:
    """Return a script whose pages are all good, and never end."""
    numbers = count()

    def change(answer: pb.ListSkillsResponse, request: pb.ListSkillsRequest) -> None:
        del request
        number = next(numbers)
        answer.skills[0].name = f"skill-{number}"
        answer.next_page_token = f"state-1/{number}"

    def never_last(answer: pb.ListSkillsResponse, request: pb.ListSkillsRequest) -> None:
        if not answer.skills:
            answer.skills.append(entry())
        change(answer, request)

    script = changed("ListSkills", pb.ListSkillsRequest, never_last)
    listing = script["ListSkills"]

    def play(request: bytes, context: Any) -> Any:
        asked = pb.ListSkillsRequest.FromString(request)
        asked.page_token = ""
        return listing(asked.SerializeToString(), context)

    return {**script, "ListSkills": play}


def goes_round(answer: pb.ListSkillsResponse, request: pb.ListSkillsRequest) -> None:
    """Send every second page back to the first."""
    answer.next_page_token = "state-1/" if request.page_token else answer.next_page_token


def _answering_late(page: Callable[[], bytes]) -> Script:
    return answering("ListSkills", page())


def _lies() -> Iterator[Lie]:
    yield of_listing(
        "duplicates",
        listed(entry(description="one"), entry(description="two"), entry("second")),
        holds=lambda it: (
            names(it) == ["first", "second"] and it.skills[0].description == "one" and len(it.dropped) == 2
        ),
    )
    yield of_listing(
        "unfit-names",
        listed(*(entry(name) for name in UNFIT_NAMES), entry("second")),
        holds=lambda it: names(it) == ["second"] and len(it.dropped) == len(UNFIT_NAMES) + 1,
    )
    yield of_listing(
        "unfit-digests",
        listed(entry(digest=""), entry("second", digest="A" * 64), entry("third", digest="a" * 63)),
        holds=lambda it: names(it) == [],
    )
    yield of_listing(
        "out-of-order", listed(entry("second"), entry("first")), holds=lambda it: names(it) == ["first", "second"]
    )
    yield of_listing(
        "long-texts",
        listed(
            entry(
                description="é" * 50_000,
                license="x" * 100_000,
                compatibility="😀" * 20_000,
                when_to_use="w" * 5_000,
                version="v" * 5_000,
                display_name="d" * 5_000,
                source="s" * 5_000,
                collection="c" * 5_000,
            )
        ),
        holds=lambda it: (
            only(it).description == "é" * 398 + "…"
            and only(it).license == "x" * (TEXT_BYTES - 3) + "…"
            and len(only(it).compatibility.encode()) <= TEXT_BYTES
            and len(only(it).version) <= 256
            and bool(it.dropped)
        ),
    )
    yield of_listing(
        "control-characters",
        listed(entry(description="a\r\nb\tc\x7fd\x9be\u2028f\u2029g\x00h")),
        holds=lambda it: only(it).description == "a  b c d e f g h",
    )
    yield of_listing(
        "too-much-metadata",
        listed(
            entry("first", metadata={f"key-{number}": "value" for number in range(33)}),
            entry("second", metadata={"key": "x" * 4_097}),
            entry("third", metadata={"k" * 257: "value"}),
        ),
        holds=lambda it: [dict(skill.metadata) for skill in it.skills] == [{}, {}, {}] and len(it.dropped) == 3,
    )
    yield of_listing(
        "too-many-tools",
        listed(entry(allowed_tools=["t" * 128] * 65, keywords=["k"] * 1_000, capabilities=["c\n"] * 65)),
        holds=lambda it: (
            only(it).allowed_tools == ("t" * 61 + "…",) * 64
            and len(only(it).keywords) == 64
            and only(it).capabilities == ("c ",) * 64
        ),
    )
    yield of_listing(
        "unknown-numbers",
        listed(entry(trust=99, origin=99, tool_kinds=[9, 9, 1], readiness={"state": 99}, network={"mode": 99})),
        holds=lambda it: (
            only(it).trust is Trust.UNTRUSTED
            and only(it).origin is Tier.LEARNED
            and only(it).readiness.state == "unknown"
            and only(it).network.mode == "unknown"
            and only(it).tool_kinds == ("builtin", "unknown")
        ),
    )
    yield of_listing("nothing-said-of-trust", listed(entry()), holds=lambda it: only(it).trust is Trust.UNTRUSTED)
    yield of_listing(
        "many-diagnostics",
        listed(entry(diagnostics=[{"message": "m" * 600, "code": "c\nd"}] * 100)),
        holds=lambda it: (
            len(only(it).diagnostics) == 32
            and len(only(it).diagnostics[0].message.encode()) <= 512
            and only(it).diagnostics[0].code == "c d"
        ),
    )
    yield of_listing("huge-body-bytes", listed(entry(body_bytes=2**32 - 1)), holds=lambda it: names(it) == [])
    yield of_listing(
        "time-beyond-the-calendar",
        listed(generation={"token": "t", "digest": sha256(b""), "published_at": {"seconds": 2**62, "nanos": -5}}),
        holds=lambda it: it.generation.published_at is None,
    )
    yield of_listing(
        "wrong-total",
        listed(entry(), total_size=2**32 - 1),
        holds=lambda it: names(it) == ["first"] and [dropped.field for dropped in it.dropped] == ["total_size"],
    )
    yield of_listing(
        "page-of-two-thousand",
        listed(*(entry(f"skill-{number:04}") for number in range(2_000))),
        holds=lambda it: len(it.skills) == 1_000,
    )
    yield of_listing(
        "a-million-drops",
        listed(*(entry() for _ in range(1_000))),
        holds=lambda it: names(it) == ["first"] and len(it.dropped) <= 1_001,
    )
    yield of_listing(
        "collections",
        listed(collections=[{"id": "a", "line": "x\n" * 1_000}, {"id": "a"}, {"id": ""}]),
        holds=lambda it: [line.id for line in it.collections] == ["a"] and len(it.collections[0].line) <= 800,
    )
    yield of_listing("no-generation", pb.ListSkillsResponse(), error="ProtocolError")
    yield of_listing("no-token", listed(generation={"digest": sha256(b"")}), error="ProtocolError")
    yield of_listing("no-view-digest", listed(generation={"token": "t"}), error="ProtocolError")
    yield of_listing(
        "token-of-escapes", listed(generation={"token": "\x1b[2J", "digest": sha256(b"")}), error="ProtocolError"
    )
    yield of_listing(
        "token-too-long", listed(generation={"token": "t" * 2_049, "digest": sha256(b"")}), error="ProtocolError"
    )
    yield of_listing("not-modified-unasked", listed(not_modified=True), error="ProtocolError")
    yield of_listing("nothing", b"", error="ProtocolError")
    yield of_listing("garbage", b"\xde\xad\xbe\xef" * 100, error="ProtocolError")
    yield of_listing("much-garbage", bytes(range(256)) * 10_000, error="ProtocolError")
    yield of_listing("cut-off", listed(entry()).SerializeToString()[:-1], error="ProtocolError")
    yield of_listing("no-utf8", embedded(4, b"\xff\xfe"), error="ProtocolError")
    for name, page, error in (
        ("a-million-entries", lambda: embedded(3, b"") * 2_000_000, "ProtocolError"),
        ("a-million-diagnostics", lambda: embedded(3, embedded(28, b"") * 1_000_000), "ProtocolError"),
        ("sixty-four-mebibytes", lambda: embedded(15, bytes(64 << 20)), "Exhausted"),
    ):
        # Made when it is played: a table of lies should not hold them in memory.
        yield Lie(name=name, script=partial(_answering_late, page), call="list_skills", error=error)
    yield of_listing("endless-number", b"\x08" + b"\xff" * 100_000, error="ProtocolError")
    yield of_paging(
        "same-page-again",
        lambda answer, _: answer.MergeFrom(pb.ListSkillsResponse(next_page_token="state-1/")),
        error="ProtocolError",
    )
    yield of_paging("pages-go-round", goes_round, error="ProtocolError")
    yield of_paging("generation-moves-once", settle_after(1), holds=lambda it: names(it) == ["first", "second"])
    yield of_paging("generation-moves-always", settle_after(1_000), error="GenerationsMixed")
    yield Lie(
        name="endless-good-pages",
        script=another_skill_each_time,
        call="list_skills",
        error="DeadlineExceeded",
        options={"read_timeout": 1.0},
    )
    yield Lie(
        name="pages-go-back",
        script=lambda: answering("ListSkills", listed(entry("second"), next_page_token="p"), listed(entry("first"))),
        call="list_skills",
        holds=lambda it: names(it) == ["first", "second"],
    )
    yield Lie(
        name="iterated-pages-go-back",
        script=lambda: answering("ListSkills", listed(entry("second"), next_page_token="p"), listed(entry("first"))),
        call="iter_skills",
        error="ProtocolError",
    )
    yield Lie(
        name="iterated-generation-moves",
        script=lambda: changed("ListSkills", pb.ListSkillsRequest, settle_after(1)),
        call="iter_skills",
        error="GenerationsMixed",
    )

    for number, name in enumerate(UNFIT_ASSETS):
        yield of_inventory(f"unfit-asset-{number}", asset("a.txt"), asset(name), error="ProtocolError")
    yield of_inventory(
        "doubled-asset",
        asset("b", size=1),
        asset("a"),
        asset("b", size=2),
        holds=lambda it: (
            [(item.name, item.size) for item in it.assets] == [("a", 1), ("b", 1)] and len(it.dropped) == 1
        ),
    )
    yield of_inventory("too-many-assets", *(asset(f"a-{number}") for number in range(1_025)), error="ProtocolError")
    yield of_inventory("too-long-names", *(asset(f"{number:0>500}") for number in range(66)), error="ProtocolError")
    yield of_inventory("asset-too-large", asset("a", size=(64 << 20) + 1), error="ProtocolError")
    yield of_inventory("unfit-asset-digest", asset("a", digest="0"), error="ProtocolError")
    yield of_inventory(
        "media-type", asset("a", media_type="m\n" * 500), holds=lambda it: len(it.assets[0].media_type) <= 128
    )


LIES = tuple(_lies())
