"""The commands of operators about sources and layers: sources, refresh, diagnostics, generations, diff."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from skillsvc.cli.asking import Json
from skillsvc.cli.operating import (
    TIMEOUT_S,
    AdminAddress,
    DataDir,
    Operator,
    PrincipalOption,
    ProjectOption,
    Timeout,
    operating,
    partition_of,
)
from skillsvc.cli.output import (
    FAILED,
    USAGE,
    complain,
    count_of,
    fail,
    is_terminal,
    print_line,
    print_message,
    print_table,
)

if TYPE_CHECKING:
    from google.protobuf.timestamp_pb2 import Timestamp
    from skillsource.v1 import admin_pb2 as pb

_LOOK_TIMEOUT_S = 120.0
_SEQUENCE_DIGITS = 20
"""Of the largest number: what is longer, and has digits alone, is the beginning of a digest."""
_DIGEST_DIGITS = 64
_DIGEST_SHOWN = 12
_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))
"""Of times, in seconds, the largest first."""


def sources(
    *,
    data_dir: DataDir = None,
    admin: AdminAddress = "",
    partition: PrincipalOption = "",
    project: ProjectOption = "",
    timeout: Timeout = TIMEOUT_S,
    json: Json = False,
) -> None:
    """List the sources and how each stands, strongest first.

    Piped, each is a line with tabs between name, kind, state, trust, skills, diagnostics, last success, next look,
    revision and last error. At a terminal, Said counts the diagnostics, and last errors stand below the table.

    Example: skillsvc sources --data-dir /var/lib/skillsvc
    """
    with operating(data_dir, admin, timeout) as operator:
        from skillsource.v1 import admin_pb2 as pb  # noqa: PLC0415 - takes long to come in

        request = pb.ListSourcesRequest(partition=partition_of(partition, project))
        told = operator.ask_all(request, pb.ListSourcesResponse)
    if json:
        print_message(told)
        return
    if not is_terminal():
        print_table((), [_columns(source) for source in told.sources])
        return
    now = datetime.now(UTC)
    print_table(
        ("Name", "State", "Kind", "Skills", "Said", "Seen", "Revision"),
        [
            (
                source.name,
                _state(source),
                source.kind,
                str(source.skills),
                str(source.diagnostics),
                _ago(source.last_success_at, now),
                source.revision[:_DIGEST_SHOWN],
            )
            for source in told.sources
        ],
    )
    for source in told.sources:
        if source.last_error:
            print_line(f"{source.name} is {_state(source)}: {source.last_error}")
    print_line(count_of(len(told.sources), "source"))


def refresh(
    *,
    names: Annotated[list[str] | None, typer.Argument(metavar="SOURCE", help="What to look at; else all.")] = None,
    path: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH", help="Of the one SOURCE only this path below it; may be repeated."),
    ] = None,
    data_dir: DataDir = None,
    admin: AdminAddress = "",
    partition: PrincipalOption = "",
    project: ProjectOption = "",
    timeout: Timeout = _LOOK_TIMEOUT_S,
    json: Json = False,
) -> None:
    """Look at sources now, wait for what comes of it, and tell what changed.

    Prints a line for each skill that was added, modified or removed, with a tab before its name. Ends with status 1
    where a source could not be wholly seen; the look itself goes on where the time is over.

    Example: skillsvc refresh house --data-dir /var/lib/skillsvc
    """
    with operating(data_dir, admin, timeout) as operator:
        from skillsource.v1 import admin_pb2 as pb  # noqa: PLC0415 - takes long to come in

        request = pb.RefreshRequest(partition=partition_of(partition, project), sources=names or (), paths=path or ())
        told = operator.ask(request, pb.RefreshResponse)
        unseen = [source for source in told.sources if source.state != pb.SOURCE_STANDING_COMPLETE]
    if json:
        print_message(told)
    else:
        changes = (("added", told.added), ("modified", told.modified), ("removed", told.removed))
        print_table(("Change", "Name"), _by_name((word, name) for word, names_ in changes for name in names_))
        shown = sum(len(names_) for _, names_ in changes)
        total = told.added_total + told.modified_total + told.removed_total
        if shown < total:
            complain(
                f"{total - shown} more: `skillsvc diff {told.before.sequence} {told.after.sequence}` tells them all"
            )
        if is_terminal():
            print_line(f"{count_of(total, 'change')}; {_step(told.before, told.after)}")
    for source in unseen:
        complain(f"the source {source.name} is {_state(source)}{source.last_error and ': '}{source.last_error}")
    if unseen:
        raise typer.Exit(FAILED)


def diagnostics(
    *,
    source: Annotated[str, typer.Option(metavar="SOURCE", help="Only of this source.")] = "",
    min_severity: Annotated[Literal["note", "warning", "error"], typer.Option(help="None that are lesser.")] = "note",
    skill: Annotated[str, typer.Option(metavar="SKILL", help="Only of this skill.")] = "",
    data_dir: DataDir = None,
    admin: AdminAddress = "",
    partition: PrincipalOption = "",
    project: ProjectOption = "",
    timeout: Timeout = TIMEOUT_S,
    json: Json = False,
) -> None:
    """List what should be known of the sources and of their skills.

    Piped, each is a line with tabs between severity, source, skill, code and message.

    Example: skillsvc diagnostics --min-severity error --data-dir /var/lib/skillsvc
    """
    with operating(data_dir, admin, timeout) as operator:
        from skillsource.v1 import admin_pb2 as pb  # noqa: PLC0415 - takes long to come in
        from skillsource.v1 import skill_pb2  # noqa: PLC0415 - as above

        request = pb.ListDiagnosticsRequest(
            partition=partition_of(partition, project),
            source=source,
            skill=skill,
            min_severity=f"SEVERITY_{min_severity.upper()}",
        )
        told = operator.ask_all(request, pb.ListDiagnosticsResponse)
        names = skill_pb2.Severity.Name
    if json:
        print_message(told)
        return
    print_table(
        ("Severity", "Source", "Skill", "Code", "Message"),
        [
            (names(each.severity).removeprefix("SEVERITY_").lower(), each.source, each.skill, each.code, each.message)
            for each in told.diagnostics
        ],
        wrapped=True,
    )
    if is_terminal():
        print_line(count_of(len(told.diagnostics), "diagnostic"))


def generations(
    *,
    generation: Annotated[
        str,
        typer.Argument(
            metavar="[GENERATION]", help="Its sequence, or the beginning of its digest.", show_default=False
        ),
    ] = "",
    data_dir: DataDir = None,
    admin: AdminAddress = "",
    partition: PrincipalOption = "",
    project: ProjectOption = "",
    timeout: Timeout = TIMEOUT_S,
    json: Json = False,
) -> None:
    """List the generations that are held, the newest first, or the skills of one.

    Piped, each is a line with tabs between sequence, time, skills, shadowed skills and digest; each skill a line with
    name, source, whether it is listed, trust, collection and digest.

    Example: skillsvc generations 12 --data-dir /var/lib/skillsvc
    """
    with operating(data_dir, admin, timeout) as operator:
        from skillsource.v1 import admin_pb2 as pb  # noqa: PLC0415 - takes long to come in

        of = partition_of(partition, project)
        if generation:
            named = _named(generation, operator, of)
            told = operator.ask_all(pb.GetGenerationRequest(partition=of, generation=named), pb.GetGenerationResponse)
        else:
            told = operator.ask(pb.GetGenerationRequest(partition=of, page_size=1), pb.GetGenerationResponse)
            # Which generations are held is asked; what the present one holds is another question.
            told = pb.GetGenerationResponse(generation=told.generation, retained=told.retained)
    if json:
        print_message(told)
        return
    if not generation:
        print_table(
            ("Sequence", "Published", "Skills", "Shadowed", "Digest"),
            [
                (str(held.sequence), _moment(held.published_at), str(held.skills), str(held.shadowed), held.digest)
                for held in told.retained
            ],
        )
        return
    print_table(
        ("Name", "Source", "Listed", "Trust", "Collection", "Digest"),
        [
            (
                row.name,
                row.source,
                "shadowed" if row.shadowed else "listed",
                _trust(row.trust),
                row.collection,
                row.digest,
            )
            for row in told.rows
        ],
    )
    if is_terminal():
        print_line(f"{count_of(told.generation.skills, 'skill')}; {_short(told.generation)}")


def diff(
    *,
    before: Annotated[str, typer.Argument(metavar="A", help="The sequence, or the beginning of the digest.")],
    after: Annotated[
        str, typer.Argument(metavar="[B]", help="The same of another; else the present one.", show_default=False)
    ] = "",
    data_dir: DataDir = None,
    admin: AdminAddress = "",
    partition: PrincipalOption = "",
    project: ProjectOption = "",
    timeout: Timeout = TIMEOUT_S,
    json: Json = False,
) -> None:
    """Tell what leads from one generation to another one.

    Prints a line for each skill, with tabs between added, modified or removed, its name, and what of it is another.

    Example: skillsvc diff 11 12 --data-dir /var/lib/skillsvc
    """
    with operating(data_dir, admin, timeout) as operator:
        from skillsource.v1 import admin_pb2 as pb  # noqa: PLC0415 - takes long to come in

        of = partition_of(partition, project)
        request = pb.DiffGenerationsRequest(partition=of, before=_named(before, operator, of))
        if after:
            request.after.CopyFrom(_named(after, operator, of))
        told = operator.ask_all(request, pb.DiffGenerationsResponse)
    if json:
        print_message(told)
        return
    print_table(
        ("Change", "Name", "What"),
        _by_name(
            (
                *(("added", name, "") for name in told.added),
                *(("modified", skill.name, _what(skill)) for skill in told.modified),
                *(("removed", name, "") for name in told.removed),
            )
        ),
    )
    if told.shadowed_total:
        complain(f"{count_of(told.shadowed_total, 'shadowed skill')} changed, too, which neither generation lists")
    if is_terminal():
        total = told.added_total + told.modified_total + told.removed_total
        print_line(f"{count_of(total, 'change')}; {_step(told.before, told.after)}")


def _named(text: str, operator: Operator, of: "pb.Partition") -> "pb.GenerationName":
    """Return the generation that somebody names: what has digits alone is a sequence, all else begins a digest."""
    from skillsource.v1 import admin_pb2 as pb  # noqa: PLC0415 - takes long to come in

    if text.isascii() and text.isdecimal() and len(text) <= _SEQUENCE_DIGITS and int(text) < 2**64:
        return pb.GenerationName(sequence=int(text))
    if not set(text) <= set("0123456789abcdef") or len(text) > _DIGEST_DIGITS:
        fail(f"{text!r} is no generation: say its sequence, or the beginning of its digest in lower-case hex", USAGE)
    held = operator.ask(pb.GetGenerationRequest(partition=of, page_size=1), pb.GetGenerationResponse).retained
    found = list(dict.fromkeys(each.digest for each in held if each.digest.startswith(text)))
    if not found:
        fail(f"no generation is held whose digest begins with {text} (GENERATION_EXPIRED)")
    if len(found) > 1:
        fail(f"{count_of(len(found), 'generation')} have a digest that begins with {text}: say more of it", USAGE)
    return pb.GenerationName(digest=found[0])


def _by_name(changes: "Iterable[tuple[str, ...]]") -> list[tuple[str, ...]]:
    return sorted(changes, key=lambda change: change[1])


def _what(skill: "pb.ModifiedSkill") -> str:
    words = [word for word, said in (("content", skill.content), ("policy", skill.policy)) if said]
    if skill.source_after:
        words.append(f"source {skill.source_before} -> {skill.source_after}")
    return ", ".join(words)


def _short(generation: "pb.LayerGeneration") -> str:
    return f"layer generation {generation.sequence} {generation.digest[:_DIGEST_SHOWN]}"


def _step(before: "pb.LayerGeneration", after: "pb.LayerGeneration") -> str:
    return f"layer generation {before.sequence} -> {after.sequence} {after.digest[:_DIGEST_SHOWN]}"


def _columns(source: "pb.SourceReport") -> tuple[str, ...]:
    return (
        source.name,
        source.kind,
        _state(source),
        _trust(source.trust),
        str(source.skills),
        str(source.diagnostics),
        _moment(source.last_success_at),
        "now" if source.looking else _moment(source.next_look_at),
        source.revision,
        source.last_error,
    )


def _state(source: "pb.SourceReport") -> str:
    from skillsource.v1 import admin_pb2  # noqa: PLC0415 - takes long to come in

    if source.state not in admin_pb2.SourceStanding.values():
        return str(source.state)
    return admin_pb2.SourceStanding.Name(source.state).removeprefix("SOURCE_STANDING_")


def _trust(number: "int") -> str:
    from skillsource.v1 import skill_pb2  # noqa: PLC0415 - takes long to come in

    match number:
        case skill_pb2.TRUST_UNSPECIFIED:
            return ""
        case skill_pb2.TRUST_ALLOWED:
            return "allowed"
        case skill_pb2.TRUST_ASK:
            return "ask"
        case _:
            return "untrusted"


def _ago(moment: "Timestamp", now: datetime) -> str:
    """Return how long ago a moment was, to its largest unit; "" where it is not set."""
    if not moment.ByteSize():
        return ""
    seconds = max(0.0, (now - moment.ToDatetime(UTC)).total_seconds())
    size, unit = next((size, unit) for size, unit in _UNITS if seconds >= size or size == 1)
    return f"{seconds // size:.0f} {unit} ago"


def _moment(moment: "Timestamp") -> str:
    """Return a moment in UTC, to the second; "" where it is not set."""
    if not moment.ByteSize():
        return ""
    return moment.ToDatetime(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
