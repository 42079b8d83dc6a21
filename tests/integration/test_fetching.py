"""Fetching, from real servers on the loopback that fail in all the ways that servers fail in."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from skillsvc.content.addresses import AddressGuard
from skillsvc.content.credentials import Basic
from skillsvc.content.fetching import Fetched, Fetcher, FetchFailed, FetchReason, NotModified, Validators, may_redirect
from skillsvc.content.stopping import Abandoned
from skillsvc.content.urls import Origin
from tests.patience import PATIENCE_S
from tests.simulators.ports import own_port
from tests.simulators.web_server import (
    TLS,
    Answer,
    WebServer,
    behind,
    broken,
    dripping,
    endless,
    flooding,
    garbage,
    page,
    raw,
    redirect,
    reset,
    serving,
    silent,
    truncated,
)

LOOPBACK = AddressGuard(["127.0.0.0/8"])
MAX_BYTES = 100_000
SOON_S = 2.0
"""How long whoever never ends is waited for: far longer than a page of the loopback takes."""
ANN = Basic(username="ann", password="s3cret")  # noqa: S106 - of a test


@pytest.fixture
def server() -> Iterator[WebServer]:
    with serving() as server:
        yield server


@pytest.fixture
def elsewhere() -> Iterator[WebServer]:
    with serving() as server:
        yield server


Make = Callable[..., Fetcher]
"""Makes a fetcher for this machine; its arguments are those of `Fetcher`."""


@pytest.fixture
def make() -> Iterator[Make]:
    with ExitStack() as open_fetchers:

        def make(**arguments: Any) -> Fetcher:  # noqa: ANN401 - those of Fetcher
            fetcher = Fetcher(**{"guard": LOOPBACK, "timeout_s": PATIENCE_S, **arguments})
            open_fetchers.callback(fetcher.close)
            return fetcher

        yield make


@pytest.fixture
def fetcher(make: Make) -> Fetcher:
    return make()


def fetched(fetcher: Fetcher, url: str) -> Fetched:
    answer = fetcher.get(url, max_bytes=MAX_BYTES)
    assert isinstance(answer, Fetched)
    return answer


def failure(fetcher: Fetcher, url: str) -> FetchFailed:
    with pytest.raises(FetchFailed) as failed:
        fetcher.get(url, max_bytes=MAX_BYTES, credentials=ANN)
    for secret in ("s3cret", "token", "/path"):
        assert secret not in failed.value.message
    return failed.value


def test_a_page_is_fetched_as_it_is(server: WebServer, fetcher: Fetcher) -> None:
    server.answers["/a?b=c"] = page(b"hello", content_type="text/plain")
    answer = fetched(fetcher, server.url("/a?b=c#d"))
    assert (answer.status, answer.data, answer.headers["content-type"]) == (200, b"hello", "text/plain")
    [asked] = server.asked
    assert asked.headers["accept-encoding"] == "identity"
    assert "cookie" not in asked.headers
    assert "authorization" not in asked.headers


def test_one_connection_serves_many_fetches(server: WebServer, fetcher: Fetcher) -> None:
    server.answers["/a"] = page(b"hello")
    for _ in range(3):
        fetched(fetcher, server.url("/a"))
    assert server.connections == 1


def test_a_page_goes_into_a_file(server: WebServer, fetcher: Fetcher) -> None:
    server.answers["/a"] = page(bytes(MAX_BYTES))
    sink = BytesIO()
    answer = fetcher.stream(server.url("/a"), sink, max_bytes=MAX_BYTES)
    assert isinstance(answer, Fetched)
    assert answer.data == b""
    assert sink.getvalue() == bytes(MAX_BYTES)


def test_what_has_not_changed_is_not_sent_again(server: WebServer, fetcher: Fetcher) -> None:
    server.answers["/a"] = page(b"hello")
    validators = fetched(fetcher, server.url("/a")).validators
    assert validators.etag
    again = fetcher.get(server.url("/a"), max_bytes=MAX_BYTES, validators=validators)
    assert again == NotModified()
    server.answers["/a"] = page(b"other")
    changed = fetcher.get(server.url("/a"), max_bytes=MAX_BYTES, validators=validators)
    assert isinstance(changed, Fetched)


def test_not_modified_is_no_answer_to_whoever_knows_nothing(server: WebServer, fetcher: Fetcher) -> None:
    server.answers["/path"] = page(b"", status=304)
    failed = failure(fetcher, server.url("/path"))
    assert (failed.reason, failed.status) == (FetchReason.STATUS, 304)


def test_the_date_of_a_page_validates_it_too(server: WebServer, fetcher: Fetcher) -> None:
    day = "Sat, 28 Nov 2026 10:00:00 GMT"
    server.answers["/a"] = page(b"hello", tagged=False, last_modified=day)
    validators = fetched(fetcher, server.url("/a")).validators
    assert validators == Validators(last_modified=day)
    fetcher.get(server.url("/a"), max_bytes=MAX_BYTES, validators=validators)
    assert server.asked[-1].headers["if-modified-since"] == day


OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
FAILING: list[tuple[Answer, FetchReason]] = [
    (page(b"no", status=500), FetchReason.STATUS),
    (page(b"no", status=404), FetchReason.STATUS),
    (page(b"", status=204), FetchReason.STATUS),
    (page(b"part", status=206), FetchReason.STATUS),
    (behind("ann", "other", page(b"hello")), FetchReason.STATUS),
    (reset, FetchReason.RESET),
    (broken, FetchReason.MALFORMED),
    (truncated(b"hello" * 100), FetchReason.MALFORMED),
    (garbage, FetchReason.MALFORMED),
    (page(b"\x1f\x8b", content_encoding="gzip"), FetchReason.MALFORMED),
    (page(bytes(MAX_BYTES + 1)), FetchReason.TOO_LARGE),
    (endless, FetchReason.TOO_LARGE),
    (silent, FetchReason.TIMEOUT),
    (dripping(bytes(10_000), 0.05), FetchReason.TIMEOUT),
    (raw(b"hello"), FetchReason.MALFORMED),
    (raw(OK + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"), FetchReason.MALFORMED),
    (raw(OK + b"Content-Length: -1\r\n\r\nab"), FetchReason.MALFORMED),
    (raw(OK + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\nab"), FetchReason.MALFORMED),
    (raw(OK + b"X-Own: a\0b\r\nContent-Length: 0\r\n\r\n"), FetchReason.MALFORMED),
    (raw(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: own\r\nConnection: upgrade\r\n\r\nab"), FetchReason.MALFORMED),
    (flooding(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), FetchReason.TIMEOUT),
    (flooding(OK, b"X-Own: " + b"y" * 1000 + b"\r\n"), FetchReason.MALFORMED),
    (flooding(CHUNKED, b"1;" + b"e" * 100_000), FetchReason.MALFORMED),
    (flooding(CHUNKED, (b"100\r\n" + bytes(0x100) + b"\r\n") * 10), FetchReason.TOO_LARGE),
    (flooding(CHUNKED + b"0\r\n", b"X-Own: " + b"y" * 1000 + b"\r\n"), FetchReason.MALFORMED),
    (raw(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n"), FetchReason.REDIRECT),
    (redirect("/path?token=1"), FetchReason.REDIRECT),
    (redirect("ftp://host.example/path"), FetchReason.REDIRECT),
    (redirect("http://ann:s3cret@host.example/path"), FetchReason.REDIRECT),
    (redirect("http://host.example/path"), FetchReason.REDIRECT),
]


@pytest.mark.parametrize(("answer", "reason"), FAILING)
def test_each_fault_has_its_reason_and_takes_no_longer_than_it_may(
    server: WebServer, make: Make, answer: Answer, reason: FetchReason
) -> None:
    fetcher = make(timeout_s=SOON_S) if reason is FetchReason.TIMEOUT else make()
    server.answers["/path?token=1"] = answer
    begun = time.monotonic()
    failed = failure(fetcher, server.url("/path?token=1"))
    assert failed.reason is reason
    assert time.monotonic() - begun < PATIENCE_S / 2
    # Nothing of it stays with the fetcher.
    server.answers["/b"] = page(b"hello")
    assert fetched(fetcher, server.url("/b")).data == b"hello"


def test_a_page_that_is_announced_as_too_large_is_not_read(server: WebServer, fetcher: Fetcher) -> None:
    def announce(_: object, send: Callable[[bytes], None], ending: threading.Event) -> bool:
        send(b"HTTP/1.1 200 OK\r\nContent-Length: 100001\r\n\r\n")
        return ending.wait(2 * PATIENCE_S)

    server.answers["/path"] = announce
    # Else it would be out of time.
    assert failure(fetcher, server.url("/path")).reason is FetchReason.TOO_LARGE


def test_nobody_listens(fetcher: Fetcher) -> None:
    with own_port() as port:
        failed = failure(fetcher, f"http://127.0.0.1:{port}/path")
    assert (failed.reason, failed.message) == (
        FetchReason.REFUSED,
        f"127.0.0.1:{port} cannot be connected to (ECONNREFUSED)",
    )


@pytest.mark.parametrize("host", ["nowhere.invalid", "x" * 64 + ".invalid"])
def test_a_name_that_nobody_knows(fetcher: Fetcher, host: str) -> None:
    assert failure(fetcher, f"http://{host}/path").reason in {FetchReason.REFUSED, FetchReason.MALFORMED}


@pytest.mark.parametrize("url", ["http://ann:s3cret@127.0.0.1/path", "file:///path", "", "http://127.0.0.1:0x/path"])
def test_what_is_no_url_is_not_fetched(fetcher: Fetcher, url: str) -> None:
    assert failure(fetcher, url).reason is FetchReason.MALFORMED


class TestAddresses:
    """The guard, on the way of a real fetch."""

    @pytest.mark.parametrize(
        "host",
        ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0", "2130706433", "0x7f.1", "127.1", "0177.0.0.1"],
    )
    def test_this_machine_is_not_connected_to_however_it_is_spelt(
        self, make: Make, server: WebServer, host: str
    ) -> None:
        fetcher = make(guard=AddressGuard())
        failed = failure(fetcher, f"http://{host}:{server.port}/path")
        assert failed.reason in {FetchReason.ADDRESS, FetchReason.MALFORMED}
        assert server.connections == 0

    def test_a_redirect_is_guarded_too(self, make: Make, server: WebServer) -> None:
        server.answers["/path"] = redirect("http://169.254.169.254/latest/meta-data")
        fetcher = make(redirect_hosts=["169.254.169.254"])
        assert failure(fetcher, server.url("/path")).reason is FetchReason.ADDRESS

    def test_a_name_is_allowed_with_whatever_it_means(self, make: Make, server: WebServer) -> None:
        server.answers["/a"] = page(b"hello")
        fetcher = make(guard=AddressGuard(["localhost"]))
        assert fetched(fetcher, f"http://localhost:{server.port}/a").data == b"hello"
        assert failure(fetcher, server.url("/path")).reason is FetchReason.ADDRESS

    def test_a_name_that_means_two_things_is_judged_by_each_and_asked_once(
        self, make: Make, server: WebServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A name service in a stranger's hands: a public address beside this machine's (DNS rebinding)."""
        questions: list[str] = []

        def answer(host: str, port: int, **_: object) -> list[tuple[object, ...]]:
            questions.append(host)
            return [(socket.AF_INET, 1, 6, "", (address, port)) for address in ("93.184.216.34", "127.0.0.1")]

        monkeypatch.setattr(socket, "getaddrinfo", answer)
        fetcher = make(guard=AddressGuard())
        assert failure(fetcher, f"http://rebound.example:{server.port}/path").reason is FetchReason.ADDRESS
        assert questions == ["rebound.example"]
        assert server.connections == 0

    def test_a_name_service_that_says_nothing_is_waited_for_no_longer(
        self, make: Make, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ended = threading.Event()
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: ended.wait(10 * SOON_S) and [])
        try:
            assert failure(make(timeout_s=SOON_S / 4), "http://slow.example/path").reason is (FetchReason.TIMEOUT)
        finally:
            ended.set()

    def test_an_address_that_does_not_answer_leaves_time_for_the_next(
        self, make: Make, server: WebServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        server.answers["/a"] = page(b"hello")
        with socket.socket() as deaf:
            # Bound and not listening: refused at once; the second is the server.
            deaf.bind(("127.0.0.2", server.port))
            found = [(socket.AF_INET, 1, 6, "", (address, server.port)) for address in ("127.0.0.2", "127.0.0.1")]
            monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
            fetcher = make()
            assert fetched(fetcher, f"http://two.example:{server.port}/a").data == b"hello"


class TestRedirects:
    """Where redirects are followed, and what goes along."""

    def test_ten_are_followed_and_no_more(self, server: WebServer, fetcher: Fetcher) -> None:
        for number in range(11):
            server.answers[f"/{number}"] = redirect(f"{number + 1}", (301, 302, 303, 307, 308)[number % 5])
        server.answers["/11"] = page(b"there")
        assert fetched(fetcher, server.url("/1")).url == server.url("/11")
        assert failure(fetcher, server.url("/0")).reason is FetchReason.REDIRECT

    def test_another_server_is_not_followed_to(self, server: WebServer, elsewhere: WebServer, fetcher: Fetcher) -> None:
        server.answers["/path"] = redirect(elsewhere.url("/path"))
        failed = failure(fetcher, server.url("/path"))
        assert failed.reason is FetchReason.REDIRECT
        assert "redirect_hosts" in failed.message
        assert elsewhere.asked == []

    def test_to_one_that_is_named_it_is_without_anything_that_is_secret(
        self, make: Make, server: WebServer, elsewhere: WebServer
    ) -> None:
        server.answers["/a"] = redirect(elsewhere.url("/b"))
        elsewhere.answers["/b"] = redirect(server.url("/c"))
        server.answers["/c"] = page(b"hello")
        fetcher = make(redirect_hosts=["127.0.0.1"])
        fetcher.get(
            server.url("/a"), max_bytes=9, credentials=ANN, headers={"X-Own": "1"}, validators=Validators(etag='"a"')
        )
        assert [(asked.path, "authorization" in asked.headers) for asked in server.asked] == [
            ("/a", True),
            ("/c", False),
        ]
        [asked] = elsewhere.asked
        assert asked.headers.keys().isdisjoint({"authorization", "x-own", "if-none-match", "cookie"})

    def test_credentials_go_along_on_their_own_server(self, server: WebServer, fetcher: Fetcher) -> None:
        server.answers["/a"] = redirect("/b")
        server.answers["/b"] = behind("ann", "s3cret", page(b"hello"))
        answer = fetcher.get(server.url("/a"), max_bytes=9, credentials=ANN)
        assert isinstance(answer, Fetched)

    @pytest.mark.parametrize(
        ("here", "there", "hosts", "may"),
        [
            (("http", "a", 80), ("https", "a", 443), frozenset(), True),
            (("http", "a", 8080), ("https", "a", 443), frozenset(), False),
            (("http", "a", 80), ("https", "a", 8443), frozenset(), False),
            (("http", "a", 80), ("https", "b", 443), frozenset(), False),
            (("http", "a", 80), ("http", "a", 81), frozenset(), False),
            (("https", "a", 443), ("http", "a", 80), frozenset({"a"}), False),
            (("https", "a", 443), ("https", "b", 443), frozenset({"b"}), True),
            (("http", "a", 80), ("http", "b", 80), frozenset({"b"}), True),
        ],
    )
    def test_the_table(
        self, here: tuple[str, str, int], there: tuple[str, str, int], hosts: frozenset[str], *, may: bool
    ) -> None:
        assert may_redirect(Origin(*here), Origin(*there), hosts) is may


class TestTls:
    """Who is believed."""

    @pytest.mark.parametrize(
        ("certificate", "ca_file", "reason"),
        [
            ("expired", TLS / "authority.pem", FetchReason.TLS),
            ("elsewhere", TLS / "authority.pem", FetchReason.TLS),
            ("server", None, FetchReason.TLS),
            ("server", TLS / "no such file", FetchReason.TLS),
            ("server", TLS / "make.sh", FetchReason.TLS),
        ],
    )
    def test_others_get_nothing(self, make: Make, certificate: str, ca_file: Path | None, reason: FetchReason) -> None:
        with serving(certificate=certificate) as server:
            fetcher = make(ca_file=str(ca_file) if ca_file else None)
            assert failure(fetcher, server.url("/path")).reason is reason
            assert server.asked == []

    def test_a_server_of_the_authority_is_read(self, make: Make) -> None:
        with serving(certificate="server") as server:
            server.answers["/a"] = page(b"hello" * 10_000)
            fetcher = make(ca_file=str(TLS / "authority.pem"))
            for _ in range(2):
                assert fetched(fetcher, server.url("/a")).data == b"hello" * 10_000
            server.answers["/a"] = dripping(bytes(10_000), 0.05)
            hasty = make(ca_file=str(TLS / "authority.pem"), timeout_s=SOON_S)
            assert failure(hasty, server.url("/a")).reason is FetchReason.TIMEOUT

    def test_a_server_that_speaks_no_tls_is_not_believed(self, server: WebServer, make: Make) -> None:
        failed = failure(make(timeout_s=SOON_S), f"https://127.0.0.1:{server.port}/path")
        assert failed.reason in {FetchReason.TLS, FetchReason.TIMEOUT, FetchReason.RESET}

    def test_an_end_that_nobody_said_is_no_end(self, make: Make) -> None:
        """Whoever sits between could cut an answer that has no length."""

        def cut(_: object, send: Callable[[bytes], None], __: object) -> bool:
            send(b"HTTP/1.1 200 OK\r\n\r\nhello")
            raise ConnectionResetError

        with serving(certificate="server") as server:
            server.answers["/path"] = cut
            fetcher = make(ca_file=str(TLS / "authority.pem"))
            assert failure(fetcher, server.url("/path")).reason is FetchReason.RESET

    def test_greetings_without_end_take_no_longer_than_a_fetch_may(self, make: Make) -> None:
        """Whoever sits between can send them, without any certificate."""
        greetings = b"\x16\x03\x03\x00\x04\x00\x00\x00\x00" * 10_000

        def greet(listening: socket.socket) -> None:
            with suppress(OSError), listening.accept()[0] as connection:
                while True:
                    connection.sendall(greetings)

        failed: list[FetchFailed] = []
        with socket.create_server(("127.0.0.1", 0)) as listening:
            url = f"https://127.0.0.1:{listening.getsockname()[1]}/"
            greeting = threading.Thread(target=greet, args=(listening,), daemon=True)
            fetching = threading.Thread(target=lambda: failed.append(failure(make(timeout_s=0.5), url)), daemon=True)
            for each in (greeting, fetching):
                each.start()
            fetching.join(timeout=PATIENCE_S)
            assert [each.reason for each in failed] == [FetchReason.TIMEOUT]
            greeting.join(timeout=PATIENCE_S)


@pytest.mark.parametrize("answer", [silent, dripping(bytes(10_000), 0.02), endless])
def test_a_fetch_ends_when_it_is_told_to(make: Make, server: WebServer, answer: Answer) -> None:
    server.answers["/a"] = answer
    stopped = threading.Event()
    fetcher = make(timeout_s=2 * PATIENCE_S, stopped=stopped.is_set)
    ended: list[Exception] = []

    def fetch() -> None:
        try:
            fetcher.get(server.url("/a"), max_bytes=1 << 40)
        except Abandoned as error:
            ended.append(error)

    fetching = threading.Thread(target=fetch)
    fetching.start()
    server.wait_for("/a")
    stopped.set()
    fetching.join(timeout=PATIENCE_S / 2)
    assert len(ended) == 1


def test_a_fetch_may_have_less_time_than_the_fetcher(make: Make, server: WebServer) -> None:
    server.answers["/a"] = silent
    began = time.monotonic()
    with pytest.raises(FetchFailed, match="in time"):
        make().get(server.url("/a"), max_bytes=9, within_s=0.2)
    assert time.monotonic() - began < PATIENCE_S / 2


class TestRequests:
    """Requests of other kinds."""

    def test_a_body_is_sent_and_each_status_that_is_asked_for_is_an_answer(
        self, server: WebServer, fetcher: Fetcher
    ) -> None:
        server.answers["/batch"] = page(b"no", status=422, tagged=False)
        answer = fetcher.request(
            "POST",
            server.url("/batch"),
            body=b"{}",
            max_bytes=9,
            headers={"Content-Type": "application/json"},
            statuses={200, 422},
        )
        assert (answer.status, answer.data) == (422, b"no")
        [asked] = server.asked
        assert (asked.method, asked.body, asked.headers["content-type"]) == ("POST", b"{}", "application/json")

    def test_it_is_never_redirected(self, server: WebServer, fetcher: Fetcher) -> None:
        server.answers["/batch"] = redirect("/other", 307)
        with pytest.raises(FetchFailed) as failed:
            fetcher.request("POST", server.url("/batch"), max_bytes=9)
        assert failed.value.reason is FetchReason.REDIRECT

    @pytest.mark.parametrize("value", ["a\r\nX-Other: b", "a\nb", "\ud800"])
    def test_a_header_holds_no_other_header(self, server: WebServer, fetcher: Fetcher, value: str) -> None:
        with pytest.raises(FetchFailed) as failed:
            fetcher.request("GET", server.url("/"), max_bytes=9, headers={"X-Own": value})
        assert failed.value.reason is FetchReason.MALFORMED
        assert server.asked == []


def test_a_disk_that_is_full_is_no_fault_of_the_network(server: WebServer, fetcher: Fetcher) -> None:
    class Full(BytesIO):
        @override
        def write(self, _: object) -> int:
            raise OSError(28, "full")

    server.answers["/a"] = page(b"hello")
    with pytest.raises(OSError, match="full"):
        fetcher.stream(server.url("/a"), Full(), max_bytes=9)
