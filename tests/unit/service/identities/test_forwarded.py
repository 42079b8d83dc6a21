"""`x-forwarded-client-cert`: one element, of one certificate, in which no name passes for a pair."""

import pytest

from skillsvc.domain.access import Identity, IdentityKind
from skillsvc.service.identities.credentials import CredentialRefused
from skillsvc.service.identities.forwarded import header_of, identity_of_forwarded
from tests.unit.service.identities.making import SPIFFE_ID

ADMIN = "spiffe://example.org/admin"
OWN = f'By=spiffe://example.org/proxy;Hash=ab12;Subject="CN=x\\,y,O=\\"Q\\"";URI={SPIFFE_ID}'


@pytest.mark.parametrize(
    "header",
    [
        OWN,
        f"URI={SPIFFE_ID}",
        f'uri="{SPIFFE_ID}"',
        f"By=;URI={SPIFFE_ID};DNS=a.example.org;DNS=b.example.org",
        f'Cert="-----BEGIN%20CERTIFICATE-----";Chain="x";URI={SPIFFE_ID}',
        f'By=a;Subject=",URI={ADMIN};URI={ADMIN}";URI={SPIFFE_ID}',
    ],
)
def test_the_spiffe_id_of_the_one_element_is_the_identity(header: str) -> None:
    assert identity_of_forwarded(header_of([header])) == Identity(kind=IdentityKind.CERTIFICATE_SPIFFE, name=SPIFFE_ID)


@pytest.mark.parametrize(
    "header",
    [
        "",
        ",",
        ";",
        "URI",
        "URI=",
        f"URI={SPIFFE_ID};",
        f"URI={SPIFFE_ID},",
        f" URI={SPIFFE_ID}",
        f"URI={SPIFFE_ID} ",
        f"URI = {SPIFFE_ID}",
        f"Uris={SPIFFE_ID}",
        f"X=1;URI={SPIFFE_ID}",
        f"URI={SPIFFE_ID};URI={ADMIN}",
        f"URI={SPIFFE_ID};URI={SPIFFE_ID}",
        f"URI={SPIFFE_ID},By=x;Hash=y",
        f'Subject="CN=x;URI={SPIFFE_ID}',
        f'Subject="CN=x"URI={SPIFFE_ID}',
        f'Subject=CN="x";URI={SPIFFE_ID}',
        f'Subject="CN=x\\";URI={SPIFFE_ID}',
        f'URI="{SPIFFE_ID}"x',
        f"URI={SPIFFE_ID}\\",
        f"URI={SPIFFE_ID}\n",
        "URI=https://example.org/x",
        "URI=spiffe://example.org/a%2Fb",
        f"DNS={SPIFFE_ID}",
        f"URI={ADMIN}" + ",By=x" * 4000,
        f"DN\u017f=a;URI={ADMIN}",
        f"\u017fubject=a;URI={ADMIN}",
    ],
)
def test_what_is_malformed_or_names_nobody_for_certain_is_refused(header: str) -> None:
    with pytest.raises(CredentialRefused):
        identity_of_forwarded(header_of([header]))


@pytest.mark.parametrize(
    "header",
    [
        f"URI={ADMIN},{OWN}",
        f"{OWN},URI={ADMIN}",
        f"{OWN},{OWN}",
        f"Hash=ab,{OWN}",
    ],
)
def test_what_a_proxy_adds_to_the_elements_of_others_is_refused(header: str) -> None:
    with pytest.raises(CredentialRefused):
        identity_of_forwarded(header)


@pytest.mark.parametrize(
    "name", [f"a;URI={ADMIN}", f"a,URI={ADMIN}", f"a,By=x;Hash=y;URI={ADMIN}", f"a;By=x;URI={ADMIN}"]
)
@pytest.mark.parametrize(
    "written",
    [
        "By=spiffe://example.org/proxy;Hash=ab;DNS={}",
        "By=spiffe://example.org/proxy;Hash=ab;URI={}",
        "By=spiffe://example.org/proxy;Hash=ab;URI={};DNS=b.example.org",
        "By=spiffe://example.org/proxy;Hash=ab;URI=" + SPIFFE_ID + ";DNS={}",
        "By=spiffe://example.org/proxy;Hash=ab;DNS=b.example.org;DNS={}",
    ],
)
def test_a_name_that_the_proxy_did_not_quote_does_not_pass_for_another(written: str, name: str) -> None:
    with pytest.raises(CredentialRefused):
        identity_of_forwarded(written.format(name))


@pytest.mark.parametrize("key", ["By", "Hash", "Cert", "Chain", "Subject", "URI"])
def test_nothing_but_dns_names_stands_twice(key: str) -> None:
    with pytest.raises(CredentialRefused):
        identity_of_forwarded(f"{key}=a;{key.lower()}=a;URI={SPIFFE_ID}")


@pytest.mark.parametrize("opened", ['By="', 'URI="', f'URI={ADMIN};Subject="', 'Hash=a;Subject="CN=\\'])
def test_a_quote_that_a_stranger_leaves_open_does_not_change_what_the_proxy_added(opened: str) -> None:
    with pytest.raises(CredentialRefused):
        identity_of_forwarded(f"{opened},{OWN}")


@pytest.mark.parametrize("headers", [[], [OWN, OWN], [OWN.encode()]])
def test_there_is_one_header_of_text(headers: list[str | bytes]) -> None:
    with pytest.raises(CredentialRefused):
        header_of(headers)
