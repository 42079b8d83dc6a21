"""Everything that both clients can do, but for the waiting: what each method takes, promises and raises.

The blocking client and the asyncio client offer these methods under the same names; where a method here returns a plan
of a value, there it returns that value, or an awaitable of it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Generic, NamedTuple, TypeVar

from skillsource import asking
from skillsource.activating import Request, Traces
from skillsource.answers import (
    Activation,
    AssetContent,
    BestMatch,
    Body,
    BodyForm,
    Capabilities,
    CatalogFormat,
    CatalogOrder,
    CollectionListing,
    Inventory,
    InvocationFilter,
    Listing,
    McpMode,
    OfferedTool,
    RenderedCatalog,
    SearchResult,
    ServerInfo,
    SkillView,
    TextForm,
)
from skillsource.asking import Rendering
from skillsource.errors import InvalidArgument
from skillsource.listing import CatalogReads, Narrowing, Pages
from skillsource.methods import Operation
from skillsource.mirror import Mirror
from skillsource.reading import SkillReads
from skillsource.scope import Scope
from skillsource.surroundings import Surroundings
from skillsource.values import Generation
from skillsource.watching import Watch, watch

T = TypeVar("T")


class Plan(NamedTuple, Generic[T]):
    """An operation, and the seconds that all of it may take."""

    operation: Operation[T]
    timeout_s: float


class PagePlan(NamedTuple):
    """A listing that is taken page by page, and the seconds that each page may take."""

    pages: Pages
    timeout_s: float


class Operations:
    """What one client can do, in one scope."""

    def __init__(self, scope: Scope, surroundings: Surroundings, mirror: Mirror | None = None) -> None:
        """Make the operations of a scope.

        Args:
            scope: What all requests share.
            surroundings: What all clients of the connection share.
            mirror: Vouches for what is unchanged, where the catalog is followed.
        """
        self.scope = scope
        self.surroundings = surroundings
        self.mirror = mirror
        self._read_timeout_s = surroundings.read_timeout_s
        self._skills = SkillReads(scope, surroundings.cache, mirror)
        self._catalog = CatalogReads(scope, surroundings.cache, mirror)
        self._traces = Traces(scope, surroundings.throttle, surroundings.chance, surroundings.new_request_id)

    def pinned(self, generation: Generation | str) -> "Operations":
        """Return a client whose answers all come from one state, over the same connection.

        Where the server does not hold that state any longer, its calls raise GenerationExpired.
        """
        return self._with(replace(self.scope, at_exactly=_token(generation), at_least=""))

    def at_least(self, generation: Generation | str) -> "Operations":
        """Return a client whose answers come from a state or a later one, over the same connection."""
        return self._with(replace(self.scope, at_least=_token(generation), at_exactly=""))

    def narrowed(
        self,
        *,
        project: str | None = None,
        session: str | None = None,
        allow: Iterable[str] | None = None,
        builtin_tools: Iterable[str] | None = None,
    ) -> "Operations":
        """Return a client of another scope, over the same connection; None leaves a part of the scope as it is."""
        scope = self.scope
        return self._with(
            replace(
                scope,
                project=scope.project if project is None else project,
                session=scope.session if session is None else session,
                allow=scope.allow if allow is None else tuple(allow),
                builtin_tools=scope.builtin_tools if builtin_tools is None else tuple(builtin_tools),
            )
        )

    def followed(self, mirror: Mirror) -> "Operations":
        """Return the same operations with a mirror, which has to be told what `follow` gives.

        Raises:
            InvalidArgument: The scope asks for one state, and what is followed is the present one.
        """
        if not self.scope.floats:
            raise InvalidArgument("a client that is pinned to a state has nothing to follow")
        return Operations(self.scope, self.surroundings, mirror)

    def follow(self, mirror: Mirror) -> Watch:
        """Follow the catalog for a mirror, which is told what breaks the stream."""
        return watch(self.scope, "", self.surroundings.chance, on_break=mirror.lose)

    def watch(self, since: Generation | str) -> Watch:
        """Follow the catalog; what cannot be mended is raised."""
        return watch(self.scope, _token(since), self.surroundings.chance)

    def server_info(self, *, timeout: float | None = None) -> Plan[ServerInfo]:
        """Ask what the server is; answered before it has looked at any skill."""
        return self._read(asking.server_info(), timeout)

    def present(self, *, timeout: float | None = None) -> Plan[Generation]:
        """Return the present state, to pin to it."""
        return self._read(self._catalog.present(), timeout)

    def list_skills(
        self,
        *,
        view: SkillView = SkillView.BASIC,
        invocation: InvocationFilter = InvocationFilter.ANY,
        collection: str = "",
        page_size: int = 0,
        timeout: float | None = None,
    ) -> Plan[Listing]:
        """List all skills: every page put together, all from one generation.

        Args:
            view: How much of each skill.
            invocation: Only skills whose use this one may begin.
            collection: Only members of this collection.
            page_size: Most skills of a page; 0 for as many as fit.
            timeout: Seconds for all pages.
        """
        narrowing = Narrowing(view=view, invocation=invocation, collection=collection)
        return self._read(self._catalog.listing(narrowing, page_size), timeout)

    def iter_skills(
        self,
        *,
        view: SkillView = SkillView.BASIC,
        invocation: InvocationFilter = InvocationFilter.ANY,
        collection: str = "",
        page_size: int = 0,
        timeout: float | None = None,
    ) -> PagePlan:
        """List all skills, page by page as they are taken, all from one generation.

        Args:
            view: How much of each skill.
            invocation: Only skills whose use this one may begin.
            collection: Only members of this collection.
            page_size: Most skills of a page; 0 for as many as fit.
            timeout: Seconds for each page.

        Raises:
            GenerationExpired: The generation is gone before its last page was taken; `list_skills` begins anew itself.
        """
        narrowing = Narrowing(view=view, invocation=invocation, collection=collection)
        return PagePlan(self._catalog.pages(narrowing, page_size), self._read_timeout_s if timeout is None else timeout)

    def list_collections(
        self, *, invocation: InvocationFilter = InvocationFilter.ANY, timeout: float | None = None
    ) -> Plan[CollectionListing]:
        """List the collections alone, in one call: `list_skills(collection=)` has the members of one.

        Args:
            invocation: Count only skills whose use this one may begin.
            timeout: Seconds.
        """
        return self._read(self._catalog.collections(Narrowing(invocation=invocation)), timeout)

    def search_skills(
        self,
        query: str,
        *,
        limit: int = 0,
        invocation: InvocationFilter = InvocationFilter.ANY,
        task: str = "",
        body_bytes: int = 0,
        timeout: float | None = None,
    ) -> Plan[SearchResult]:
        """Find the skills that fit a query, best first.

        Args:
            query: Words; nothing in them is an operator.
            limit: Most hits: 0 for 5, at most 50.
            invocation: Only skills whose use this one may begin.
            task: What the skill is wanted for.
            body_bytes: Bytes for the bodies of the first hits.
            timeout: Seconds.
        """
        search = asking.search_skills(
            self.scope, query, limit=limit, invocation=invocation, task=task, body_bytes=body_bytes
        )
        return self._read(search, timeout)

    def render_catalog(
        self,
        *,
        format: CatalogFormat = CatalogFormat.XML,  # noqa: A002 - the contract's name
        order: CatalogOrder | None = None,
        max_bytes: int = 0,
        max_tokens: int = 0,
        query: str = "",
        task: str = "",
        timeout: float | None = None,
    ) -> Plan[RenderedCatalog]:
        """Ask for the catalog as text for a model.

        Args:
            format: How it is rendered.
            order: What comes first where not all fits; None for RELEVANCE with a query, else NAME.
            max_bytes: Most bytes; with `max_tokens` the smaller holds, with neither 20,000.
            max_tokens: Most tokens, of 4 bytes each.
            query: What the caller is about to do.
            task: The task, for what outcomes taught.
            timeout: Seconds.
        """
        rendering = Rendering(
            format=format, order=order, max_bytes=max_bytes, max_tokens=max_tokens, query=query, task=task
        )
        return self._read(asking.render_catalog(self.scope, self.surroundings.cache, rendering), timeout)

    def search_capabilities(
        self, query: str, *, limit: int = 0, tools: Iterable[OfferedTool] = (), timeout: float | None = None
    ) -> Plan[Capabilities]:
        """Search the caller's tools, the skills and the commands together.

        Tools come first, then skills, which the model may begin to use, then commands, which the user
        may, each by name.

        Args:
            query: A text in the name or the description of what is sought, in any case of letters.
            limit: Most results: 0 for 20, at most 50.
            tools: The tools that the caller has, for this call alone.
            timeout: Seconds.
        """
        return self._read(asking.search_capabilities(self.scope, query, limit=limit, tools=tools), timeout)

    def skill_body(self, name: str, *, form: BodyForm = BodyForm.BODY, timeout: float | None = None) -> Plan[Body]:
        """Read the whole text of a skill, verified by its digest.

        Args:
            name: The skill, or `source/name`.
            form: The text after the frontmatter, or SKILL.md as it is.
            timeout: Seconds for all ranges.
        """
        return self._read(self._skills.body(name, form), timeout)

    def list_assets(self, name: str, *, timeout: float | None = None) -> Plan[Inventory]:
        """List all assets of a skill.

        Args:
            name: The skill, or `source/name`.
            timeout: Seconds.

        Raises:
            ProtocolError: A name in it does not fit the grammar: then none of it is believed.
        """
        return self._read(self._skills.inventory(name), timeout)

    def read_asset(
        self, name: str, asset: str, *, as_text: bool = False, timeout: float | None = None
    ) -> Plan[AssetContent]:
        """Read one whole asset, verified by its digest.

        Args:
            name: The skill, or `source/name`.
            asset: Its logical name.
            as_text: Refuse what is not UTF-8 text without NUL.
            timeout: Seconds for all ranges.

        Raises:
            InvalidArgument: The asset's name does not fit the grammar; no call was made.
            AssetNotFound: There is no such asset, or no such skill.
        """
        return self._read(self._skills.asset(name, asset, as_text=as_text), timeout)

    def activate(
        self,
        name: str,
        *,
        task: str = "",
        builtin_tools: Sequence[str] = (),
        invocation: InvocationFilter | None = None,
        mcp: McpMode | None = None,
        allow_partial: bool = False,
        text_form: TextForm | None = None,
        arguments: Mapping[str, str] | None = None,
        request_id: str = "",
        timeout: float | None = None,
    ) -> Plan[Activation]:
        """Begin the use of a skill. Where the server is unavailable, it is asked again: the same activation.

        Args:
            name: The skill, or `source/name`.
            task: What it is begun for.
            builtin_tools: Tools that the caller offers by name, in place of this client's.
            invocation: Who begins it; None for the model.
            mcp: Whether MCP servers are connected; None to describe their tools only.
            allow_partial: Grant what can be granted, and say of the rest why not.
            text_form: How the text is built; None for plain.
            arguments: Values for the placeholders of the body.
            request_id: By which a repetition is the same activation; empty to have one made.
            timeout: Seconds for all attempts.

        Raises:
            ToolRefused: A tool of the skill was refused, and not `allow_partial`.
        """
        request = Request(
            name=name,
            task=task,
            builtin_tools=builtin_tools,
            invocation=invocation,
            mcp=mcp,
            allow_partial=allow_partial,
            text_form=text_form,
            arguments=arguments,
            request_id=request_id,
        )
        return Plan(
            self._traces.activate(request), self.surroundings.activate_timeout_s if timeout is None else timeout
        )

    def report_outcome(
        self,
        success_rate: float,
        *,
        activation_id: str = "",
        skill: str = "",
        task: str = "",
        request_id: str = "",
        timeout: float | None = None,
    ) -> Plan[bool]:
        """Tell how something turned out, and return whether that was recorded.

        Args:
            success_rate: From 0 for failure to 1 for success.
            activation_id: The activation; or else `skill` with `task`.
            skill: The skill, or `source/name`.
            task: The task.
            request_id: By which a repetition records nothing; empty to have one made.
            timeout: Seconds for all attempts.
        """
        report = self._traces.report(
            success_rate, activation_id=activation_id, skill=skill, task=task, request_id=request_id
        )
        return self._read(report, timeout)

    def best_match(self, task: str, *, timeout: float | None = None) -> Plan[BestMatch]:
        """Ask which skill did best at tasks like this one."""
        return self._read(asking.best_match(self.scope, task), timeout)

    def _read(self, operation: Operation[T], timeout: float | None) -> Plan[T]:
        return Plan(operation, self._read_timeout_s if timeout is None else timeout)

    def _with(self, scope: Scope) -> "Operations":
        return Operations(scope, self.surroundings)


def _token(generation: Generation | str) -> str:
    return generation if isinstance(generation, str) else generation.token
