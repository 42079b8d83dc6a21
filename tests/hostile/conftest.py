"""Both clients, and servers that play scripts."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.hostile.faces import Connect, asynchronous, blocking
from tests.hostile.playing import Script, Server


@pytest.fixture(params=["blocking", "asyncio"])
def connect(request: pytest.FixtureRequest) -> Iterator[Connect]:
    with blocking() if request.param == "blocking" else asynchronous() as give:
        yield give


@pytest.fixture
def play() -> Iterator[Callable[[Script], Server]]:
    with ExitStack() as servers:
        yield lambda script: servers.enter_context(Server(script))
