"""The commands of operators about sources: sources, refresh, diagnostics."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from skillsvc.cli.asking import DIGEST_SHOWN, Json
from skillsvc.cli.operating import (
    ANSWER_S,
    AdminAddress,
    DataDir,
    PrincipalOption,
    ProjectOption,
    Timeout,
    operating,
    partition_of,
)
from skillsvc.cli.operator_words import by_name, moment_of, step_of, trust_of, word_of
from skillsvc.cli.output import FAILED, complain, count_of, is_terminal, print_line, print_message, print_table
from skillsvc.cli.proving import NOTHING_SHOWN, Proof, proving

if TYPE_CHECKING:
    from google.protobuf.timestamp_pb2 import Timestamp
    from skillsource.v1 import admin_pb2 as pb

_LOOK_S = 120.0
_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))
"""Of times, in seconds, the largest first."""


@proving
def sources(
    *,
    data_dir: DataDir = None,
    admin: AdminAddress = "",
    proof: Proof = NOTHING_SHOWN,
    partition: PrincipalOption = "",
    project: ProjectOption = "",
    timeout: Timeout = ANSWER_S,
    json: Json = False,
) -> None:
    """List the sources and how each stands, strongest first: of the deployment layer, else of --partition.

    A source with a template feeds many partitions, and stands as it does for each of these: it is told of none else.

    Piped, each is a line with tabs between name, kind, state, trust, skills, diagnostics, last success, next look,
    revision and last error. At a terminal, Said counts the diagnostics, and last errors stand below the table.

    Example: skillsvc sources --data-dir /var/lib/skillsvc
    """
    with operating(data_dir, admin, timeout, proof) as operator:
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
                source.revision[:DIGEST_SHOWN],
            )
            for source in told.sources
        ],
    )
    for source in told.sources:
        if source.last_error:
            print_line(f"{source.name} is {_state(source)}: {source.last_error}")
    whose = (
        "" if partition or project else " of the deployment layer; --partition tells those of others, by templates too"
    )
    print_line(f"{count_of(len(told.sources), 'source')}{whose}")


@proving
def refresh(
    *,
    names: Annotated[list[str] | None, typer.Argument(metavar="SOURCE", help="What to look at; else all.")] = None,
    path: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH", help="Of the one SOURCE only this path below it; may be repeated."),
    ] = None,
    data_dir: DataDir = None,
    admin: AdminAddress = "",
    proof: Proof = NOTHING_SHOWN,
    partition: PrincipalOption = "",
    project: ProjectOption = "",
    timeout: Timeout = _LOOK_S,
    json: Json = False,
) -> None:
    """Look at sources now, wait for what comes of it, and tell what changed.

    Prints a line for each skill that was added, modified or removed, with a tab before its name. Ends with status 1
    where a source could not be wholly seen; the look itself goes on where the time is over. A path that is in no folder
    known is fine: where it may be new, all is looked at.

    Example: skillsvc refresh house --data-dir /var/lib/skillsvc
    """
    with operating(data_dir, admin, timeout, proof) as operator:
        from skillsource.v1 import admin_pb2 as pb  # noqa: PLC0415 - takes long to come in

        request = pb.RefreshRequest(partition=partition_of(partition, project), sources=names or (), paths=path or ())
        told = operator.ask(request, pb.RefreshResponse)
        unseen = [source for source in told.sources if source.state != pb.SOURCE_STANDING_COMPLETE]
    if json:
        print_message(told)
    else:
        changes = (("added", told.added), ("modified", told.modified), ("removed", told.removed))
        print_table(("Change", "Name"), by_name((word, name) for word, names_ in changes for name in names_))
        shown = sum(len(names_) for _, names_ in changes)
        total = told.added_total + told.modified_total + told.removed_total
        if shown < total:
            complain(
                f"{total - shown} more: `skillsvc diff {told.before.sequence} {told.after.sequence}` tells them all"
            )
        if not total and not unseen:
            say = print_line if is_terminal() else complain
            say(f"nothing changed: {_looked_at(told.sources, path or ())}")
        elif is_terminal():
            print_line(f"{count_of(total, 'change')}; {step_of(told.before, told.after)}")
    for source in unseen:
        complain(f"the source {source.name} is {_state(source)}{source.last_error and ': '}{source.last_error}")
    if unseen:
        raise typer.Exit(FAILED)


@proving
def diagnostics(
    *,
    source: Annotated[str, typer.Option(metavar="SOURCE", help="Only of this source.")] = "",
    min_severity: Annotated[Literal["note", "warning", "error"], typer.Option(help="None that are lesser.")] = "note",
    skill: Annotated[str, typer.Option(metavar="SKILL", help="Only of this skill.")] = "",
    data_dir: DataDir = None,
    admin: AdminAddress = "",
    proof: Proof = NOTHING_SHOWN,
    partition: PrincipalOption = "",
    project: ProjectOption = "",
    timeout: Timeout = ANSWER_S,
    json: Json = False,
) -> None:
    """List what should be known of the sources and of their skills.

    Piped, each is a line with tabs between severity, source, skill, code and message.

    Example: skillsvc diagnostics --min-severity error --data-dir /var/lib/skillsvc
    """
    with operating(data_dir, admin, timeout, proof) as operator:
        from skillsource.v1 import admin_pb2 as pb  # noqa: PLC0415 - takes long to come in
        from skillsource.v1 import skill_pb2  # noqa: PLC0415 - as above

        request = pb.ListDiagnosticsRequest(
            partition=partition_of(partition, project),
            source=source,
            skill=skill,
            min_severity=f"SEVERITY_{min_severity.upper()}",
        )
        told = operator.ask_all(request, pb.ListDiagnosticsResponse)
        severities = skill_pb2.Severity
    if json:
        print_message(told)
        return
    print_table(
        ("Severity", "Source", "Skill", "Code", "Message"),
        [
            (word_of(severities, each.severity).lower(), each.source, each.skill, each.code, each.message)
            for each in told.diagnostics
        ],
        wrapped=True,
    )
    if is_terminal():
        print_line(count_of(len(told.diagnostics), "diagnostic"))


def _looked_at(sources: "Sequence[pb.SourceReport]", paths: Sequence[str]) -> str:
    """Say what was looked at: also a path that is nowhere makes a look, of all that it may have been in."""
    if len(sources) != 1:
        return f"{count_of(len(sources), 'source')} were looked at"
    of_it = f", for {', '.join(paths)}" if paths else ""
    return f"{sources[0].name} was looked at{of_it}"


def _columns(source: "pb.SourceReport") -> tuple[str, ...]:
    return (
        source.name,
        source.kind,
        _state(source),
        trust_of(source.trust),
        str(source.skills),
        str(source.diagnostics),
        moment_of(source.last_success_at),
        "now" if source.looking else moment_of(source.next_look_at),
        source.revision,
        source.last_error,
    )


def _state(source: "pb.SourceReport") -> str:
    from skillsource.v1 import admin_pb2  # noqa: PLC0415 - takes long to come in

    return word_of(admin_pb2.SourceStanding, source.state)


def _ago(moment: "Timestamp", now: datetime) -> str:
    """Return how long ago a moment was, to its largest unit; "" where it is not set."""
    if not moment.ByteSize():
        return ""
    seconds = max(0.0, (now - moment.ToDatetime(UTC)).total_seconds())
    size, unit = next((size, unit) for size, unit in _UNITS if seconds >= size or size == 1)
    return f"{seconds // size:.0f} {unit} ago"
