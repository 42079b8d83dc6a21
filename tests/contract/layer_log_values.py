"""Generations to keep in a log: simple ones by name, and any that the domain can hold."""

from datetime import UTC, datetime, timedelta
from hashlib import sha256

from hypothesis import strategies as st

from skillsvc.domain.diagnostics import Diagnostic, DiagnosticCode, Severity
from skillsvc.domain.generation import Generation, Row, make_generation, make_row
from skillsvc.domain.partition import Partition
from skillsvc.domain.skill import (
    Asset,
    Found,
    Network,
    NetworkMode,
    Skill,
    TextRef,
    ToolDeclaration,
    ToolKind,
    make_bundle,
)
from skillsvc.domain.trust import Tier, Trust

START = datetime(2026, 3, 29, 0, 59, 59, 999_999, tzinfo=UTC)


def row(name: str, description: str = "", *, source: str = "main", place: str = "", shadowed: bool = False) -> Row:
    """Return a row that differs from others by what is given."""
    skill = Skill(name=name, description=description, description_bytes=len(description.encode()))
    text = TextRef(digest=sha256(name.encode()).hexdigest(), size=1)
    found = Found(bundle=make_bundle(skill, document=text, body=text, assets=()), place=place)
    return make_row(source=source, shadowed=shadowed, found=found, tier=Tier.EXPLICIT, trust=Trust.ALLOWED)


def generation(partition: Partition, log_id: bytes, sequence: int, *rows: Row) -> Generation:
    """Return a generation of rows in any order, published at a microsecond of its own."""
    return make_generation(
        partition=partition,
        log_id=log_id,
        sequence=sequence,
        published_at=START + timedelta(microseconds=sequence),
        rows=tuple(sorted(rows, key=lambda each: (each.name, each.source))),
    )


_TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=12)
ESCAPED_TEXTS = st.text(alphabet=st.one_of(st.characters(), st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF)))
"""Texts with lone surrogates too: the names that Python gives to files whose names are not UTF-8."""
_DIGESTS = st.binary(min_size=32, max_size=32).map(bytes.hex)
_SIZES = st.integers(min_value=0, max_value=2**63 - 1)
_TEXT_TUPLES = st.lists(_TEXTS, max_size=3).map(tuple)
_TOOLS = st.builds(
    ToolDeclaration,
    id=_TEXTS,
    kind=st.sampled_from(ToolKind),
    name=_TEXTS,
    server=_TEXTS,
    command=_TEXTS,
    args=_TEXT_TUPLES,
)
_SKILLS = st.builds(
    Skill,
    name=_TEXTS,
    description=_TEXTS,
    description_truncated=st.booleans(),
    description_bytes=_SIZES,
    model_invocable=st.booleans(),
    user_invocable=st.booleans(),
    display_name=_TEXTS,
    license=_TEXTS,
    compatibility=_TEXTS,
    metadata=st.dictionaries(_TEXTS, _TEXTS, max_size=3).map(lambda pairs: tuple(sorted(pairs.items()))),
    allowed_tools=_TEXT_TUPLES,
    when_to_use=_TEXTS,
    version=_TEXTS,
    keywords=_TEXT_TUPLES,
    capabilities=_TEXT_TUPLES,
    tools=st.lists(_TOOLS, max_size=2).map(tuple),
    network=st.none() | st.builds(Network, mode=st.sampled_from(NetworkMode), domains=_TEXT_TUPLES, digest=_DIGESTS),
    requirements=_TEXT_TUPLES,
)
_TEXT_REFS = st.none() | st.builds(TextRef, digest=_DIGESTS, size=_SIZES)
_ASSETS = st.builds(Asset, name=_TEXTS, size=_SIZES, digest=_DIGESTS, executable=st.booleans())
BUNDLES = st.builds(
    make_bundle, _SKILLS, document=_TEXT_REFS, body=_TEXT_REFS, assets=st.lists(_ASSETS, max_size=3).map(tuple)
)
"""Any bundles."""
DIAGNOSTICS = st.lists(
    st.builds(
        Diagnostic,
        severity=st.sampled_from(Severity),
        code=st.sampled_from(DiagnosticCode),
        message=ESCAPED_TEXTS,
        skill=ESCAPED_TEXTS,
        source=ESCAPED_TEXTS,
    ),
    max_size=2,
).map(tuple)
"""Any diagnostics."""

ROW_SETS = st.lists(
    st.builds(
        make_row,
        source=_TEXTS,
        shadowed=st.just(value=True),
        found=st.builds(
            Found,
            bundle=BUNDLES,
            place=ESCAPED_TEXTS,
            collection=_TEXTS,
            collection_line=_TEXTS,
            diagnostics=DIAGNOSTICS,
        ),
        tier=st.sampled_from(Tier),
        trust=st.sampled_from(Trust),
    ),
    max_size=4,
    unique_by=lambda each: (each.name, each.source),
)
"""Any rows that one generation can hold; shadowed, so that names may meet."""
