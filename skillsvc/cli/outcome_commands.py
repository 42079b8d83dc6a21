"""The commands about outcomes: report, best-match."""

from typing import Annotated

import typer

from skillsvc.cli.asking import DEFAULT_ADDRESS, Address, Json, Project, Timeout, asking
from skillsvc.cli.names import check_reference
from skillsvc.cli.output import FAILED, USAGE, complain, fail, print_json, print_line, print_pairs
from skillsvc.cli.proving import NOTHING_SHOWN, Proof, proving


@proving
def report(
    *,
    rate: Annotated[float, typer.Argument(metavar="RATE", help="From 0 for failure to 1 for success.")],
    activation: Annotated[str, typer.Option(metavar="ID", help="The activation that it is of.")] = "",
    skill: Annotated[str, typer.Option(metavar="NAME", help="Or else the skill; may be SOURCE/NAME.")] = "",
    task: Annotated[str, typer.Option(metavar="TASK", help="What it was used for.")] = "",
    request_id: Annotated[str, typer.Option(metavar="ID", help="Repeated, it counts once.")] = "",
    address: Address = DEFAULT_ADDRESS,
    proof: Proof = NOTHING_SHOWN,
    project: Project = "",
    timeout: Timeout = None,
    json: Json = False,
) -> None:
    """Tell how the use of a skill turned out.

    Either --activation, or --skill with --task. Ends with status 1 where it was not recorded.

    Example: skillsvc report 1 --skill sql-migration-review --task "review a migration"
    """
    if bool(activation) == bool(skill):
        fail("name either --activation or --skill, with --task", USAGE)
    if skill:
        check_reference(skill)
    with asking(address, project, timeout, proof, skill=skill) as client:
        recorded = client.report_outcome(rate, activation_id=activation, skill=skill, task=task, request_id=request_id)
    if json:
        print_line(f'{{"recorded": {"true" if recorded else "false"}}}')
    if not recorded:
        complain("it was not recorded: the skill is hidden by a stronger one of its name")
        raise typer.Exit(FAILED)


@proving
def best_match(
    *,
    task: Annotated[str, typer.Argument(metavar="TASK", help="What a skill is wanted for.")],
    address: Address = DEFAULT_ADDRESS,
    proof: Proof = NOTHING_SHOWN,
    project: Project = "",
    timeout: Timeout = None,
    json: Json = False,
) -> None:
    """Tell which skill is known for a task, by what was reported of it.

    Ends with status 1 where none is.

    Example: skillsvc best-match "review a migration"
    """
    with asking(address, project, timeout, proof) as client:
        match = client.best_match(task)
    if json:
        print_json(match)
    elif match.found:
        print_pairs(
            (("Skill", match.skill), ("Task", match.task_pattern), ("Success rate", f"{match.success_rate:.2f}"))
        )
    if not match.found:
        complain("nothing is known of such a task")
        raise typer.Exit(FAILED)
