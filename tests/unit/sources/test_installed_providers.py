"""Providers by name: found among what is installed, and imported by nobody before they are asked."""

import sys
from pathlib import Path

import pytest

from skillsvc.content.stopping import never
from skillsvc.sources.installed_providers import ProviderRefused, find_provider
from skillsvc.sources.provider_context import Context


def install(folder: Path, package: str, entry_points: str) -> None:
    """Write what an installation leaves of a package."""
    info = folder / f"{package}-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[skillsvc.sources]\n{entry_points}\n")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    return folder


def test_a_provider_is_imported_at_its_first_call(site: Path) -> None:
    install(site, "shelves", "shelves-here = shelves_here:make")
    make = find_provider("shelves-here")
    (site / "shelves_here.py").write_text("def make(context):\n    return context.name\n")
    assert "shelves_here" not in sys.modules
    context = Context(name="depot", options={}, tell=lambda: None, stopped=never)
    assert make(context) == "depot"  # type: ignore[comparison-overlap] # no provider, for it is asked nothing
    del sys.modules["shelves_here"]


def test_an_unknown_name_is_refused_with_those_there_are(site: Path) -> None:
    install(site, "shelves", "shelves-here = shelves_here:make\nruntime = shelves_here:make")
    with pytest.raises(ProviderRefused, match=r"'shelf'; there are: .*shelves-here") as refused:
        find_provider("shelf")
    assert "runtime" not in str(refused.value)


def test_a_name_of_two_packages_is_refused_naming_both(site: Path) -> None:
    install(site, "one", "shelf = one:make")
    install(site, "two", "shelf = two:make")
    with pytest.raises(ProviderRefused, match="one and two"):
        find_provider("shelf")


def test_the_reserved_name_is_refused_whoever_has_it(site: Path) -> None:
    install(site, "one", "runtime = one:make")
    with pytest.raises(ProviderRefused, match="reserved"):
        find_provider("runtime")
