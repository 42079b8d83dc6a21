"""The commands that ask a running server for one skill: show, body, assets, read, activate."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from skillsvc.cli.asking import DEFAULT_ADDRESS, Address, Json, Project, Timeout, asking, state_of
from skillsvc.cli.catalog_commands import who
from skillsvc.cli.names import check_asset_name, check_reference
from skillsvc.cli.output import (
    USAGE,
    complain,
    fail,
    is_terminal,
    print_bytes,
    print_json,
    print_line,
    print_pairs,
    print_table,
    print_text,
)
from skillsvc.cli.printable import readable
from skillsvc.cli.proving import NOTHING_SHOWN, Proof, proving

if TYPE_CHECKING:
    from skillsource import Client, Skill

Name = Annotated[str, typer.Argument(metavar="NAME", help="The skill; SOURCE/NAME where it is shadowed.")]


@proving
def show(
    *,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The skill; SOURCE/NAME where it must be of this source.")
    ],
    address: Address = DEFAULT_ADDRESS,
    proof: Proof = NOTHING_SHOWN,
    project: Project = "",
    timeout: Timeout = None,
    json: Json = False,
) -> None:
    """Show all that is known of a listed skill, with its diagnostics.

    No call tells this of a skill that is shadowed; body, assets, read and activate take SOURCE/NAME for it.

    Example: skillsvc show csv-check
    """
    check_reference(name)
    source, _, plain = name.rpartition("/")
    with asking(address, project, timeout, proof, skill=name) as client:
        from skillsource import SkillNotFound, SkillView  # noqa: PLC0415 - see `asking`

        skills = client.narrowed(allow=[plain]).list_skills(view=SkillView.FULL).skills
        if not skills:
            raise SkillNotFound("no skill of this name in the catalog", reason="SKILL_NOT_FOUND")
        skill = skills[0]
        if source not in {"", skill.source}:
            # Where there is none of this name at all, that is what is told.
            client.list_assets(name)
            fail(
                f"{name} is shadowed by {skill.source}/{plain}, and no call tells the entry of what is shadowed; "
                "body, assets, read and activate take it"
            )
    if json:
        print_json(skill)
        return
    print_pairs(_described(skill))
    for diagnostic in skill.diagnostics:
        print_line(f"{diagnostic.severity}: {diagnostic.message} [{diagnostic.code}]")
    if skill.diagnostics_omitted:
        print_line(f"and {skill.diagnostics_omitted} further diagnostics")


@proving
def body(
    *,
    name: Name,
    document: Annotated[bool, typer.Option("--document", help="SKILL.md as it was read.")] = False,
    address: Address = DEFAULT_ADDRESS,
    proof: Proof = NOTHING_SHOWN,
    project: Project = "",
    timeout: Timeout = None,
    json: Json = False,
) -> None:
    """Print the text of a skill.

    It comes as it is; at a terminal, what that would obey or hide is spelt out.

    Example: skillsvc body sql-migration-review > review.md
    """
    check_reference(name)
    with asking(address, project, timeout, proof, skill=name) as client:
        from skillsource import BodyForm  # noqa: PLC0415 - see `asking`

        text = client.skill_body(name, form=BodyForm.DOCUMENT if document else BodyForm.BODY)
    if json:
        print_json(text)
    else:
        print_text(text.text)


@proving
def assets(
    *,
    name: Name,
    address: Address = DEFAULT_ADDRESS,
    proof: Proof = NOTHING_SHOWN,
    project: Project = "",
    timeout: Timeout = None,
    json: Json = False,
) -> None:
    """List the files beside a skill's SKILL.md.

    Piped, each is a line with tabs between name, bytes, media type, `executable` or nothing, and SHA-256.

    Example: skillsvc assets contrast-check
    """
    check_reference(name)
    with asking(address, project, timeout, proof, skill=name) as client:
        inventory = client.list_assets(name)
    if json:
        print_json(inventory)
        return
    print_table(
        ("Name", "Bytes", "Type", "Bit", "SHA-256"),
        [
            (asset.name, str(asset.size), asset.media_type, "executable" if asset.executable else "", asset.digest)
            for asset in inventory.assets
        ],
    )


@proving
def read(
    *,
    name: Name,
    asset: Annotated[str, typer.Argument(metavar="ASSET", help="Its logical name, as `assets` lists it.")],
    output: Annotated[Path | None, typer.Option(dir_okay=False, metavar="FILE", help="Write it to this file.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Print to a terminal whatever it is.")] = False,
    address: Address = DEFAULT_ADDRESS,
    proof: Proof = NOTHING_SHOWN,
    project: Project = "",
    timeout: Timeout = None,
    json: Json = False,
) -> None:
    """Print the bytes of an asset.

    They come as they are; at a terminal, only those of a text.

    Example: skillsvc read contrast-check assets/swatches.png --output swatches.png
    """
    check_reference(name)
    check_asset_name(asset)
    with asking(address, project, timeout, proof, skill=name) as client:
        content = client.read_asset(name, asset)
    if json:
        print_json(content)
    elif output is not None:
        try:
            output.write_bytes(content.data)
        except OSError as error:
            fail(f"{output} cannot be written: {error.strerror}")
    elif force or not is_terminal():
        print_bytes(content.data)
    elif (text := readable(content.data)) is not None:
        print_text(text)
    else:
        fail("this asset is no text: --output FILE keeps it, --force prints it nevertheless", USAGE)


@proving
def activate(
    *,
    name: Name,
    task: Annotated[str, typer.Option(metavar="TASK", help="What it is begun for.")] = "",
    invocation: Annotated[Literal["model", "user"], typer.Option(help="Who begins it.")] = "model",
    form: Annotated[
        Literal["plain", "skill_content", "command"],
        typer.Option(help="The form of the text; only plain is built yet."),
    ] = "plain",
    argument: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="A value for a placeholder; may be repeated (not built yet)."),
    ] = None,
    allow_partial: Annotated[
        bool, typer.Option("--allow-partial", help="Begin without the tools that are refused (not built yet).")
    ] = False,
    request_id: Annotated[str, typer.Option(metavar="ID", help="Repeated, it is the same activation.")] = "",
    address: Address = DEFAULT_ADDRESS,
    proof: Proof = NOTHING_SHOWN,
    project: Project = "",
    timeout: Timeout = None,
    json: Json = False,
) -> None:
    """Begin the use of a skill.

    Prints its text, ready for a model; the id of the activation and notes go to standard error, with a line where the
    skill is not one that is trusted. Skills with tools cannot be begun yet: not built.

    Example: skillsvc activate sql-migration-review
    """
    check_reference(name)
    arguments = _arguments(argument or ())
    with asking(address, project, timeout, proof, skill=name) as client:
        from skillsource import InvocationFilter, TextForm  # noqa: PLC0415 - see `asking`

        warning = _warning_of(client, name)
        activation = client.activate(
            name,
            task=task,
            invocation=InvocationFilter(invocation.upper()),
            text_form=TextForm(form.upper()),
            arguments=arguments,
            allow_partial=allow_partial,
            request_id=request_id,
        )
    if warning:
        complain(warning)
    if json:
        print_json(activation)
        return
    print_text(activation.text)
    complain(f"activation {activation.activation_id} of {activation.name}; {state_of(activation.generation)}")
    if activation.truncated:
        complain(f"the text is cut; `body` goes on at byte {activation.next_offset}")
    for note in activation.notes:
        complain(note)


def _warning_of(client: "Client", name: str) -> str:
    """Return what is to be minded before a skill is followed; "" where it is trusted, or not there at all."""
    source, _, plain = name.rpartition("/")
    for skill in client.narrowed(allow=[plain]).list_skills().skills:
        if source not in {"", skill.source}:
            return f"the trust of {name} is not told, as it is shadowed: read it before you follow it"
        if skill.trust == "ask":
            return f"the trust of {name} is ask: ask before you follow it"
        if skill.trust != "allowed":
            return f"the trust of {name} is untrusted: read it before you follow it"
    return ""


def _arguments(given: Sequence[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in given]
    for key, equals, _value in pairs:
        if not key or not equals:
            raise typer.BadParameter("an argument is KEY=VALUE", param_hint="--argument")
    if len({key for key, _equals, _value in pairs}) < len(pairs):
        raise typer.BadParameter("two arguments have one key", param_hint="--argument")
    return {key: value for key, _equals, value in pairs}


def _readiness_of(skill: "Skill") -> list[tuple[str, str]]:
    readiness = skill.readiness
    if readiness is None:
        return []
    return [
        ("readiness", readiness.state),
        ("missing", ", ".join(readiness.missing)),
        ("cannot be checked", ", ".join(readiness.unverifiable)),
        ("blocked on", ", ".join(readiness.blocked_on)),
        ("sidecar", "" if readiness.sidecar == "unknown" else readiness.sidecar),
    ]


def _described(skill: "Skill") -> list[tuple[str, str]]:
    """Return what is to be shown of a skill, what is empty left out."""
    network = skill.network
    pairs = [
        ("name", skill.name),
        ("display name", skill.display_name),
        ("description", skill.description),
        ("cut from", f"{skill.description_bytes} bytes" if skill.description_truncated else ""),
        ("when to use", skill.when_to_use),
        ("for", who(skill)),
        ("trust", skill.trust),
        ("origin", skill.origin),
        ("source", skill.source),
        ("collection", skill.collection),
        ("version", skill.version),
        ("license", skill.license),
        ("compatibility", skill.compatibility),
        ("keywords", ", ".join(skill.keywords)),
        ("capabilities", ", ".join(skill.capabilities)),
        ("allowed tools", ", ".join(skill.allowed_tools)),
        ("kinds of tools", ", ".join(skill.tool_kinds)),
        ("network", "" if network is None else " ".join((network.mode, *network.domains))),
        ("declared by", "" if network is None else f"{network.source} ({network.declaration})"),
        *_readiness_of(skill),
        *((f"metadata.{key}", value) for key, value in sorted(skill.metadata.items())),
        ("body", f"{skill.body_bytes} bytes"),
        ("assets", str(skill.asset_count)),
        ("digest", skill.digest),
        ("document", f"{skill.document_bytes} bytes, {skill.document_digest}" if skill.document_digest else ""),
    ]
    return [(key, value) for key, value in pairs if value]
