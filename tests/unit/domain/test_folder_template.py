"""Templates of folders: each partition has one folder, and no name leads anywhere else."""

import hashlib

import pytest

from skillsvc.domain.folder_template import FolderTemplate, FolderTemplateRefused, name_of
from skillsvc.domain.partition import DEPLOYMENT, Partition

ALICE = Partition("token:alice", "")
ALICE_P = Partition("token:alice", "p/q")


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("", "%"),
        ("local", "local"),
        ("aZ09_-", "aZ09_-"),
        (".", "%2E"),
        ("..", "%2E%2E"),
        ("~", "%7E"),
        ("%", "%25"),
        ("%2E", "%252E"),
        ("a/b", "a%2Fb"),
        ("a\\b", "a%5Cb"),
        ("a b+c", "a%20b%2Bc"),
        ("é", "%C3%A9"),
        ("🏠", "%F0%9F%8F%A0"),
        ("spiffe:spiffe://example.org/a", "spiffe%3Aspiffe%3A%2F%2Fexample%2Eorg%2Fa"),
        ("{principal}", "%7Bprincipal%7D"),
        ("x" * 200, "x" * 200),
        ("x" * 201, hashlib.sha256(b"x" * 201).hexdigest()),
        ("é" * 33 + "xx", "%C3%A9" * 33 + "xx"),
        ("é" * 34, hashlib.sha256("é".encode() * 34).hexdigest()),
    ],
)
def test_what_is_put_in_is_encoded_and_long_values_are_digests(value: str, name: str) -> None:
    assert name_of(value) == name


@pytest.mark.parametrize(
    ("text", "root", "beneath", "of_project"),
    [
        ("skills/{principal}/{project}", "/etc/s/skills", "token%3Aalice/%", "token%3Aalice/p%2Fq"),
        ("{project}/{principal}", "/etc/s", "%/token%3Aalice", "p%2Fq/token%3Aalice"),
        ("a/b/{principal}/c/{project}/d", "/etc/s/a/b", "token%3Aalice/c/%/d", "token%3Aalice/c/p%2Fq/d"),
        ("a//./{principal}/", "/etc/s/a", "token%3Aalice", None),
        ("../a/{principal}", "/etc/s/../a", "token%3Aalice", None),
        ("/srv/{principal}", "/srv", "token%3Aalice", None),
        ("/{principal}", "/", "token%3Aalice", None),
    ],
)
def test_a_partition_has_its_folder_beneath_what_stands_before_the_first_place(
    text: str, root: str, beneath: str, of_project: str | None
) -> None:
    template = FolderTemplate.parse(text, "/etc/s")
    assert (template.root, template.beneath(ALICE)) == (root, beneath)
    assert template.feeds(ALICE)
    assert template.feeds(ALICE_P) is (of_project is not None)
    assert not template.feeds(DEPLOYMENT)
    if of_project is not None:
        assert template.beneath(ALICE_P) == of_project


@pytest.mark.parametrize(
    ("folder", "root", "text"),
    [("", ".", "./{principal}"), ("/", "/", "/{principal}"), ("/odd {x}", "/odd {x}", "/odd {x}/{principal}")],
)
def test_a_template_is_relative_to_a_folder_whatever_that_is_called(folder: str, root: str, text: str) -> None:
    template = FolderTemplate.parse("{principal}", folder)
    assert (template.root, str(template)) == (root, text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("skills/{project}", "has no {principal}"),
        ("skills/{principal}s", "has a place that is no whole segment"),
        ("skills/a-{project}/{principal}", "has a place that is no whole segment"),
        ("{principal}{project}", "has a place that is no whole segment"),
        ("{{principal}}", "has a place that is no whole segment"),
        ("skills/{tenant}", "has the place {tenant}; {principal} and {project} are known"),
        ("skills/{Principal}", "has the place {Principal}"),
        ("skills/{}", "has the place {}"),
        ("skills/{principal", "holds a brace"),
        ("skills/principal}", "holds a brace"),
        ("skills/{a,b}c/{principal}", "holds a brace"),
        ("{principal}/a/{principal}", "has a place twice"),
        ("{principal}/../{project}", "leads up"),
        ("a\0/{principal}", "holds a NUL"),
    ],
)
def test_what_is_no_template_is_refused(text: str, why: str) -> None:
    with pytest.raises(FolderTemplateRefused) as caught:
        FolderTemplate.parse(text)
    assert str(caught.value).startswith(why)


def test_a_project_that_is_named_as_the_digest_of_another_shares_its_folder_and_no_principal_can() -> None:
    long = "x" * 201
    assert name_of(name_of(long)) == name_of(long)
    # A principal begins with its kind, and the colon is encoded.
    assert "%3A" in name_of("token:" + hashlib.sha256(long.encode()).hexdigest())
