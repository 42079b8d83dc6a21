"""Both clients against a real server on real folders that change."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import skillsource
from skillsource import BodyForm, SkillView

from tests.hostile.faces import Connect, asynchronous, blocking
from tests.hostile.waiting import wait_until
from tests.integration.conftest import Serve
from tests.simulators.ports import own_port


@pytest.fixture(params=["blocking", "asyncio"])
def connect(request: pytest.FixtureRequest) -> Iterator[Connect]:
    with blocking() if request.param == "blocking" else asynchronous() as give:
        yield give


def write(folder: Path, name: str, body: str, **assets: bytes) -> None:
    """Write a skill; `_` in the name of an asset stands for its dot."""
    root = folder / name
    root.mkdir(parents=True, exist_ok=True)
    for asset, data in assets.items():
        (root / asset.replace("_", ".")).write_bytes(data)
    text = f"---\nname: {name}\ndescription: Does {name}.\n---\n{body}\n"
    (root / "SKILL.md.new").write_text(text, encoding="utf-8")
    (root / "SKILL.md.new").rename(root / "SKILL.md")


def test_everything_comes_whole_and_nothing_is_dropped(connect: Connect, serve: Serve, tmp_path: Path) -> None:
    body = "é€😀\n" * 90_000
    data = bytes(range(256)) * 12_000
    write(tmp_path, "large", body + "end", big_bin=data, empty_txt=b"")
    for number in range(40):
        write(tmp_path, f"small-{number:02}", "Small.")
    dropped: list[skillsource.Dropped] = []
    client = connect(serve(tmp_path).address, on_dropped=dropped.append)
    names = ["large", *(f"small-{number:02}" for number in range(40))]
    assert [skill.name for skill in client.list_skills(page_size=7).skills] == names
    assert [skill.name for skill in client.iter_skills(page_size=7, view=SkillView.FULL)] == names
    assert client.skill_body("large").text == body + "end"
    document = client.skill_body("large", form=BodyForm.DOCUMENT)
    assert document.verified
    assert document.text == f"---\nname: large\ndescription: Does large.\n---\n{body}end\n"
    assert client.read_asset("large", "big.bin").data == data
    assert client.read_asset("large", "empty.txt", as_text=True).data == b""
    with pytest.raises(skillsource.InvalidArgument):
        client.read_asset("large", "big.bin", as_text=True)
    assert dropped == []


def test_a_followed_catalog_shows_what_changed_and_keeps_what_did_not(
    connect: Connect, serve: Serve, tmp_path: Path
) -> None:
    write(tmp_path, "changing", "Before.")
    write(tmp_path, "staying", "Always.")
    client = connect(serve(tmp_path).address, follow=True)
    wait_until(lambda: bool(client.following))
    assert client.skill_body("staying").text == "Always."
    first = client.skill_body("changing").generation
    write(tmp_path, "changing", "After.")
    wait_until(lambda: client.present().digest != first.digest)
    assert client.skill_body("changing").text == "After."
    assert client.skill_body("staying").generation == client.present()
    assert client.skill_body("staying").generation.sequence > first.sequence


def test_who_waits_until_it_follows_is_answered_without_a_call_from_then_on(
    connect: Connect, serve: Serve, tmp_path: Path
) -> None:
    write(tmp_path, "skill", "Do it.")
    server = serve(tmp_path)
    client = connect(server.address)
    client.wait_until_following()
    assert client.following
    first = client.skill_body("skill")
    server.process.send_signal(signal.SIGSTOP)
    try:
        assert client.skill_body("skill", timeout=0.5) == first
    finally:
        server.process.send_signal(signal.SIGCONT)


def test_a_server_that_is_not_there_is_told_by_its_address(connect: Connect, tmp_path: Path) -> None:
    target = f"unix:{tmp_path / 'nothing.sock'}"
    client = connect(target)
    for call in (client.list_skills, lambda: client.activate("skill"), lambda: next(client.watch())):
        with pytest.raises(skillsource.Unavailable) as failed:
            call()
        assert failed.value.reason == ""
        assert failed.value.message.startswith(f"no connection to {target}")
        assert failed.value.__cause__ is not None
    client.follow()
    wait_until(lambda: client.follow_error is not None)
    with pytest.raises(skillsource.DeadlineExceeded) as late:
        client.wait_until_following(timeout=0.2)
    assert late.value.message == f"the catalog is not followed in the time given: {late.value.__cause__}"
    assert isinstance(late.value.__cause__, skillsource.Unavailable)
    client.close()
    with pytest.raises(skillsource.ClientClosed):
        client.wait_until_following(timeout=0.2)


def test_a_session_stays_with_the_state_it_began_with(connect: Connect, serve: Serve, tmp_path: Path) -> None:
    long = "x" * 40_000
    write(tmp_path, "skill", long, notes_md=b"Old.")
    client = connect(serve(tmp_path).address)
    pinned = client.pinned(client.present())
    activation = client.activate("skill")
    events = client.watch(client.present())
    next(events)
    write(tmp_path, "skill", "New.", notes_md=b"New.")
    changed = next(events)
    assert [skill.name for skill in changed.modified] == ["skill"]
    wait_until(lambda: client.skill_body("skill").text == "New.")
    assert pinned.skill_body("skill").text == long
    assert pinned.list_assets("skill").assets == activation.assets
    assert activation.truncated
    assert long.endswith(activation.rest_of_body())
    assert activation.read_asset("notes.md").data == b"Old."
    assert client.at_least(changed.generation).read_asset("skill", "notes.md").data == b"New."


def test_a_listing_that_is_unchanged_is_not_modified(connect: Connect, serve: Serve, tmp_path: Path) -> None:
    write(tmp_path, "skill", "Text.")
    client = connect(serve(tmp_path).address)
    first, second = client.list_skills(), client.list_skills()
    assert first == second
    assert first.skills is second.skills
    assert client.narrowed(allow=[]).list_skills().skills == ()


def test_a_watch_goes_on_with_the_server_that_follows(connect: Connect, serve: Serve, tmp_path: Path) -> None:
    skills = tmp_path / "skills"
    write(skills, "skill", "Text.")
    with own_port() as port:
        server = serve(skills, listen=f"127.0.0.1:{port}")
        events = connect(server.address).watch()
        before = next(events)
        assert before.resync
        assert server.stop() == 0
        write(skills, "another", "Text.")
        serve(skills, data_dir=server.data_dir, listen=server.address)
        names: list[str] = []
        for event in events:
            names += [skill.name for skill in event.added]
            if event.generation.digest != before.generation.digest:
                break
    assert names == ["another"]


def test_a_token_that_no_server_made_is_malformed(connect: Connect, serve: Serve, tmp_path: Path) -> None:
    write(tmp_path, "skill", "Text.")
    client = connect(serve(tmp_path).address)
    with pytest.raises(skillsource.InvalidArgument) as refused:
        client.pinned("bm90IGEgdG9rZW4").skill_body("skill")
    assert refused.value.reason == "TOKEN_MALFORMED"


def test_the_server_tells_what_it_is(connect: Connect, serve: Serve, tmp_path: Path) -> None:
    write(tmp_path, "skill", "Text.")
    client = connect(serve(tmp_path).address)
    info = client.server_info()
    assert info.limits.description_bytes == 800
    assert info.limits.range_bytes == 1024 * 1024


def test_what_was_told_of_an_activation_is_known_of_its_task(connect: Connect, serve: Serve, tmp_path: Path) -> None:
    write(tmp_path, "skill", "Text.")
    client = connect(serve(tmp_path).address)
    assert not client.best_match("review rust").found
    begun = client.activate("skill", task="review rust")
    assert client.report_outcome(1.0, activation_id=begun.activation_id)
    match = client.best_match("rust")
    assert (match.found, match.skill, match.task_pattern) == (True, "skill", "review rust")
    assert match.success_rate == pytest.approx(2 / 3)
    with pytest.raises(skillsource.NotFound):
        client.report_outcome(1.0, skill="another", task="rust")
