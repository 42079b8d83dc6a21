"""A flood of bad tokens: what a caller with a good one notices of it.

What is wrong with them is of all kinds, and no two are alike, so that nothing that is remembered of one helps against
the next. They come half as fast as this server refuses them at saturation, which is found in the same run.
"""

import random
from collections.abc import Iterator

from skillsource.v1 import skill_source_pb2 as pb

from benchmarks.bench import Bench
from benchmarks.beside import Beside, compare_p99, figures_of
from benchmarks.figures import Figure
from benchmarks.load import Call, OwnLoad, ask
from benchmarks.servers import bare_handler
from benchmarks.skill_body import RPC, SHAPE
from benchmarks.tenants import Issuer, Shares, tenants_server
from benchmarks.tree import name_of

_OF_A_KIND = 400
_HUGE_BYTES = 7_000
"""Of a claim: with it, a header is nearly as long as one may be."""
_CALLS = 8_000
_SHARE_OF_SATURATION = 0.5
_A_SECOND = 300.0


def measure(bench: Bench) -> Iterator[Figure]:
    """Measure it."""
    request = pb.SkillBodyRequest(name=name_of(SHAPE.skills // 2)).SerializeToString()
    issuer = Issuer()
    with tenants_server(bench, bench.tree(SHAPE), Shares(), issuer) as server:
        good = issuer.token("somebody")
        answer = ask(server.address, RPC, request, good)
        quiet = Call(rpc=RPC, request=request, answer_bytes=len(answer), tokens=(good,))
        bench.tell("identities: signing bad tokens")
        bad = Call(rpc=RPC, request=request, answer_bytes=len(answer), tokens=_bad_tokens(issuer))
        OwnLoad().hurry(server.address, bad, _CALLS)
        seconds, took = OwnLoad().hurry(server.address, bad, _CALLS)
        assert not any(each.is_answered for each in took), "a bad token lets in"
        noise = len(took) / seconds * _SHARE_OF_SATURATION
        bench.tell(f"identities: {2 * noise:.0f} refusals a second at saturation")
        beside = Beside(server=server, quiet=quiet, a_second=_A_SECOND, noisy=bad, noise_a_second=noise)
        with bare_handler(RPC, answer) as bare:
            ours, bares = compare_p99(bench, "identities", beside, bare)
    assert all(each.refused == 1 for each in ours), "a bad token lets in"
    yield from figures_of(
        ours,
        bares,
        number="identities",
        what="p99 of SkillBody while bad tokens come half as fast as they can be refused",
        note=f"{noise:.0f} bad tokens a second",
        measured={"bad_tokens_a_second": noise},
    )


def _bad_tokens(issuer: Issuer) -> tuple[str, ...]:
    """Return tokens that are expired, for others, of others, huge, of another text than was signed, and no tokens."""
    other = Issuer()
    chance = random.Random(1)  # noqa: S311 - tokens that prove nothing
    tokens = [
        each
        for number in range(_OF_A_KIND)
        for each in (
            issuer.token(f"expired-{number}", valid_s=-600.0),
            issuer.token(f"elsewhere-{number}", audience="elsewhere"),
            issuer.token(f"strange-{number}", issuer="https://strange.example.org"),
            other.token(f"forged-{number}"),
            other.token(f"huge-{number}", padding=_HUGE_BYTES - number),
            issuer.token(f"honest-{number}").replace(".", f".e{number}", 1),
            "".join(chance.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=chance.randint(1, 200))),
        )
    ]
    chance.shuffle(tokens)
    return tuple(tokens)
