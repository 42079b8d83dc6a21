"""The commands of operators about layers: generations, diff."""

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
from skillsvc.cli.operator_words import by_name, generation_of, moment_of, step_of, trust_of
from skillsvc.cli.output import USAGE, complain, count_of, fail, is_terminal, print_line, print_message, print_table
from skillsvc.cli.proving import NOTHING_SHOWN, Proof, proving

if TYPE_CHECKING:
    from skillsource.v1 import admin_pb2 as pb

_SEQUENCE_DIGITS = 20
"""Of the largest number: what is longer, and has digits alone, is the beginning of a digest."""
_DIGEST_DIGITS = 64


@proving
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
    proof: Proof = NOTHING_SHOWN,
    partition: PrincipalOption = "",
    project: ProjectOption = "",
    timeout: Timeout = ANSWER_S,
    json: Json = False,
) -> None:
    """List the generations that are held, the newest first, or the skills of one.

    Piped, each is a line with tabs between sequence, time, skills, shadowed skills and digest; each skill a line with
    name, source, whether it is listed, trust, collection and digest.

    Example: skillsvc generations 12 --data-dir /var/lib/skillsvc
    """
    with operating(data_dir, admin, timeout, proof) as operator:
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
                (str(held.sequence), moment_of(held.published_at), str(held.skills), str(held.shadowed), held.digest)
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
                trust_of(row.trust),
                row.collection,
                row.digest,
            )
            for row in told.rows
        ],
    )
    if is_terminal():
        print_line(f"{count_of(told.generation.skills, 'skill')}; {generation_of(told.generation)}")


@proving
def diff(
    *,
    before: Annotated[str, typer.Argument(metavar="A", help="The sequence, or the beginning of the digest.")],
    after: Annotated[
        str, typer.Argument(metavar="[B]", help="The same of another; else the present one.", show_default=False)
    ] = "",
    data_dir: DataDir = None,
    admin: AdminAddress = "",
    proof: Proof = NOTHING_SHOWN,
    partition: PrincipalOption = "",
    project: ProjectOption = "",
    timeout: Timeout = ANSWER_S,
    json: Json = False,
) -> None:
    """Tell what leads from one generation to another one.

    Prints a line for each skill, with tabs between added, modified or removed, its name, and what of it is another.

    Example: skillsvc diff 11 12 --data-dir /var/lib/skillsvc
    """
    with operating(data_dir, admin, timeout, proof) as operator:
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
        by_name(
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
        print_line(f"{count_of(total, 'change')}; {step_of(told.before, told.after)}")


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


def _what(skill: "pb.ModifiedSkill") -> str:
    words = [word for word, said in (("content", skill.content), ("policy", skill.policy)) if said]
    if skill.source_after:
        words.append(f"source {skill.source_before} -> {skill.source_after}")
    return ", ".join(words)
