"""Qualified names from end to end: `source/name` of a source that loses, by both clients and on the command line."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import skillsource

from tests.hostile.faces import Connect, asynchronous, blocking
from tests.integration.commands import skillsvc
from tests.integration.conftest import RunningServer, Serve
from tests.unit.sources.trees import grow, skill

pytestmark = pytest.mark.integration

BODIES = {"deploy": "One.", "dir-1/deploy": "One.", "dir-2/deploy": "Two."}


@pytest.fixture(params=["blocking", "asyncio"])
def connect(request: pytest.FixtureRequest) -> Iterator[Connect]:
    with blocking() if request.param == "blocking" else asynchronous() as give:
        yield give


@pytest.fixture
def roots(tmp_path: Path) -> tuple[Path, Path]:
    one = grow(tmp_path / "one", {"deploy/SKILL.md": skill("deploy", body="One."), "deploy/a.txt": "one"})
    two = grow(tmp_path / "two", {"deploy/SKILL.md": skill("deploy", body="Two."), "deploy/a.txt": "two"})
    return one, two


@pytest.fixture
def server(serve: Serve, roots: tuple[Path, Path]) -> RunningServer:
    return serve(*roots)


def test_each_read_and_activation_takes_a_qualified_name(connect: Connect, server: RunningServer) -> None:
    client = connect(server.address)
    assert [each.name for each in client.list_skills().skills] == ["deploy"]
    for name, body in BODIES.items():
        source = body.rstrip(".").lower()
        assert client.skill_body(name).text == body
        assert [asset.name for asset in client.list_assets(name).assets] == ["a.txt"]
        assert client.read_asset(name, "a.txt").data == source.encode()
        activation = client.activate(name)
        assert (activation.name, activation.reference) == ("deploy", name)
        assert body in activation.text


def test_what_is_kept_of_one_source_is_never_answered_for_another(connect: Connect, server: RunningServer) -> None:
    client = connect(server.address, follow=True)
    client.wait_until_following()
    for _time in range(3):
        assert {name: client.skill_body(name).text for name in BODIES} == BODIES
        assert [client.read_asset(name, "a.txt").data for name in BODIES] == [b"one", b"one", b"two"]


def test_a_shadowed_skill_that_is_edited_is_read_anew_and_stays_as_it_was_where_a_state_is_pinned(
    connect: Connect, server: RunningServer, roots: tuple[Path, Path]
) -> None:
    client = connect(server.address)
    before = client.skill_body("dir-2/deploy")
    grow(roots[1], {"deploy/SKILL.md": skill("deploy", body="Three.")})
    watching = iter(client.watch(before.generation))
    while not (event := next(watching)).generation.sequence > before.generation.sequence:
        pass
    watching.close()
    # Nothing that is listed changed, and yet the state is another one.
    assert (event.added, event.modified, event.removed) == ((), (), ())
    assert client.skill_body("dir-2/deploy").text == "Three."
    assert client.skill_body("deploy").text == "One."
    assert client.pinned(before.generation).skill_body("dir-2/deploy").text == "Two."


def test_allow_is_of_the_plain_name_and_hides_a_qualified_one_as_if_it_were_not(
    connect: Connect, server: RunningServer
) -> None:
    client = connect(server.address)
    assert client.narrowed(allow=["deploy"]).skill_body("dir-2/deploy").text == "Two."
    messages = set()
    for narrow, name in ((["other"], "dir-2/deploy"), ([], "dir-1/deploy"), (["deploy"], "dir-3/deploy")):
        with pytest.raises(skillsource.SkillNotFound) as refused:
            client.narrowed(allow=narrow).skill_body(name)
        messages.add(str(refused.value))
    assert len(messages) == 1


def test_the_command_line_takes_a_qualified_name(server: RunningServer) -> None:
    address = {"SKILLSVC_ADDRESS": server.address}
    for name, body in BODIES.items():
        assert skillsvc("body", name, **address).printed.decode().strip() == body
        assert skillsvc("assets", name, **address).lines[0].startswith("a.txt\t3\t")
        assert skillsvc("read", name, "a.txt", **address).printed == body.rstrip(".").lower().encode()
        activation = json.loads(skillsvc("activate", name, "--json", **address).printed)
        assert (activation["name"], body in activation["text"]) == ("deploy", True)
    assert skillsvc("body", "dir-2/Deploy", **address).status == 2
    assert skillsvc("body", "dir-2/deploy/x", **address).status == 2
    assert skillsvc("body", "dir-3/deploy", **address).status == 1
