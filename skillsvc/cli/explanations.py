"""Explanations of access in words: what an identity would get, and what each rule says."""

from collections.abc import Iterator, Sequence
from datetime import UTC

from skillsource.v1 import admin_pb2 as pb

from skillsvc.cli.operator_words import word_of
from skillsvc.cli.output import count_of
from skillsvc.domain.partition import Partition

_VERDICTS = {
    pb.RULE_VERDICT_DECIDES: "decides",
    pb.RULE_VERDICT_TOO_LATE: "comes too late",
    pb.RULE_VERDICT_FOR_OTHERS: "is for others",
}


def is_refused(told: pb.ExplainAccessResponse) -> bool:
    """Tell whether a caller with this credential gets nothing, or not as the project that it names."""
    return bool(told.credential_refused) or not told.HasField("grant") or told.project_refused


def outcome_of(told: pb.ExplainAccessResponse) -> Iterator[tuple[str, str]]:
    """Yield what comes of an identity, in lines."""
    yield "identity", told.identity
    if told.credential_refused:
        yield "credential", f"refused: {told.credential_refused}"
    if not told.HasField("grant"):
        yield "access", f"refused: {told.access_refused}"
        return
    grant = told.grant
    yield "access", f"by the rule {grant.rule}"
    yield "principal", grant.principal
    if told.project_refused:
        yield "project", "refused: it may not be named"
    else:
        yield "reads", ", ".join(_reads(told)) or "nothing"
    yield "projects", _first(grant.projects, grant.projects_total)
    yield (
        "roles",
        ", ".join(sorted(word_of(pb.CallerRole, role).lower() for role in grant.roles)),
    )
    yield "skills", _first(grant.allow.names, grant.allow.total) if grant.HasField("allow") else "all"
    if grant.HasField("expires_at"):
        yield "until", grant.expires_at.ToDatetime(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def rules_of(told: pb.ExplainAccessResponse) -> Iterator[tuple[str, str, str]]:
    """Yield what each rule says: its name, its verdict, and why."""
    for rule in told.rules:
        yield rule.name, _VERDICTS.get(rule.verdict, str(rule.verdict)), rule.why


def partitions_of(told: pb.ExplainAccessResponse) -> Iterator[Partition]:
    """Yield what is read, strongest first, without the deployment; a project that might be named is called PROJECT."""
    for layer in told.layers:
        of = layer.partition
        if not of.deployment:
            yield Partition(of.principal, of.project)
        elif told.grant.projects_total and not _names_a_project(told):
            yield Partition(told.grant.principal, "PROJECT")


def _names_a_project(told: pb.ExplainAccessResponse) -> bool:
    return any(each.partition.principal == told.grant.principal and each.partition.project for each in told.layers)


def _reads(told: pb.ExplainAccessResponse) -> Iterator[str]:
    """Yield what is read, strongest first; where no project is named, that of one that might be, too."""
    for layer in told.layers:
        yield _layer(layer)
        if layer.partition.deployment and told.grant.projects_total and not _names_a_project(told):
            yield f"{told.grant.principal}/PROJECT"


def _layer(layer: pb.SeenLayer) -> str:
    """Return whose layer it is, and what is in it where that is known."""
    of = layer.partition
    whose = "the deployment" if of.deployment else f"{of.principal}/{of.project}" if of.project else of.principal
    return f"{whose} ({count_of(layer.present.skills, 'skill')})" if layer.HasField("present") else whose


def _first(names: Sequence[str], total: int) -> str:
    if not total:
        return "none"
    more = f", and {total - len(names)} more" if total > len(names) else ""
    return ", ".join(names) + more
