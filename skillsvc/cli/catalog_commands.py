"""The commands that ask a running server for its catalog: list, search, render, watch, info."""

from itertools import islice
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from skillsvc.cli.asking import DEFAULT_ADDRESS, Address, Json, Project, Timeout, Who, asking, state_of, tell_incomplete
from skillsvc.cli.output import (
    complain,
    count_of,
    is_terminal,
    print_json,
    print_line,
    print_pairs,
    print_table,
    print_text,
)
from skillsvc.cli.proving import NOTHING_SHOWN, Proof, proving

if TYPE_CHECKING:
    from skillsource import CatalogEvent, Skill

_OMITTED_NAMED = 20
"""Skills left out of a text that are named: their names would fill any terminal."""


@proving
def list_skills(
    *,
    full: Annotated[bool, typer.Option("--full", help="Ask for all fields of each skill.")] = False,
    invocation: Annotated[Who, typer.Option(help="Only what this one may begin to use.")] = "any",
    collection: Annotated[str, typer.Option(metavar="ID", help="Only members of this collection.")] = "",
    address: Address = DEFAULT_ADDRESS,
    proof: Proof = NOTHING_SHOWN,
    project: Project = "",
    timeout: Timeout = None,
    json: Json = False,
) -> None:
    """List the skills.

    Piped, each is a line with tabs between name, who may begin its use, trust and description; with --full, source,
    version, assets and diagnostics come before the description.

    Example: skillsvc list --invocation model
    """
    with asking(address, project, timeout, proof) as client:
        from skillsource import InvocationFilter, SkillView  # noqa: PLC0415 - see `asking`

        listing = client.list_skills(
            view=SkillView.FULL if full else SkillView.BASIC,
            invocation=InvocationFilter(invocation.upper()),
            collection=collection,
        )
    tell_incomplete(listing.generation)
    if json:
        print_json(listing)
        return
    further = ("Source", "Version", "Assets", "Diagnostics") if full else ()
    print_table(
        ("Name", "For", "Trust", *further, "Description"),
        [
            (skill.name, who(skill), skill.trust, *(_further(skill) if full else ()), skill.description)
            for skill in listing.skills
        ],
    )
    if is_terminal():
        print_line(f"{count_of(len(listing.skills), 'skill')}; {state_of(listing.generation)}")


@proving
def collections(
    *,
    invocation: Annotated[Who, typer.Option(help="Count only what this one may begin to use.")] = "any",
    address: Address = DEFAULT_ADDRESS,
    proof: Proof = NOTHING_SHOWN,
    project: Project = "",
    timeout: Timeout = None,
    json: Json = False,
) -> None:
    """List the collections; `list --collection ID` has the members of one.

    Piped, each is a line with tabs between id, number of skills and the line that stands for them.

    Example: skillsvc collections --invocation model
    """
    with asking(address, project, timeout, proof) as client:
        from skillsource import InvocationFilter  # noqa: PLC0415 - see `asking`

        listing = client.list_collections(invocation=InvocationFilter(invocation.upper()))
    tell_incomplete(listing.generation)
    if json:
        print_json(listing)
        return
    print_table(("Id", "Skills", "Line"), [(each.id, str(each.count), each.line) for each in listing.collections])


@proving
def search(
    *,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="Words; nothing in them is an operator.")],
    limit: Annotated[int, typer.Option(min=1, max=50, metavar="N", help="Most hits.")] = 5,
    invocation: Annotated[Who, typer.Option(help="Only what this one may begin to use.")] = "any",
    task: Annotated[str, typer.Option(metavar="TASK", help="What the skill is wanted for.")] = "",
    address: Address = DEFAULT_ADDRESS,
    proof: Proof = NOTHING_SHOWN,
    project: Project = "",
    timeout: Timeout = None,
    json: Json = False,
) -> None:
    """Find the skills that fit a query, best first.

    With --task it counts, too, how skills did at such tasks.

    Piped, each is a line with tabs between name, score, what matched and description.

    Example: skillsvc search "review a migration"
    """
    with asking(address, project, timeout, proof) as client:
        from skillsource import InvocationFilter  # noqa: PLC0415 - see `asking`

        found = client.search_skills(query, limit=limit, invocation=InvocationFilter(invocation.upper()), task=task)
    tell_incomplete(found.generation)
    if json:
        print_json(found)
        return
    print_table(
        ("Name", "Score", "Matched", "Description"),
        [(hit.skill.name, f"{hit.score:.3f}", " ".join(hit.matched), hit.skill.description) for hit in found.hits],
    )


@proving
def capabilities(
    *,
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="A text in the name or the description, in any case of letters.")
    ],
    limit: Annotated[int, typer.Option(min=1, max=50, metavar="N", help="Most results.")] = 20,
    tool: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=DESCRIPTION", help="A tool to search too; the description may be left out."),
    ] = None,
    address: Address = DEFAULT_ADDRESS,
    proof: Proof = NOTHING_SHOWN,
    project: Project = "",
    timeout: Timeout = None,
    json: Json = False,
) -> None:
    """Find tools, skills and commands that have a text in their names or descriptions.

    Piped, each is a line with tabs between kind, name and description.

    Example: skillsvc capabilities review --tool "grep=Finds text in files"
    """
    with asking(address, project, timeout, proof) as client:
        from skillsource import OfferedTool  # noqa: PLC0415 - see `asking`

        named = (each.partition("=") for each in tool or ())
        offered = [OfferedTool(name=name, description=description) for name, _sign, description in named]
        found = client.search_capabilities(query, limit=limit, tools=offered)
    tell_incomplete(found.generation)
    if json:
        print_json(found)
        return
    print_table(("Kind", "Name", "Description"), [(each.kind, each.name, each.description) for each in found.results])


@proving
def render(
    *,
    format_: Annotated[
        Literal["xml", "markdown", "lines"], typer.Option("--format", help="The form of the text.")
    ] = "xml",
    order: Annotated[
        Literal["relevance", "prior", "name"] | None, typer.Option(help="What comes first where not all fits.")
    ] = None,
    max_bytes: Annotated[int, typer.Option(min=0, metavar="N", help="Most bytes; 0 for 20,000.")] = 0,
    max_tokens: Annotated[
        int, typer.Option(min=0, metavar="N", help="Most tokens, of 4 bytes each; 0 for no such limit.")
    ] = 0,
    query: Annotated[str, typer.Option(metavar="QUERY", help="What the reader is about to do.")] = "",
    task: Annotated[str, typer.Option(metavar="TASK", help="The task, for what outcomes taught.")] = "",
    address: Address = DEFAULT_ADDRESS,
    proof: Proof = NOTHING_SHOWN,
    project: Project = "",
    timeout: Timeout = None,
    json: Json = False,
) -> None:
    """Print the catalog as text for a model.

    It keeps to a budget; what is shortened or left out for that is told on standard error, with the first names.

    Example: skillsvc render --format markdown --max-tokens 2000 --query "review a migration"
    """
    with asking(address, project, timeout, proof) as client:
        from skillsource import CatalogFormat, CatalogOrder  # noqa: PLC0415 - see `asking`

        catalog = client.render_catalog(
            format=CatalogFormat(format_.upper()),
            order=None if order is None else CatalogOrder(order.upper()),
            max_bytes=max_bytes,
            max_tokens=max_tokens,
            query=query,
            task=task,
        )
    tell_incomplete(catalog.generation)
    if json:
        print_json(catalog)
        return
    print_text(catalog.text)
    for omitted in catalog.omitted[:_OMITTED_NAMED]:
        complain(f"left out: {omitted.name}: {omitted.reason}")
    if catalog.omitted_total > _OMITTED_NAMED:
        complain(f"left out: {catalog.omitted_total - _OMITTED_NAMED} more; --json names {len(catalog.omitted)} in all")
    if catalog.omitted_total or catalog.shortened:
        shown = f"{catalog.shown} of {count_of(catalog.total, 'skill')}"
        complain(f"{shown}, {catalog.shortened} of them shortened; {state_of(catalog.generation)}")


@proving
def watch(
    *,
    count: Annotated[int | None, typer.Option(min=1, metavar="N", help="End after this many events.")] = None,
    since: Annotated[str, typer.Option(metavar="TOKEN", help="The token of the state to go on from.")] = "",
    heartbeats: Annotated[bool, typer.Option("--heartbeats", help="Print and count heartbeats, too.")] = False,
    address: Address = DEFAULT_ADDRESS,
    proof: Proof = NOTHING_SHOWN,
    project: Project = "",
    json: Json = False,
) -> None:
    """Follow the catalog.

    Prints a line for each event, with --json an object a line. The first tells the present state.

    Example: skillsvc watch --count 2
    """
    with asking(address, project, None, proof) as client:
        events = client.watch(since)
        told = (event for event in events if heartbeats or not event.heartbeat)
        for event in islice(told, count):
            if json:
                print_json(event, one_line=True)
            else:
                print_line(_event(event))
        events.close()


@proving
def info(
    *,
    address: Address = DEFAULT_ADDRESS,
    proof: Proof = NOTHING_SHOWN,
    project: Project = "",
    timeout: Timeout = None,
    json: Json = False,
) -> None:
    """Tell what the server is and which limits it holds.

    Example: skillsvc info --address unix:/run/skillsvc.sock
    """
    with asking(address, project, timeout, proof) as client:
        server = client.server_info()
    if json:
        print_json(server)
        return
    limits, retention = server.limits, server.retention
    print_pairs(
        [
            ("version", server.version),
            ("contract", str(server.contract)),
            ("features", " ".join(server.features)),
            ("now", "" if server.now is None else server.now.isoformat()),
            *((f"limits.{name}", str(getattr(limits, name))) for name in type(limits).__dataclass_fields__),
            *((f"retention.{name}", str(getattr(retention, name))) for name in type(retention).__dataclass_fields__),
        ]
    )


def who(skill: "Skill") -> str:
    """Return who may begin the use of a skill, in a word."""
    match skill.invocation.model, skill.invocation.user:
        case True, True:
            return "all"
        case True, False:
            return "model"
        case False, True:
            return "user"
        case _:
            return "nobody"


def _further(skill: "Skill") -> tuple[str, ...]:
    diagnostics = len(skill.diagnostics) + skill.diagnostics_omitted
    return skill.source, skill.version, str(skill.asset_count), str(diagnostics)


def _event(event: "CatalogEvent") -> str:
    """Return what an event tells, the state that it leads to first."""
    words = [
        word
        for word, said in (("resync", event.resync), ("heartbeat", event.heartbeat), ("going-away", event.going_away))
        if said
    ]
    for word, names in (
        ("added", [skill.name for skill in event.added]),
        ("modified", [skill.name for skill in event.modified]),
        ("removed", list(event.removed)),
    ):
        if names:
            words.append(f"{word} {' '.join(names)}")
    words.extend(f"{source.source} is {source.state}" for source in event.generation.unreachable_sources)
    return "; ".join((state_of(event.generation), *words))
