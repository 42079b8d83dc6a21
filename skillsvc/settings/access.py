"""The tables [[access]]: what callers get, by the first rule that is for them."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, field_validator, model_validator

from skillsvc.domain.access import (
    ALLOWED_NAMES,
    FURTHER_PARTITIONS,
    Access,
    AccessRule,
    IdentityKind,
    Match,
    Role,
)
from skillsvc.domain.caps import fits_skill_name
from skillsvc.domain.errors import InvalidInput
from skillsvc.domain.partition import Partition
from skillsvc.domain.patterns import Pattern
from skillsvc.domain.principal_template import PrincipalTemplate, TemplateRefused
from skillsvc.domain.rule_index import MOST_ALIKE, MOST_HELD
from skillsvc.settings.identity import doubled
from skillsvc.settings.refusal import Fault, Faults
from skillsvc.settings.table import Label, Table, Text

KindName: TypeAlias = Literal["spiffe", "cert", "oidc", "token"]
_LONGEST_PATTERN = 2048
_MOST_RULES = 10_000
_SHOWN = 64
"""Characters of a wrong value that are told."""


def _one_or_several(value: object) -> object:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list | tuple):
        raise Faults(["must be text, or a list of texts"])
    return value


def _pattern(text: str) -> str:
    if len(text) > _LONGEST_PATTERN:
        raise Faults([f"has {len(text)} characters; at most {_LONGEST_PATTERN} are possible"])
    return text


def _principal(text: str) -> str:
    try:
        PrincipalTemplate.parse(text)
    except TemplateRefused as error:
        raise Faults([str(error)]) from error
    return text


def _skill(text: str) -> str:
    if "/" in text and all(map(fits_skill_name, text.split("/", 1))):
        raise Faults([f"is {text}, which allows nothing: skills are allowed by name alone, from whatever source"])
    if not fits_skill_name(text):
        raise Faults([f"is no name of a skill: {text[:_SHOWN]!r}"])
    return text


PatternText: TypeAlias = Annotated[Text, AfterValidator(_pattern)]
Patterns: TypeAlias = Annotated[
    tuple[PatternText, ...],
    BeforeValidator(_one_or_several),
    WithJsonSchema({"type": ["string", "array"], "items": {"type": "string"}}),
]
"""A pattern, or several of which one must fit."""


class ReadableTable(Table):
    """A partition that callers may read beside their own."""

    principal: Text = Field(description="Whose it is, beginning with its kind.")
    project: str = Field(default="", description="Which project; none for what is the principal's own.")

    @model_validator(mode="after")
    def _is_one(self) -> "ReadableTable":
        self.partition()
        return self

    def partition(self) -> Partition:
        """Return the partition."""
        try:
            return Partition.parse(principal=self.principal, project=self.project)
        except InvalidInput as error:
            raise Faults([f"cannot be: {error.message}"]) from error


class AccessTable(Table):
    """Who gets what. The first rule whose `kind`, `issuer`, `names` and `claims` all fit decides, and no other does.

    In patterns `*` stands for any run of characters without `/`, `**` for any run at all, and `*` alone for everything;
    a subject is matched whole. A change of these tables takes effect on SIGHUP.
    """

    name: Label = Field(description="What the rule is called in logs and explanations; unique.")
    kind: KindName = Field(
        description="What proves the identity: a certificate by its SPIFFE id or by its subject, a JWT, a static token."
    )
    issuer: Label | None = Field(default=None, description='The `name` of the issuer; needed for `"oidc"`.')
    names: Patterns | None = Field(
        default=None,
        description="Patterns of the SPIFFE id, the subject, the `sub`, or the token's name; left out for all, and "
        "never empty.",
    )
    claims: Mapping[Text, Patterns] | None = Field(
        default=None,
        description="Patterns of claims, by name; what is within another claim has a dot between. Left out for any, "
        "and never empty.",
    )
    principal: Annotated[Text, AfterValidator(_principal)] | None = Field(
        default=None,
        description="Who they are, with `{name}` and `{claims.NAME}` filled in; none for the identity itself.",
    )
    partitions: tuple[ReadableTable, ...] = Field(
        default=(), description="What they read beside the deployment and their own, `{ principal, project }`."
    )
    projects: Patterns = Field(default=(), description="Patterns of the projects they may name.")
    roles: tuple[Literal["reader", "reporter", "publisher", "admin"], ...] = Field(
        default=("reader",), description="What they may do; no role holds another."
    )
    allow: tuple[Annotated[str, AfterValidator(_skill)], ...] | None = Field(
        default=None, description="The skills they see at most; none for all."
    )

    @field_validator("partitions")
    @classmethod
    def _partitions_fit_a_view(cls, partitions: tuple[ReadableTable, ...]) -> tuple[ReadableTable, ...]:
        if len(partitions) > FURTHER_PARTITIONS:
            raise Faults([f"are {len(partitions)}; at most {FURTHER_PARTITIONS} are possible"])
        if again := next(doubled(partitions), None):
            raise Faults([Fault("is there already", (again[0],))])
        return partitions

    @field_validator("roles")
    @classmethod
    def _there_is_a_role(cls, roles: tuple[str, ...]) -> tuple[str, ...]:
        if not roles:
            raise Faults(["is empty; leave the rule out to refuse those it is for"])
        return roles

    @field_validator("names")
    @classmethod
    def _there_is_a_name(cls, names: tuple[str, ...] | None) -> tuple[str, ...] | None:
        # What a program fills in for nobody must not be for everybody.
        if names is not None and not names:
            raise Faults(["is empty, which nothing fits; leave it out for all"])
        return names

    @field_validator("claims")
    @classmethod
    def _claims_have_patterns(
        cls, claims: Mapping[str, tuple[str, ...]] | None
    ) -> Mapping[str, tuple[str, ...]] | None:
        if claims is None:
            return None
        if not claims:
            raise Faults(["is empty; leave it out for any"])
        if empty := [
            Fault("is empty, which nothing fits", (name,)) for name, patterns in claims.items() if not patterns
        ]:
            raise Faults(empty)
        return claims

    @field_validator("allow")
    @classmethod
    def _allow_is_bounded(cls, allow: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if allow is not None and len(allow) > ALLOWED_NAMES:
            raise Faults([f"has {len(allow)} names; at most {ALLOWED_NAMES} are possible"])
        return allow

    @model_validator(mode="after")
    def _keys_are_of_the_kind(self) -> "AccessTable":
        is_oidc = self.kind == "oidc"
        faults = [
            Fault('is for kind = "oidc"', (key,)) for key in ("issuer", "claims") if getattr(self, key) and not is_oidc
        ]
        if is_oidc and self.issuer is None:
            faults.append(Fault("is missing: whose `sub` is meant?", ("issuer",)))
        if not is_oidc and "{claims." in (self.principal or ""):
            faults.append(Fault('has a place for a claim, which is for kind = "oidc"', ("principal",)))
        if self.kind == "cert":
            faults += [
                Fault("must be a whole subject, or `*` alone: in a subject no pattern is safe", ("names", index))
                for index, name in enumerate(self.names or ())
                if "*" in name and name != "*"
            ]
        if faults:
            raise Faults(faults)
        return self

    def rule(self) -> AccessRule:
        """Return the rule."""
        return AccessRule(
            name=self.name,
            match=Match(
                kind=IdentityKind(self.kind),
                names=tuple(map(Pattern, self.names or ())),
                issuer=None if self.issuer is None else Pattern(self.issuer),
                claims=tuple((claim, tuple(map(Pattern, patterns))) for claim, patterns in (self.claims or {}).items()),
            ),
            principal=None if self.principal is None else PrincipalTemplate.parse(self.principal),
            partitions=tuple(table.partition() for table in self.partitions),
            projects=tuple(map(Pattern, self.projects)),
            roles=frozenset(map(Role, self.roles)),
            allow=None if self.allow is None else frozenset(self.allow),
        )


def access_of(tables: tuple[AccessTable, ...]) -> Access:
    """Return the rules, in their order."""
    return Access(rules=tuple(table.rule() for table in tables))


def faults_of_likeness(tables: tuple[AccessTable, ...]) -> Iterator[Fault]:
    """Yield the first rule that makes too many of which each caller would have to be judged."""
    if len(tables) > _MOST_RULES:
        # That is told elsewhere.
        return
    for index in access_of(tables).crowded[:1]:
        yield Fault(
            f"is one too many that only judging tells from others: at most {MOST_ALIKE} may have patterns that begin "
            f"and end alike, and {MOST_HELD} such as `*x*`",
            (index,),
        )


def faults_of_access(tables: Mapping[str, object]) -> Iterator[Fault]:
    """Yield what is wrong between rules, and between them and [identity]: a rule that can never be for anybody."""
    rules = tables.get("access")
    if not isinstance(rules, list):
        return
    if len(rules) > _MOST_RULES:
        yield Fault(f"are {len(rules)}; at most {_MOST_RULES} are possible", ("access",))
        return
    identity = tables.get("identity")
    ways = identity if isinstance(identity, dict) else {}
    issuers = ways.get("issuer")
    known = {each.get("name") for each in (issuers if isinstance(issuers, list) else ()) if isinstance(each, dict)}
    seen: set[object] = set()
    for index, rule in enumerate(rules):
        if not isinstance(rule, dict):
            continue
        name, kind, issuer = rule.get("name"), rule.get("kind"), rule.get("issuer")
        if isinstance(name, str):
            if name in seen:
                yield Fault(f"is {name}, as that of another rule; give each its own", ("access", index, "name"))
            seen.add(name)
        if isinstance(kind, str) and (missing := _missing_way(kind, ways)):
            yield Fault(f"is {kind}, which nobody can prove without {missing}", ("access", index, "kind"))
        if kind == "oidc" and isinstance(issuer, str) and ways.get("issuer") and issuer not in known:
            yield Fault(f"is {issuer}, which no [[identity.issuer]] is called", ("access", index, "issuer"))


def _missing_way(kind: str, ways: Mapping[str, object]) -> str:
    match kind:
        case "spiffe" if ways.get("certificates") is not True and "proxy" not in ways:
            return "certificates = true, or an [identity.proxy]"
        case "cert" if ways.get("certificates") is not True:
            return "certificates = true of [identity]"
        case "oidc" if not ways.get("issuer"):
            return "an [[identity.issuer]]"
        case "token" if "tokens" not in ways:
            return "[identity.tokens]"
        case _:
            return ""
