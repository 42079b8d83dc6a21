"""What an identity would get, and what the rules say to it, as messages."""

from itertools import islice
from typing import Final

from skillsource.v1 import admin_pb2 as pb

from skillsvc.domain.access import Explained, Grant, Judgement, Refusal, Role
from skillsvc.domain.caps import CAPS
from skillsvc.domain.generation import Generation
from skillsvc.domain.partition import Partition
from skillsvc.domain.view import Viewer
from skillsvc.service import admin_wire
from skillsvc.service.wire import timestamp

ROLES: Final = {
    Role.READER: pb.CALLER_ROLE_READER,
    Role.REPORTER: pb.CALLER_ROLE_REPORTER,
    Role.PUBLISHER: pb.CALLER_ROLE_PUBLISHER,
    Role.ADMIN: pb.CALLER_ROLE_ADMIN,
}


def viewer_of(judgement: Judgement, project: str) -> Viewer | None:
    """Return who would see something by naming a project, "" for none; None where that is nobody."""
    grant = judgement.judged
    if isinstance(grant, Refusal) or not grant.has(Role.READER) or not grant.may_name(project):
        return None
    return Viewer(grant.principal, project, grant.partitions, grant.allow)


def outcome(judgement: Judgement, project: str) -> pb.ExplainAccessResponse:
    """Return what an identity would get that names a project; without its layers, and what the rules say."""
    judged = judgement.judged
    told = pb.ExplainAccessResponse(
        identity=admin_wire.line_of("ExplainAccessResponse.identity", judgement.identity.principal()),
        credential_refused=admin_wire.line_of("ExplainAccessResponse.credential_refused", judgement.unproved),
        total_size=len(judgement.rules),
    )
    if isinstance(judged, Refusal):
        told.access_refused = admin_wire.line_of("ExplainAccessResponse.access_refused", judged.why)
    else:
        told.grant.CopyFrom(_grant(judged))
        told.project_refused = not judged.may_name(project)
    return told


def layer(partition: Partition, present: Generation | None) -> pb.SeenLayer:
    """Return one layer of what somebody would see."""
    return pb.SeenLayer(
        partition=admin_wire.partition(partition),
        present=None if present is None else admin_wire.layer_generation(present),
    )


def explained_rule(rule: Explained) -> pb.ExplainedRule:
    """Return what one rule says."""
    if rule.decides:
        verdict = pb.RULE_VERDICT_DECIDES
    elif rule.matches:
        verdict = pb.RULE_VERDICT_TOO_LATE
    else:
        verdict = pb.RULE_VERDICT_FOR_OTHERS
    why = admin_wire.line_of("ExplainedRule.why", "; ".join(rule.misfits))
    return pb.ExplainedRule(name=rule.rule, verdict=verdict, why=why)


def _grant(grant: Grant) -> pb.AccessGrant:
    projects = CAPS["AccessGrant.projects"]
    return pb.AccessGrant(
        rule=grant.rule,
        principal=grant.principal,
        partitions=[admin_wire.partition(each) for each in grant.partitions],
        projects=[
            admin_wire.item_of("AccessGrant.projects", each.text) for each in islice(grant.projects, projects.max_items)
        ],
        projects_total=len(grant.projects),
        roles=[ROLES[role] for role in Role if role in grant.roles],
        allow=None if grant.allow is None else _allowed(grant.allow),
        expires_at=None if grant.expires_at is None else timestamp(grant.expires_at),
    )


def _allowed(names: frozenset[str]) -> pb.AllowedSkills:
    first = sorted(names)[: CAPS["AllowedSkills.names"].max_items]
    return pb.AllowedSkills(names=first, total=len(names))
