"""Reloading: taken in whole or not at all, once for all who ask meanwhile, and never after the end."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typing_extensions import override

from skillsvc.cli.declaring import Declaration
from skillsvc.cli.identifying import Identifying
from skillsvc.cli.reloading import Reloading
from skillsvc.cli.vouching import Vouching
from skillsvc.content.addresses import AddressGuard
from skillsvc.content.fetching import Fetcher
from skillsvc.domain.errors import ErrorReason, Unavailable
from skillsvc.domain.partition import DEPLOYMENT
from skillsvc.service.audit import LOGGER, Audit
from skillsvc.settings.identity import IssuerTable
from skillsvc.settings.refusal import SettingsRefused
from skillsvc.settings.settings import Settings, make_settings
from skillsvc.settings.sought import seek
from tests.patience import PATIENCE_S
from tests.unit.cli.declared import declare, declaring_in, directory, settings_of


def told_of(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    """Return what the log tells, but for the audit."""
    return [record for record in caplog.records if record.name != LOGGER]


class CountedFetcher(Fetcher):
    """Knows whether it is closed."""

    closed = 0

    @override
    def close(self) -> None:
        self.closed += 1
        super().close()


class House:
    """A server as far as a reload knows it: what is in the file, and what is looked at."""

    def __init__(self, folder: Path, started: Settings) -> None:
        self.file: Callable[[], Settings] = lambda: started
        self.replaced: list[list[str]] = []
        self.refusal: Exception | None = None
        self.declaring = declaring_in(folder)
        self.declaring.put_in_force(declare(self.declaring, *(source.model_dump() for source in started.source)))
        self.fetchers: list[CountedFetcher] = []
        self.identifying = Identifying(
            started,
            now=lambda: datetime(2026, 1, 1, tzinfo=UTC),
            audit=Audit(lambda: 0.0),
            fetcher_for=self.open_fetcher,
        )
        self.vouching = Vouching(started.readiness)
        self.reloading = Reloading(
            started,
            read=self.read,
            seek=lambda settings: seek(settings, {}),
            declaring=self.declaring,
            replace=self.replace,
            identifying=self.identifying,
            vouching=self.vouching,
            audit=Audit(lambda: 0.0),
        )

    def open_fetcher(self, table: IssuerTable, stopped: Callable[[], bool]) -> CountedFetcher:
        self.fetchers.append(CountedFetcher(guard=AddressGuard(table.allow_addresses), stopped=stopped))
        return self.fetchers[-1]

    def read(self) -> Settings:
        return self.file()

    def replace(self, declaration: Declaration) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.replaced.append([each.source.label for each in declaration.declared[DEPLOYMENT]])

    @contextmanager
    def running(self) -> Iterator[None]:
        """Reload whenever that is asked for, and see that it ends."""
        thread = threading.Thread(target=self.reloading.run)
        thread.start()
        try:
            yield
        finally:
            self.reloading.stop()
            thread.join(PATIENCE_S)
            assert not thread.is_alive()


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path, settings_of(directory("a"), directory("b")))


def refusing(*faults: str) -> Callable[[], Settings]:
    def read() -> Settings:
        raise SettingsRefused(faults)

    return read


def test_what_is_new_is_taken_in_and_told(house: House, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    before = house.declaring.in_force
    house.file = lambda: settings_of(directory("c"), directory("b", layout="nested"))
    house.reloading.reload()
    assert house.replaced == [["c", "b"]]
    assert [key.label for key in house.declaring.in_force] == ["c", "b"]
    assert not set(map(id, house.declaring.in_force.values())) & set(map(id, before.values()))
    (told,) = told_of(caplog)
    assert {name: vars(told)[name] for name in ("added", "removed", "changed")} == {
        "added": ["c"],
        "removed": ["a"],
        "changed": ["b"],
    }


def test_another_order_is_taken_in_with_the_same_sources(house: House) -> None:
    before = house.declaring.in_force
    house.file = lambda: settings_of(directory("b"), directory("a"))
    house.reloading.reload()
    assert house.replaced == [["b", "a"]]
    assert house.declaring.in_force == before


def test_every_mistake_is_logged_and_nothing_changes(house: House, caplog: pytest.LogCaptureFixture) -> None:
    before = house.declaring.in_force
    house.file = refusing("skillsvc.toml:1: one", "skillsvc.toml:2: %s")
    house.reloading.reload()
    assert [(record.levelname, record.getMessage()) for record in told_of(caplog)] == [
        ("ERROR", "skillsvc.toml:1: one"),
        ("ERROR", "skillsvc.toml:2: %s"),
        ("ERROR", "the configuration cannot be; all goes on as before"),
    ]
    assert house.replaced == []
    assert house.declaring.in_force is before


@pytest.mark.parametrize(
    "refusal",
    [Unavailable(ErrorReason.STORE_UNREACHABLE, "no"), RuntimeError("no")],
    ids=lambda each: type(each).__name__,
)
def test_what_cannot_be_looked_at_changes_nothing(
    house: House, caplog: pytest.LogCaptureFixture, refusal: Exception
) -> None:
    before = house.declaring.in_force
    house.refusal = refusal
    house.file = lambda: settings_of(directory("c"))
    house.reloading.reload()
    assert house.declaring.in_force is before
    (told,) = told_of(caplog)
    assert told.getMessage().endswith("all goes on as before")
    house.refusal = None
    house.reloading.reload()
    assert house.replaced == [["c"]]


def test_what_is_taken_in_at_a_start_alone_is_told(house: House, caplog: pytest.LogCaptureFixture) -> None:
    house.file = lambda: make_settings(
        {
            "server": {"listen": "127.0.0.1:9", "poll_s": 5.0, "drain_s": 1.0},
            "limits": {"assets": 3},
            "fairness": {"watches": 3},
            "source": [directory("a")],
        }
    )
    house.reloading.reload()
    assert [record.getMessage().partition(" has changed")[0] for record in told_of(caplog)] == [
        "[server] listen",
        "[server] drain_s",
        "[limits] assets",
        "[fairness] watches",
    ]
    assert house.replaced == [["a"]]


def test_what_is_left_out_or_withheld_is_told(house: House, caplog: pytest.LogCaptureFixture) -> None:
    house.file = lambda: settings_of(directory("a"), {**directory("a"), "name": "c"}, project=True)
    house.reloading.reload()
    assert [record.getMessage() for record in told_of(caplog)] == [
        "a source is left out: it is the same directory as a",
        "the workspace is not trusted, so its skills are withheld",
    ]


def test_who_asks_while_it_is_under_way_is_heard_once_more(house: House) -> None:
    begun, go_on = threading.Semaphore(0), threading.Semaphore(0)
    seen: list[None] = []

    def read() -> Settings:
        seen.append(None)
        begun.release()
        assert go_on.acquire(timeout=PATIENCE_S)
        return settings_of(directory(f"n{len(seen)}"))

    house.file = read
    with house.running():
        house.reloading.ask()
        assert begun.acquire(timeout=PATIENCE_S)
        for _ in range(3):
            house.reloading.ask()
        go_on.release()
        assert begun.acquire(timeout=PATIENCE_S)
        go_on.release()
        while len(house.replaced) < 2:
            assert not begun.acquire(timeout=0.01)
    assert house.replaced == [["n1"], ["n2"]]


def test_nothing_is_taken_in_after_the_end(house: House) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def read() -> Settings:
        begun.set()
        assert go_on.wait(PATIENCE_S)
        return settings_of(directory("c"))

    house.file = read
    with house.running():
        house.reloading.ask()
        assert begun.wait(PATIENCE_S)
        house.reloading.stop()
        go_on.set()
    house.reloading.ask()
    assert house.replaced == []


def test_an_end_waits_for_no_file(house: House) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def read() -> Settings:
        begun.set()
        assert go_on.wait(PATIENCE_S)
        raise SettingsRefused([])

    house.file = read
    thread = threading.Thread(target=house.reloading.run)
    thread.start()
    house.reloading.ask()
    assert begun.wait(PATIENCE_S)
    house.reloading.stop()
    assert thread.is_alive()
    go_on.set()
    thread.join(PATIENCE_S)
    assert not thread.is_alive()


@pytest.mark.parametrize(
    ("refusal", "reason"),
    [
        (SettingsRefused(["line 1: no"]), "SETTINGS_REFUSED"),
        (Unavailable(ErrorReason.STORE_UNREACHABLE, "full"), "STORE_UNREACHABLE"),
        (RuntimeError("what?"), "INTERNAL_FAULT"),
        (None, None),
    ],
)
def test_the_audit_is_told_of_each_reload_and_what_came_of_it(
    refusal: Exception | None, reason: str | None, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    house = House(tmp_path, make_settings({}))
    house.refusal = refusal
    house.reloading.reload()
    (line,) = (record for record in caplog.records if record.name == LOGGER)
    told = (line.__dict__["act"], line.__dict__["decision"], line.__dict__.get("reason"))
    assert told == ("Reload", "allowed" if reason is None else "failed", reason)


def with_issuer(name: str, *, tokens: Path | None = None) -> Settings:
    issuer = {
        "name": name,
        "issuer": "https://id.example.org",
        "audiences": ["skillsvc"],
        "jwks_url": "https://id.example.org/keys",
    }
    identity = {"issuer": [issuer], **({} if tokens is None else {"tokens": {"file": tokens}})}
    rule = {"name": "all", "kind": "oidc", "issuer": name}
    return make_settings({"identity": identity, "access": [rule], "source": [directory("a")]})


def test_what_fetches_keys_is_let_go_where_the_configuration_is_not_taken_in(tmp_path: Path) -> None:
    house = House(tmp_path, with_issuer("corp"))
    house.file = lambda: with_issuer("other")
    house.refusal = Unavailable(ErrorReason.STORE_UNREACHABLE, "the log cannot be read")
    house.reloading.reload()
    assert [each.closed for each in house.fetchers] == [0, 1]
    house.refusal = None
    # A file of tokens that is not there, beside a new issuer.
    house.file = lambda: with_issuer("third", tokens=tmp_path / "nowhere")
    house.reloading.reload()
    assert [each.closed for each in house.fetchers] == [0, 1, 1]
    # What stays is not opened anew, and what goes is closed once.
    house.file = lambda: with_issuer("corp")
    house.reloading.reload()
    assert [each.closed for each in house.fetchers] == [0, 1, 1]
    house.file = lambda: with_issuer("other")
    house.reloading.reload()
    assert [each.closed for each in house.fetchers] == [1, 1, 1, 0]
