"""Declarations of strangers and of operators: whatever they hold, a value or our own refusal comes of it."""

import hashlib
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skillsvc.content.compile_child import COMPILES, TOO_DEEP, TOO_MUCH, verdict_of
from skillsvc.domain.readiness import NetworkInventory, ReadinessState, Vouched, readiness_of
from skillsvc.domain.skill import NetworkMode
from skillsvc.parsing.findings import Findings, Profile
from skillsvc.parsing.inventory import InventoryMalformed, read_inventory
from skillsvc.parsing.network import host_of, read_network, read_requirements
from skillsvc.parsing.plain_yaml import Plain

pytestmark = pytest.mark.property

TEXTS = st.text(max_size=20) | st.sampled_from(
    ["none", "host_only", "raw_required", "unknown", "warp", "https://A.example:1/x", "*.a.example.", "[gpu]", "\ud800"]
)
PLAIN: st.SearchStrategy[Plain] = st.recursive(
    st.none() | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["network", "mode", "domains", "more"]) | TEXTS, inner, max_size=4)
    ),
    max_leaves=12,
)
KEYS = st.sampled_from(["schema_version", "collections", "skills", "declaration", "mode", "domains", "a", "\ud800", ""])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=16,
)
WORDS = st.sets(st.sampled_from(["gpu", "tpu", "docker", "odd", "warp drive"]))


@given(capabilities=PLAIN, profile=st.sampled_from(Profile))
def test_whatever_is_declared_of_a_network_is_one_with_its_digest_or_none(
    capabilities: Plain, profile: Profile
) -> None:
    network = read_network({"capabilities": capabilities}, Findings(profile))
    if network is not None:
        mode = network.mode.name.lower()
        form = json.dumps({"domains": network.domains, "mode": mode}, sort_keys=True, separators=(",", ":"))
        assert network.digest == hashlib.sha256(form.encode()).hexdigest()
        assert list(network.domains) == sorted(set(network.domains))
        assert "" not in network.domains


@given(text=TEXTS)
def test_a_host_has_no_path_and_ends_in_no_dot(text: str) -> None:
    once = host_of(text)
    assert "/" not in once
    assert not once.endswith(".")


@given(requirements=PLAIN, profile=st.sampled_from(Profile))
def test_whatever_is_required_is_words_in_order(requirements: Plain, profile: Profile) -> None:
    words = read_requirements({"requirements": requirements}, Findings(profile))
    assert list(words) == sorted(set(words))
    assert all(word and word == word.lower() for word in words)


@given(told=JSON | st.fixed_dictionaries({"schema_version": st.just(1), "collections": JSON, "skills": JSON}))
def test_any_json_is_an_inventory_or_refused(told: object) -> None:
    try:
        inventory = read_inventory(json.dumps(told).encode())
    except InventoryMalformed:
        # Whatever else is raised fails the test.
        pass
    else:
        assert isinstance(inventory, NetworkInventory)
        for network in inventory.skills.values():
            assert len("".join(network.domains).encode()) <= 64 * 253


@given(data=st.binary(max_size=200))
@example(b"[" * 100_000)
@example(b'{"a":' * 100_000)
@example(b"9" * 100_000)
def test_any_bytes_are_an_inventory_or_refused(data: bytes) -> None:
    with pytest.raises(InventoryMalformed):
        read_inventory(data)


@given(requirements=WORDS, present=WORDS, missing=WORDS, mode=st.sampled_from(NetworkMode), allows=st.booleans())
def test_a_verdict_tells_of_each_requirement_once_and_allows_nothing(
    requirements: set[str], present: set[str], missing: set[str], mode: NetworkMode, *, allows: bool
) -> None:
    vouched = Vouched(present=frozenset(present - missing), missing=frozenset(missing), raw_network=allows)
    told = readiness_of(tuple(requirements), mode, vouched)
    assert set(told.missing) == requirements & missing
    assert set(told.unverifiable) == requirements - present - missing
    assert ("raw_network" in told.blocked_on) == (mode is NetworkMode.RAW_REQUIRED)
    is_ready = not (told.missing or told.unverifiable or told.blocked_on)
    assert (told.state is ReadinessState.READY) == is_ready
    assert (told.state is ReadinessState.UNKNOWN) == bool(
        told.unverifiable and not told.missing and not told.blocked_on
    )


PIECES = st.sampled_from(
    [*"x=1()[]{}:#'\\\n\0é\ud800", "  ", "def", "lambda", "f'"],
)


@given(text=st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=40))
def test_of_any_short_text_the_compiler_says_one_of_four_things(text: str) -> None:
    verdict = verdict_of(text)
    word, _, line = verdict.partition(b" ")
    assert verdict in {COMPILES, TOO_DEEP, TOO_MUCH} or (word == b"line" and line.strip().isdigit())
