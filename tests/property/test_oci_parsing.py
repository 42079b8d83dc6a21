"""Any answer of a registry is read as what it says, or refused; nothing else is ever raised."""

import json

from hypothesis import given
from hypothesis import strategies as st

from skillsvc.parsing.challenges import TokenRefused, parse_challenges, parse_token
from skillsvc.parsing.oci_manifest import MOST_LAYERS, Manifest, ManifestRefused, parse_manifest
from skillsvc.parsing.oci_reference import ReferenceRefused, parse_reference

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
texts = st.sampled_from(
    [
        "application/vnd.oci.image.manifest.v1+json",
        "application/vnd.oci.image.layer.v1.tar+gzip",
        "application/vnd.oci.image.layer.v1.tar",
        "text/markdown",
        f"sha256:{'a' * 64}",
        "true",
        "s/SKILL.md",
    ]
)
keys = st.sampled_from(
    [
        "schemaVersion",
        "mediaType",
        "layers",
        "manifests",
        "digest",
        "size",
        "annotations",
        "org.opencontainers.image.title",
        "io.deis.oras.content.unpack",
        "token",
        "expires_in",
    ]
)
documents = st.recursive(
    scalars | texts | st.just(2),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=6),
    max_leaves=30,
)


@given(st.binary(max_size=200) | documents.map(lambda document: json.dumps(document).encode()))
def test_any_document_is_a_manifest_or_refused(data: bytes) -> None:
    try:
        found = parse_manifest(data)
    except ManifestRefused:
        return
    each = found.layers if isinstance(found, Manifest) else (found,)
    assert len(each) <= MOST_LAYERS
    assert all(len(one.digest) == 64 and one.size >= 0 for one in each)


@given(st.binary(max_size=200) | documents.map(lambda document: json.dumps(document).encode()))
def test_any_document_is_a_token_or_refused(data: bytes) -> None:
    try:
        issued = parse_token(data)
    except TokenRefused:
        return
    assert issued.token
    assert issued.token.isascii()
    assert issued.token.isprintable()
    assert 0 <= issued.lasts_s <= 86_400


@given(st.text(alphabet='Basicer "\\=,\t;realm/:', max_size=80) | st.text(max_size=80))
def test_any_header_is_read_as_far_as_it_goes(header: str) -> None:
    for challenge in parse_challenges(header):
        assert challenge.scheme == challenge.scheme.lower()
        assert all(name == name.lower() for name in challenge.parameters)


@given(st.text(alphabet="abA0.-_/:@[]%?#\n ", max_size=40))
def test_any_reference_is_one_or_refused(text: str) -> None:
    try:
        found = parse_reference(text)
    except ReferenceRefused:
        return
    assert not set(found.registry + found.repository) & set("@%?#\n ")
    assert found.wanted
