"""Lies in a watch: what is no event, leads back, names what it may not, or never stops."""

from collections.abc import Iterator
from itertools import count
from typing import Any

import grpc
from google.protobuf.message import Message
from skillsource.v1 import skill_source_pb2 as pb

from tests.hostile.honest import sha256
from tests.hostile.lie import Lie, playing, streaming
from tests.hostile.lies_of_lists import embedded, entry
from tests.hostile.playing import Script

# ruff: noqa: ANN401 - a table of answers of all kinds

FLOOD = 5_000


def at(sequence: int) -> pb.Generation:
    """Return a state."""
    return pb.Generation(token=f"t{sequence}", sequence=sequence, digest=sha256(b"%d" % sequence), complete=True)


def event(sequence: int = 1, **fields: Any) -> pb.WatchCatalogResponse:
    """Return an event that leads to a state."""
    return pb.WatchCatalogResponse(**{"generation": at(sequence), **fields})


def of_events(name: str, *messages: Message | bytes, **rest: Any) -> Lie:
    """Return a lie told to who already knows the first state."""
    return Lie(
        name=f"watch-{name}",
        script=lambda: streaming(*messages),
        call="watch",
        arguments={"since": "t1"},
        **{"error": "" if "holds" in rest else "ProtocolError", **rest},
    )


def flood() -> Script:
    """Return a script that sends events as fast as they go."""

    def play(request: bytes, context: grpc.ServicerContext) -> Iterator[bytes]:
        del request
        for sequence in count(1):
            if not context.is_active():
                return
            yield event(sequence, removed=[f"s-{sequence}"]).SerializeToString()

    return playing("WatchCatalog", play)


def _lies() -> Iterator[Lie]:
    known = event()
    yield of_events("garbage", known, b"\xff" * 100)
    yield of_events("nothing", known, b"")
    yield of_events("no-generation", known, pb.WatchCatalogResponse(heartbeat=True))
    yield of_events("no-view-digest", known, event(generation={"token": "t"}))
    yield of_events("leads-back", event(2), event(1))
    yield of_events("unfit-name-added", known, event(2, added=[entry("First")]))
    yield of_events("unfit-name-modified", known, event(2, modified=[entry("a\nb")]))
    yield of_events("unfit-name-removed", known, event(2, removed=["../first"]))
    yield of_events("too-many-names", known, event(2, removed=[f"s-{number}" for number in range(1_001)]))
    yield of_events("four-mebibytes-of-names", known, embedded(4, b"a") * 1_300_000)
    # One answer too large is no reason to give up a watch; it is asked again, from the state heard of.
    yield of_events(
        "five-mebibytes",
        known,
        embedded(15, bytes(5 << 20)),
        holds=lambda it: [one.generation.sequence for one in it] == [1, 1],
    )
    yield of_events(
        "out-of-order-and-twice",
        known,
        event(2, added=[entry("second"), entry("first"), entry("second", description="x")], removed=["b", "a", "b"]),
        holds=lambda it: (
            [skill.name for skill in it[1].added] == ["first", "second"]
            and it[1].added[1].description == ""
            and it[1].removed == ("a", "b")
        ),
    )
    yield of_events(
        "long-descriptions",
        known,
        event(2, modified=[entry("first", description="d\n" * 5_000)]),
        holds=lambda it: len(it[1].modified[0].description.encode()) <= 800 and len(it[1].dropped) == 2,
    )
    yield of_events(
        "resync-with-names", known, event(2, resync=True, removed=["first"]), holds=lambda it: it[1].removed == ()
    )
    yield Lie(
        name="watch-no-resync-at-first",
        script=lambda: streaming(event(1, added=[entry("first")])),
        call="watch",
        holds=lambda it: it[0].resync and it[0].added == (),
    )
    yield Lie(name="watch-flood", script=flood, call="watch", holds=lambda it: len(it) == FLOOD)


LIES = tuple(_lies())
