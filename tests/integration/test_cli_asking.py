"""The commands that ask a server, against a real one: what they print, how they end, and nothing else."""

import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from skillsource.v1 import skill_source_pb2 as pb

from tests.integration.commands import SKILLSVC, environment, skillsvc
from tests.integration.conftest import RunningServer, Serve
from tests.patience import PATIENCE_S
from tests.simulators.ports import own_port
from tests.unit.sources.trees import Program, Tree, grow, skill

SERVICE = "/skillsource.v1.SkillSourceService"
BINARY = bytes(range(256)) * 9_000
"""More than two ranges of 1 MiB, so that an asset is put together."""

TREE: Tree = {
    "for-all/SKILL.md": skill("for-all", "For everybody.", "First line.\n\nGrüße aus der Höhle.\n"),
    "for-all/data/all bytes.bin": BINARY,
    "for-all/run.sh": Program(b"#!/bin/sh\n"),
    "for-people/SKILL.md": (
        "---\nname: for-people\ndescription: For people.\ndisable-model-invocation: true\nfoo: bar\n---\nDo it.\n"
    ),
    "house/COLLECTION.json": '{"id": "house", "prompt_line": "What the house needs."}',
    "house/cellar/SKILL.md": skill("cellar", "Store [bold]wine[/bold]."),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return grow(tmp_path / "skills", TREE)


@pytest.fixture
def server(serve: Serve, root: Path) -> RunningServer:
    return serve(root)


def raw(server: RunningServer, method: str, request: Message, answer: type[Message]) -> dict[str, Any]:
    """Call without the client, and return the message as protobuf itself maps it to JSON."""
    with grpc.insecure_channel(server.address) as channel:
        call = channel.unary_unary(
            f"{SERVICE}/{method}",
            request_serializer=type(request).SerializeToString,
            response_deserializer=answer.FromString,
        )
        message = call(request, timeout=PATIENCE_S)
    return MessageToDict(message, preserving_proto_field_name=True)


def asked(server: RunningServer, *arguments: str | Path) -> bytes:
    done = skillsvc(*arguments, SKILLSVC_ADDRESS=server.address)
    assert (done.status, done.complained) == (0, "")
    return done.printed


def columns(printed: bytes) -> list[list[str]]:
    return [line.split("\t") for line in printed.decode().splitlines()]


def test_list_prints_a_line_a_skill(server: RunningServer) -> None:
    assert columns(asked(server, "list")) == [
        ["cellar", "all", "allowed", "Store [bold]wine[/bold]."],
        ["for-all", "all", "allowed", "For everybody."],
        ["for-people", "user", "allowed", "For people."],
    ]
    assert columns(asked(server, "list", "--full"))[1] == [
        "for-all",
        "all",
        "allowed",
        "dir-1",
        sha256(str(TREE["for-all/SKILL.md"]).encode()).hexdigest()[:12],
        "2",
        "0",
        "For everybody.",
    ]


@pytest.mark.parametrize(
    ("narrowed", "names"),
    [
        (["--invocation", "model"], ["cellar", "for-all"]),
        (["--invocation", "user"], ["cellar", "for-all", "for-people"]),
        (["--collection", "House"], ["cellar"]),
    ],
)
def test_list_narrows(server: RunningServer, narrowed: list[str], names: list[str]) -> None:
    assert [row[0] for row in columns(asked(server, "list", *narrowed))] == names


def test_collections_prints_a_line_each(serve: Serve, tmp_path: Path) -> None:
    hidden = "---\nname: loft\ndescription: Dust.\ndisable-model-invocation: true\n---\n"
    lab = {"lab/COLLECTION.json": '{"prompt_line": "{count} of it"}', "lab/acid/SKILL.md": skill("acid")}
    server = serve(grow(tmp_path / "skills", {**TREE, **lab, "house/loft/SKILL.md": hidden}))
    told = [["house", "2", "What the house needs."], ["lab", "1", "1 of it"]]
    assert columns(asked(server, "collections")) == told
    told[0][1] = "1"
    assert columns(asked(server, "collections", "--invocation", "model")) == told
    listing = json.loads(asked(server, "collections", "--json"))
    assert listing["collections"][1] == {"id": "lab", "line": "1 of it", "count": 1}
    assert listing["generation"]["digest"]


def test_search_prints_a_line_a_hit_best_first(server: RunningServer) -> None:
    found = raw(server, "SearchSkills", pb.SearchSkillsRequest(query="people höhle"), pb.SearchSkillsResponse)
    assert json.loads(asked(server, "search", "people höhle", "--json")) == found
    assert columns(asked(server, "search", "people höhle")) == [
        ["for-people", f"{found['hits'][0]['score']:.3f}", "name description", "For people."],
        ["for-all", f"{found['hits'][1]['score']:.3f}", "body", "For everybody."],
    ]
    assert [row[0] for row in columns(asked(server, "search", "people höhle", "--limit", "1"))] == ["for-people"]
    assert [row[0] for row in columns(asked(server, "search", "people höhle", "--invocation", "model"))] == ["for-all"]
    assert asked(server, "search", "nothing-of-the-kind") == b""
    assert asked(server, "search", '" OR NEAR( *') == b""


def test_render_prints_the_text_and_tells_beside_it_what_is_not_in_it(server: RunningServer) -> None:
    request = pb.RenderCatalogRequest(format=pb.CATALOG_FORMAT_MARKDOWN, max_tokens=2_000)
    rendered = raw(server, "RenderCatalog", request, pb.RenderCatalogResponse)
    options = ("render", "--format", "markdown", "--max-tokens", "2000")
    done = skillsvc(*options, SKILLSVC_ADDRESS=server.address)
    assert done.status == 0
    assert done.printed.decode() == "- collection of 1, house: What the house needs.\n- `for-all`: For everybody."
    told = done.complained.splitlines()
    assert told[0] == "skillsvc: left out: cellar: its collection has one line for all of it"
    assert told[1].startswith("skillsvc: 1 of 2 skills, 0 of them shortened; ")
    assert len(told) == 2
    done = skillsvc(*options, "--json", SKILLSVC_ADDRESS=server.address)
    assert json.loads(done.printed) == rendered
    best = skillsvc("render", "--format", "lines", "--query", "wine", SKILLSVC_ADDRESS=server.address)
    assert best.printed.decode().startswith("(collection of 1) house: ")


def test_capabilities_prints_a_line_a_tool_a_skill_and_a_command(server: RunningServer) -> None:
    tools = [pb.OfferedTool(name="shout", description="Says it FOR all."), pb.OfferedTool(name="forge")]
    request = pb.SearchCapabilitiesRequest(query="for", tools=tools)
    found = raw(server, "SearchCapabilities", request, pb.SearchCapabilitiesResponse)
    asking = ("capabilities", "for", "--tool", "shout=Says it FOR all.", "--tool", "forge")
    assert json.loads(asked(server, *asking, "--json")) == found
    assert columns(asked(server, *asking)) == [
        ["tool", "forge", ""],
        ["tool", "shout", "Says it FOR all."],
        ["skill", "for-all", "For everybody."],
        ["command", "for-all", "For everybody."],
        ["command", "for-people", "For people."],
    ]
    assert [row[1] for row in columns(asked(server, *asking, "--limit", "2"))] == ["forge", "shout"]


def test_json_is_what_protobuf_makes_of_the_raw_answers(server: RunningServer) -> None:
    view = pb.SkillView.SKILL_VIEW_FULL
    listing = raw(server, "ListSkills", pb.ListSkillsRequest(), pb.ListSkillsResponse)
    assert json.loads(asked(server, "list", "--json")) == listing
    full = raw(server, "ListSkills", pb.ListSkillsRequest(view=view), pb.ListSkillsResponse)
    assert json.loads(asked(server, "list", "--full", "--json")) == full
    one = pb.ListSkillsRequest(view=view, allow=pb.AllowList(names=["for-people"]))
    (shown,) = raw(server, "ListSkills", one, pb.ListSkillsResponse)["skills"]
    assert json.loads(asked(server, "show", "for-people", "--json")) == shown
    body = raw(server, "SkillBody", pb.SkillBodyRequest(name="for-all"), pb.SkillBodyResponse)
    assert json.loads(asked(server, "body", "for-all", "--json")) == body
    assets = raw(server, "ListAssets", pb.ListAssetsRequest(name="for-all"), pb.ListAssetsResponse)
    assert json.loads(asked(server, "assets", "for-all", "--json")) == assets
    asset = raw(server, "ReadAsset", pb.ReadAssetRequest(skill="for-all", asset="run.sh"), pb.ReadAssetResponse)
    assert json.loads(asked(server, "read", "for-all", "run.sh", "--json")) == asset
    info = raw(server, "GetServerInfo", pb.GetServerInfoRequest(), pb.GetServerInfoResponse)
    told = json.loads(asked(server, "info", "--json"))
    assert {**told, "now": ""} == {**info, "now": ""}


def test_show_tells_all_that_is_known_and_the_diagnostics(server: RunningServer) -> None:
    printed = asked(server, "show", "for-people").decode()
    assert printed.startswith("name\tfor-people\ndescription\tFor people.\nfor\tuser\n")
    assert "\nnote: " in printed
    assert printed.rstrip().endswith("[field-unknown]")


def test_body_prints_the_text_as_it_is(server: RunningServer, root: Path) -> None:
    assert asked(server, "body", "for-all") == "First line.\n\nGrüße aus der Höhle.".encode()
    assert asked(server, "body", "for-all", "--document") == (root / "for-all/SKILL.md").read_bytes()
    assert asked(server, "body", "dir-1/for-all") == asked(server, "body", "for-all")


def test_assets_are_listed_and_read_byte_for_byte(server: RunningServer, tmp_path: Path) -> None:
    listed = columns(asked(server, "assets", "for-all"))
    assert [row[:4] for row in listed] == [
        ["data/all bytes.bin", str(len(BINARY)), "application/octet-stream", ""],
        ["run.sh", "10", listed[1][2], "executable"],
    ]
    assert asked(server, "read", "for-all", "data/all bytes.bin") == BINARY
    kept = tmp_path / "kept.bin"
    assert asked(server, "read", "for-all", "data/all bytes.bin", "--output", kept) == b""
    assert kept.read_bytes() == BINARY


def test_activate_prints_the_text_and_says_its_id_aside(server: RunningServer) -> None:
    done = skillsvc("activate", "for-all", "--address", server.address)
    assert done.status == 0
    assert done.printed.decode().rstrip().endswith("Grüße aus der Höhle.")
    assert done.complained.startswith("skillsvc: activation ")
    repeated = [
        json.loads(asked(server, "activate", "for-all", "--request-id", "one", "--json"))["activation_id"]
        for _ in range(2)
    ]
    assert repeated[0] == repeated[1]
    assert asked(server, "activate", "for-people", "--invocation", "user", "--json")


def test_what_is_reported_is_known_of_a_task_like_it(server: RunningServer) -> None:
    address = ("--address", server.address)
    unknown = skillsvc("best-match", "greet the cave", *address)
    assert (unknown.status, unknown.printed) == (1, b"")
    begun = json.loads(asked(server, "activate", "for-all", "--task", "greet the cave", "--json"))
    assert asked(server, "report", "1", "--activation", begun["activation_id"]) == b""
    assert json.loads(asked(server, "report", "1", "--skill", "for-all", "--task", "sing", "--json")) == {
        "recorded": True
    }
    match = json.loads(asked(server, "best-match", "the cave", "--json"))
    assert (match["skill"], match["task_pattern"]) == ("for-all", "greet the cave")
    assert columns(asked(server, "best-match", "the cave"))[0] == ["Skill", "for-all"]
    for wrong in (("report", "1"), ("report", "1", "--skill", "a", "--activation", "b"), ("report", "good")):
        assert skillsvc(*wrong, *address).status == 2
    beyond = skillsvc("report", "1.5", "--skill", "for-all", "--task", "sing", *address)
    assert beyond.status == 2
    assert "ARGUMENT_OUT_OF_RANGE" in beyond.complained


def test_activate_says_aside_what_nobody_trusts_yet(serve: Serve, root: Path, tmp_path: Path) -> None:
    other = grow(tmp_path / "other", {"for-all/SKILL.md": skill("for-all"), "odd/SKILL.md": skill("odd")})
    config = tmp_path / "skillsvc.toml"
    config.write_text(
        f"""
        [[source]]
        name = "first"
        kind = "directory"
        path = "{root}"
        trust = "ask"
        [[source]]
        name = "second"
        kind = "directory"
        path = "{other}"
        trust = "untrusted"
        """
    )
    server = serve(config=str(config))
    for name, said in {
        "for-all": "the trust of for-all is ask: ask before you follow it",
        "odd": "the trust of odd is untrusted: read it before you follow it",
        "second/for-all": "the trust of second/for-all is not told, as it is shadowed: read it before you follow it",
    }.items():
        done = skillsvc("activate", name, "--address", server.address)
        assert (done.status, done.complained.count("\n")) == (0, 2)
        assert f"skillsvc: {said}\n" in done.complained
        assert done.printed


def test_info_tells_the_limits(server: RunningServer) -> None:
    told = dict(columns(asked(server, "info")))
    assert told["contract"] == "4"
    assert told["limits.asset_bytes"] == "16777216"
    assert "ListSkills" in told["features"].split()


def test_what_fails_is_one_line_and_a_status(server: RunningServer) -> None:
    cases = {
        ("show", "nobody"): (1, "SKILL_NOT_FOUND"),
        ("show", "No Name"): (2, "NAME_MALFORMED"),
        ("body", "nobody"): (1, "SKILL_NOT_FOUND"),
        ("body", "No Name"): (2, "NAME_MALFORMED"),
        ("assets", "nobody"): (1, "SKILL_NOT_FOUND"),
        ("read", "for-all", "nothing"): (1, "ASSET_NOT_FOUND"),
        ("read", "nobody", "nothing"): (1, "SKILL_NOT_FOUND"),
        ("read", "for-all", "../SKILL.md"): (2, "ASSET_NAME_MALFORMED"),
        ("activate", "for-people"): (1, "INVOCATION_NOT_ALLOWED"),
        ("activate", "nobody"): (1, "SKILL_NOT_FOUND"),
        ("body", "nobody", "--json"): (1, "SKILL_NOT_FOUND"),
        ("list", "--collection", "nowhere"): (1, "COLLECTION_NOT_FOUND"),
    }
    ended = {}
    for command in cases:
        done = skillsvc(*command, SKILLSVC_ADDRESS=server.address)
        assert done.printed == b""
        assert done.complained.startswith("skillsvc: ")
        assert done.complained.count("\n") == 1
        ended[command] = (done.status, done.complained.rstrip().rpartition("(")[2].rstrip(")"))
    assert ended == cases


def test_near_names_are_told_where_there_is_none_of_the_name(server: RunningServer) -> None:
    for command in (["show", "for-al"], ["body", "for-al"], ["activate", "dir-9/for-al"], ["read", "for-al", "x"]):
        done = skillsvc(*command, SKILLSVC_ADDRESS=server.address)
        assert (done.status, done.complained.count("\n")) == (1, 1)
        assert done.complained.endswith("; did you mean for-all? (SKILL_NOT_FOUND)\n")
    assert "did you mean" not in skillsvc("body", "zzz", SKILLSVC_ADDRESS=server.address).complained


def test_a_name_that_fits_no_grammar_is_told_with_the_rule() -> None:
    rules = set()
    for command in (["body", "A b"], ["assets", "A b"], ["read", "A b", "x"], ["activate", "A b"]):
        done = skillsvc(*command)
        assert done.status == 2
        rules.add(done.complained)
    (rule,) = rules
    assert rule.startswith("skillsvc: 'A b' is no name of a skill: a lower-case letter or digit, then up to 63 of ")


def test_show_takes_source_and_name_of_what_is_listed_and_says_why_not_of_what_is_shadowed(
    serve: Serve, root: Path, tmp_path: Path
) -> None:
    other = grow(tmp_path / "other", {"for-all/SKILL.md": skill("for-all", "Shadowed.")})
    server = serve(root, other)
    assert asked(server, "show", "dir-1/for-all") == asked(server, "show", "for-all")
    done = skillsvc("show", "dir-2/for-all", SKILLSVC_ADDRESS=server.address)
    assert (done.status, done.printed) == (1, b"")
    assert done.complained == (
        "skillsvc: dir-2/for-all is shadowed by dir-1/for-all, and no call tells the entry of what is shadowed; "
        "body, assets, read and activate take it\n"
    )
    for name in ("dir-2/nobody", "nowhere/for-all", "dir-2/cellar"):
        done = skillsvc("show", name, SKILLSVC_ADDRESS=server.address)
        assert (done.status, done.complained.count("\n")) == (1, 1)
        assert done.complained.endswith("(SKILL_NOT_FOUND)\n")


@pytest.mark.parametrize(
    ("address", "fault"),
    [
        ("foo", "foo has no port"),
        ("localhost", "localhost has no port"),
        ("[::1]", "[::1] has no port"),
        ("::1", "::1 is no address"),
        ("foo:bar", "foo:bar is no address"),
        ("", " is no address"),
    ],
)
def test_an_address_that_is_none_is_told_before_anything_is_asked(address: str, fault: str) -> None:
    done = skillsvc("list", "--address", address)
    assert done.status == 2
    assert done.complained == f"skillsvc: {fault}: say HOST:PORT, [IPV6]:PORT or unix:PATH\n"


def test_a_choice_that_is_none_is_told_in_our_words_alone() -> None:
    done = skillsvc("list", "--invocation", "bot")
    assert done.status == 2
    assert done.complained.endswith(
        "Error: Invalid value for '--invocation': 'bot' is not one of 'any', 'model', 'user'.\n"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nothing"],
        ["list", "extra"],
        ["list", "--invocation", "nobody"],
        ["list", "--timeout", "0"],
        ["show"],
        ["read", "one"],
        ["search", "x", "--limit", "51"],
        ["activate", "x", "--argument", "novalue"],
        ["activate", "x", "--argument", "a=1", "--argument", "a=2"],
        ["watch", "--count", "0"],
        ["check", "nowhere-at-all"],
        ["check", ".", "--layout", "deep"],
        ["serve", "--workers", "many"],
        ["serve", "--log-level", "loud"],
    ],
    ids=" ".join,
)
def test_a_command_that_is_not_right_ends_with_status_2(arguments: list[str]) -> None:
    done = skillsvc(*arguments)
    assert done.status == 2
    assert "Traceback" not in done.complained


def test_no_server_is_told_in_one_line_with_status_3(tmp_path: Path) -> None:
    with own_port() as port:
        for address in (f"127.0.0.1:{port}", f"unix:{tmp_path / 'nothing.sock'}"):
            for command in (["list"], ["watch"]):
                done = skillsvc(*command, "--address", address)
                assert (done.status, done.printed) == (3, b"")
                assert done.complained == f"skillsvc: no server answers at {address} (UNAVAILABLE)\n"


def test_a_server_that_says_nothing_is_given_up_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        done = skillsvc("list", "--address", address, "--timeout", "0.2")
    assert (done.status, done.printed) == (3, b"")
    assert done.complained.startswith(f"skillsvc: no answer from {address} in time")


def test_the_address_of_the_option_wins_over_the_variable(server: RunningServer) -> None:
    done = skillsvc("list", "--address", server.address, SKILLSVC_ADDRESS="127.0.0.1:1")
    assert done.status == 0


def test_a_source_that_is_gone_is_told_aside(server: RunningServer, root: Path) -> None:
    with watching(server) as watch:
        assert watch.stdout is not None
        assert watch.stdout.readline()
        root.rename(root.with_name("elsewhere"))
        assert watch.stdout.readline().rstrip().endswith("; dir-1 is stale")
    done = skillsvc("list", SKILLSVC_ADDRESS=server.address)
    assert (done.status, len(done.lines)) == (0, 3)
    assert done.complained.startswith("skillsvc: the source dir-1 is stale since ")


@contextmanager
def watching(server: RunningServer, *options: str) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [*SKILLSVC, "watch", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(SKILLSVC_ADDRESS=server.address),
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def test_watch_prints_a_line_for_each_change_as_it_comes(server: RunningServer, root: Path) -> None:
    with watching(server, "--count", "4") as watch:
        assert watch.stdout is not None
        assert watch.stdout.readline().rstrip().endswith("; resync")
        grow(root, {"new/SKILL.md": skill("new")})
        assert watch.stdout.readline().rstrip().endswith("; added new")
        grow(root, {"new/SKILL.md": skill("new", "Changed.")})
        assert watch.stdout.readline().rstrip().endswith("; modified new")
        (root / "new/SKILL.md").unlink()
        assert watch.stdout.readline().rstrip().endswith("; removed new")
        assert watch.wait(PATIENCE_S) == 0


def test_watch_prints_an_object_a_line_as_json_and_goes_on_from_a_state(server: RunningServer, root: Path) -> None:
    first = json.loads(asked(server, "watch", "--json", "--count", "1"))
    assert first["resync"]
    with watching(server, "--json", "--count", "2", "--since", first["generation"]["token"]) as watch:
        assert watch.stdout is not None
        same = json.loads(watch.stdout.readline())
        assert same["generation"] == first["generation"]
        assert "resync" not in same
        grow(root, {"new/SKILL.md": skill("new")})
        (added,) = json.loads(watch.stdout.readline())["added"]
        assert (added["name"], added["trust"]) == ("new", "TRUST_ALLOWED")
        assert watch.wait(PATIENCE_S) == 0


def test_ctrl_c_ends_a_watch_at_once_and_quietly(server: RunningServer) -> None:
    with watching(server) as watch:
        assert watch.stdout is not None
        watch.stdout.readline()
        watch.send_signal(signal.SIGINT)
        assert watch.communicate(timeout=PATIENCE_S) == ("", "")
        assert watch.returncode == -signal.SIGINT


@pytest.mark.parametrize("command", [["list"], ["read", "for-all", "data/all bytes.bin"], ["list", "--json"]])
def test_a_reader_that_goes_ends_a_command_quietly(server: RunningServer, command: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*SKILLSVC, *command],
        stdout=writing,
        stderr=subprocess.PIPE,
        env=environment(SKILLSVC_ADDRESS=server.address),
        timeout=PATIENCE_S,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (-signal.SIGPIPE, b"")


def test_output_that_cannot_be_written_is_told(server: RunningServer) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*SKILLSVC, "list"],
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(SKILLSVC_ADDRESS=server.address),
            timeout=PATIENCE_S,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == b"skillsvc: the output cannot be written: No space left on device\n"


def test_an_asset_that_cannot_be_kept_is_told(server: RunningServer, tmp_path: Path) -> None:
    output = tmp_path / "no" / "folder"
    done = skillsvc("read", "for-all", "run.sh", "--output", output, SKILLSVC_ADDRESS=server.address)
    assert (done.status, done.printed) == (1, b"")
    assert done.complained == f"skillsvc: {output} cannot be written: No such file or directory\n"
