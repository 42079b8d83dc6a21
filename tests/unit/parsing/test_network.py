"""What a skill declares of network and requirements (`rules.md` 2), with the digests that OpenAI4S publishes."""

import pytest

from skillsvc.domain.diagnostics import DiagnosticCode
from skillsvc.domain.skill import Network, NetworkMode
from tests.unit.parsing.reading import codes, described, errors, kept, read, refused_for, strictly, warnings

NONE = "d2242818c2b57706268dbea994de30bad3e518bd301b3e8e54b88ac87558af10"
UNKNOWN = "0ef0ef171d0f81a89687655f75a0774491bdbef7f9a184846e3be2a37af148fd"
HOST_ONLY = "2ff1b7d09f3b9054eb02f48ef9cd4541271a0ffad0da50e7c12ce83664319408"


def network(declaration: str) -> Network | None:
    return kept(read(described(f"capabilities:\n  network: {declaration}"))).network


@pytest.mark.parametrize(
    ("declaration", "mode", "digest"),
    [
        ("{mode: none}", NetworkMode.NONE, NONE),
        ("\n    mode: none\n    domains: []", NetworkMode.NONE, NONE),
        ("{mode: host_only, domains: [b.example, a.example]}", NetworkMode.HOST_ONLY, HOST_ONLY),
        ("\n    domains:\n      - a.example\n      - b.example\n    mode: host_only", NetworkMode.HOST_ONLY, HOST_ONLY),
        ("{}", NetworkMode.UNKNOWN, UNKNOWN),
        ("{mode: warp}", NetworkMode.UNKNOWN, UNKNOWN),
        ("{mode: None}", NetworkMode.UNKNOWN, UNKNOWN),
        ("{mode: [none]}", NetworkMode.UNKNOWN, UNKNOWN),
        ("none", NetworkMode.UNKNOWN, UNKNOWN),
        ("[none]", NetworkMode.UNKNOWN, UNKNOWN),
    ],
)
def test_a_declaration_has_the_published_digest_however_it_is_spelt(
    declaration: str, mode: NetworkMode, digest: str
) -> None:
    declared = network(declaration)
    assert declared is not None
    assert (declared.mode, declared.digest) == (mode, digest)


@pytest.mark.parametrize(
    ("spelt", "host"),
    [
        ("A.Example", "a.example"),
        ("https://a.example/path?q#f", "a.example"),
        ("https://user:pass@a.example:8443/", "a.example"),
        ("a.example:443", "a.example"),
        ("a.example.", "a.example"),
        ("*.a.example", "a.example"),
        ("a.example/path", "a.example"),
        (" a.example ", "a.example"),
        ("a\n\n    example", "a example"),
        ("wss://*.a.example.:1/x", "a.example"),
        ("http://[2001:DB8::1]:80/", "[2001:db8::1]"),
        ("http:\\\\a.example\\x", "a.example"),
    ],
)
def test_a_domain_is_the_host_alone(spelt: str, host: str) -> None:
    declared = network(f"{{mode: host_only, domains: ['{spelt}']}}")
    assert declared is not None
    assert declared.domains == (host,)


def test_domains_are_sorted_and_each_stands_once() -> None:
    declared = network("{mode: raw_required, domains: [b.example, 'https://a.example/', A.EXAMPLE, b.example]}")
    assert declared is not None
    assert declared.mode is NetworkMode.RAW_REQUIRED
    assert declared.domains == ("a.example", "b.example")


@pytest.mark.parametrize(
    "fault",
    [
        "{mode: warp}",
        "{}",
        "none",
        "{mode: none, domains: a.example}",
        "{mode: none, domains: [' ']}",
        "{mode: none, domains: [[a]]}",
        "{mode: none, domains: {a: b}}",
    ],
)
def test_a_malformed_declaration_is_a_warning_or_a_refusal(fault: str) -> None:
    declaration = f"capabilities:\n  network: {fault}\n"
    assert set(warnings(read(described(declaration)))) == {DiagnosticCode.NETWORK_MALFORMED}
    assert set(errors(strictly(described(), manifest=declaration))) == {DiagnosticCode.NETWORK_MALFORMED}


@pytest.mark.parametrize("capabilities", ["", "[a, b]", "a", "{}", "{network: }", "{network: ~}"])
def test_where_nothing_is_declared_there_is_no_network(capabilities: str) -> None:
    reading = read(described(f"capabilities: {capabilities}"))
    assert kept(reading).network is None
    assert codes(reading) == []


def test_other_capabilities_of_a_mapping_are_left_out_with_a_note() -> None:
    reading = read(described("capabilities:\n  network: {mode: none, hosts: [a]}\n  disk: yes"))
    assert kept(reading).capabilities == ()
    assert codes(reading) == [DiagnosticCode.FIELD_UNKNOWN] * 2


def test_of_many_domains_the_first_64_are_kept_and_the_digest_is_theirs() -> None:
    many = [f"h{number:03}.example" for number in range(70)]
    declared, fewer = (
        network(f"{{mode: none, domains: [{', '.join(many)}]}}"),
        network(f"{{mode: none, domains: [{', '.join(many[:64])}]}}"),
    )
    assert declared is not None
    assert declared == fewer
    assert declared.domains == tuple(many[:64])
    reading = read(described(f"capabilities:\n  network: {{mode: none, domains: [{', '.join(many)}]}}"))
    assert warnings(reading) == [DiagnosticCode.ITEMS_DROPPED]


@pytest.mark.parametrize(
    ("value", "requirements"),
    [
        ("gpu", ("gpu",)),
        ("GPU, cuda , gpu", ("cuda", "gpu")),
        ("[gpu, CUDA]", ("cuda", "gpu")),
        ("'[gpu, cuda]'", ("cuda", "gpu")),
        ("\n  - gpu\n  - '[cuda]'", ("cuda", "gpu")),
        ("", ()),
        ("[]", ()),
        ("'[]'", ()),
        ("', ,'", ()),
        ("3", ("3",)),
    ],
)
def test_requirements_are_lower_case_without_brackets_sorted_each_once(
    value: str, requirements: tuple[str, ...]
) -> None:
    reading = read(described(f"requirements: {value}"))
    assert kept(reading).requirements == requirements
    assert codes(reading) == []


def test_of_many_requirements_the_first_64_are_kept_and_a_long_one_is_cut() -> None:
    reading = read(described(f"requirements: [{', '.join(f'r{number:03}' for number in range(65))}, a{'x' * 64}]"))
    requirements = kept(reading).requirements
    assert len(requirements) == 64
    assert requirements[0] == "a" + "x" * 60 + "…"
    assert warnings(reading) == [DiagnosticCode.ITEMS_DROPPED, DiagnosticCode.FIELD_CUT]
    assert "requirements" in reading.diagnostics[0].message


def test_nothing_declared_is_ever_a_reason_to_lose_a_skill_under_the_lenient_profile() -> None:
    assert read(described("requirements: [[gpu]]\ncapabilities: [network: {mode: none}]")).skill is not None
    assert not refused_for(read(described("capabilities: {network: {domains: 7}}")), DiagnosticCode.NETWORK_MALFORMED)
