"""Providers by name: the entry points that the packages of this installation have."""

from importlib.metadata import EntryPoint, entry_points

from skillsvc.sources.provider import GROUP, RESERVED, Factory, Provider, ProviderContext


class ProviderRefused(ValueError):
    """No provider can be had by a name. The message says why, and the way out."""


def find_provider(name: str) -> Factory:
    """Return the factory that is known by a name. It is imported where it is first called, no sooner.

    Whoever checks a configuration so runs no code of others.

    Raises:
        ProviderRefused: The name is reserved, no package has it, or several have.
    """
    if name == RESERVED:
        raise ProviderRefused(f"{RESERVED!r} is reserved for skills that a program registers itself; choose another")
    installed = entry_points(group=GROUP)
    named = [point for point in installed if point.name == name]
    if not named:
        known = ", ".join(sorted({point.name for point in installed} - {RESERVED})) or "none"
        raise ProviderRefused(f"no installed package has the provider {name!r}; there are: {known}")
    if len({point.value for point in named}) > 1:
        owners = " and ".join(sorted({point.dist.name if point.dist else "?" for point in named}))
        raise ProviderRefused(f"the provider {name!r} is of several packages: {owners}; leave one installed")
    return _of_entry_point(named[0])


def _of_entry_point(point: EntryPoint) -> Factory:
    def make(context: ProviderContext) -> Provider:
        factory: Factory = point.load()
        return factory(context)

    return make
