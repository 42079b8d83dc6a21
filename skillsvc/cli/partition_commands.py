"""The commands of operators about what partitions hold: partitions, revoke, lift."""

from typing import Annotated

import typer

from skillsvc.cli.asking import Json
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
from skillsvc.cli.output import print_line, print_message, print_table
from skillsvc.cli.proving import NOTHING_SHOWN, Proof, proving

Name = Annotated[str, typer.Argument(metavar="NAME", help="The skill.", show_default=False)]


@proving
def partitions(
    *,
    data_dir: DataDir = None,
    admin: AdminAddress = "",
    proof: Proof = NOTHING_SHOWN,
    timeout: Timeout = ANSWER_S,
    json: Json = False,
) -> None:
    """List the partitions that have a layer.

    Piped, each is a line with tabs between principal, project, sequence, skills, sources, generations held, whether
    its sources were seen complete, and names revoked; the principal of the layer that all callers share is
    `deployment`.

    Example: skillsvc partitions --data-dir /var/lib/skillsvc
    """
    with operating(data_dir, admin, timeout, proof) as operator:
        from skillsource.v1 import admin_pb2 as pb  # noqa: PLC0415 - takes long to come in

        told = operator.ask_all(pb.ListPartitionsRequest(), pb.ListPartitionsResponse)
    if json:
        print_message(told)
        return
    print_table(
        ("Principal", "Project", "Sequence", "Skills", "Sources", "Held", "Seen", "Revoked"),
        [
            (
                "deployment" if each.partition.deployment else each.partition.principal,
                each.partition.project,
                str(each.present.sequence),
                str(each.present.skills),
                str(each.sources),
                str(each.retained),
                "complete" if each.complete else "incomplete",
                str(each.revoked),
            )
            for each in told.partitions
        ],
    )


@proving
def revoke(
    *,
    name: Name,
    data_dir: DataDir = None,
    admin: AdminAddress = "",
    proof: Proof = NOTHING_SHOWN,
    partition: PrincipalOption = "",
    project: ProjectOption = "",
    timeout: Timeout = ANSWER_S,
    json: Json = False,
) -> None:
    """Take a skill out of a layer at once, and keep its name out of it until that is lifted.

    Tokens of states that held it expire. Prints one sentence; a name that the layer does not hold yet is revoked too.

    Example: skillsvc revoke review --partition token:alice --data-dir /var/lib/skillsvc
    """
    with operating(data_dir, admin, timeout, proof) as operator:
        from skillsource.v1 import admin_pb2 as pb  # noqa: PLC0415 - takes long to come in

        request = pb.RevokeSkillRequest(partition=partition_of(partition, project), name=name)
        told = operator.ask(request, pb.RevokeSkillResponse)
    if json:
        print_message(told)
        return
    if not told.changed:
        print_line(f"{name} is revoked already; layer generation {told.after.sequence} is served")
    elif told.before.sequence == told.after.sequence:
        print_line(f"{name} is revoked; layer generation {told.after.sequence} does not list it anyway")
    else:
        print_line(f"{name} is revoked; layer generation {told.before.sequence} -> {told.after.sequence}")


@proving
def lift(
    *,
    name: Name,
    data_dir: DataDir = None,
    admin: AdminAddress = "",
    proof: Proof = NOTHING_SHOWN,
    partition: PrincipalOption = "",
    project: ProjectOption = "",
    timeout: Timeout = ANSWER_S,
    json: Json = False,
) -> None:
    """Let a revoked name be published again.

    What sources hold of it comes back with their next look, which begins at once; what was published from another log
    with its next refresh.

    Example: skillsvc lift review --partition token:alice --data-dir /var/lib/skillsvc
    """
    with operating(data_dir, admin, timeout, proof) as operator:
        from skillsource.v1 import admin_pb2 as pb  # noqa: PLC0415 - takes long to come in

        request = pb.LiftRevokeRequest(partition=partition_of(partition, project), name=name)
        told = operator.ask(request, pb.LiftRevokeResponse)
    if json:
        print_message(told)
        return
    print_line(f"{name} may be published again" if told.changed else f"{name} is not revoked")
