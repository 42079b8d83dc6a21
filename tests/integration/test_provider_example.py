"""The example of a provider as its author has it: installed from its folder, and run with the published suite."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.commands import environment

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
PATIENCE_S = 100.0


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where the example is installed, beside what the tests themselves have."""
    site = tmp_path_factory.mktemp("site")
    source = tmp_path_factory.mktemp("source") / "provider"
    source.mkdir()
    for path in (ROOT / "examples/provider").rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            target = source / path.relative_to(ROOT / "examples/provider")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    options = ("--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check")
    run("-m", "pip", "install", *options, "--target", str(site), str(source), PYTHONWARNINGS="ignore")
    return site


def run(*arguments: str, cwd: Path = ROOT, **variables: str) -> str:
    """Run Python to its end, and return what it printed."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=environment(**variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_the_example_keeps_the_contract_of_a_provider(site: Path, tmp_path: Path) -> None:
    tests = tmp_path / "test_cards.py"
    tests.write_bytes((ROOT / "examples/provider/tests/test_cards.py").read_bytes())
    without = ("-p", "no:cacheprovider", "-p", "no:asyncio")
    said = run("-m", "pytest", "-q", *without, str(tests), cwd=tmp_path, PYTHONPATH=str(site))
    assert "9 passed" in said


def test_the_example_is_found_by_its_entry_point_and_not_imported(site: Path, tmp_path: Path) -> None:
    asks = (
        "import sys; from skillsvc.sources.installed_providers import find_provider; find_provider('cards'); "
        "print('skillsvc_cards' in sys.modules, 'pytest' in sys.modules)"
    )
    assert run("-c", asks, cwd=tmp_path, PYTHONPATH=str(site)) == "False False\n"
