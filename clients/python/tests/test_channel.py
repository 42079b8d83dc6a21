"""Where plaintext may go, what proves the caller, and how a channel behaves."""

import json

import pytest
import skillsource
from skillsource.channel import (
    TlsOptions,
    address_of,
    channel_options,
    check_target,
    credentials_of,
    is_local,
    service_config,
)

LOCAL = [
    "localhost",
    "localhost:50051",
    "LocalHost:50051",
    "127.0.0.1:50051",
    "127.8.9.10:50051",
    "[::1]:50051",
    "dns:localhost:50051",
    "dns:///localhost:50051",
    "ipv4:127.0.0.1:50051",
    "ipv4:127.0.0.1:1,127.0.0.2:2",
    "ipv6:[::1]:50051",
    "unix:/run/skillsvc.sock",
    "unix:///run/skillsvc.sock",
    "unix-abstract:skillsvc",
]
REMOTE = [
    "",
    "example.org:443",
    "localhost.example.org:443",
    "127.0.0.1.example.org:443",
    "127.1:443",
    "0.0.0.0:50051",
    "[::]:50051",
    "10.0.0.1:50051",
    "::1:50051",
    "localhost@example.org:443",
    "localhost:50051/example.org",
    "localhost%2eexample.org:443",
    " localhost:50051",
    "localhost:50051\n",
    "localhost:port",
    "dns://192.0.2.1/localhost:50051",
    "ipv4:127.0.0.1:1,192.0.2.1:2",
    "ipv6:[2001:db8::1]:50051",
    "xds:///localhost",
    "http://localhost:50051",
    "unix:",
    "vsock:2:1",
]


@pytest.mark.parametrize(
    ("target", "address"),
    [
        ("example.org:50051", ("example.org", 50051)),
        ("dns:///example.org:1", ("example.org", 1)),
        ("[::1]:50051", ("::1", 50051)),
        ("example.org", ("example.org", 443)),
        ("unix:/run/skillsvc.sock", None),
        ("unix:123", None),
        ("ipv4:127.0.0.1:1", None),
        ("xds:///example.org:1", None),
        (":50051", None),
        ("example.org:99999", None),
        ("", None),
    ],
)
def test_host_and_port_of_a_target_are_known_where_it_has_one_of_each(
    target: str, address: tuple[str, int] | None
) -> None:
    assert address_of(target) == address


@pytest.mark.parametrize("target", LOCAL)
def test_a_target_that_can_only_be_this_machine_is_local(target: str) -> None:
    assert is_local(target)


@pytest.mark.parametrize("target", REMOTE)
def test_any_other_target_is_refused_without_tls_and_before_anything_is_sent(target: str) -> None:
    assert not is_local(target)
    with pytest.raises(skillsource.InsecureTarget) as refused:
        skillsource.connect(target)
    assert isinstance(refused.value, ValueError)
    with pytest.raises(skillsource.InsecureTarget):
        skillsource.connect_async(target, token="secret")  # noqa: S106 - a test has none
    check_target(target, tls=True)


@pytest.mark.parametrize("token", ["", "a b", "a\nb", "a\rauthorization: b", "é", "\x00"])
def test_a_token_that_is_no_header_is_refused_and_not_told(token: str) -> None:
    with pytest.raises(skillsource.InvalidArgument) as refused:
        skillsource.connect("localhost:1", token=token)
    assert not token or token not in str(refused.value)


def test_a_token_is_asked_for_before_each_call() -> None:
    tokens = iter(["one", "two", "b\nad"])
    credentials = credentials_of(lambda: next(tokens))
    assert credentials() == (("authorization", "Bearer one"),)
    assert credentials() == (("authorization", "Bearer two"),)
    with pytest.raises(skillsource.InvalidArgument):
        credentials()
    assert credentials_of(None)() == ()


CERTIFICATE = b"-----BEGIN CERTIFICATE-----\n"
KEY = b"-----BEGIN PRIVATE KEY-----\n"


@pytest.mark.parametrize(
    "files",
    [
        {"ca": b""},
        {"ca": b"not a certificate"},
        {"cert": CERTIFICATE},
        {"key": KEY},
        {"cert": CERTIFICATE, "key": b"no key"},
        {"cert": b"no certificate", "key": KEY},
    ],
)
def test_tls_material_that_cannot_work_is_refused(files: dict[str, bytes]) -> None:
    with pytest.raises(skillsource.InvalidArgument):
        TlsOptions(**files)


def test_tls_material_that_can_work_is_taken() -> None:
    TlsOptions()
    TlsOptions(ca=CERTIFICATE, cert=CERTIFICATE, key=KEY)


def test_the_channel_repeats_reads_alone() -> None:
    config = json.loads(service_config())
    (methods,) = config["methodConfig"]
    names = {name["method"] for name in methods["name"]}
    assert {"SkillBody", "ListSkills", "ReadAsset", "ListAssets", "GetServerInfo"} <= names
    assert not {"Activate", "ReportOutcome", "WatchCatalog"} & names
    assert methods["retryPolicy"] == {
        "maxAttempts": 4,
        "initialBackoff": "0.1s",
        "maxBackoff": "2s",
        "backoffMultiplier": 2,
        "retryableStatusCodes": ["UNAVAILABLE"],
    }
    assert config["retryThrottling"]["maxTokens"] > 0


def test_the_channel_bounds_answers_and_pings_while_calls_are_open() -> None:
    options = dict(channel_options("0", plaintext=False))
    assert options["grpc.max_receive_message_length"] == 4 * 1024 * 1024
    assert options["grpc.keepalive_time_ms"] == 60_000
    assert options["grpc.keepalive_permit_without_calls"] == 0


def test_plaintext_never_goes_through_a_proxy_of_the_environment() -> None:
    assert ("grpc.enable_http_proxy", 0) in channel_options("0", plaintext=True)
    assert ("grpc.enable_http_proxy", 0) not in channel_options("0", plaintext=False)
