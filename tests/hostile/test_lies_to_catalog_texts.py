"""Lies about the catalog as text: what a model was told stays, whatever a server says that cannot be true."""

import hashlib
from collections.abc import Callable

import pytest
import skillsource
from skillsource import CatalogText, TextChange
from skillsource.v1 import skill_source_pb2 as pb

from tests.hostile.faces import Connect
from tests.hostile.honest import sha256, unary
from tests.hostile.lies_of_lists import GENERATION
from tests.hostile.playing import Script, Server

Play = Callable[[Script], Server]

GOOD = pb.RenderCatalogResponse(generation=GENERATION, text="a: A.", digest=sha256(b"a: A."), shown=1, total=1)
LIES = {
    "another digest": pb.RenderCatalogResponse(generation=GENERATION, text="b: B.", digest=sha256(b"c"), total=1),
    "no digest": pb.RenderCatalogResponse(generation=GENERATION, text="b: B.", total=1),
    "more than the budget": pb.RenderCatalogResponse(
        generation=GENERATION, text="b" * 4_001, digest=sha256(b"b" * 4_001), total=1
    ),
    "not modified, of a text that nobody has": pb.RenderCatalogResponse(
        generation=GENERATION, not_modified=True, digest=sha256(b"d")
    ),
    "no state": pb.RenderCatalogResponse(text="b: B.", digest=sha256(b"b: B."), total=1),
}


class Telling:
    """A server that renders what it is told to."""

    def __init__(self) -> None:
        self.answer = GOOD

    def script(self) -> Script:
        return {"RenderCatalog": unary(pb.RenderCatalogRequest, lambda _request: self.answer)}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_an_error_and_the_last_text_stays(connect: Connect, play: Play, lie: str) -> None:
    telling = Telling()
    client = connect(play(telling.script()).address)
    told = CatalogText()
    assert told.take(client.render_catalog(max_tokens=1_000)).change is TextChange.REPLACE
    telling.answer = LIES[lie]
    with pytest.raises(skillsource.ProtocolError):
        told.take(client.render_catalog(max_tokens=1_000))
    assert told.text == "a: A."
    telling.answer = GOOD
    assert told.take(client.render_catalog(max_tokens=1_000)).change is TextChange.UNCHANGED


def test_a_source_of_an_unknown_state_keeps_the_last_text(connect: Connect, play: Play) -> None:
    telling = Telling()
    client = connect(play(telling.script()).address)
    told = CatalogText()
    told.take(client.render_catalog())
    text = "(no skills are available)"
    answer = pb.RenderCatalogResponse(
        generation=GENERATION, text=text, digest=hashlib.sha256(text.encode()).hexdigest(), total=0
    )
    source = answer.generation.unreachable_sources.add(source="one")
    source.state = 99  # type: ignore[assignment] # which no contract has yet
    telling.answer = answer
    step = told.take(client.render_catalog())
    assert (step.change, step.text) == (TextChange.UNCHANGED, "a: A.")
    assert [waits.source for waits in step.waits_for] == ["one"]
