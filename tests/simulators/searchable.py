"""Skills to be searched: layers written in a few lines, with the bodies of their skills and an index of each."""

from collections.abc import Iterable, Mapping
from typing import TypedDict, Unpack

from skillsvc.catalog.layer_index import LayerIndex, indexed
from skillsvc.catalog.plain_search import PlainTerms, terms_of_skill
from skillsvc.catalog.search import search
from skillsvc.catalog.weights import weigh
from skillsvc.domain.generation import Generation, Row, make_generation, make_row
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.domain.skill import Bundle, Found, Skill, TextRef, make_bundle
from skillsvc.domain.trust import Tier, Trust
from skillsvc.domain.view import View, compose
from skillsvc.parsing.words import Words
from tests.simulators.clock import START
from tests.simulators.skills import in_order, sha256


class Further(TypedDict, total=False):
    """What a skill says of itself beside its description."""

    keywords: tuple[str, ...]
    capabilities: tuple[str, ...]
    when_to_use: str
    display_name: str


class Said(Further, total=False):
    """What a skill says of itself."""

    description: str
    body: str


class Shelves:
    """Rows of skills whose bodies are remembered, as a blob store would."""

    def __init__(self) -> None:
        self.words = Words()
        self.bodies: dict[str, str] = {}
        self.read: list[str] = []
        """The names of the skills whose weights were asked for."""

    def row(
        self,
        name: str,
        description: str = "",
        body: str = "",
        *,
        collection: str = "",
        model: bool = True,
        user: bool = True,
        source: str = "main",
        **said: Unpack[Further],
    ) -> Row:
        """Return the row of a skill."""
        skill = Skill(
            name=name,
            description=description,
            description_bytes=len(description.encode()),
            model_invocable=model,
            user_invocable=user,
            **said,
        )
        text = body.encode()
        bundle = make_bundle(
            skill, document=None, body=TextRef(digest=sha256(text), size=len(text)) if body else None, assets=()
        )
        self.bodies[bundle.digest] = body
        return make_row(
            source=source,
            shadowed=False,
            found=Found(bundle=bundle, place=name, collection=collection),
            tier=Tier.EXPLICIT,
            trust=Trust.ALLOWED,
        )

    def weights_of(self, bundle: Bundle) -> Mapping[str, int]:
        """Return what the terms of a bundle weigh."""
        self.read.append(bundle.skill.name)
        return weigh(bundle.skill, self.bodies[bundle.digest], self.words)

    def plain_terms_of(self, row: Row) -> PlainTerms:
        """Return the terms of a row for a search without an index."""
        return terms_of_skill(row.bundle.skill, self.bodies[row.bundle.digest], self.words)

    def index(self, generation: Generation) -> LayerIndex:
        """Return the index of a generation."""
        return indexed(generation, self.weights_of)

    def search(self, view: View, query: str, limit: int = 50) -> dict[str, float]:
        """Return the names that a query finds, best first, and their scores."""
        hits = search(view, [self.index(layer) for layer in view.layers], query, limit=limit)
        return {hit.row.name: hit.score for hit in hits}


def layer_of(rows: Iterable[Row], partition: Partition = DEPLOYMENT, sequence: int = 1) -> Generation:
    """Return the generation of a layer."""
    return make_generation(
        partition=partition, log_id=bytes(16), sequence=sequence, published_at=START, rows=in_order(rows)
    )


def view_of(*layers: Iterable[Row], allow: frozenset[str] | None = None) -> View:
    """Return the view of layers, strongest first: the deployment's, then those of partitions."""
    partitions = (DEPLOYMENT, *(Partition(f"tenant-{number}", "") for number in range(1, len(layers))))
    return compose(tuple(layer_of(rows, partition) for rows, partition in zip(layers, partitions, strict=True)), allow)
