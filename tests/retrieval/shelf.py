"""The skills that retrieval is measured on: what a server lists of the real ones, with their bodies."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from skillsvc.domain.generation import Generation, Row, make_generation
from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.parsing.document import body_of
from skillsvc.sources.discovery import Layout
from skillsvc.sources.merge import merge
from tests.simulators.clock import START
from tests.unit.sources.trees import source_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """One layer, and the bodies of its skills by the digests of their bundles."""

    generation: Generation
    bodies: Mapping[str, str]

    def body(self, row: Row) -> str:
        """Return the body of a row."""
        return self.bodies[row.bundle.digest]


def shelf_of(corpus: Path) -> Shelf:
    """Look at a folder of skills as a server does."""
    seen = source_of(corpus, layout=Layout.NESTED).observe()
    generation = make_generation(
        partition=DEPLOYMENT, log_id=bytes(16), sequence=1, published_at=START, rows=merge([seen]).rows
    )
    return Shelf(
        generation=generation, bodies={row.bundle.digest: _body(corpus / row.found.place) for row in generation.listed}
    )


def _body(folder: Path) -> str:
    (document,) = (path for path in folder.iterdir() if path.name.lower() == "skill.md")
    return body_of(document.read_bytes()) or ""
