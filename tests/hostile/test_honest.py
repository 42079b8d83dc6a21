"""What the clients do with a server that keeps to the contract."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import skillsource
from skillsource import BodyForm, SkillView
from skillsource.v1 import skill_source_pb2 as pb

from tests.hostile.faces import Connect
from tests.hostile.honest import FakeAsset, FakeSkill, Honest
from tests.hostile.playing import Script, Server

Play = Callable[[Script], Server]

LINT = FakeAsset(name="scripts/lint.sh", data=b"#!/bin/sh\nexit 0\n", executable=True)
NOTES = FakeAsset(name="notes.md", data=b"Notes.\n")
REVIEW = FakeSkill(name="review", body="Review it.", assets=(LINT, NOTES), license="MIT", metadata={"author": "me"})
COMMIT = FakeSkill(name="commit", body="Commit it.")


def many(count: int) -> tuple[FakeSkill, ...]:
    return tuple(FakeSkill(name=f"skill-{number:04}") for number in range(count))


def test_all_pages_make_one_listing_in_order(connect: Connect, play: Play) -> None:
    server = play(Honest(*many(25), page_skills=10).script())
    listing = connect(server.address).list_skills()
    assert [skill.name for skill in listing.skills] == [f"skill-{number:04}" for number in range(25)]
    assert listing.total_size == 25
    assert listing.dropped == ()
    assert server.count("ListSkills") == 3


def test_an_iterated_listing_asks_for_a_page_only_when_it_is_taken(connect: Connect, play: Play) -> None:
    server = play(Honest(*many(25), page_skills=10).script())
    skills = iter(connect(server.address).iter_skills())
    assert [next(skills).name for _ in range(10)][-1] == "skill-0009"
    assert server.count("ListSkills") == 1
    assert len(list(skills)) == 15


def test_an_unchanged_listing_is_not_sent_again(connect: Connect, play: Play) -> None:
    server = play(Honest(*many(3)).script())
    client = connect(server.address)
    assert client.list_skills() == client.list_skills()
    last = pb.ListSkillsRequest.FromString(server.requests("ListSkills")[-1])
    assert last.if_none_match == client.list_skills().generation.digest


def test_a_listing_of_another_view_is_another_listing(connect: Connect, play: Play) -> None:
    client = connect(play(Honest(REVIEW).script()).address)
    assert client.list_skills().skills[0].license == ""
    assert client.list_skills(view=SkillView.FULL).skills[0].license == "MIT"
    assert client.list_skills(view=SkillView.FULL).skills[0].metadata == {"author": "me"}


def test_a_body_of_many_ranges_is_put_together_at_its_characters(connect: Connect, play: Play) -> None:
    body = "aé€😀" * 3_000
    client = connect(play(Honest(FakeSkill(name="long", body=body), range_bytes=7_001).script()).address)
    assert client.skill_body("long").text == body


def test_the_document_is_another_text_than_the_body(connect: Connect, play: Play) -> None:
    client = connect(play(Honest(REVIEW).script()).address)
    assert client.skill_body("review", form=BodyForm.DOCUMENT).text == REVIEW.document
    assert client.skill_body("review").text == "Review it."


@pytest.mark.parametrize("data", [b"", b"x", bytes(range(256)) * 100])
def test_an_asset_of_any_size_comes_whole(connect: Connect, play: Play, data: bytes) -> None:
    skill = FakeSkill(name="holder", assets=(FakeAsset(name="a.bin", data=data),))
    client = connect(play(Honest(skill, range_bytes=4_999).script()).address)
    assert client.read_asset("holder", "a.bin").data == data


def test_an_inventory_is_sorted_by_name(connect: Connect, play: Play) -> None:
    client = connect(play(Honest(REVIEW).script()).address)
    inventory = client.list_assets("review")
    assert [(asset.name, asset.size, asset.executable) for asset in inventory.assets] == [
        ("notes.md", 7, False),
        ("scripts/lint.sh", 17, True),
    ]


def test_content_that_is_held_is_not_sent_again(connect: Connect, play: Play) -> None:
    server = play(Honest(REVIEW).script())
    client = connect(server.address)
    for _ in range(2):
        assert client.skill_body("review").text == "Review it."
        assert client.read_asset("review", "scripts/lint.sh").executable
    asked = pb.SkillBodyRequest.FromString(server.requests("SkillBody")[-1])
    assert asked.if_none_match == client.skill_body("review").digest
    assert pb.ReadAssetRequest.FromString(server.requests("ReadAsset")[-1]).if_none_match


def test_without_a_cache_everything_is_sent_again(connect: Connect, play: Play) -> None:
    server = play(Honest(REVIEW).script())
    client = connect(server.address, cache_bytes=0)
    assert client.skill_body("review") == client.skill_body("review")
    assert not pb.SkillBodyRequest.FromString(server.requests("SkillBody")[-1]).if_none_match


def test_a_pinned_client_reads_one_generation_while_another_is_published(connect: Connect, play: Play) -> None:
    honest = Honest(COMMIT)
    client = connect(play(honest.script()).address)
    pinned = client.pinned(client.present())
    honest.publish(FakeSkill(name="commit", body="Another."), REVIEW)
    assert client.skill_body("commit").text == "Another."
    assert pinned.skill_body("commit").text == "Commit it."
    assert [skill.name for skill in pinned.list_skills().skills] == ["commit"]
    honest.forget()
    with pytest.raises(skillsource.GenerationExpired) as expired:
        pinned.skill_body("commit")
    assert client.pinned(expired.value.current_token).skill_body("commit").text == "Another."


def test_a_listing_whose_generation_expires_begins_anew(connect: Connect, play: Play) -> None:
    honest = Honest(*many(4), page_skills=2)
    script = dict(honest.script())
    first_page = threading.Event()

    def list_skills(request: bytes, context: object) -> object:
        if pb.ListSkillsRequest.FromString(request).page_token and not first_page.is_set():
            first_page.set()
            honest.publish(*many(6))
            honest.forget()
        return honest.script()["ListSkills"](request, context)  # type: ignore[arg-type] # passed on as it came

    script["ListSkills"] = list_skills  # type: ignore[assignment] # as above
    listing = connect(play(script).address).list_skills()
    assert len(listing.skills) == listing.total_size == 6


def test_an_empty_allow_list_allows_nothing_and_none_allows_all(connect: Connect, play: Play) -> None:
    client = connect(play(Honest(COMMIT, REVIEW).script()).address)
    assert len(client.list_skills().skills) == 2
    assert client.narrowed(allow=()).list_skills().skills == ()
    assert [skill.name for skill in client.narrowed(allow=["review"]).list_skills().skills] == ["review"]


def test_an_activation_goes_on_in_its_own_generation(connect: Connect, play: Play) -> None:
    body = "é" * 2_000
    honest = Honest(FakeSkill(name="long", body=body, assets=(NOTES,)))
    client = connect(play(honest.script()).address)
    activation = client.activate("long", task="")
    honest.publish(FakeSkill(name="long", body="Short.", assets=(FakeAsset(name="notes.md", data=b"New."),)))
    assert activation.truncated
    assert activation.text + activation.rest_of_body() == body
    assert activation.read_asset("notes.md").data == NOTES.data
    assert client.activate("long").text == "Short."


def test_an_activation_by_a_qualified_name_reads_on_by_that_name(connect: Connect, play: Play) -> None:
    server = play(Honest(REVIEW).script())
    activation = connect(server.address).activate("other/review")
    activation.read_asset("notes.md")
    assert activation.name == "review"
    assert pb.ReadAssetRequest.FromString(server.requests("ReadAsset")[0]).skill == "other/review"


def test_an_unknown_name_is_not_found_as_what_it_is(connect: Connect, play: Play) -> None:
    client = connect(play(Honest(REVIEW).script()).address)
    with pytest.raises(skillsource.SkillNotFound):
        client.skill_body("no-such-skill")
    with pytest.raises(skillsource.SkillNotFound):
        client.list_assets("no-such-skill")
    with pytest.raises(skillsource.AssetNotFound) as unknown_skill:
        client.read_asset("no-such-skill", "notes.md")
    with pytest.raises(skillsource.AssetNotFound) as unknown_asset:
        client.read_asset("review", "no-such-asset")
    assert unknown_skill.value.reason == "SKILL_NOT_FOUND"
    assert unknown_asset.value.reason == "ASSET_NOT_FOUND"


@pytest.mark.parametrize(
    "asset", ["", "/a", "a/", "a//b", "./a", "a/..", "../a", "a\\b", "a\nb", "a\u2028b", "a\x85b", "x" * 513]
)
def test_an_asset_name_that_is_none_is_never_sent(connect: Connect, play: Play, asset: str) -> None:
    server = play(Honest(REVIEW).script())
    with pytest.raises(skillsource.InvalidArgument) as refused:
        connect(server.address).read_asset("review", asset)
    assert refused.value.reason == "ASSET_NAME_MALFORMED"
    assert server.count("ReadAsset") == 0


def test_what_is_not_built_is_told_apart(connect: Connect, play: Play) -> None:
    client = connect(play(Honest(REVIEW).script()).address)
    with pytest.raises(skillsource.Unimplemented):
        client.search_skills("review")


def test_the_token_goes_with_every_call(connect: Connect, play: Play) -> None:
    server = play(Honest(REVIEW).script())
    client = connect(server.address, token="secret")  # noqa: S106 - a test has none
    client.skill_body("review")
    next(client.watch())
    assert {asked.metadata["authorization"] for asked in server.asked} == {"Bearer secret"}


def test_a_unix_socket_is_this_machine(connect: Connect, tmp_path: Path) -> None:
    with Server(Honest(REVIEW).script(), f"unix:{tmp_path}/socket") as server:
        assert connect(server.address, token="secret").skill_body("review").text == "Review it."  # noqa: S106 - a test has none


def test_what_was_dropped_is_told_to_who_asked(connect: Connect, play: Play) -> None:
    dropped: list[skillsource.Dropped] = []
    honest = Honest(FakeSkill(name="shouting", description="x" * 900), COMMIT)
    client = connect(play(honest.script()).address, on_dropped=dropped.append)
    listing = client.list_skills()
    assert tuple(dropped) == listing.dropped
    assert [(one.name, one.field) for one in dropped] == [("shouting", "skills[1].description")]


def test_a_closed_client_says_so(connect: Connect, play: Play) -> None:
    client = connect(play(Honest(REVIEW).script()).address)
    client.skill_body("review")
    client.close()
    with pytest.raises(skillsource.ClientClosed):
        client.skill_body("review")
    with pytest.raises(skillsource.ClientClosed):
        next(client.watch())
