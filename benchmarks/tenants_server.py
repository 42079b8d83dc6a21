"""A server as `skillsvc serve` puts it together, whose callers are told apart by static bearer tokens."""

import asyncio
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

from benchmarks.catalogs import now, open_catalog
from skillsvc.domain.access import Access, AccessRule, IdentityKind, Match
from skillsvc.domain.shares import Shares
from skillsvc.service.identities.identities import Identities, Ways
from skillsvc.service.identities.kept import Kept
from skillsvc.service.identities.static_tokens import StaticTokens, line_of, parse_tokens
from skillsvc.service.server import Parts, Server

QUIET, NOISY = "quiet-".ljust(40, "q"), "noisy-".ljust(40, "n")
"""The tokens of two tenants."""
_LONG_S = 1e9


def identities() -> Identities:
    """Return what finds the two, each a reader of its own."""
    lines = "\n".join((line_of("quiet", QUIET), line_of("noisy", NOISY)))
    tokens = Kept(
        "tokens",
        parse_tokens(lines.encode(), bytes(32)),
        _as_it_was,
        every_s=_LONG_S,
        after_failure_s=_LONG_S,
        apart_s=_LONG_S,
        submit=_not_at_all,
        clock=time.monotonic,
        changed=lambda: None,
    )
    readers = AccessRule(name="tenants", match=Match(kind=IdentityKind.TOKEN))
    return Identities(Ways(tokens=tokens), Access(rules=(readers,)), now=now)


def _as_it_was() -> StaticTokens | None:
    return None


def _not_at_all(_look: Callable[[], None]) -> "Future[None]":
    raise AssertionError("nobody looks at tokens that are in memory")


async def serve(parts: Parts) -> None:
    """Serve until the process is ended."""
    server = Server(parts)
    address = await server.start("127.0.0.1:0")
    server.serve()
    print(f"listening on {address}", flush=True)
    await asyncio.Event().wait()


def main(tree: Path, data: Path, reads_a_second: float) -> None:
    """Build a catalog of a tree, and serve it to two tenants of so many reads a second each."""
    with open_catalog(tree, data) as catalog:
        catalog.refresh.look()
        # A burst of a second: who sends ten times the rate has used it up in a ninth of one.
        shares = replace(Shares(), reads_a_second=reads_a_second, reads_burst=round(reads_a_second))
        asyncio.run(serve(replace(catalog.parts, identities=identities(), shares=shares)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]))
