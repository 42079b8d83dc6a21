"""Skills without files: rows of a catalog whose bytes are in a blob store."""

import hashlib
from collections.abc import Iterable, Mapping

from skillsvc.content.blobs import BlobStore
from skillsvc.domain.diagnostics import Diagnostic
from skillsvc.domain.generation import Row, make_row
from skillsvc.domain.skill import Asset, Found, Skill, TextRef, ToolDeclaration, make_bundle
from skillsvc.domain.trust import Tier, Trust

NO_ASSETS: Mapping[str, bytes] = {}


def skill_row(
    blobs: BlobStore,
    name: str,
    *,
    description: str = "Does what its name says.",
    body: str | None = "Do it.",
    document: bytes | None = None,
    assets: Mapping[str, bytes] = NO_ASSETS,
    executable: frozenset[str] = frozenset(),
    compatibility: str = "",
    allowed_tools: tuple[str, ...] = (),
    model: bool = True,
    user: bool = True,
    tools: tuple[ToolDeclaration, ...] = (),
    source: str = "main",
    shadowed: bool = False,
    tier: Tier = Tier.EXPLICIT,
    trust: Trust = Trust.ALLOWED,
    collection: str = "",
    collection_line: str = "",
    diagnostics: tuple[Diagnostic, ...] = (),
) -> Row:
    """Return the row of a skill, its SKILL.md and its assets put into `blobs`.

    The body must be as it is served: no blank lines before it, no blanks after it. None makes a skill of skill.yaml
    alone.
    """
    if body is None:
        written = None
    elif document is None:
        written = f"---\nname: {name}\ndescription: {description}\n---\n{body}\n".encode()
    else:
        written = document
    skill = Skill(
        name=name,
        description=description,
        description_bytes=len(description.encode()),
        model_invocable=model,
        user_invocable=user,
        compatibility=compatibility,
        allowed_tools=allowed_tools,
        tools=tools,
    )
    bundle = make_bundle(
        skill,
        document=None if written is None else TextRef(digest=blobs.put(written), size=len(written)),
        body=None if body is None else TextRef(digest=sha256(body.encode()), size=len(body.encode())),
        assets=tuple(
            Asset(name=asset, size=len(data), digest=blobs.put(data), executable=asset in executable)
            for asset, data in sorted(assets.items())
        ),
    )
    found = Found(
        bundle=bundle,
        place=name,
        collection=collection,
        collection_line=collection_line,
        diagnostics=diagnostics,
    )
    return make_row(source=source, shadowed=shadowed, found=found, tier=tier, trust=trust)


def in_order(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Return rows as a generation holds them."""
    return tuple(sorted(rows, key=lambda row: (row.name, row.source)))


def sha256(data: bytes) -> str:
    """Return the lower-case hex SHA-256."""
    return hashlib.sha256(data).hexdigest()
