"""One server on places of every kind that a test breaks and heals, readers beside it, and an operator who asks."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TypeVar

import grpc
from google.protobuf.message import Message
from skillsource.v1 import admin_pb2
from skillsource.v1.admin_pb2 import SOURCE_STANDING_COMPLETE, SourceStanding

from tests.integration.conftest import RunningServer, Serve
from tests.integration.faults.places import Places, names_of, opened
from tests.integration.faults.readers import Expected, Readers
from tests.patience import PATIENCE_S
from tests.simulators.behaving_provider import install

_SERVICE = "skillsource.v1.CatalogAdminService"
_HERE = admin_pb2.Partition(deployment=True)
_Answer = TypeVar("_Answer", bound=Message)


class Scene:
    """What a test of a fault works with.

    `published` is the version that each place holds; `wanting` are places whose bytes may be refused as long as
    anything is at fault, as are those that are fetched on need.
    """

    def __init__(self, places: Places, server: RunningServer, channel: grpc.Channel, readers: Readers) -> None:
        self.places = places
        self.server = server
        self.readers = readers
        self._channel = channel
        self.published = dict.fromkeys(places.all, 1)
        self.wanting: Collection[str] = ("needed",)

    def publish(self, *labels: str) -> None:
        """Have places hold a version more."""
        for label in labels:
            self.published[label] += 1
            self.places.all[label].publish(self.published[label])

    def refresh(self, *labels: str) -> Mapping[str, admin_pb2.SourceReport]:
        """Have places looked at now; return how they stand then."""
        asked = admin_pb2.RefreshRequest(partition=_HERE, sources=labels)
        return {each.name: each for each in self._call("Refresh", asked, admin_pb2.RefreshResponse).sources}

    def sources(self) -> Mapping[str, admin_pb2.SourceReport]:
        """Return how all places stand."""
        asked = admin_pb2.ListSourcesRequest(partition=_HERE)
        return {each.name: each for each in self._call("ListSources", asked, admin_pb2.ListSourcesResponse).sources}

    def expect_change(self, *labels: str, since: Mapping[str, int] | None = None) -> None:
        """Expect that places change at any moment, up to their next version, or fail; their versions begin at `since`.

        The bytes of `wanting` may be refused meanwhile.
        """
        now = self.published
        first = now if since is None else {**now, **since}
        versions = {label: range(first[label], now[label] + 1 + (label in labels)) for label in now}
        self.readers.expect(Expected(versions=versions, wanting=self.wanting))

    def expect_behind(self, states: Mapping[str, str], held: Mapping[str, int]) -> None:
        """Expect that these places are unreachable, in these states, and no others; return once all have seen that.

        What is served of them are the versions that are `held`.
        """
        versions = {label: {version} for label, version in {**self.published, **held}.items()}
        self.readers.expect(Expected(versions=versions, unreachable=states, wanting=self.wanting))
        self.readers.await_all()

    def expect_whole(self) -> None:
        """Expect that all is served that the places hold; return once all readers have seen that."""
        versions = {label: {version} for label, version in self.published.items()}
        self.readers.expect(Expected(versions=versions, unreachable={}))
        self.readers.await_all()

    def suffer(
        self, labels: Sequence[str], state: str, fault: AbstractContextManager[object], *, publishing: bool = True
    ) -> None:
        """Go through a fault of some places, and out of it again.

        As long as it lasts they stand in this state, with what they held before; nothing else moves. What they publish
        meanwhile is seen once it has passed, without a restart.
        """
        held = {label: self.published[label] for label in labels}
        self.expect_change(*labels)
        with fault:
            if publishing:
                self.publish(*labels)
            states = dict.fromkeys(labels, state)
            assert_behind(self.refresh(*labels), states)
            self.expect_behind(states, held)
            self.expect_change(*labels, since=held)
        self.expect_recovered(*labels)

    def expect_recovered(self, *labels: str) -> None:
        """Expect that one look at places is enough for all to be whole."""
        for label, report in self.refresh(*labels).items():
            assert (label, report.last_error) == (label, "")
            assert report.state == SOURCE_STANDING_COMPLETE
        self.expect_whole()

    def _call(self, rpc: str, request: Message, into: type[_Answer]) -> _Answer:
        method = self._channel.unary_unary(
            f"/{_SERVICE}/{rpc}",
            request_serializer=type(request).SerializeToString,
            response_deserializer=into.FromString,
        )
        answer: _Answer = method(request, timeout=PATIENCE_S)
        return answer


def assert_behind(reports: Mapping[str, admin_pb2.SourceReport], states: Mapping[str, str]) -> None:
    """Assert that sources are in these states, and all others whole, and that it is told why."""
    for label, report in reports.items():
        state = SourceStanding.Name(report.state).removeprefix("SOURCE_STANDING_")
        assert (label, state) == (label, states.get(label, "COMPLETE"))
        assert bool(report.last_error) is (label in states)
        assert report.skills == len(names_of(label))


@contextmanager
def prepared(folder: Path, timeout_s: float = PATIENCE_S) -> Iterator[Places]:
    """Have places of all kinds, which hold version 1, and what a server is begun with.

    It waits so long for each of them.
    """
    with opened(folder) as places:
        for place in places.all.values():
            place.publish(1)
        (folder / "skillsvc.toml").write_text(places.configuration(timeout_s))
        install(folder / "python")
        yield places


@contextmanager
def begun(places: Places, folder: Path, serve: Serve) -> Iterator[Scene]:
    """Serve from prepared places, and read, as long as the context lasts; they hold version 1 at the beginning."""
    server = serve(
        config=str(folder / "skillsvc.toml"),
        data_dir=folder / "data",
        bound_by_modes=True,
        environment={"PYTHONPATH": str(folder / "python")},
    )
    readers = Readers(server.address, Expected(versions={label: {1} for label in places.all}))
    with readers.running(), grpc.insecure_channel(f"unix:{server.data_dir}/admin.sock") as channel:
        scene = Scene(places, server, channel, readers)
        # So that all is connected before anything breaks.
        scene.sources()
        yield scene
    server.stop()
