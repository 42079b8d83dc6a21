"""Access: whatever the rules and whoever calls, the rule that is found is the first that fits."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skillsvc.domain.access import Access, AccessRule, Grant, Identity, IdentityKind, Match
from skillsvc.domain.patterns import Pattern

pytestmark = pytest.mark.property

TEXTS = st.text("ab/", max_size=3)
PATTERNS = st.text("ab/*", max_size=4).map(Pattern)
KINDS = st.sampled_from([IdentityKind.OIDC, IdentityKind.OIDC, IdentityKind.CERTIFICATE_SUBJECT, IdentityKind.TOKEN])
CLAIMS = st.sampled_from(["x", "y"])
MATCHES = st.builds(
    Match,
    kind=KINDS,
    names=st.lists(PATTERNS, max_size=2).map(tuple),
    issuer=st.none() | PATTERNS,
    claims=st.lists(st.tuples(CLAIMS, st.lists(PATTERNS, min_size=1, max_size=2).map(tuple)), max_size=2).map(tuple),
)
IDENTITIES = st.builds(
    Identity,
    kind=KINDS,
    name=TEXTS,
    issuer=TEXTS,
    claims=st.dictionaries(CLAIMS, TEXTS | st.lists(TEXTS, max_size=3).map(tuple), max_size=2),
)


@given(matches=st.lists(MATCHES, max_size=12), identity=IDENTITIES)
@example(
    matches=[Match(kind=IdentityKind.CERTIFICATE_SUBJECT, names=(Pattern("**"),))],
    identity=Identity(kind=IdentityKind.CERTIFICATE_SUBJECT, name="**"),
)
def test_the_rule_that_decides_is_the_first_without_a_misfit(matches: list[Match], identity: Identity) -> None:
    rules = tuple(AccessRule(name=str(at), match=match) for at, match in enumerate(matches))
    fitting = [rule for rule in rules if not tuple(rule.match.misfits(identity))]
    judged = Access(rules=rules).judge(identity)
    if not fitting:
        assert not isinstance(judged, Grant)
        assert judged.why == "no access rule matches"
    elif isinstance(judged, Grant):
        assert judged.rule == fitting[0].name
    else:
        # It decides even where no principal can be made.
        assert judged.why.startswith(f"the rule {fitting[0].name} ")
