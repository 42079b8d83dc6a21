"""Templates of principals: no two identities share one by what they chose to be called."""

import pytest

from skillsvc.domain.principal_template import PrincipalTemplate, TemplateRefused, TemplateUnfilled


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("token:fixed", "token:fixed"),
        ("cert:{name}", "cert:CN%3Da%2CO%3Db"),
        ("oidc:corp:{claims.org}", "oidc:corp:a%3Ab"),
        ("oidc:corp:{claims.org}:{claims.team}/x", "oidc:corp:a%3Ab:c%2Fd%20e/x"),
        ("oidc:corp:{claims.mail}", "oidc:corp:alice.b-c_d~e@example.org"),
        ("oidc:corp:{claims.realm_access.team}", "oidc:corp:%C3%A9"),
    ],
)
def test_what_an_identity_says_is_put_in_encoded(template: str, filled: str) -> None:
    claims: dict[str, str | tuple[str, ...]] = {
        "org": "a:b",
        "team": "c/d e",
        "mail": "alice.b-c_d~e@example.org",
        "realm_access.team": "é",
    }
    assert PrincipalTemplate.parse(template).fill("CN=a,O=b", claims) == filled


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": "x:y", "b": "z"}, {"a": "x", "b": "y:z"}),
        ({"a": "x%3Ay", "b": "z"}, {"a": "x:y", "b": "z"}),
        ({"a": "é", "b": "z"}, {"a": "e\u0301", "b": "z"}),
    ],
)
def test_different_claims_make_different_principals(one: dict[str, str], other: dict[str, str]) -> None:
    template = PrincipalTemplate.parse("oidc:corp:{claims.a}:{claims.b}")
    assert template.fill("", dict(one)) != template.fill("", dict(other))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("local", "is local"),
        ("", "makes no principal"),
        ("alice", "makes no principal"),
        ("{name}", "makes no principal"),
        ("{claims.kind}:x", "makes no principal"),
        ("oidc:" + "x" * 256, "makes no principal"),
        ("oidc:\n", "makes no principal"),
        ("oidc:{}", "has a place {} without a name"),
        ("oidc:{sub}", "has the place {sub}"),
        ("oidc:{claims.}", "has the place {claims.}"),
        ("oidc:{name", "holds a brace"),
        ("oidc:name}", "holds a brace"),
        ("oidc:{{name}}", "holds a brace"),
        ("oidc:{name}{claims.org}", "needs a character"),
        ("oidc:{name}-{claims.org}", "needs a character"),
    ],
)
def test_what_is_no_safe_template_is_refused(text: str, why: str) -> None:
    with pytest.raises(TemplateRefused) as caught:
        PrincipalTemplate.parse(text)
    assert str(caught.value).startswith(why)


@pytest.mark.parametrize("claims", [{}, {"org": ""}, {"org": ()}, {"org": ("a",)}, {"org": ("a", "b")}])
def test_a_claim_that_is_not_one_text_fills_no_place(claims: dict[str, str | tuple[str, ...]]) -> None:
    with pytest.raises(TemplateUnfilled):
        PrincipalTemplate.parse("oidc:corp:{claims.org}").fill("alice", claims)
