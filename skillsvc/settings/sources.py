"""The tables [[source]]: one model for each kind of place that skills come from."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    Field,
    GetPydanticSchema,
    PlainSerializer,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)
from pydantic_core.core_schema import no_info_wrap_validator_function
from typing_extensions import override

from skillsvc.content.credentials import SecretPlace
from skillsvc.domain.errors import InvalidInput
from skillsvc.domain.folder_template import FolderTemplate
from skillsvc.domain.partition import DEPLOYMENT, LOCAL_PRINCIPAL, Partition
from skillsvc.domain.trust import Tier, Trust, trust_of
from skillsvc.parsing.findings import Profile
from skillsvc.settings import places
from skillsvc.settings.lowering import faults_of_limits
from skillsvc.settings.refusal import Fault, Faults
from skillsvc.settings.table import Count, File, Flag, Label, Seconds, Table, Text
from skillsvc.sources.directory import DirectorySettings
from skillsvc.sources.discovery import IGNORED, Layout
from skillsvc.sources.reading import ReadingSettings

MIB = 1024 * 1024

TrustName: TypeAlias = Literal["allowed", "ask", "untrusted"]
RemoteTierName: TypeAlias = Literal["registered", "learned"]
Host: TypeAlias = Annotated[str, AfterValidator(places.host)]
Folder: TypeAlias = Annotated[str, AfterValidator(places.folder_within)]
WebUrl: TypeAlias = Annotated[str, AfterValidator(places.web_url)]
Ref: TypeAlias = Annotated[str, AfterValidator(places.ref)]
Directory: TypeAlias = Annotated[
    Path | FolderTemplate,
    # Not a union to pydantic: what is neither is told as what is no path.
    GetPydanticSchema(
        lambda _kind, make: no_info_wrap_validator_function(places.directory_or_template, make.generate_schema(File))
    ),
    PlainSerializer(places.shown),
    WithJsonSchema({"type": "string", "format": "path"}),
]
"""A path, or where its text has places for a partition a template of paths."""
Variable: TypeAlias = Annotated[Text, Field(pattern="^[A-Za-z_][A-Za-z0-9_]*$")]


class PartitionTable(Table):
    """Whose layer a source feeds; without this table the deployment layer, which all callers share."""

    principal: str = Field(
        default=LOCAL_PRINCIPAL, description='Whose: `"local"`, or with access rules a principal of theirs.'
    )
    project: str = Field(default="", description="A project of the principal; none for the principal's own layer.")

    @field_validator("principal")
    @classmethod
    def _principal_is_one(cls, principal: str) -> str:
        try:
            Partition.parse(principal=principal, project="")
        except InvalidInput as error:
            raise Faults([f"cannot be: {error.message}"]) from error
        return principal

    @field_validator("project")
    @classmethod
    def _project_is_one(cls, project: str) -> str:
        try:
            Partition.parse(principal=LOCAL_PRINCIPAL, project=project)
        except InvalidInput as error:
            raise Faults([error.message.removeprefix("project ")]) from error
        return project


class AuthTable(Table):
    """What shows who asks: a user and a password, or a token. It says where secrets are, and never what they are.

    They are read anew at each look, and never logged.
    """

    username: Text | None = Field(default=None, description="The user, with a password.")
    password_env: Variable | None = Field(default=None, description="The environment's variable with the password.")
    password_file: File | None = Field(default=None, description="The file whose only line is the password.")
    token_env: Variable | None = Field(default=None, description="The environment's variable with a bearer token.")
    token_file: File | None = Field(default=None, description="The file whose only line is a bearer token.")

    @model_validator(mode="after")
    def _is_one_way(self) -> "AuthTable":
        ways = [name for name in ("password_env", "password_file", "token_env", "token_file") if getattr(self, name)]
        if len(ways) != 1:
            raise Faults(["must have one of password_env, password_file, token_env and token_file"])
        if ways[0].startswith("password") and self.username is None:
            raise Faults([f"must have a username with {ways[0]}"])
        if ways[0].startswith("token") and self.username is not None:
            raise Faults([f"has a username, which is not for {ways[0]}"])
        return self

    def place(self) -> SecretPlace:
        """Return where the secret is."""
        return SecretPlace(
            username=self.username or "",
            env=self.password_env or self.token_env or "",
            file=str(self.password_file or self.token_file or ""),
        )


class SourceTable(Table):
    """What all kinds have in common."""

    name: Label = Field(description="The label by which callers and diagnostics know it; unique.")
    kind: str = Field(description="What kind of place it is.")
    profile: Profile = Field(default=Profile.LENIENT, description="`lenient` keeps and warns, `strict` refuses.")
    tier: str = Field(description="How its skills are admitted; lower only.")
    trust: TrustName | None = Field(
        default=None, description="What may be done with its skills; none for what the tier gives, and never more."
    )
    poll_s: Seconds | None = Field(
        default=None, description="Seconds between two whole looks; none for `poll_s` of [server]."
    )
    partition: PartitionTable | None = Field(
        default=None,
        description="Whose layer it feeds, `{ principal, project }`; none for the deployment layer, which all share.",
    )
    limits: Mapping[str, Any] = Field(
        default={}, description="Limits of this source, by the names of [limits]; lower only."
    )

    @field_validator("trust")
    @classmethod
    def _trust_is_lowered(cls, trust: TrustName | None, info: ValidationInfo) -> TrustName | None:
        tier = info.data.get("tier")
        if trust and tier and Trust[trust.upper()].value < (given := trust_of(Tier[tier.upper()])).value:
            raise Faults([f"is {trust}; the tier {tier} gives {given.name.lower()}, and it can be lowered only"])
        return trust

    @field_validator("limits")
    @classmethod
    def _limits_are_possible(cls, limits: Mapping[str, Any]) -> Mapping[str, Any]:
        if faults := list(faults_of_limits(limits, of_a_source=True)):
            raise Faults(faults)
        return limits

    @property
    def template(self) -> FolderTemplate | None:
        """The template by which it feeds many partitions, None where it feeds one."""
        return None

    def feeds(self) -> Partition:
        """Return the partition whose layer it feeds; not of a template."""
        if self.partition is None:
            return DEPLOYMENT
        return Partition(principal=self.partition.principal, project=self.partition.project)

    def reading(self) -> ReadingSettings:
        """Return how what it holds is read."""
        return ReadingSettings(
            label=self.name,
            profile=self.profile,
            tier=Tier[self.tier.upper()],
            trust=None if self.trust is None else Trust[self.trust.upper()],
        )


class FolderTable(SourceTable):
    """What kinds have in common whose skills lie in folders."""

    layout: Layout = Field(default=Layout.FLAT, description="`flat`: one level of folders; `nested`: any depth.")
    single_files: Flag = Field(default=False, description="Whether `<name>.md` in the folder itself is a skill.")
    max_depth: Count | None = Field(
        default=None,
        description="How deep below its root `nested` looks; none for `source_depth` of [limits], and never more.",
    )
    ignore: tuple[Annotated[str, AfterValidator(places.file_name)], ...] = Field(
        default=tuple(sorted(IGNORED)),
        description="Names that no skill is looked for in, and that are no assets; instead of the default ones.",
    )

    @override
    def reading(self) -> ReadingSettings:
        return replace(
            super().reading(),
            layout=self.layout,
            single_files=self.single_files,
            max_depth=self.max_depth,
            ignored=frozenset(self.ignore),
        )


class RemoteTable(SourceTable):
    """What kinds have in common that are reached over a network."""

    tier: RemoteTierName = Field(default="registered", description="How its skills are admitted; lower only.")
    timeout_s: Seconds = Field(default=60.0, description="Seconds that a look may take as a whole.")
    ca_file: File | None = Field(
        default=None, description="Certificates (PEM) that vouch for its server, instead of the system's."
    )
    allow_addresses: tuple[Annotated[str, AfterValidator(places.host_or_network)], ...] = Field(
        default=(),
        description="Hosts, addresses and networks that may be connected to though they are not public.",
    )
    redirect_hosts: tuple[Host, ...] = Field(
        default=(),
        description="Hosts beside its own that may serve its content, by a redirect or by a URL of its index; none of "
        "them gets credentials.",
    )
    auth: AuthTable | None = Field(default=None, description="Where the secret is that shows who asks.")


class DirectoryTable(FolderTable):
    """A directory of this machine. It is watched, and need not be there yet.

    With `{principal}`, and `{project}`, for whole segments of its path it is a directory for each partition, looked at
    while somebody asks for that ([docs/sources/directory.md](sources/directory.md)).
    """

    kind: Literal["directory"] = "directory"
    path: Directory = Field(description="The directory, or a template of them, relative to the file that names it.")
    tier: Literal["explicit", "project", "user", "registered", "learned"] = Field(
        default="explicit", description="How its skills are admitted; lower only."
    )

    @model_validator(mode="after")
    def _feeds_whom_it_says(self) -> "DirectoryTable":
        if self.template is not None and self.partition is not None:
            sentence = "cannot be beside a path with places: these say whose layer it feeds"
            raise Faults([Fault(sentence, ("partition",))])
        return self

    @property
    @override
    def template(self) -> FolderTemplate | None:
        return None if isinstance(self.path, Path) else self.path

    @override
    def feeds(self) -> Partition:
        if self.template is not None:
            raise LookupError("a template feeds whichever partition is asked for")
        return super().feeds()

    def directory(self) -> DirectorySettings:
        """Return how the directory is looked at; of a template `directory_of`."""
        if self.template is not None:
            raise LookupError("a template is of many directories")
        return DirectorySettings(path=str(self.path), reading=self.reading())

    def directory_of(self, partition: Partition) -> DirectorySettings:
        """Return how the directory of a partition is looked at, which the template feeds."""
        if self.template is None or not self.template.feeds(partition):
            raise LookupError("it does not feed the partition")
        return DirectorySettings(
            path=self.template.root, beneath=self.template.beneath(partition), reading=self.reading()
        )


class GitTable(RemoteTable, FolderTable):
    """A git repository, served as of one commit at a time, without a checkout."""

    kind: Literal["git"]
    url: Annotated[str, AfterValidator(places.git_url)] = Field(
        description="The remote: `https://…`, `ssh://user@host/…` or `user@host:path`."
    )
    timeout_s: Seconds = Field(default=120.0, description="Seconds that one fetch may take.")
    branch: Ref | None = Field(
        default=None, description="The branch; with no tag and no commit either, the remote's own."
    )
    tag: Ref | None = Field(default=None, description="A tag, instead of a branch.")
    commit: Annotated[str, AfterValidator(places.object_id)] | None = Field(
        default=None, description="The whole id of one commit, instead of a branch."
    )
    subdir: Folder | None = Field(default=None, description="The folder of the repository that is the root.")
    plain_http: Flag = Field(
        default=False, validate_default=True, description="Whether an `http` URL is meant, without TLS."
    )
    lfs: Flag = Field(default=False, description="Fetch what LFS pointers stand for; else skills with one are refused.")
    max_bytes: Count = Field(default=256 * MIB, description="Bytes that one fetch may bring.")
    max_cache_bytes: Count = Field(
        default=1024 * MIB, description="Bytes above which the cache is dropped, and fetched anew."
    )
    ssh_key_file: File | None = Field(default=None, description="The private key for `ssh`.")
    known_hosts_file: File | None = Field(
        default=None, validate_default=True, description="The keys of hosts that `ssh` trusts; needed for it."
    )

    @field_validator("tag", "commit")
    @classmethod
    def _names_one_thing(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is not None:
            other = next((name for name in ("branch", "tag") if info.data.get(name)), None)
            if other:
                raise Faults([f"cannot be beside {other}: one of branch, tag and commit says what is served"])
        return value

    @field_validator("plain_http")
    @classmethod
    def _what_is_not_encrypted_is_meant(cls, plain_http: Flag, info: ValidationInfo) -> Flag:
        if not plain_http and info.data.get("url", "").startswith("http://"):
            raise Faults(["must be true for a URL that is not encrypted; better choose https"])
        return plain_http

    @field_validator("known_hosts_file")
    @classmethod
    def _hosts_are_known(cls, path: File | None, info: ValidationInfo) -> File | None:
        if path is None and places.is_ssh(info.data.get("url", "https://")):
            raise Faults(["is missing, and without it no host is trusted over ssh"])
        return path


class HttpTable(RemoteTable):
    """A JSON manifest that lists skills, with their texts and assets by URL, or without a text."""

    kind: Literal["http"]
    url: WebUrl = Field(description="The manifest.")


class WellKnownTable(RemoteTable):
    """Skills that a site publishes at `/.well-known/agent-skills/index.json`."""

    kind: Literal["well_known"]
    url: WebUrl = Field(description="The site, or the index itself.")


class OciTable(RemoteTable, FolderTable):
    """An artifact in an OCI registry."""

    kind: Literal["oci"]
    reference: Annotated[str, AfterValidator(places.oci_reference)] = Field(
        description="`registry/repository:tag`, or `registry/repository@sha256:…`."
    )
    plain_http: Flag = Field(default=False, description="Ask the registry without TLS.")
    token_hosts: tuple[Host, ...] = Field(
        default=(), description="Hosts beside the registry's own that may get the credentials for a token."
    )


class ProviderTable(SourceTable):
    """A source that a Python package brings, by an entry point of the group `skillsvc.sources`."""

    kind: Literal["provider"]
    name: Annotated[Label, AfterValidator(places.provider)] = Field(
        description="The label by which callers and diagnostics know it; unique."
    )
    tier: RemoteTierName = Field(default="registered", description="How its skills are admitted; lower only.")
    provider: Annotated[Text, AfterValidator(places.provider)] = Field(description="The name of the entry point.")
    timeout_s: Seconds = Field(default=60.0, description="Seconds that a look may take as a whole.")
    options: Mapping[str, Any] = Field(default={}, description="What it is told; it says itself what it knows.")


AnySourceTable: TypeAlias = Annotated[
    DirectoryTable | GitTable | HttpTable | WellKnownTable | OciTable | ProviderTable, Field(discriminator="kind")
]

SOURCE_TABLES: Mapping[str, type[SourceTable]] = MappingProxyType(
    {
        "directory": DirectoryTable,
        "git": GitTable,
        "http": HttpTable,
        "well_known": WellKnownTable,
        "oci": OciTable,
        "provider": ProviderTable,
    }
)
"""The model of each kind."""
