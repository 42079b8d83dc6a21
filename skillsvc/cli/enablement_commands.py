"""The commands of operators about which skills are on, and for whom."""

from typing import TYPE_CHECKING, Annotated

import typer

from skillsvc.cli.asking import Json
from skillsvc.cli.operating import (
    ANSWER_S,
    AdminAddress,
    DataDir,
    Operator,
    PrincipalOption,
    ProjectOption,
    Timeout,
    operating,
    partition_of,
)
from skillsvc.cli.operator_words import moment_of, word_of
from skillsvc.cli.output import print_line, print_message, print_table
from skillsvc.cli.proving import NOTHING_SHOWN, Proof, proving

if TYPE_CHECKING:
    from skillsource.v1 import admin_pb2 as pb

enablement = typer.Typer(no_args_is_help=True, help="Switch skills on and off: disable, enable, inherit, list.")

Names = Annotated[list[str], typer.Argument(metavar="NAME...", help="The skills.", show_default=False)]
Session = Annotated[str, typer.Option("--session", metavar="LABEL", help="For requests with this session label alone.")]


@enablement.command()
@proving
def disable(
    *,
    names: Names,
    data_dir: DataDir = None,
    admin: AdminAddress = "",
    proof: Proof = NOTHING_SHOWN,
    partition: PrincipalOption = "",
    project: ProjectOption = "",
    session: Session = "",
    timeout: Timeout = ANSWER_S,
    json: Json = False,
) -> None:
    """Switch skills off at once: to their callers they are nowhere, until they are enabled or inherit again.

    Without --partition they are off for everybody of whom nothing nearer is said. Prints a sentence for each.

    Example: skillsvc enablement disable deploy --partition token:alice --project shop --data-dir /var/lib/skillsvc
    """
    with operating(data_dir, admin, timeout, proof) as operator:
        _say(operator, names, "DISABLED", (partition_of(partition, project), session), json=json)


@enablement.command()
@proving
def enable(
    *,
    names: Names,
    data_dir: DataDir = None,
    admin: AdminAddress = "",
    proof: Proof = NOTHING_SHOWN,
    partition: PrincipalOption = "",
    project: ProjectOption = "",
    session: Session = "",
    timeout: Timeout = ANSWER_S,
    json: Json = False,
) -> None:
    """Switch skills on, whatever is said of them to more callers.

    It opens nothing that access rules, revokes or a skill's own flags close.

    Example: skillsvc enablement enable deploy --partition token:alice --data-dir /var/lib/skillsvc
    """
    with operating(data_dir, admin, timeout, proof) as operator:
        _say(operator, names, "ENABLED", (partition_of(partition, project), session), json=json)


@enablement.command()
@proving
def inherit(
    *,
    names: Names,
    data_dir: DataDir = None,
    admin: AdminAddress = "",
    proof: Proof = NOTHING_SHOWN,
    partition: PrincipalOption = "",
    project: ProjectOption = "",
    session: Session = "",
    timeout: Timeout = ANSWER_S,
    json: Json = False,
) -> None:
    """Let what is said of skills to more callers decide: nothing is said here any more.

    Example: skillsvc enablement inherit deploy --partition token:alice --data-dir /var/lib/skillsvc
    """
    with operating(data_dir, admin, timeout, proof) as operator:
        _say(operator, names, "INHERITED", (partition_of(partition, project), session), json=json)


@enablement.command("list")
@proving
def list_(
    *,
    data_dir: DataDir = None,
    admin: AdminAddress = "",
    proof: Proof = NOTHING_SHOWN,
    partition: PrincipalOption = "",
    project: ProjectOption = "",
    session: Session = "",
    deciding: Annotated[
        bool, typer.Option("--deciding", help="What decides for a caller, whoever it is said to.")
    ] = False,
    timeout: Timeout = ANSWER_S,
    json: Json = False,
) -> None:
    """List what is said of skills to the callers of a partition.

    Piped, each is a line with tabs between name, state, principal, project, session label, and since when.

    Example: skillsvc enablement list --partition token:alice --deciding --data-dir /var/lib/skillsvc
    """
    with operating(data_dir, admin, timeout, proof) as operator:
        from skillsource.v1 import admin_pb2 as pb  # noqa: PLC0415 - takes long to come in

        request = pb.ListEnablementRequest(
            partition=partition_of(partition, project), session=session, deciding=deciding
        )
        told = operator.ask_all(request, pb.ListEnablementResponse)
    if json:
        print_message(told)
        return
    print_table(
        ("Name", "State", "Principal", "Project", "Session", "Since"),
        [
            (
                word.name,
                word_of(pb.EnablementState, word.state).lower(),
                "deployment" if word.partition.deployment else word.partition.principal,
                word.partition.project,
                word.session,
                moment_of(word.set_at),
            )
            for word in told.words
        ],
    )


def _say(operator: Operator, names: list[str], state: str, to: "tuple[pb.Partition, str]", *, json: bool) -> None:
    from skillsource.v1 import admin_pb2 as pb  # noqa: PLC0415 - takes long to come in

    partition, session = to
    request = pb.SetEnablementRequest(
        partition=partition, session=session, names=names, state=f"ENABLEMENT_STATE_{state}"
    )
    told = operator.ask(request, pb.SetEnablementResponse)
    if json:
        print_message(told)
        return
    changed = frozenset(told.changed)
    words = {"DISABLED": "disabled", "ENABLED": "enabled", "INHERITED": "left to what is said to more callers"}[state]
    for name in dict.fromkeys(names):
        print_line(f"{name} is {words}" if name in changed else f"{name} is {words} already")
