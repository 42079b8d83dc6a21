"""What others write: a provider, which says what skills there are, found by an entry point of the group `GROUP`.

A provider judges nothing. What it gives is read as files in a folder are, with the same limits, grammar and profiles;
where it fails, gives what is none of this or is slow, its own source alone is behind.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Protocol, TypeAlias

GROUP: Final = "skillsvc.sources"
"""The group of entry points. Each names a factory; its own name is what a configuration calls it by."""
RESERVED: Final = "runtime"
"""The name that no provider and no source of one may have."""
USUAL_RANK: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One skill that a provider has.

    Attributes:
        name: Stands for the folder's name, and fits the grammar of a skill's name.
        document: The bytes of its SKILL.md.
        files: What stands beside SKILL.md: bytes by path, `/` between names. A `skill.yaml` is read as one.
        executable: The paths of the files that may be executed.
        rank: Of several candidates of one name the lowest is taken, and among equal ones the first that was given. It
            counts within the provider alone: between sources the configuration's order decides (`rules.md` 4).
        provider: Whose it is: the provider's own name, or "" for that.
    """

    name: str
    document: bytes
    files: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}))
    executable: Collection[str] = frozenset()
    rank: int = USUAL_RANK
    provider: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, weakref_slot=True)
class ProviderObservation:
    """All skills that a provider has.

    A provider that gives the very object it gave before says that nothing changed, and nothing is read again.

    Attributes:
        skills: In the provider's order.
        complete: Whether these are all. Where they are not, what is served and not given again stays.
        revision: What was looked at, for the operator's eyes: a version, a digest; "" where there is none.
    """

    skills: Sequence[Candidate] = ()
    complete: bool = True
    revision: str = ""


class ProviderContext(Protocol):
    """What a provider is given. Any thread may call."""

    @property
    def name(self) -> str:
        """The name of the source, as callers know it."""

    @property
    def options(self) -> Mapping[str, object]:
        """What the configuration says to it: text, numbers, booleans, lists and tables of these. Not to be changed."""

    def invalidate(self) -> None:
        """Say that the skills changed, so that they are asked for soon; does nothing once the provider is closed."""

    def stopped(self) -> bool:
        """Tell whether what is under way is wanted no more: the server stops, the source is gone, or it took too long.

        Whatever is slow asks this at least once a second.
        """


class Provider(Protocol):
    """A place that skills come from. One thread at a time calls `observe`; `close` may come from another one."""

    def observe(self) -> ProviderObservation:
        """Return what there is now. Anything raised means that it could not be had; what is served then stays."""

    def close(self) -> None:
        """Let go of everything. Called once, at the end or where the source is taken out of the configuration."""


Factory: TypeAlias = Callable[[ProviderContext], Provider]
"""Makes a provider, at the first look. What it raises is a look that failed; it is called again at the next one."""


class OptionsRefused(Exception):
    """The options of a provider are not as they must be.

    The message is for the operator, and names the option and the way out: it is told as the diagnostic of the source,
    while of any other error only the log says more.
    """
