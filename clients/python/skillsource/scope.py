"""What a request is narrowed to and answered from: the fields that all requests share."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The fields that all requests of one client share.

    Attributes:
        project: The project whose catalog is read; may be empty.
        session: A label of the caller's session; may be empty.
        at_least: Token of the oldest state to answer from; empty for any.
        at_exactly: Token of the one state to answer from; empty for any. It outranks `at_least`.
        allow: The names to narrow to; None for all, and an empty tuple for none.
        builtin_tools: Tools that the caller offers by name.
    """

    project: str = ""
    session: str = ""
    at_least: str = ""
    at_exactly: str = ""
    allow: tuple[str, ...] | None = None
    builtin_tools: tuple[str, ...] = ()

    @classmethod
    def of(cls, *, project: str, session: str, allow: Iterable[str] | None, builtin_tools: Iterable[str]) -> "Scope":
        """Return the scope that a caller names, answered from whatever state is at hand."""
        return cls(
            project=project,
            session=session,
            allow=None if allow is None else tuple(allow),
            builtin_tools=tuple(builtin_tools),
        )

    @property
    def floats(self) -> bool:
        """Whether answers may come from whatever state is at hand."""
        return not self.at_least and not self.at_exactly

    def fields(self, *, at_exactly: str = "", builtin_tools: bool = False) -> dict[str, object]:
        """Return the shared fields of a request, without those that are unset.

        Args:
            at_exactly: A token to pin to, where this scope does not pin by itself.
            builtin_tools: Whether this kind of request has the field.
        """
        fields: dict[str, object] = {}
        if self.project:
            fields["project"] = self.project
        if self.session:
            fields["session"] = self.session
        consistency = self._consistency(at_exactly)
        if consistency:
            fields["consistency"] = consistency
        if self.allow is not None:
            fields["allow"] = {"names": self.allow}
        if builtin_tools and self.builtin_tools:
            fields["builtin_tools"] = self.builtin_tools
        return fields

    def _consistency(self, at_exactly: str) -> Mapping[str, str]:
        if exactly := self.at_exactly or at_exactly:
            return {"at_exactly": exactly}
        return {"at_least": self.at_least} if self.at_least else {}
