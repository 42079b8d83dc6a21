"""The example of a provider as its author has it: installed from its folder, and run with the published suite."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.calls import Caller
from tests.integration.commands import environment
from tests.integration.conftest import Serve

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


def card(name: str, text: str) -> dict[str, str]:
    return {"name": name, "description": f"Does {name}.", "text": text}


def declare(config: Path, source: str) -> None:
    """Write a configuration with one source, of which the edits of a file are told by the provider alone."""
    config.write_text(f"[server]\npoll_s = 3600\n\n{source}")


def test_a_server_takes_skills_from_the_example_follows_them_and_lets_go_of_it(
    site: Path, serve: Serve, tmp_path: Path
) -> None:
    cards, config = tmp_path / "cards.json", tmp_path / "skillsvc.toml"
    cards.write_text(json.dumps([card("fold", "Fold it."), card("cut", "Cut it.")]))
    source = f'[[source]]\nname = "cards"\nkind = "provider"\nprovider = "cards"\noptions = {{ file = "{cards}" }}\n'
    declare(config, source)
    server = serve(config=str(config), environment={"PYTHONPATH": str(site)})
    with Caller(server.address) as caller, caller.watch() as watching:
        assert (caller.names(), caller.body("fold"), caller.generation().complete) == (
            ["cut", "fold"],
            "Fold it.",
            True,
        )
        assert {skill.source for skill in caller.skills()} == {"cards"}
        cards.write_text(json.dumps([card("fold", "Fold it twice.")]))
        watching.until(lambda event: bool(event.modified))
        assert (caller.names(), caller.body("fold")) == (["fold"], "Fold it twice.")
        (tmp_path / "own").mkdir()
        declare(config, '[[source]]\nname = "own"\npath = "own"\n')
        server.process.send_signal(signal.SIGHUP)
        caller.wait_until(lambda: not caller.names())
        assert caller.generation().complete


def test_a_configuration_with_an_unknown_provider_is_refused_in_a_sentence(tmp_path: Path) -> None:
    config = tmp_path / "skillsvc.toml"
    declare(config, '[[source]]\nname = "cards"\nkind = "provider"\nprovider = "nobody"\n')
    done = subprocess.run(
        [sys.executable, "-m", "skillsvc", "serve", f"--config={config}", "--listen=127.0.0.1:0"],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode != 0
    assert "no installed package has the provider 'nobody'" in done.stderr
